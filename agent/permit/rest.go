package permit

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/agent/obey"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// rests compares what a line rests on with the user's own files. It knows what the task has staged:
// everything else is as the user has it.
type rests struct {
	permit  *Permit
	line    string
	changes []workspace.Change
	writes  []string        // files that the line itself writes, before it runs what it rests on
	seen    map[string]bool // scripts that were looked at
	depth   int

	followed int // files whose text was looked through, see follow
}

// unsettled returns why a line is asked for although its verdict allows it: something that
// it runs is not as the user's files have it, or it changes a file that programs obey. leave says
// that the second is the reason.
func (p *Permit) unsettled(line string, v shell.Verdict) (why string, leave bool) {
	if why := p.Obeyed(line, v); why != "" {
		return why, true
	}
	changes := p.Overlay.ChangeSet().Files
	for _, c := range changes {
		if v.Runs && toolFolder.MatchString(c.Path) {
			return fmt.Sprintf("It may run %s, which this task has written or changed.", c.Path), false
		}
	}
	r := rests{permit: p, line: line, changes: changes, writes: v.Writes, seen: map[string]bool{}}
	if why := r.programs(v.Runs); why != "" {
		return why, false
	}
	return r.all(v.Rests), false
}

// toolFolder matches the programs in the folders where projects install tools: lines that run anything may find them first.
var toolFolder = lazyregexp.New(`(^|/)(\.?v?env/bin|node_modules/\.bin|vendor/bin)/`)

// Replaced says why a line is asked for although its verdict allows it: it may replace what it starts
// by way of a manifest. It is "" where the line replaces nothing.
func (p *Permit) Replaced(line string, v shell.Verdict) string {
	r := rests{permit: p, line: line, writes: v.Writes, seen: map[string]bool{}}
	return r.all(slices.DeleteFunc(slices.Clone(v.Rests), func(rest shell.Rest) bool { return rest.Script }))
}

// Obeyed says why a line is asked for although its verdict allows it: it changes files that
// programs obey. It is "" where the line changes none.
func (p *Permit) Obeyed(line string, v shell.Verdict) string {
	if list := p.obeyedWrites(line, v); len(list) > 0 {
		return "It changes " + enumerated(list)
	}
	return ""
}

// obeyedWrites returns the files that a line writes by name and that programs obey, each with
// who does.
func (p *Permit) obeyedWrites(line string, v shell.Verdict) (list []string) {
	seen := map[string]bool{}
	for _, name := range v.Writes {
		for _, name := range append(p.placed(line, name), name) {
			if by := p.obeyedWrite(name); by != "" && !seen[path.Clean(name)] {
				seen[path.Clean(name)] = true
				list = append(list, fmt.Sprintf("%s, which is obeyed by %s", name, by))
			}
		}
	}
	return list
}

// enumerated ends a sentence with a list whose parts have commas.
func enumerated(list []string) string { return strings.Join(list, "; ") + "." }

// obeyedWrite says who obeys a file that a command would write, whatever it writes; "" where
// nobody does, the user's own words name the file, or it is a manifest, whose change is looked at when it is accepted.
func (p *Permit) obeyedWrite(name string) string {
	key, err := p.Workspace.Key(name)
	if err != nil || p.named(key) {
		return ""
	}
	c := obey.Change{Path: inProject(p.Workspace, key), After: &obey.File{}}
	f, err := p.Overlay.Read(key)
	switch {
	case err == nil:
		c.Before, c.After = &obey.File{Text: f.Text}, &obey.File{Text: f.Text}
	case strings.HasSuffix(name, "/"): // no file of that name, perhaps a folder
		return ""
	}
	return obey.By(c)
}

// placed returns the files of a line whose paths end in a name: the line may change the folder.
func (p *Permit) placed(line, name string) (list []string) {
	for _, f := range shell.Files(line) {
		if strings.HasSuffix(f, "/"+path.Clean(name)) {
			list = append(list, f)
		}
	}
	return list
}

func (r *rests) all(list []shell.Rest) string {
	for _, rest := range list {
		if why := r.one(rest); why != "" {
			return why
		}
	}
	return ""
}

func (r *rests) one(rest shell.Rest) string {
	if rest.Script {
		return r.script(rest.Manifest)
	}
	name, isScript := strings.CutPrefix(rest.Entry, "scripts.")
	if isScript {
		return r.named(rest.Manifest, "scripts", name)
	}
	if name, isTask := strings.CutPrefix(rest.Entry, "tasks."); isTask {
		return r.named(rest.Manifest, "tasks", name)
	}
	for _, c := range r.changes {
		if !matches(rest.Manifest, c) {
			continue
		}
		before, after := text(c.Before), text(c.After)
		if rest.Entry != "" {
			before, after = section(rest, before), section(rest, after)
		}
		if before != after || c.Binary {
			return fmt.Sprintf("It runs what %s says, which this task has changed.", c.Path)
		}
	}
	return r.recipes(rest)
}

