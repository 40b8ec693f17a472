package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// What a reader holds in the head at once: a function on one screen, a file in
// one sitting.
const (
	functionLimit = 70
	fileLimit     = 500
)

// long names the files and functions ("file.go:Function") that may be longer
// than the limits, each with its reason.
var long = map[string]string{}

// tidyProblems returns every breach of the rules for Go files, sorted.
func tidyProblems(list []source) []string {
	var found []string
	report := func(s source, pos token.Pos, form string, args ...any) {
		found = append(found, s.at(pos)+": "+fmt.Sprintf(form, args...))
	}
	for _, s := range list {
		checkShape(s, report)
		checkComments(s, report)
		checkCalls(s, report)
		if !s.test {
			checkDocs(s, report)
		}
	}
	found = append(found, packageProblems(list)...)
	slices.Sort(found)
	return found
}

// reporter takes one breach.
type reporter func(s source, pos token.Pos, form string, args ...any)

// checkShape is about gofmt and lengths. Files of tests are measured too: they
// are read as often.
func checkShape(s source, report reporter) {
	if formatted, err := format.Source(s.text); err != nil || !bytes.Equal(formatted, s.text) {
		report(s, s.file.Package, "is not as gofmt writes it")
	}
	if n := bytes.Count(s.text, []byte("\n")); n > fileLimit && long[s.path] == "" {
		report(s, s.file.Package, "has %d lines, the limit is %d", n, fileLimit)
	}
	for _, decl := range s.file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
		if n > functionLimit && long[s.path+":"+f.Name.Name] == "" {
			report(s, f.Pos(), "function %s has %d lines, the limit is %d", f.Name.Name, n, functionLimit)
		}
	}
}

// leftover finds what its writer meant to come back to. A comment that speaks
// about such marks, as those of code lenses do, has them elsewhere than at the
// beginning of a line and without a colon.
var leftover = regexp.MustCompile(`(?m)^(//|/\*|#|--|;+|<!--)?[\s*]*(TODO|FIXME|XXX|HACK)\b|\b(TODO|FIXME|XXX|HACK)(\(\w+\))?:`)

// checkComments looks for leftovers.
func checkComments(s source, report reporter) {
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if leftover.MatchString(c.Text) {
				report(s, c.Pos(), "leftover: do it now or delete it")
			}
		}
	}
}

// checkCalls looks at what tests call. A test that needs a program which may be
// missing (docker, nvim, python3, node...) says so with a need function of its
// own package, the one place that may skip, so that CI can demand everything by
// CASELSP_REQUIRE=docker,nvim,... and a skip is never silent:
//
//	func need(t *testing.T, program string) string {
//		t.Helper()
//		file, err := exec.LookPath(program)
//		if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), program) {
//			t.Fatalf("%s is required here: %v", program, err)
//		} else if err != nil {
//			t.Skipf("needs %[1]s: install it (Debian: apt-get install %[1]s)", program)
//		}
//		return file
//	}
//
// Eight lines a package are cheaper than a package that every test imports.
func checkCalls(s source, report reporter) {
	kit := slices.Contains(testKits, s.pkg)
	used(s, func(what string, pos token.Pos) {
		if what == "time.Sleep" && (s.test || kit) {
			report(s, pos, "a test waits for what happens, never for a time")
		}
	})
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "need" {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && s.test && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
				report(s, sel.Pos(), "only a function need may skip, see checkCalls")
			}
			return true
		})
	}
}

// vague are the endings of names that say nothing about what the thing is.
var vague = regexp.MustCompile(`(Manager|Service|Helpers?|Utils?|Data|Infos?)$`)

// checkDocs is about exported names: each has a doc comment or, in a group, a
// comment on its line; none is vague, none repeats its package's name.
func checkDocs(s source, report reporter) {
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) {
				checkName(s, d.Name, d.Doc, d.Recv == nil, report)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				checkSpec(s, d, spec, report)
			}
		}
	}
}

