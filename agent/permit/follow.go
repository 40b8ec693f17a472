package permit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/obey"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// What a line starts by a path is the project's, whatever its name says: the task may have replaced
// ./gradlew. And what the user's own script starts or sources may be the task's: a script is asked for
// where its text names a file that the task changed, and so on with the scripts that it names.

const (
	maxFollowed   = 40        // files of one line
	maxScriptText = 512 << 10 // bytes of one of them
)

// programs says whether the line starts a program that the task has written or changed, or one that starts such a one.
func (r *rests) programs(runs bool) string {
	for _, c := range r.changes {
		if runs && c.After != nil && (c.Before == nil || c.From != "") && obey.Shadows(inProject(r.permit.Workspace, c.Path)) != "" {
			return fmt.Sprintf("It may run %s, which this task has written: it has the name of a module that Python or its tools use.", c.Path)
		}
	}
	for _, start := range shell.Starts(r.line) {
		if path.IsAbs(start) {
			continue
		}
		start = ascended.ReplaceAllString(path.Clean(start), "")
		for _, c := range r.changes {
			if strings.HasSuffix("/"+c.Path, "/"+start) || mayBe(start, c.Path) {
				return fmt.Sprintf("It runs %s, which this task has written or changed.", c.Path)
			}
		}
		for _, place := range append(r.permit.placed(r.line, start), start) {
			if why := r.follow(place); why != "" {
				return why
			}
		}
	}
	return ""
}

var (
	ascended = lazyregexp.New(`^(\.\./)+`)
	// fileName is a word of a script that may name a file.
	fileName = lazyregexp.New(`[\w./$@{}*?\[\]+-]+`)
	// ofModule is a module that a script has Python start.
	ofModule = lazyregexp.New(`\s-m\s+([A-Za-z_]\w*(?:\.\w+)*)`)
	// shellScript are the endings of texts that name what they start; what others name may be data, too.
	shellScript = lazyregexp.New(`^$|^\.(sh|bash|zsh|ksh|bats|ps1|cmd|bat|mk)$`)
)

// follow says whether a script names a file that the task, or the line, has written or changed, by itself or
// by way of scripts that it names. A file that cannot be read starts nothing.
func (r *rests) follow(name string) string {
	name = path.Clean(name)
	if r.seen["follow "+name] || len(r.changes)+len(r.writes) == 0 {
		return ""
	}
	r.seen["follow "+name] = true
	f, err := r.permit.Overlay.Read(name)
	if err != nil {
		return ""
	}
	if r.followed++; r.followed > maxFollowed || len(f.Text) > maxScriptText {
		return fmt.Sprintf("It runs %s, which starts more than can be followed.", name)
	}
	words := fileName.FindAllString(f.Text, -1)
	for _, m := range ofModule.FindAllStringSubmatch(f.Text, -1) {
		module := strings.ReplaceAll(m[1], ".", "/")
		words = append(words, module+".py", module+"/__main__.py")
	}
	slices.Sort(words)
	words = slices.Compact(words)
	for _, word := range words {
		if why := r.word(name, word); why != "" {
			return why
		}
	}
	for _, word := range words {
		if end := path.Ext(word); slices.Contains(scripted, end) || end == "" && strings.Contains(word, "/") {
			for _, folder := range []string{".", path.Dir(name)} {
				if why := r.follow(path.Join(folder, word)); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

// word says whether a word in the text of a script names a file that the task, or the line, has written or changed.
func (r *rests) word(script, word string) string {
	inShell := shellScript.MatchString(path.Ext(script))
	counts := func(file string) bool {
		end := path.Ext(file)
		return (inShell || end == "" || slices.Contains(scripted, end)) && mayName(word, file, inShell)
	}
	if i := slices.IndexFunc(r.changes, func(c workspace.Change) bool {
		return c.Path != script && (counts(c.Path) || c.From != "" && counts(c.From))
	}); i >= 0 {
		return fmt.Sprintf("It runs %s, which names %s, which this task has written or changed.", script, r.changes[i].Path)
	}
	if i := slices.IndexFunc(r.writes, counts); i >= 0 {
		return fmt.Sprintf("It runs %s, which names %s, which it may have changed itself.", script, r.writes[i])
	}
	return ""
}

// mayName reports whether a word may name a file: by the last part of its path, since scripts change folders. In
// the text of a shell, a path may lack the ending. A wildcard names only what shells run.
func mayName(word, file string, inShell bool) bool {
	word = variablePart.ReplaceAllString(word, "*")
	last, base := path.Base(word), path.Base(file)
	end := path.Ext(base)
	switch {
	case strings.Trim(last, "*?") == "":
		return false
	case strings.ContainsAny(last, "*?["):
		ok, err := path.Match(last, base)
		return (ok || err != nil) && shellScript.MatchString(end)
	}
	return last == base || inShell && strings.Contains(word, "/") && end != "" && last == strings.TrimSuffix(base, end)
}

// changesFolder matches lines in which a name may be one of another folder.
var changesFolder = lazyregexp.New(`\b(cd|pushd|--prefix|--cwd|--dir|--chdir|env -C|git -C)\b`)

// startsFile reports whether a start of a line is a file: by its path, by its name where the line changes the
// folder, and without the ending that an interpreter adds.
func startsFile(line, start, file string) bool {
	names := []string{file}
	if end := path.Ext(file); slices.Contains(scripted, end) {
		bare := strings.TrimSuffix(file, end)
		names = append(names, bare, strings.TrimSuffix(bare, "/index"))
	}
	return slices.ContainsFunc(names, func(n string) bool {
		return n == start || changesFolder.MatchString(line) && strings.HasSuffix("/"+n, "/"+path.Base(start))
	})
}
