package codemap_test

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/codemap"
	"caselsp/agent/syntax"
)

// BenchmarkRank ranks 10,000 files that use names of each other for a task, as a task and each
// of its features begin.
func BenchmarkRank(b *testing.B) {
	var list []codemap.File
	for i := range 10_000 {
		var text strings.Builder
		fmt.Fprintf(&text, "import os\nfrom pkg%d import load_part%d\n\n\nclass Part%d:\n    \"\"\"Part number %d of the machine.\"\"\"\n", i%100, (i*7)%10_000, i, i)
		for j := range 8 {
			fmt.Fprintf(&text, "    def handle_event_%d(self, request, response):\n        return load_part%d(request.user_name, response.body_text, self.count_%d)\n\n", j, (i*7+j)%10_000, j)
		}
		fmt.Fprintf(&text, "def load_part%d(name): return Part%d()\n", i, i)
		path := fmt.Sprintf("pkg%d/mod%d.py", i/100, i)
		list = append(list, codemap.File{Path: path, Facts: syntax.FactsOf(path, text.String())})
	}
	for b.Loop() {
		codemap.Map(list, codemap.Query{Text: "The event handler of part 77 loads the body text of a response twice"}, 2000)
	}
}
