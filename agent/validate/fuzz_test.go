package validate

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// sources yields every file of the fixtures, by name.
func sources(tb testing.TB, each func(name, text string)) {
	tb.Helper()
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range archives {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			text, _ := expected(string(f.Data))
			each(f.Name, text)
		}
	}
}

// FuzzCheck looks whether any text makes a rule panic, or report at a place
// that is not in the file. The seeds are the fixtures.
func FuzzCheck(f *testing.F) {
	sources(f, func(name, text string) { f.Add(path.Ext(name), text) })
	known := map[string]bool{".css": true, ".js": true, ".ts": true, ".tsx": true, ".html": true, ".py": true, ".go": true}
	f.Fuzz(func(t *testing.T, ext, text string) {
		if !known[ext] || len(text) > 4<<10 {
			return
		}
		project := NewProject(Default())
		project.Set("a"+ext, text)
		for _, x := range project.Findings("a" + ext) {
			checkFinding(t, x, text)
		}
	})
}

// apply makes the edits of a fix.
func apply(text string, fix *Fix) string {
	var b strings.Builder
	last := 0
	for _, e := range fix.Edits {
		b.WriteString(text[last:e.Start])
		b.WriteString(e.New)
		last = e.End
	}
	b.WriteString(text[last:])
	return b.String()
}

// TestFixesMend proves that fixes are certain: each takes away its finding,
// adds no other of the rule, and leaves a text that parses if it did before.
func TestFixesMend(t *testing.T) {
	sources(t, func(name, text string) {
		found := Check(path.Base(name), text)
		for _, x := range found {
			if x.Fix == nil {
				continue
			}
			mended := apply(text, x.Fix)
			after := Check(path.Base(name), mended)
			if len(ofRule(after, x.Rule)) >= len(ofRule(found, x.Rule)) {
				t.Errorf("%s:%d: the fix %q of %s does not mend it", name, x.Start.Line+1, x.Fix.Title, x.Rule)
			}
			if len(ofRule(after, "syntax")) > len(ofRule(found, "syntax")) {
				t.Errorf("%s:%d: the fix %q of %s breaks the file:\n%s", name, x.Start.Line+1, x.Fix.Title, x.Rule, messages(ofRule(after, "syntax")))
			}
		}
	})
}
