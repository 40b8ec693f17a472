package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
)

// benchFiles is how many files the workspace of the benchmark has.
const benchFiles = 10000

// BenchmarkRequests measures what an editor waits for, while four tasks run in a workspace of 10,000 files: hovers, code
// actions, code lenses and diagnostics of a document, each with its 99th percentile.
func BenchmarkRequests(b *testing.B) {
	files := map[string]string{"a.py": lines(map[int]string{20: "# TODO: tidy up"})}
	for i := range benchFiles {
		files[fmt.Sprintf("pkg%02d/m%04d.py", i%100, i)] = fmt.Sprintf("def f%d(x):\n    return x + %d\n", i, i)
	}
	sc := play(b, plot{files: files, open: []string{"a.py"}, script: strings.Repeat("on case\nhold\ntext late\n", 4)})
	for i := range 4 {
		sc.run(fmt.Sprintf("task %d", i))
	}
	for range 4 {
		sc.model.Held()
	}
	document := map[string]any{"uri": string(sc.uri("a.py"))}
	for _, r := range []struct {
		method string
		params map[string]any
	}{
		{protocol.MethodTextDocumentHover, map[string]any{"position": protocol.Position{Line: 3}}},
		{protocol.MethodTextDocumentCodeAction, map[string]any{"range": protocol.Range{End: protocol.Position{Line: 19, Character: 3}}, "context": map[string]any{"diagnostics": []any{}}}},
		{protocol.MethodTextDocumentCodeLens, map[string]any{}},
		{protocol.MethodTextDocumentDiagnostic, map[string]any{}},
	} {
		r.params["textDocument"] = document
		b.Run(strings.TrimPrefix(r.method, "textDocument/"), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				// The user types: nothing is answered from what was found for the text before.
				sc.must(sc.Replace("a.py", "x1 = 1", "x1 = 1"))
				began := time.Now()
				if err := sc.Request(b.Context(), r.method, r.params, nil); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
