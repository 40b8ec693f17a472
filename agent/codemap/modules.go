package codemap

import (
	"path"
	"strings"
)

// modules finds files by the names that imports give them.
type modules struct {
	files []module
	by    map[string][]int32 // by the last part of the path, without its extension
}

// module is a file as imports name it: without its extension, and without what stands for its folder.
type module struct{ dir, stem string }

func modulesOf(files []File) modules {
	m := modules{make([]module, len(files)), make(map[string][]int32, len(files))}
	for i, f := range files {
		stem := trimExt(f.Path)
		last := path.Base(stem)
		if last == "__init__" || last == "index" || last == "mod" {
			last = path.Base(path.Dir(stem))
		}
		m.by[last] = append(m.by[last], int32(i))
		for _, whole := range []string{"/__init__", "/index", "/mod"} {
			stem = strings.TrimSuffix(stem, whole)
		}
		m.files[i] = module{path.Dir(f.Path), stem}
	}
	return m
}

func trimExt(p string) string { return strings.TrimSuffix(p, path.Ext(p)) }

// separators are those of modules in PHP, C++, Rust and Ruby.
var separators = strings.NewReplacer("::", "/", `\`, "/")

// imports are the files that one imports.
func (m modules) imports(f File) (list []int32) {
	for _, name := range f.Imports {
		if to, ok := m.find(path.Dir(f.Path), name); ok {
			list = append(list, to)
		}
	}
	return list
}

// find returns the one file that an import in a folder means; false where none or several fit.
func (m modules) find(dir, name string) (int32, bool) {
	name = separators.Replace(name)
	relative := strings.HasPrefix(name, ".")
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(strings.Trim(name, "."), ".", "/") // of Python and Java
	} else if ext := path.Ext(name); len(ext) < 5 {
		name = strings.TrimSuffix(name, ext)
	}
	if relative {
		name = strings.TrimLeft(path.Clean(name), "./")
	}
	found, best := int32(-1), -1
	for _, i := range m.by[path.Base(name)] {
		to := &m.files[i]
		before, ok := strings.CutSuffix(to.stem, name)
		if !ok || before != "" && !strings.HasSuffix(before, "/") {
			continue
		}
		near := shared(dir, to.dir)
		switch {
		case near > best:
			found, best = i, near
		case near == best:
			found = -1
		}
	}
	return found, found >= 0
}

// shared is how many folders two paths begin with in common.
func shared(a, b string) (n int) {
	for {
		x, left, moreA := strings.Cut(a, "/")
		y, right, moreB := strings.Cut(b, "/")
		if x != y {
			return n
		}
		if n++; !moreA || !moreB {
			return n
		}
		a, b = left, right
	}
}