// checkSpec checks one type, or the constants or variables of one line.
func checkSpec(s source, d *ast.GenDecl, spec ast.Spec, report reporter) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		doc := spec.Doc
		if doc == nil && !d.Lparen.IsValid() {
			doc = d.Doc
		}
		if spec.Name.IsExported() {
			checkName(s, spec.Name, doc, true, report)
		}
		if vague.MatchString(spec.Name.Name) {
			report(s, spec.Pos(), "type %s: its name says nothing, take a noun of the field", spec.Name.Name)
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				report(s, name.Pos(), "%s has no doc comment", name.Name)
			}
		}
	}
}

// checkName checks the doc comment of a function or type, and that a name of
// the package's top level does not stutter.
func checkName(s source, name *ast.Ident, doc *ast.CommentGroup, top bool, report reporter) {
	text := doc.Text()
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	if rest, ok := strings.CutPrefix(text, name.Name); !ok || rest == strings.TrimLeft(rest, " ,:.'\n") {
		report(s, name.Pos(), "%s has no doc comment that begins with its name", name.Name)
	}
	own := s.file.Name.Name
	if n := len(own); top && len(name.Name) > n && strings.EqualFold(name.Name[:n], own) && token.IsExported(name.Name[n:]) {
		report(s, name.Pos(), "%s.%s stutters", own, name.Name)
	}
}

// exportedReceiver reports whether f is a function or a method of an exported type.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	t := f.Recv.List[0].Type
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.IsExported()
		default:
			return true
		}
	}
}

// packageProblems returns the packages without exactly one package comment.
func packageProblems(list []source) []string {
	docs := make(map[string][]string)
	for _, s := range list {
		if s.test {
			continue
		}
		docs[s.pkg] = append(docs[s.pkg], "")
		if s.file.Doc != nil {
			docs[s.pkg][len(docs[s.pkg])-1] = s.file.Doc.Text()
		}
	}
	var found []string
	for pkg, texts := range docs {
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
		if len(texts) != 1 {
			found = append(found, fmt.Sprintf("%s: has %d package comments, not one", pkg, len(texts)))
		} else if !regexp.MustCompile(`^(Package ` + path.Base(pkg) + `|Command caselsp|Caselsp)\b`).MatchString(texts[0]) {
			found = append(found, pkg+": its package comment does not begin with its name")
		}
	}
	return found
}

// textProblems returns what no text of the repository may hold, whatever its
// kind: paths and package mirrors of the machine that it was written on. In
// scripts, editor code and the demo project it looks for leftovers too.
func textProblems(fsys fs.FS, banned []string) ([]string, error) {
	var found []string
	scripts := []string{"", ".sh", ".lua", ".el", ".py", ".ts", ".js", ".css", ".html", ".vim", ".kak"}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{".git", "bin", "build", "dist", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(fsys, p)
		fixture := strings.Contains(p, "testdata/")
		for i, line := range bytes.Split(text, []byte("\n")) {
			for _, word := range banned {
				if bytes.Contains(line, []byte(word)) {
					found = append(found, fmt.Sprintf("%s:%d: names %s, which belongs to this machine", p, i+1, word))
				}
			}
			if !fixture && slices.Contains(scripts, path.Ext(p)) && leftover.Match(bytes.TrimSpace(line)) {
				found = append(found, fmt.Sprintf("%s:%d: leftover: do it now or delete it", p, i+1))
			}
		}
		return err
	})
	return found, err
}

