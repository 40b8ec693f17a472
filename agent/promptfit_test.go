package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/lint"
	"caselsp/agent/llm"
	"caselsp/agent/record"
	"caselsp/agent/settings"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// longRun is a model that plays one long feature, with every role: readings of long files, whole
// and by range, searches, edits, commands, tests that fail alike and pass, tests of the
// tester, three verdicts. It answers by the role and by how often that was asked, whatever the
// request says.
type longRun struct{ asked map[string]int }

// Complete implements llm.Model. Its count of tokens is that of an ordinary server.
func (m *longRun) Complete(_ context.Context, req *llm.Request) (*llm.Response, error) {
	role, _, _ := strings.Cut(conversationOf(req), " ")
	n := m.asked[role]
	m.asked[role]++
	calls := map[string]func(int) []llm.ToolCall{"plan": longPlan, "case": longCase, "tester": longTester, "reflector": longReflector, "verify": longVerify}[role](n)
	for i := range calls {
		calls[i].ID = fmt.Sprintf("%s_%d_%d", role, n, i)
	}
	return &llm.Response{ToolCalls: calls, Usage: llm.Usage{Prompt: requestBytes(req) / longBytes, Completion: 100}}, nil
}

// longBytes is how many bytes the model counts as a token.
const longBytes = 4

// called is one call of a reply.
func called(name string, args map[string]any) llm.ToolCall {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return llm.ToolCall{Name: name, Arguments: string(raw)}
}

func ranged(path string, from, to int) llm.ToolCall {
	return called("GET_FULL_FILE_CONTENT", map[string]any{"path": path, "from": from, "to": to})
}

func longPlan(n int) []llm.ToolCall {
	switch n {
	case 0:
		return []llm.ToolCall{called("LIST_FILES", nil), called("OUTLINE", map[string]any{"path": "sums.py"})}
	case 1:
		return []llm.ToolCall{called("GET_FULL_FILE_CONTENT", map[string]any{"path": "sums.py"}), ranged("sums.py", 1, 120), ranged("sums.py", 60, 200)}
	case 2:
		return []llm.ToolCall{called("SEARCH_TEXT", map[string]any{"pattern": "sum0", "context": 3})}
	case 3:
		return []llm.ToolCall{called("RUN_COMMAND", map[string]any{"thought": "How do they go?", "command": "python3 -m pytest"})}
	}
	feature := map[string]any{"id": "round", "title": "Round the sums", "description": "Every sum rounds to 10 digits.", "files": []string{"sums.py", "test_sums.py"}, "test": "python3 -m pytest"}
	return []llm.ToolCall{called("SUBMIT_PLAN", map[string]any{"analysis": "Sums of floats are not rounded.", "files_to_create": []string{}, "files_to_change": []string{"sums.py"}, "steps": []string{"Round."}, "considerations": []string{}, "features": []any{feature}})}
}

// longEdits is how many sums CASE changes one by one before it finishes.
const longEdits = 24

func longCase(n int) []llm.ToolCall {
	old := fmt.Sprintf("    total = a + b + %d\n", n)
	edit := called("PATCH_FILE", map[string]any{"thought": "Round.", "path": "sums.py",
		"patch": fmt.Sprintf("<<<<<<< SEARCH\n%s=======\n    total = round(a + b + %d, 10)\n>>>>>>> REPLACE\n", old, n)})
	at := 6*n + 1
	calls := []llm.ToolCall{ranged("sums.py", at, at+40), edit}
	switch {
	case n >= longEdits:
		calls = append(calls, called("FINISH_FEATURE", map[string]any{"thought": "Done.", "summary": "The sums round.", "fixes_applied": []string{"round"}, "analysis": "It was not rounded."}))
	case n%4 == 1:
		calls = append(calls, called("SEARCH_TEXT", map[string]any{"pattern": fmt.Sprintf("sum%02d", n), "context": 2}), ranged("test_sums.py", 4*n+1, 4*n+80))
	case n%4 == 3:
		calls = append(calls, called("RUN_COMMAND", map[string]any{"thought": "Do they pass?", "command": "python3 -m pytest -v"}))
	}
	return calls
}

func longTester(n int) []llm.ToolCall {
	if n == 0 {
		return []llm.ToolCall{ranged("test_sums.py", 1, 60), called("GET_FULL_FILE_CONTENT", map[string]any{"path": "sums.py"})}
	}
	if n == 1 {
		return []llm.ToolCall{called("WRITE_FILE", map[string]any{"thought": "Rounded.", "path": "test_rounded.py", "content": "import sums\n\n\ndef test_rounded():\n    assert sums.sum07(0.1, 0.2) == 7.3\n"})}
	}
	return []llm.ToolCall{called("SUBMIT_TESTS", map[string]any{"summary": "Rounding."})}
}

func longReflector(n int) []llm.ToolCall {
	if n%2 == 0 {
		return []llm.ToolCall{ranged("sums.py", 30, 90)}
	}
	return []llm.ToolCall{called("SUBMIT_HYPOTHESIS", map[string]any{"cause": "The sum is not rounded everywhere.", "fix": "Round in sum07."})}
}

