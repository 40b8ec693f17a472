package agent

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"caselsp/agent/general"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
)

// What a task teaches is kept without what belongs to its project alone. Which names that are, the structure of
// the workspace says.

const (
	// maxDeclaring is how many files are asked for what they declare, and declaringTime how long that may take: most
	// were parsed for the task's map before.
	maxDeclaring  = 4000
	declaringTime = 5 * time.Second
)

// generalised takes out of the texts of one lesson what is the project's own.
type generalised struct {
	names *general.Names
}

// generalise reads the files that a lesson speaks of. Where the structure of the workspace is not known, every name
// counts as the project's that is not seen to come from elsewhere.
func (r *run) generalise(ctx context.Context, changes []workspace.Change) generalised {
	ctx, cancel := context.WithTimeout(ctx, declaringTime)
	defer cancel()
	asked, files := 0, r.overlay
	if files == nil { // the user decides, and no task works
		files = r.a.Workspace.NewOverlay()
	}
	facts, more, err := files.Structure(ctx, "", func(string) bool { asked++; return asked > maxDeclaring })
	declared, modules := map[string]bool{}, map[string]bool{}
	for _, f := range facts {
		for _, d := range f.Symbols {
			declared[d.Name] = true
		}
		stem := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
		modules[stem] = true
		for dir := path.Dir(f.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
			modules[path.Base(dir)] = true
		}
	}
	p := general.Project{Declares: func(name string) bool { return declared[name] }}
	if err != nil || more || asked > maxDeclaring {
		p.Declares = func(string) bool { return true }
	}
	own := goModule(files)
	p.Module = func(name string) bool {
		first, _, slashed := strings.Cut(name, "/")
		if slashed || strings.Contains(first, "-") {
			return own != "" && (name == own || strings.HasPrefix(name, own+"/"))
		}
		first, _, _ = strings.Cut(first, ".")
		return modules[first] && !standard[first]
	}
	g := generalised{general.New(p)}
	for _, c := range changes {
		g.names.Read(c.Path, textOf(c.Before))
		g.names.Read(c.Path, textOf(c.After))
	}
	return g
}

// standard are modules of the languages' libraries whose names projects like for files of their own.
var standard = map[string]bool{
	"typing": true, "types": true, "json": true, "logging": true, "time": true, "datetime": true, "collections": true, "random": true, "math": true,
	"errors": true, "http": true, "path": true, "strings": true, "context": true, "testing": true, "fmt": true, "os": true, "sys": true, "re": true,
	"unittest": true, "pytest": true, "io": true, "fs": true, "crypto": true, "events": true, "url": true, "util": true, "sort": true, "bytes": true,
	"email": true, "html": true, "queue": true, "select": true, "signal": true, "string": true, "test": true, "token": true, "uuid": true, "assert": true,
}

// goModule is the name of the Go module that go.mod declares; "" where there is none.
func goModule(files *workspace.Overlay) string {
	text, err := files.Read("go.mod")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(text.Text) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// core is what is kept of changes: their lines, the code first and then its tests, without the names
// of files and without what belongs to the project. Prose beside code is left out: it is the project's own.
func (g generalised) core(changes []workspace.Change) string {
	ofCode := func(c workspace.Change) bool { return codeLanguage(c.Path) != "" }
	if slices.ContainsFunc(changes, ofCode) {
		changes = slices.DeleteFunc(slices.Clone(changes), func(c workspace.Change) bool {
			lang := syntax.OutlineLanguageOf(c.Path)
			return lang == syntax.Markdown || lang == syntax.RST || lang == syntax.Text
		})
		slices.SortStableFunc(changes, func(a, b workspace.Change) int {
			switch before, after := ofCode(a), ofCode(b); {
			case before == after:
				return 0
			case before:
				return -1
			}
			return 1
		})
	}
	var code, tests strings.Builder
	for _, c := range changes {
		b := &code
		if testPath.MatchString(c.Path) {
			b = &tests
		}
		diff := c.Unified()
		old, now := general.Wanted(diff)
		b.WriteString(general.Core(diff, g.names.Code(c.Path, textOf(c.Before), old), g.names.Code(c.Path, textOf(c.After), now)))
	}
	text := firstLines(code.String(), maxCore)
	if tests.Len() > 0 {
		text += "Its tests:\n" + firstLines(tests.String(), maxCore)
	}
	return text
}

// prose is what is kept of some texts for people.
func (g generalised) prose(texts []string) (kept []string) {
	for _, text := range texts {
		kept = append(kept, g.names.Prose(text))
	}
	return kept
}

// line is what is kept of a line of a file.
func (g generalised) line(name, text string, number int) string {
	return lineOf(g.names.Code(name, text, func(line int) bool { return line == number }), number)
}
