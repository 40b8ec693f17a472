package agent

import (
	"context"
	"os"
	"strings"
	"testing"

	"caselsp/agent/record"
)

// TestFeaturesBeginAlike: requests about different features of a plan are the same up to the
// feature, so that a provider's cache serves the plan for all of them.
func TestFeaturesBeginAlike(t *testing.T) {
	b := newBench(t, `
on tars
last # Workspace
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["a.txt"], "files_to_change": ["b.txt"], "steps": ["one step"], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "Do f."}, {"id": "g", "title": "G", "description": "Do g."}]}
on case
times 2
call ABORT {"thought": "t", "reason": "no"}
`, agreeable{})
	rules, err := b.Workspace.Abs("AGENTS.md")
	if err == nil {
		err = os.WriteFile(rules, []byte("Every function has a test.\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range b.model.Requests() {
		if n := strings.Count(r.Text, "Every function has a test."); n != 1 {
			t.Errorf("it is told the rules %d times:\n%s", n, r.Text)
		}
	}
	var begins []string
	for _, r := range b.model.Requests() {
		if begin, rest, ok := strings.Cut(r.Text, "# Feature to build: "); ok {
			begins = append(begins, begin)
			if strings.HasPrefix(rest, "G") != strings.Contains(rest, "- f: failed: ") {
				t.Errorf("it is not told how the other feature ended:\n%s", rest)
			}
		}
	}
	if len(begins) != 2 || begins[0] != begins[1] || !strings.Contains(begins[0], "one step") || !strings.Contains(begins[0], "Every function has a test.") || !strings.Contains(begins[0], "- g: G") {
		t.Errorf("the requests begin with\n%s", strings.Join(begins, "\n---\n"))
	}
}
