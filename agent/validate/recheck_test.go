package validate

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestRecheck puts the files of each fixture into a project one by one, takes
// some out, changes them and puts them back, judging them in between: in the end
// the findings are those of a project that was made at once.
func TestRecheck(t *testing.T) {
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []string{"fail/", "pass/"} {
			texts := map[string]string{}
			for _, f := range txtar.Parse(data).Files {
				if file, ok := strings.CutPrefix(f.Name, side); ok {
					texts[file], _ = expected(string(f.Data))
				}
			}
			checkRecheck(t, filepath.Base(name)+" "+side, texts)
		}
	}
}

func checkRecheck(t *testing.T, name string, texts map[string]string) {
	t.Helper()
	whole, grown := NewProject(Default()), NewProject(Default())
	files := slices.Sorted(maps.Keys(texts))
	for _, file := range files {
		whole.Set(file, texts[file])
		grown.Set(file, texts[file])
		grown.Ahead(file)
	}
	for i, file := range files {
		switch i % 3 {
		case 0:
			grown.Remove(file)
			grown.Findings(files[0])
		case 1:
			grown.Set(file, strings.ReplaceAll(texts[file], "a", "b"))
			grown.Findings(file)
		}
		for _, m := range grown.files {
			if m.file != nil {
				m.file = m.file.rested()
			}
		}
		grown.Set(file, texts[file])
	}
	for _, file := range files {
		got, want := grown.Findings(file), whole.Findings(file)
		if !slices.EqualFunc(got, want, func(a, b Finding) bool { return a.Rule == b.Rule && a.Start == b.Start && a.Message == b.Message }) {
			t.Errorf("%s%s: a project that grew finds\n%swant\n%s", name, file, messages(got), messages(want))
		}
	}
}

// TestAgain checks that an edit has those rules run again that it concerns, and
// no other: their verdicts stay as they are.
func TestAgain(t *testing.T) {
	p := NewProject(Default())
	p.Set("a.html", "<!DOCTYPE html>\n<html lang=\"en\"><title>A</title><a href=\"#x\">x</a><img src=\"a.png\"></html>\n")
	p.Set("b.html", "<!DOCTYPE html>\n<html lang=\"en\"><title>B</title><a href=\"a.html#y\">y</a></html>\n")
	p.Findings("a.html")
	p.Findings("b.html")
	affected := p.Set("a.html", "<!DOCTYPE html>\n<html lang=\"en\"><title>A</title><p id=\"y\">y</p></html>\n")
	if !slices.Equal(affected, []string{"a.html", "b.html"}) {
		t.Errorf("affected are %q", affected)
	}
	var again []string
	for i, r := range p.suite.rules {
		if p.files["b.html"].stale.has(i) {
			again = append(again, r.ID)
		}
	}
	if !slices.Equal(again, []string{"broken-fragment"}) {
		t.Errorf("%q run again over b.html", again)
	}
	if found := p.Findings("b.html"); len(ofRule(found, "broken-fragment")) > 0 {
		t.Errorf("the fragment is still missing:\n%s", messages(found))
	}
}

// TestPanic checks that a rule that panics does so where it is asked, whichever
// processor it runs on, and that it runs again the next time.
func TestPanic(t *testing.T) {
	calls := 0
	suite := Suite{rules: []Rule{{ID: "calm", Check: func(*Pass) {}}, {ID: "panics", Check: func(p *Pass) {
		if calls++; calls == 1 {
			panic("out of order")
		}
		p.Report(0, 1, "found")
	}}}}
	project := NewProject(suite)
	project.Set("a.html", strings.Repeat("<p>A text that is worth a second processor.</p>\n", alone/40))
	func() {
		defer func() {
			if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "out of order\n") {
				t.Errorf("recovered %q", r)
			}
		}()
		project.Findings("a.html")
	}()
	if found := project.Findings("a.html"); len(found) != 1 {
		t.Errorf("the second time it finds\n%s", messages(found))
	}
}
