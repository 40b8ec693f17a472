package project

import (
	"path"
	"strings"
)

// named is what a name stands for: a name in a file of the project ("" for the file itself), else what
// it is called outside of the project.
type named struct {
	file     *file
	name     string
	external string
}

// module finds the file of a module of Python: beside those that import it, in a folder above
// them, or the only one that has its path.
func (p *project) module(from *file, name string) *file {
	rest := strings.TrimLeft(name, ".")
	dots, at := len(name)-len(rest), strings.ReplaceAll(rest, ".", "/")
	if dots > 0 {
		dir := path.Dir(from.path)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		return p.python(dir, at)
	}
	for dir := path.Dir(from.path); ; dir = path.Dir(dir) {
		if f := p.python(dir, at); f != nil {
			return f
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	var found []*file
	for _, end := range []string{at + ".py", at + "/__init__.py"} {
		for _, f := range p.byName[path.Base(end)] {
			if strings.HasSuffix(f.path, "/"+end) {
				found = append(found, f)
			}
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// python is the file of a module in a folder.
func (p *project) python(dir, at string) *file {
	if at != "" {
		if f := p.files[path.Join(dir, at+".py")]; f != nil {
			return f
		}
	}
	return p.files[path.Join(dir, at, "__init__.py")]
}

// resolve follows a name of a file of Python, with dots, to what it stands for.
func (p *project) resolve(from *file, name string, depth int) named {
	first, rest, _ := strings.Cut(name, ".")
	if depth > maxChain {
		return named{external: name}
	}
	if _, made := from.made[first]; made || from.has(first) {
		return named{file: from, name: name}
	}
	if m, ok := from.named[first]; ok {
		return p.imported(from, join(m.Value, rest), depth+1)
	}
	for _, star := range from.stars {
		if f := p.module(from, star); f == nil {
			continue
		} else if found := p.resolve(f, name, depth+1); found.file != nil {
			return found
		}
	}
	for _, star := range from.stars {
		if p.module(from, star) == nil {
			return named{external: join(star, name)}
		}
	}
	return named{external: name}
}

// has reports whether a file declares a name itself.
func (f *file) has(name string) bool {
	_, class := f.classes[name]
	return class || len(f.lists[name]) > 0
}

// join puts names together with a dot.
func join(a, b string) string {
	switch {
	case b == "":
		return a
	case a == "" || strings.HasSuffix(a, "."):
		return a + b
	}
	return a + "." + b
}

// imported follows a full name, such as blog.models.Post, that a file imports.
func (p *project) imported(from *file, full string, depth int) named {
	for at, rest := full, ""; ; {
		if f := p.module(from, at); f != nil && (f != from || rest != "") {
			if rest == "" {
				return named{file: f}
			}
			if found := p.resolve(f, rest, depth+1); found.file != nil {
				return found
			}
			return named{external: full}
		}
		i := strings.LastIndexByte(at, '.')
		if i < 0 || i == len(at)-1 {
			break
		}
		rest = join(at[i+1:], rest)
		if at = at[:i]; strings.Trim(at, ".") == "" {
			at += "." // the package itself
		}
	}
	return named{external: full}
}

// scriptEnds are how the file of a module of JavaScript goes on behind its path.
var scriptEnds = []string{"", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", "/index.js", "/index.ts", "/index.mjs", "/index.cjs"}

// script finds the file of a module that a script imports by a relative path.
func (p *project) script(from *file, module string) *file {
	if !strings.HasPrefix(module, ".") {
		return nil
	}
	at := path.Join(path.Dir(from.path), module)
	for _, stem := range []string{at, strings.TrimSuffix(at, path.Ext(at))} { // TypeScript imports x.js where x.ts is meant
		for _, end := range scriptEnds {
			if f := p.files[stem+end]; f != nil && f != from {
				return f
			}
		}
	}
	return nil
}

// resolveScript follows a name of a script to what it stands for. What is outside of the project is
// "module#name".
func (p *project) resolveScript(from *file, name string, depth int) named {
	if module, ok := strings.CutPrefix(name, "require "); ok {
		return p.importedScript(from, module, "", depth)
	}
	if _, ok := from.made[name]; ok {
		return named{file: from, name: name}
	}
	first, rest, _ := strings.Cut(name, ".")
	if _, ok := from.classes[first]; ok || depth > maxChain {
		return named{file: from, name: name}
	}
	if m, ok := from.named[first]; ok {
		return p.importedScript(from, m.Value, rest, depth)
	}
	return named{file: from, name: name}
}

// importedScript follows module#name, and a rest behind it.
func (p *project) importedScript(from *file, value, rest string, depth int) named {
	module, name, _ := strings.Cut(value, "#")
	f := p.script(from, module)
	if f == nil {
		return named{external: join(value, rest)}
	}
	to, ok := f.exports[name]
	if !ok && name == "default" && rest != "" { // an object of what the module exports
		first, left, _ := strings.Cut(rest, ".")
		if to, ok = f.exports[first]; ok {
			rest = left
		}
	}
	if !ok {
		return named{external: join(value, rest)}
	}
	return p.resolveScript(f, join(to, rest), depth+1)
}
