package validate_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/ecma"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
	"caselsp/agent/validate/validatetest"
)

// benchFile joins the fixtures of one kind to a text of about 200 KB, as large
// style sheets and scripts are.
func benchFile(b *testing.B, ext string) string {
	const size = 200 << 10
	var text strings.Builder
	for text.Len() < size {
		before := text.Len()
		validatetest.Sources(b, testdata, func(name, source string) {
			if path.Ext(name) != ext || text.Len() > size || len(validatetest.OfRule(rules.Default().Check(path.Base(name), source), "syntax")) > 0 || strings.Contains(source, "\nimport ") || strings.HasPrefix(source, "import ") {
				return
			}
			if ext == ".js" {
				text.WriteString("{\n" + strings.ReplaceAll(source, "export ", "") + "\n}\n")
			} else {
				text.WriteString(source)
			}
		})
		if text.Len() == before {
			b.Fatalf("no fixture is %s", ext)
		}
	}
	return text.String()
}

// BenchmarkRules measures all rules over a large file, the parsing counted, and
// logs the time of each: the first to ask for a tree pays for it.
func BenchmarkRules(b *testing.B) {
	table := rules.Default().Rules()
	for _, ext := range []string{".css", ".js", ".html"} {
		text := benchFile(b, ext)
		b.Run(ext[1:], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			spent := make([]time.Duration, len(table))
			for b.Loop() {
				f := validate.NewFile("a"+ext, text)
				f.Styles()
				for _, c := range f.Code(ecma.Languages...) {
					c.Scopes()
					c.Flows()
					c.Patterns()
				}
				for i := range table {
					if r := &table[i]; r.Check != nil {
						start := time.Now()
						validate.Look(f, r)
						spent[i] += time.Since(start)
					}
				}
			}
			report(b, table, spent)
		})
	}
}

// report logs the rules that take longest, and their share of the whole.
func report(b *testing.B, table []validate.Rule, spent []time.Duration) {
	order := make([]int, len(spent))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return int(spent[j] - spent[i]) })
	for _, i := range order[:20] {
		b.Logf("%-28s %6.1f %%", table[i].ID, 100*spent[i].Seconds()/b.Elapsed().Seconds())
	}
}
