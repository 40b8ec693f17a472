package validate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// mark is where a fixture expects a finding: @diag(rule) right behind the line's
// own text. It is cut out before the file is checked.
var mark = regexp.MustCompile(`[ \t]*@diag\(([a-z-]+)\)`)

// TestFixtures checks real source with the expected findings marked in it.
func TestFixtures(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, name := range archives {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			t.Run(filepath.Base(name)+"/"+f.Name, func(t *testing.T) { check(t, f.Name, string(f.Data)) })
		}
	}
}

func check(t *testing.T, path, marked string) {
	t.Helper()
	var want []string
	for i, line := range strings.Split(marked, "\n") {
		for _, m := range mark.FindAllStringSubmatch(line, -1) {
			want = append(want, fmt.Sprintf("line %d: %s", i+1, m[1]))
		}
	}
	text := mark.ReplaceAllString(marked, "")
	var got []string
	for _, f := range Check(path, text) {
		got = append(got, fmt.Sprintf("line %d: %s", f.Start.Line+1, f.Rule))
		if f.Message == "" || f.Start.Offset > f.End.Offset || f.End.Offset > len(text) {
			t.Errorf("not a finding: %+v", f)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestIntroduced(t *testing.T) {
	f := func(rule, message string, line int) Finding {
		found := Finding{Rule: rule, Message: message}
		found.Start.Line = line
		return found
	}
	for _, c := range []struct {
		name          string
		before, after []Finding
		want          int
	}{
		{"nothing before", nil, []Finding{f("a", "m", 1)}, 1},
		{"the same, moved", []Finding{f("a", "m", 1)}, []Finding{f("a", "m", 9)}, 0},
		{"one more of the same", []Finding{f("a", "m", 1)}, []Finding{f("a", "m", 1), f("a", "m", 2)}, 1},
		{"another message", []Finding{f("a", "m", 1)}, []Finding{f("a", "n", 1)}, 1},
		{"another rule", []Finding{f("a", "m", 1)}, []Finding{f("b", "m", 1)}, 1},
		{"mended", []Finding{f("a", "m", 1)}, nil, 0},
	} {
		if got := Introduced(c.before, c.after); len(got) != c.want {
			t.Errorf("%s: %d introduced, want %d", c.name, len(got), c.want)
		}
	}
}

// Whose a mistake is, told from the texts before and after an edit.
func TestIntroducedByEdits(t *testing.T) {
	for _, c := range []struct {
		name, path, before, after string
		want                      int
	}{
		{"moved down", "a.py", "x = (1 +\n", "import os\n\nx = (1 +\n", 0},
		{"indented anew", "a.html", "<main>\n<b>x\n</main>", "<main>\n    <b>x\n</main>", 0},
		{"another line, the same words", "a.json", "[\n  1 2\n]", "[\n  3 4\n]", 1},
		{"the first of two", "a.html", "<p></b>one\n<p></i>two", "<p>one\n<p></i>two", 0},
		{"one more", "a.html", "<p></b>one\n<p>two", "<p></b>one\n<p></b>two", 1},
		{"broken", "a.go", "package a\n", "package a\nfunc {\n", 1},
		{"mended", "a.go", "package a\nfunc {\n", "package a\n", 0},
		{"new file", "a.css", "", "a { color: red", 1},
	} {
		if got := Introduced(Check(c.path, c.before), Check(c.path, c.after)); len(got) != c.want {
			t.Errorf("%s: %+v introduced, want %d", c.name, got, c.want)
		}
	}
}

// What every rule must have, so that the gate, the editor and the list of
// rules can show it.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if r.ID == "" || r.Title == "" || r.Category == "" || r.Check == nil || seen[r.ID] {
			t.Errorf("rule %q is not whole, or there twice", r.ID)
		}
		if !slices.Contains([]Severity{Critical, Warning, Info}, r.Severity) {
			t.Errorf("rule %s has the severity %q, which the gate does not know", r.ID, r.Severity)
		}
		seen[r.ID] = true
	}
}
