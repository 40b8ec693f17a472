package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	setting "caselsp/agent/settings"

	"go.lsp.dev/protocol"
)

// benchFiles is how many files the workspace of the benchmark has.
const benchFiles = 10000

// benchTasks is how many tasks work at the same time.
const benchTasks = 4

// BenchmarkRequests measures what an editor waits for, while four tasks work in a workspace of 10,000 files, each with one
// edit after another: hovers, code actions, code lenses and diagnostics of a document, each with its 99th percentile. A request is
// sent as soon as a task has done a step, so that each falls into work.
func BenchmarkRequests(b *testing.B) {
	files := map[string]string{"a.py": lines(map[int]string{20: "# TODO: tidy up"})}
	for i := range benchFiles {
		files[fmt.Sprintf("pkg%02d/m%04d.py", i%100, i)] = fmt.Sprintf("def f%d(x):\n    return x + %d\n", i, i)
	}
	var script strings.Builder
	for i := range 5_000 { // more than are asked for: whichever task asks has the next one, and about each tenth ends it
		fmt.Fprintf(&script, "on case\ncall WRITE_FILE {\"thought\": \"t\", \"path\": \"new/n%d.py\", \"content\": \"def g(x):\\n    return x * %d\\n\"}\n", i, i)
		if i%10 == 9 {
			script.WriteString("on case\ncall FINISH_FEATURE {\"thought\": \"t\", \"summary\": \"written\"}\n")
		}
	}
	sc := play(b, plot{files: files, open: []string{"a.py"}, script: script.String(), review: &setting.Review{}})
	started, steps := 0, make(chan struct{}, 1<<16) // more than are taken
	sc.srv.tasks.heard = append(sc.srv.tasks.heard, func(e agent.Event) {
		if _, ok := e.Body.(record.ActionDone); ok {
			steps <- struct{}{}
		}
	})
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
				for len(sc.srv.tasks.all()) < benchTasks {
					started++
					sc.run(fmt.Sprintf("task %d", started))
				}
				<-steps
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
			b.ReportMetric(float64(len(took)), "steps")
		})
	}
}