// machine returns what this machine calls its own: the folder that the module
// lies in, and the hosts that its Go and its Debian load packages from. It is
// found out here, because a list of them in the repository would break the rule.
func machine(t *testing.T) []string {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	words := []string{root + "/"}
	home, _ := os.UserHomeDir()
	parent := filepath.Dir(root)
	// A folder such as these is everybody's, and examples may name it.
	if !slices.Contains([]string{"/", "/home", "/src", "/workspace", os.TempDir(), home}, parent) {
		words = append(words, parent+"/")
	}
	config, _ := os.UserConfigDir()
	texts := os.Getenv("GOPROXY")
	for _, name := range []string{filepath.Join(config, "go", "env"), "/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"} {
		text, _ := os.ReadFile(name) // not every machine has each
		texts += "\n" + string(text)
	}
	for _, m := range regexp.MustCompile(`\bhttps?://(?:[^/@\s]*@)?([\w.-]+)`).FindAllStringSubmatch(texts, -1) {
		words = append(words, m[1])
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func TestTidy(t *testing.T) {
	for _, p := range tidyProblems(sources(t, house())) {
		t.Error(p)
	}
	found, err := textProblems(house(), machine(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		t.Error(p)
	}
	for name, why := range long {
		file, _, _ := strings.Cut(name, ":")
		if _, err := fs.Stat(house(), file); err != nil || why == "" {
			t.Errorf("long: %s is gone or has no reason", name)
		}
	}
}

// TestTidyRules shows that the rules can fail: each file breaks or keeps one.
func TestTidyRules(t *testing.T) {
	const doc = "// Package x is a test's.\npackage x\n"
	for _, tt := range []struct{ name, text, want string }{
		{"x.go", doc, ""},
		{"x.go", "package x\n", "x: has 0 package comments, not one"},
		{"x.go", "// It is a test's.\npackage x\n", "x: its package comment does not begin with its name"},
		{"x.go", doc + "\nvar  a int\n", "x/x.go:2: is not as gofmt writes it"},
		{"x.go", doc + strings.Repeat("\n// a\n", 300), "x/x.go:2: has 602 lines, the limit is 500"},
		{"x.go", doc + "\nfunc f() {\n" + strings.Repeat("\tf()\n", 70) + "}\n", "x/x.go:4: function f has 72 lines, the limit is 70"},
		{"x.go", doc + "\nfunc F() {}\n", "x/x.go:4: F has no doc comment that begins with its name"},
		{"x.go", doc + "\n// Files does nothing.\nfunc F() {}\n", "x/x.go:5: F has no doc comment that begins with its name"},
		{"x.go", doc + "\n// F does nothing.\nfunc F() {}\n\nfunc f() {}\n", ""},
		{"x.go", doc + "\ntype t int\n\nfunc (t) M() {}\n", ""},
		{"x.go", doc + "\n// T is one.\ntype T int\n\nfunc (*T) M() {}\n", "x/x.go:7: M has no doc comment that begins with its name"},
		{"x.go", doc + "\n// The limits.\nconst (\n\tA = 1\n\tB = 2 // of it\n)\n", ""},
		{"x.go", doc + "\nconst A = 1\n", "x/x.go:4: A has no doc comment"},
		{"x.go", doc + "\n// XFile is a file.\ntype XFile int\n", "x/x.go:5: x.XFile stutters"},
		{"x.go", doc + "\ntype fileManager int\n", "x/x.go:4: type fileManager: its name says nothing, take a noun of the field"},
		{"x.go", doc + "\n// TO" + "DO: more\n", "x/x.go:4: leftover: do it now or delete it"},
		{"x.go", doc + "\n// A TO" + "DO gets a code lens.\n", ""},
		{"x_test.go", "package x\n\nimport w \"time\"\n\nvar _ = w.Sleep\n", "x/x_test.go:5: a test waits for what happens, never for a time"},
		{"x_test.go", "package x\n\nfunc need() { t.Skip() }\n", ""},
		{"x_test.go", "package x\n\nfunc f() { t.Skip() }\n", "x/x_test.go:3: only a function need may skip, see checkCalls"},
	} {
		fsys := fstest.MapFS{"x/" + tt.name: {Data: []byte(tt.text)}}
		if got := strings.Join(tidyProblems(sources(t, fsys)), "\n"); got != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
	found, err := textProblems(fstest.MapFS{
		"a/testdata/x.py": {Data: []byte("# TO" + "DO: a task's\nsee /mine/x\n")},
		"a.lua":           {Data: []byte("fine()\n  -- FIX" + "ME\n")},
		".git/x":          {Data: []byte("/mine/")},
	}, []string{"/mine/"})
	want := []string{
		"a/testdata/x.py:2: names /mine/, which belongs to this machine",
		"a.lua:2: leftover: do it now or delete it",
	}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("texts: got %q, %v; want %q", found, err, want)
	}
}
