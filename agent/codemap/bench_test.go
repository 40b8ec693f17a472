package codemap_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"caselsp/agent/codemap"
	"caselsp/agent/syntax"
)

// benchFile is one of 10,000 files that use names of each other; changed differs from it by a name.
func benchFile(i int, changed string) codemap.File {
	var text strings.Builder
	fmt.Fprintf(&text, "import os\nfrom pkg%d import load_part%d\n\n\nclass Part%d:\n    \"\"\"Part number %d of the machine.\"\"\"\n", i%100, (i*7)%10_000, i, i)
	for j := range 8 {
		fmt.Fprintf(&text, "    def handle_event_%d(self, request, response):\n        return load_part%d(request.user_name, response.body_text, self.count_%d)\n\n", j, (i*7+j)%10_000, j)
	}
	fmt.Fprintf(&text, "def load_part%d(name): return Part%d()%s\n", i, i, changed)
	path := fmt.Sprintf("pkg%d/mod%d.py", i/100, i)
	return codemap.File{Path: path, Facts: syntax.FactsOf(path, text.String())}
}

// BenchmarkRank ranks 10,000 files for a task, as a task and each of its features begin: the first
// time, again, after a change, and with a new file.
func BenchmarkRank(b *testing.B) {
	var list []codemap.File
	for i := range 10_000 {
		list = append(list, benchFile(i, ""))
	}
	q := codemap.Query{Text: "The event handler of part 77 loads the body text of a response twice"}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			codemap.Rank(list, q)
		}
	})
	var g codemap.Graph
	before := inUse()
	g.Rank(list, q)
	took := float64(inUse() - before)
	again := func(name string, prepare func(i int)) {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				prepare(i)
				g.Rank(list, q)
			}
			b.ReportMetric(took/float64(len(list)), "bytes/file")
		})
	}
	again("again", func(int) {})
	again("changed", func(i int) { list[77] = benchFile(77, fmt.Sprintf("\ndef new_name_%d(): pass", i)) })
	again("added", func(i int) {
		f := benchFile(77, "")
		f.Path = fmt.Sprintf("pkg0/new%d.py", i)
		list = append(list[:10_000], f)
	})
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