// matches reports whether a change is of a file with a base name, or makes one of that name.
func matches(base string, c workspace.Change) bool {
	now, _ := path.Match(base, path.Base(c.Path))
	was, _ := path.Match(base, path.Base(c.From))
	return now || was && c.From != ""
}

func text(c *workspace.Content) string {
	if c == nil {
		return ""
	}
	s, _ := c.Text()
	return s
}

// section returns the part of a manifest that a Rest is about. What cannot be read is
// compared as it is.
func section(rest shell.Rest, text string) string {
	if strings.HasSuffix(rest.Manifest, ".json") {
		var all map[string]json.RawMessage
		if text != "" && json.Unmarshal([]byte(text), &all) != nil {
			return text
		}
		return string(all[rest.Entry])
	}
	var b strings.Builder
	in := false
	for line := range strings.Lines(text) { // TOML: the tables of that name and those below them
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			in = strings.HasPrefix(strings.Trim(strings.TrimSpace(line), "[ "), rest.Entry)
		}
		if in || strings.Contains(line, rest.Entry) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// script says what is wrong with a program that is started by its path.
func (r *rests) script(name string) string {
	names := []string{name}
	if path.Ext(name) == "" {
		names = append(names, name+".py", name+"/__main__.py", name+"/__init__.py")
	}
	own := false
	for _, n := range names {
		for _, place := range append(r.permit.placed(r.line, n), n) {
			f, err := r.permit.Workspace.Read(place)
			own = own || err == nil && f.Path != ""
		}
		for _, c := range r.changes {
			if "/"+c.Path == "/"+n || strings.HasSuffix("/"+c.Path, "/"+n) {
				return fmt.Sprintf("It runs %s, which this task has written or changed.", c.Path)
			}
		}
	}
	if !own {
		return fmt.Sprintf("It runs %s, which is not among your own files.", name)
	}
	return ""
}

// manifestsNear returns the files of a base name at the root and in the folders of what the task has changed, as they are staged.
func (r *rests) manifestsNear(base string) map[string]string {
	folders := map[string]bool{".": true}
	for _, c := range r.changes {
		for d := path.Dir(c.Path); d != "." && d != "/"; d = path.Dir(d) {
			folders[d] = true
		}
	}
	for _, f := range shell.Files(r.line) {
		folders[path.Dir(f)], folders[f] = true, true
	}
	found := map[string]string{}
	for d := range folders {
		name := path.Join(d, base)
		if f, err := r.permit.Overlay.Read(name); err == nil {
			found[name] = f.Text
		}
	}
	return found
}

// named says what is wrong with a script of manifests: with its text, with that of other scripts that it names, or with a
// program that it starts.
func (r *rests) named(manifest, part, name string) string {
	if r.seen[name] || r.depth > 8 {
		return ""
	}
	r.seen[name] = true
	r.depth++
	defer func() { r.depth-- }()
	before := map[string]map[string]string{}
	for _, c := range r.changes {
		if matches(manifest, c) {
			before[c.Path] = scripts(part, text(c.Before))
		}
	}
	found := r.manifestsNear(manifest)
	for _, file := range slices.Sorted(maps.Keys(found)) {
		now := scripts(part, found[file])
		was, changed := before[file]
		for _, one := range []string{name, "pre" + name, "post" + name} {
			if why := r.entry(file, manifest, part, one, now, was, changed); why != "" {
				return why
			}
		}
	}
	return ""
}

// entry looks at one script of one manifest.
func (r *rests) entry(file, manifest, part, name string, now, was map[string]string, changed bool) string {
	line, there := now[name]
	if !there && (!changed || was[name] == "") {
		return ""
	}
	v := shell.Judge(line, r.permit.Approvals.Commands)
	known := there && v.Decision == shell.Allow && len(v.Writes) == 0
	edited := changed && was[name] != line
	for _, rest := range v.Rests {
		if rest.Script && !edited {
			continue // what the user's own script starts is looked at below
		}
		if why := r.one(rest); edited {
			known = known && why == ""
		} else if why != "" {
			return why
		}
	}
	if edited && !known {
		return fmt.Sprintf("It runs the script %q of %s, which this task has written or changed: %s", name, file, line)
	}
	for _, other := range slices.Sorted(maps.Keys(now)) {
		if other != name && mentions(line, other) {
			if why := r.named(manifest, part, other); why != "" {
				return why
			}
		}
	}
	return r.starts(path.Dir(file), line)
}

var separators = lazyregexp.New(`[\s"'&|;()]+`)

// mentions reports whether a script names another, also by the wildcards of run-s and its kin.
func mentions(line, name string) bool {
	for _, word := range separators.Split(line, -1) {
		word = strings.TrimPrefix(word, "npm:")
		if word == name {
			return true
		}
		if front, _, found := strings.Cut(word, "*"); found && front != "" && strings.HasPrefix(name, front) {
			return true
		}
	}
	return false
}

// scripts reads the scripts of a manifest; one that cannot be read has one that runs it all.
func scripts(part, text string) map[string]string {
	var all map[string]json.RawMessage
	list := map[string]string{}
	if text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return list
	}
	var raw map[string]json.RawMessage
	_ = json.Unmarshal(all[part], &raw) // an object of another form has no scripts
	for name, value := range raw {
		var line string
		if json.Unmarshal(value, &line) != nil {
			line = string(value)
		}
		list[name] = line
	}
	return list
}

