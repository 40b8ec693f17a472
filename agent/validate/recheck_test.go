package validate_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
	"caselsp/agent/validate/validatetest"
)

// testdata holds the fixtures of all rules.
const testdata = "rules/testdata"

// TestRecheck puts the files of each fixture into a project one by one, takes
// some out, changes them and puts them back, judging them in between: in the end
// the findings are those of a project that was made at once.
func TestRecheck(t *testing.T) {
	for name, archive := range validatetest.Archives(t, testdata) {
		for _, side := range []string{"fail/", "pass/"} {
			texts := map[string]string{}
			for _, f := range archive.Files {
				if file, ok := strings.CutPrefix(f.Name, side); ok {
					texts[file], _ = validatetest.Cut(string(f.Data))
				}
			}
			checkRecheck(t, filepath.Base(name)+" "+side, texts)
		}
	}
}

func checkRecheck(t *testing.T, name string, texts map[string]string) {
	t.Helper()
	whole, grown := validate.NewProject(rules.Default()), validate.NewProject(rules.Default())
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
		grown.Rest()
		grown.Set(file, texts[file])
	}
	for _, file := range files {
		got, want := grown.Findings(file), whole.Findings(file)
		if !slices.EqualFunc(got, want, func(a, b validate.Finding) bool {
			return a.Rule == b.Rule && a.Start == b.Start && a.Message == b.Message
		}) {
			t.Errorf("%s%s: a project that grew finds\n%swant\n%s", name, file, validatetest.Messages(got), validatetest.Messages(want))
		}
	}
}

// TestAgain checks that an edit has those rules run again that it concerns, and
// no other: their verdicts stay as they are.
func TestAgain(t *testing.T) {
	p := validate.NewProject(rules.Default())
	p.Set("a.html", "<!DOCTYPE html>\n<html lang=\"en\"><title>A</title><a href=\"#x\">x</a><img src=\"a.png\"></html>\n")
	p.Set("b.html", "<!DOCTYPE html>\n<html lang=\"en\"><title>B</title><a href=\"a.html#y\">y</a></html>\n")
	p.Findings("a.html")
	p.Findings("b.html")
	affected := p.Set("a.html", "<!DOCTYPE html>\n<html lang=\"en\"><title>A</title><p id=\"y\">y</p></html>\n")
	if !slices.Equal(affected, []string{"a.html", "b.html"}) {
		t.Errorf("affected are %q", affected)
	}
	again := p.Due("b.html")
	if !slices.Equal(again, []string{"broken-fragment"}) {
		t.Errorf("%q run again over b.html", again)
	}
	if found := p.Findings("b.html"); len(validatetest.OfRule(found, "broken-fragment")) > 0 {
		t.Errorf("the fragment is still missing:\n%s", validatetest.Messages(found))
	}
}
