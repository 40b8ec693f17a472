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
