package main

import (
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"caselsp/sandbox"
)

var (
	threatRow  = regexp.MustCompile(`(?m)^\|(.*)\|(.*)\|(.*)\|$`)
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	testInCode = regexp.MustCompile(`^([\w/]+)\.((?:Test|Fuzz)\w+)$`)
)

// TestThreats shows that each row of the page about threats names tests, and that they
// exist.
func TestThreats(t *testing.T) {
	tests := map[string]bool{}
	for _, s := range sources(t, house()) {
		for _, f := range s.functions() {
			if s.test {
				tests[s.pkg+"."+f] = true
			}
		}
	}
	rows := 0
	for _, row := range threatRow.FindAllStringSubmatch(sandbox.Threats, -1) {
		if strings.HasPrefix(row[1], "---") || strings.TrimSpace(row[3]) == "shown by" {
			continue
		}
		rows++
		named := codeSpan.FindAllStringSubmatch(row[3], -1)
		if len(named) == 0 {
			t.Errorf("nothing shows that an attacker cannot%s", row[1])
		}
		for _, name := range named {
			if !shows(name[1], tests) {
				t.Errorf("%s: there is no %s", strings.TrimSpace(row[1]), name[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows were read", rows)
	}
}

// shows reports whether a test or a scenario exists.
func shows(name string, tests map[string]bool) bool {
	if testInCode.MatchString(name) {
		return tests[name]
	}
	dir := "cmd/caselsp/testdata/script"
	if strings.HasPrefix(name, "abuse/") {
		dir = "sandbox/testdata"
	}
	_, err := fs.Stat(house(), path.Join(dir, name))
	return err == nil && path.Ext(name) == ".txtar"
}

// functions returns the names of a file's functions.
func (s source) functions() []string {
	var names []string
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
			names = append(names, f.Name.Name)
		}
	}
	return names
}