func longVerify(n int) []llm.ToolCall {
	switch n {
	case 0, 2:
		return []llm.ToolCall{called("GET_FULL_FILE_CONTENT", map[string]any{"path": "sums.py"}), ranged("test_sums.py", 1, 100)}
	case 1, 3:
		return []llm.ToolCall{called("SUBMIT_VERDICT", map[string]any{"completion": 90, "summary": "It rounds.", "issues": []string{"The docstring of sum07 does not say so."}})}
	}
	return []llm.ToolCall{called("SUBMIT_VERDICT", map[string]any{"completion": 100, "summary": "It rounds.", "issues": []string{}})}
}

// metering makes an agent on a folder whose requests are measured.
func metering(t testing.TB, dir string, o Options) (*Agent, *meter) {
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: w.ID()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); s.Close() })
	m := &meter{model: o.Model}
	o.Workspace, o.Store = w, s
	o.Model = func(string) (llm.Model, error) { return m, nil }
	o.Watch = m.watch()
	return New(o), m
}

// largeProject writes promptProject into a folder.
func largeProject(t testing.TB) string {
	dir := t.TempDir()
	for name, text := range promptProject() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// played runs the long feature with a window of so many tokens.
func played(t testing.TB, tokens int) *meter {
	t.Helper()
	dir := largeProject(t)
	if err := os.WriteFile(filepath.Join(dir, "pylintrc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	engine := &repeating{runs: -longEdits/4 - 1} // of TARS and CASE, before the feature is finished
	a, m := metering(t, dir, Options{User: agreeable{}, Context: tokens, Linting: Linting{When: LintEdits, Grades: lint.DefaultPolicy}, WriteTests: WriteAlways, Limits: record.Limits{Steps: 3 * longEdits, Rounds: 15, Attempts: 3, Rollbacks: 3},
		Sandbox: func(context.Context) (sandbox.Engine, error) { return engine, nil }})
	model := &longRun{map[string]int{}}
	m.model = func(string) (llm.Model, error) { return model, nil }
	var last Event
	why := ""
	for e, err := range a.Run(t.Context(), record.Task{Text: "Let sums be rounded."}) {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := e.Body.(record.FeatureEnded); ok {
			why = end.Reason
		}
		last = e
	}
	if last.Status.State != record.Review {
		t.Errorf("with a window of %d tokens, the task ended in %s: %s (%s)", tokens, last.Status.State, last.Status.Reason, why)
	}
	return m
}

// TestRequestsFit: whatever the window, every role's requests fit into it over a long feature.
func TestRequestsFit(t *testing.T) {
	for _, tokens := range []int{8_000, 16_000, 32_000} {
		m := played(t, tokens)
		var roles []string
		for i, s := range m.sent {
			role, _, _ := strings.Cut(s.conversation, " ")
			if !slices.Contains(roles, role) {
				roles = append(roles, role)
			}
			if size := requestBytes(m.texts[i]) / longBytes; size > request(tokens) {
				t.Errorf("window of %d tokens: request %d, of %s, has %d", tokens, i+1, s.conversation, size)
			}
		}
		slices.Sort(roles)
		if want := []string{"case", "plan", "reflector", "tester", "verify"}; !slices.Equal(roles, want) {
			t.Errorf("window of %d tokens: asked were %v, not %v", tokens, roles, want)
		}
	}
}

// leastRepeated is the share of a long conversation's bytes that begin an earlier request.
const leastRepeated = 0.85

// TestRequestsRepeat: with an ordinary window, no request says a text twice, each begins with the
// one before it, and a conversation of 20 requests and more is mostly repeated.
func TestRequestsRepeat(t *testing.T) {
	m := played(t, settings.CountedOn)
	count, sent, again := map[string]int{}, map[string]int{}, map[string]int{}
	for i, s := range m.sent {
		count[s.conversation]++
		sent[s.conversation] += s.bytes
		again[s.conversation] += s.again
		for _, run := range told(m.texts[i]) {
			t.Errorf("request %d, of %s, says this twice: %q", i+1, s.conversation, run)
		}
		if s.parts && !s.compacted {
			t.Errorf("request %d, of %s, does not begin with the one before it", i+1, s.conversation)
		}
	}
	for _, text := range []string{"Linters object to what you edited", "The tests failed"} {
		if !slices.ContainsFunc(m.texts, func(req *llm.Request) bool { return strings.Contains(string(wire(req.Messages)), text) }) {
			t.Errorf("no request says %q", text)
		}
	}
	long := 0
	for name, n := range count {
		if n < 20 {
			continue
		}
		long++
		if share := float64(again[name]) / float64(sent[name]); share < leastRepeated {
			t.Errorf("the %d requests of %s repeat %.1f percent of their bytes", n, name, 100*share)
		}
	}
	if long == 0 {
		t.Errorf("no conversation had 20 requests: %v", count)
	}
}
