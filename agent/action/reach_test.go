package action

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/workspace"
)

// TestUndeclaredVerb compiles verbs into this package that leave something out of
// what they declare. None of them may compile.
func TestUndeclaredVerb(t *testing.T) {
	const (
		check   = "func (Peek) Check() error { return nil }\n"
		reads   = "func (p Peek) Reads() []Place { return []Place{File(p.Path)} }\n"
		changes = "func (Peek) Changes() []Place { return nil }\n"
		hosts   = "func (Peek) Hosts() []Host { return nil }\n"
	)
	for name, c := range map[string]struct{ methods, want string }{
		"all is said":       {check + reads + changes + hosts, ""},
		"not what it reads": {check + changes + hosts, "missing method Reads"},
		"nor what changes":  {check + reads + hosts, "missing method Changes"},
		"nor which hosts":   {check + reads + changes, "missing method Hosts"},
		"a place unknown here": {check + changes + hosts + "type Socket string\nfunc (p Peek) Reads() []Place { return []Place{Socket(p.Path)} }\n",
			"missing method place"},
	} {
		t.Run(name, func(t *testing.T) {
			got := compileWith(t, "package action\n\ntype Peek struct{ Path string }\n\nvar _ = register[Peek](\"PEEK\", Reads, \"\")\n\n"+c.methods)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// compileWith type-checks this package with one more file and returns the errors
// in that file. Imports are not followed, so errors elsewhere mean nothing.
func compileWith(t *testing.T, text string) string {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	const added = "added.go"
	f, err := parser.ParseFile(set, added, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	config := types.Config{
		Importer: notFollowed{},
		Error: func(err error) {
			var at types.Error
			if errors.As(err, &at) && set.Position(at.Pos).Filename == added {
				found = append(found, at.Msg)
			}
		},
	}
	_, _ = config.Check("action", set, append(files, f), nil) // reported by Error
	return strings.Join(found, "\n")
}

type notFollowed struct{}

// Import implements types.Importer.
func (notFollowed) Import(path string) (*types.Package, error) {
	return nil, errors.New("not followed")
}

// TestScope: an action sees of the overlay what it declares, and nothing else.
func TestScope(t *testing.T) {
	w, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := w.NewOverlay()
	defer o.Close()
	for _, name := range []string{"a.txt", ".env"} {
		if _, err := o.Write(name, "word\n"); err != nil {
			t.Fatal(err)
		}
	}
	env := Env{Overlay: o}
	s := env.scope(ReadFile{Path: "a.txt"})
	if _, err := s.Read("a.txt"); err != nil {
		t.Error(err)
	}
	attempts := map[string]func(s *Scope) error{
		"read another file": func(s *Scope) error { _, err := s.Read(".env"); return err },
		"list":              func(s *Scope) error { _, _, err := s.List(t.Context(), "", 1); return err },
		"search":            func(s *Scope) error { _, _, err := s.Search(t.Context(), workspace.Query{Pattern: "w"}); return err },
		"symbols":           func(s *Scope) error { _, _, err := s.Symbols(t.Context(), "x"); return err },
		"judge":             func(s *Scope) error { _, err := s.Judge(t.Context(), ".env"); return err },
		"write":             func(s *Scope) error { _, err := s.Write("a.txt", "x"); return err },
		"delete":            func(s *Scope) error { _, err := s.Delete("a.txt"); return err },
		"rename":            func(s *Scope) error { _, err := s.Rename("a.txt", "b.txt"); return err },
	}
	for name, attempt := range attempts {
		if err := attempt(s); !errors.Is(err, ErrUndeclared) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	found, _, err := env.scope(SearchText{}).Search(t.Context(), workspace.Query{Pattern: "word"})
	if err != nil || len(found) != 1 || found[0].Path != "a.txt" {
		t.Errorf("a search that nobody told which files are hidden finds %v, %v", found, err)
	}
}
