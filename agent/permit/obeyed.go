package permit

import (
	"path/filepath"
	"slices"
	"strings"

	"caselsp/agent/obey"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Files is what the settings say about which files are asked for before they are accepted,
// beside those that programs obey by rule: more and fewer. What asks is stronger.
type Files struct{ Ask, Allow []workspace.Glob }

// Obeyed says who obeys what a change does to a file.
type Obeyed struct {
	By    string // and when, such as "git at every commit"; "" where nobody does
	Named bool   // the user's own words, or an earlier answer, name the file
}

// Asks reports whether the file is accepted only where the user says so of this file.
func (o Obeyed) Asks() bool { return o.By != "" && !o.Named }

// Obeyed says who obeys what a task's change does to a file. The change stays staged and is
// marked wherever it is shown; whether it is accepted is the user's word about this file.
// links are those of the workspace: programs find a file under their names, too.
func (f Files) Obeyed(p *record.State, w *workspace.Workspace, links []workspace.Link, c workspace.Change) Obeyed {
	o := Obeyed{Named: namedIn(p.UserTexts, c.Path) || p.Leaves["change "+c.Path]} // of versions that asked at the edit
	named := func(globs []workspace.Glob) bool {
		return slices.ContainsFunc(globs, func(g workspace.Glob) bool { return g.Match(c.Path) || c.From != "" && g.Match(c.From) })
	}
	switch {
	case named(f.Ask):
		return Obeyed{By: "the setting files.ask, which names it"}
	case named(f.Allow):
		return Obeyed{}
	}
	change := obey.Change{Path: inProject(w, c.Path), Before: versionOf(c.Before), After: versionOf(c.After)}
	for _, l := range links {
		for _, key := range []string{c.Path, c.From} {
			alias := change
			if alias.Path = l.Of(key); key == "" || alias.Path == "" {
				continue
			}
			alias.Path = inProject(w, alias.Path)
			if by := obey.By(alias); by != "" {
				o.By = by + ", which finds it at " + l.Of(key)
			}
		}
	}
	if c.From != "" { // one file less and one more; it was a program before, if it is one
		if by := obey.By(obey.Change{Path: inProject(w, c.From), Before: change.Before}); by != "" {
			o.By = by
		}
		change.After.Executable = change.After.Executable && !change.Before.Executable
		change.Before = nil
	}
	if by := obey.By(change); by != "" {
		o.By = by
	}
	return o
}

// versionOf is a content as the rules see it.
func versionOf(c *workspace.Content) *obey.File {
	if c == nil {
		return nil
	}
	text, ok := c.Text()
	return &obey.File{Text: text, Binary: !ok, Executable: c.Mode&0o111 != 0}
}

// inProject is a path as programs find it: without the name of its folder where there are
// several, and with it where the folder itself is one that programs read, such as ~/.config/x.
func inProject(w *workspace.Workspace, key string) string {
	roots := w.Roots()
	root := roots[0]
	if len(roots) > 1 {
		name, rest, _ := strings.Cut(key, "/")
		if i := slices.IndexFunc(roots, func(r workspace.Root) bool { return r.Name == name }); i >= 0 {
			root, key = roots[i], rest
		}
	}
	base, above := filepath.Base(root.Dir), filepath.Base(filepath.Dir(root.Dir))
	switch {
	case above == ".config":
		return above + "/" + base + "/" + key
	case strings.HasPrefix(base, ".") && base != ".":
		return base + "/" + key
	}
	return key
}
