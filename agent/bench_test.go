package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// instant is a model that answers at once: a plan, then for each step what a
// model usually does: read, search, patch, list. It notes when it was asked.
type instant struct {
	steps int
	left  time.Time
	own   []time.Duration // the agent's time from an answer to the next question
}

const benchPlan = `{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	"features": [{"id": "f", "title": "Change", "description": "Change many files."}]}`

// Complete implements llm.Model.
func (m *instant) Complete(_ context.Context, req *llm.Request) (*llm.Response, error) {
	if !m.left.IsZero() {
		m.own = append(m.own, time.Since(m.left))
	}
	call := m.choose(req.Role)
	call.ID = fmt.Sprintf("call_%d", m.steps)
	m.steps++
	m.left = time.Now()
	return &llm.Response{ToolCalls: []llm.ToolCall{call}, Usage: llm.Usage{Prompt: 1000, Completion: 100}}, nil
}

// benchFile names the i-th file of the workspace.
func benchFile(i int) string { return fmt.Sprintf("pkg%02d/mod%02d.py", i/100%100, i%100) }

func (m *instant) choose(role string) llm.ToolCall {
	if role == record.RoleTars {
		return llm.ToolCall{Name: "SUBMIT_PLAN", Arguments: benchPlan}
	}
	n := m.steps / 4
	path := benchFile(n * 37)
	switch m.steps % 4 {
	case 1:
		return llm.ToolCall{Name: "GET_FULL_FILE_CONTENT", Arguments: fmt.Sprintf(`{"thought": "read it", "path": %q}`, path)}
	case 2:
		patch := "<<<<<<< SEARCH\n    return a + 1\n=======\n    return a + 2\n>>>>>>> REPLACE\n"
		return llm.ToolCall{Name: "PATCH_FILE", Arguments: fmt.Sprintf(`{"thought": "change it", "path": %q, "patch": %q}`, path, patch)}
	case 3:
		return llm.ToolCall{Name: "SEARCH_TEXT", Arguments: fmt.Sprintf(`{"thought": "who calls it", "pattern": "function%d("}`, n*37)}
	default:
		return llm.ToolCall{Name: "LIST_FILES", Arguments: fmt.Sprintf(`{"thought": "look around", "glob": "pkg%02d/*.py"}`, n%100)}
	}
}

// benchWorkspace makes 10,000 Python files of about 40 lines.
func benchWorkspace(b *testing.B) *workspace.Workspace {
	dir := b.TempDir()
	for i := range 10_000 {
		path := filepath.Join(dir, filepath.FromSlash(benchFile(i)))
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		filler := strings.Repeat(fmt.Sprintf("def helper%d(a, b):\n    if a > b:\n        return [x for x in range(b)]\n    return {'a': a, 'b': b}\n\n\n", i), 6)
		if err := os.WriteFile(path, []byte(filler+fmt.Sprintf("def function%d(a):\n    return a + 1\n", i)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	return w
}

// BenchmarkStep measures the agent's own time per step, from a model's answer to
// the next question, in a workspace of 10,000 files: 120 steps a task that read,
// patch, search and list. The journal is a real one, with its fsyncs. The slowest is that with which
// a feature begins: it reads the code around it.
func BenchmarkStep(b *testing.B) {
	w := benchWorkspace(b)
	s, err := store.Open(store.Options{StateDir: b.TempDir(), Workspace: w.ID()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	const steps = 120
	var own []time.Duration
	for b.Loop() {
		m := &instant{}
		a := New(Options{Workspace: w, Store: s, User: agreeable{}, Limits: record.Limits{Steps: 2 * steps},
			Model:   func(string) (llm.Model, error) { return m, nil },
			Sandbox: func(context.Context) (sandbox.Engine, error) { return nil, nil }})
		for e, err := range a.Run(b.Context(), record.Task{Text: "change many files"}) {
			if err != nil {
				b.Fatal(err)
			}
			if done, ok := e.Body.(record.ActionDone); ok && !done.OK {
				b.Fatal(done.Text)
			}
			if m.steps > steps {
				break
			}
		}
		own = append(own, m.own...)
	}
	slices.Sort(own)
	b.ReportMetric(float64(own[len(own)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(own[len(own)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(own[len(own)-1].Microseconds())/1000, "max-ms")
}
