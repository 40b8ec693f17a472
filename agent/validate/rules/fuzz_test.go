package rules

import (
	"path"
	"strings"
	"testing"

	"caselsp/agent/validate"
	"caselsp/agent/validate/validatetest"
)

// FuzzCheck looks whether any text makes a rule panic, or report at a place
// that is not in the file. The seeds are the fixtures.
func FuzzCheck(f *testing.F) {
	validatetest.Sources(f, "testdata", func(name, text string) { f.Add(path.Ext(name), text) })
	known := map[string]bool{".css": true, ".js": true, ".ts": true, ".tsx": true, ".html": true, ".py": true, ".go": true}
	f.Fuzz(func(t *testing.T, ext, text string) {
		if !known[ext] || len(text) > 4<<10 {
			return
		}
		project := validate.NewProject(Default())
		project.Set("a"+ext, text)
		for _, x := range project.Findings("a" + ext) {
			checkFinding(t, x, text)
		}
	})
}

// apply makes the edits of a fix.
func apply(text string, fix *validate.Fix) string {
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
	validatetest.Sources(t, "testdata", func(name, text string) {
		found := Default().Check(path.Base(name), text)
		for _, x := range found {
			if x.Fix == nil {
				continue
			}
			mended := apply(text, x.Fix)
			after := Default().Check(path.Base(name), mended)
			if len(validatetest.OfRule(after, x.Rule)) >= len(validatetest.OfRule(found, x.Rule)) {
				t.Errorf("%s:%d: the fix %q of %s does not mend it", name, x.Start.Line+1, x.Fix.Title, x.Rule)
			}
			if len(validatetest.OfRule(after, "syntax")) > len(validatetest.OfRule(found, "syntax")) {
				t.Errorf("%s:%d: the fix %q of %s breaks the file:\n%s", name, x.Start.Line+1, x.Fix.Title, x.Rule, validatetest.Messages(validatetest.OfRule(after, "syntax")))
			}
		}
	})
}