// starts says whether a line starts a program that the task has written or changed, whatever its name.
func (r *rests) starts(folder, line string) string {
	for _, start := range shell.Starts(line) {
		start = strings.TrimPrefix(path.Join(folder, start), "./")
		for _, c := range r.changes {
			if startsFile(line, start, c.Path) || mayBe(start, c.Path) {
				return fmt.Sprintf("It runs %s, which this task has written or changed.", c.Path)
			}
		}
		for _, w := range r.writes {
			if written(start, w) {
				return fmt.Sprintf("It runs %s, which it may have changed itself.", start)
			}
		}
		if why := r.follow(start); why != "" {
			return why
		}
	}
	return ""
}

// written reports whether a file that a line starts may be one that it writes. Where the line changes the folder, a
// name has only the last parts of a path.
func written(start, write string) bool {
	write = strings.TrimLeft(path.Clean(write), "./")
	if strings.ContainsAny(write, "*?[") {
		ok, err := path.Match(path.Base(write), path.Base(start))
		return ok || err != nil
	}
	return strings.HasSuffix("/"+start, "/"+write) || strings.HasSuffix("/"+write, "/"+start) || mayBe(start, write)
}

var variablePart = lazyregexp.New(`\$+(\([^)]*\)|\{[^}]*\}|\w*|[@<^*?])`)

// mayBe reports whether a name with variables or wildcards in it may be that of a file.
func mayBe(start, file string) bool {
	pattern := variablePart.ReplaceAllString(start, "*")
	if !strings.ContainsAny(pattern, "*?[") {
		return false
	}
	ok, err := path.Match(path.Base(pattern), path.Base(file))
	return ok || err != nil
}

// scripted are the endings of files that a manifest of any form may start.
var scripted = []string{".sh", ".bash", ".zsh", ".ps1", ".py", ".js", ".mjs", ".cjs", ".rb", ".pl", ".php"}

// mentioned says whether a manifest whose form is not read has the name of a program that the task, or the line, has written
// or changed.
func (r *rests) mentioned(text string) string {
	has := func(name string) bool {
		name = strings.TrimLeft(path.Clean(name), "./")
		return slices.Contains(scripted, path.Ext(name)) && path.Base(name) != "__init__.py" && (strings.Contains(text, name) || strings.Contains(text, "/"+path.Base(name)))
	}
	for _, c := range r.changes {
		if has(c.Path) {
			return fmt.Sprintf("It may run %s, which this task has written or changed.", c.Path)
		}
	}
	for _, w := range r.writes {
		if has(w) {
			return fmt.Sprintf("It may run %s, which it may have changed itself.", w)
		}
	}
	return ""
}

// includes matches what a makefile reads beside itself.
var includes = lazyregexp.New(`(?m)^[-s]?include\s+(.+)$`)

// recipes looks at what makefiles and their kin include and start.
func (r *rests) recipes(rest shell.Rest) string {
	manifest := rest.Manifest
	if strings.ContainsAny(manifest, "*?[") || strings.HasSuffix(manifest, ".json") {
		return ""
	}
	found := r.manifestsNear(manifest)
	for _, file := range slices.Sorted(maps.Keys(found)) {
		folder := path.Dir(file)
		if !strings.Contains(strings.ToLower(manifest), "makefile") {
			text := found[file]
			if rest.Entry != "" {
				text = section(rest, text)
			}
			if why := r.mentioned(text); why != "" {
				return why
			}
		}
		for _, m := range includes.FindAllStringSubmatch(found[file], -1) {
			for _, name := range strings.Fields(m[1]) {
				if i := slices.IndexFunc(r.changes, func(c workspace.Change) bool {
					return c.Path == path.Join(folder, name) || strings.Contains(name, "$") && path.Base(c.Path) == path.Base(name)
				}); i >= 0 {
					return fmt.Sprintf("It runs what %s says, which this task has changed.", r.changes[i].Path)
				}
				if slices.ContainsFunc(r.writes, func(w string) bool { return written(path.Join(folder, name), w) }) {
					return fmt.Sprintf("It runs what %s says, which it may have changed itself.", name)
				}
			}
		}
		for line := range strings.Lines(found[file]) {
			if recipe, ok := strings.CutPrefix(line, "\t"); ok {
				if why := r.starts(folder, strings.TrimLeft(strings.TrimSpace(recipe), "@-+")); why != "" {
					return why
				}
			}
		}
	}
	return ""
}
