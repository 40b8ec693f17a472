package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/sandbox"
	"caselsp/store"
)

// baselineScript runs the project's tests while planning, plans, and writes a file.
const baselineScript = `
on tars
when # Workspace
when 1 failed, 1 passed
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["a.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "Write a.txt."}]}
on tars
when # Workspace
times always
call RUN_COMMAND {"thought": "t", "command": "python3 -m pytest"}
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "written\n"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
times always
want fails only where it failed before the change
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// oldFailure is a sandbox in which one test of the project fails, whatever is changed.
type oldFailure struct{ ran int }

// Run implements sandbox.Engine.
func (e *oldFailure) Run(context.Context, sandbox.Command) (*sandbox.Result, error) {
	e.ran++
	return &sandbox.Result{Status: sandbox.Exited, ExitCode: 1,
		Output: "=== short test summary info ===\nFAILED test_old.py::test_old - assert 1 == 2\n=== 1 failed, 1 passed in 0.01s ===\n"}, nil
}

func newBaselineBench(t *testing.T) (*bench, *oldFailure) {
	t.Helper()
	b, engine := newBench(t, baselineScript, agreeable{}), &oldFailure{}
	b.Sandbox = func(context.Context) (sandbox.Engine, error) { return engine, nil }
	if err := os.WriteFile(filepath.Join(b.Workspace.Roots()[0].Dir, "test_old.py"), []byte("def test_old():\n    assert 1 == 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return b, engine
}

// TestBaselineFromEveryRecord cuts the journal of a task whose tests were run while planning
// after every record, and resumes: each ends the same, and compares with that run.
func TestBaselineFromEveryRecord(t *testing.T) {
	whole, engine := newBaselineBench(t)
	for _, err := range whole.Run(context.Background(), record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := whole.toTheEnd(t, "t")
	if !strings.Contains(want, "+written") || engine.ran != 2 {
		t.Fatalf("%d commands ran, the result is\n%s", engine.ran, want)
	}
	records, err := whole.Store.Journal("t").Records()
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []record.Body{record.TestsFound{}, record.Compared{}} {
		if n := slices.IndexFunc(records, func(r store.Record) bool { return r.Kind == record.KindOf(body) }); n < 0 {
			t.Fatalf("the task has no record of kind %q", record.KindOf(body))
		}
	}
	for n := 1; n < len(records); n++ {
		t.Run(fmt.Sprintf("%d_%s", n, records[n-1].Kind), func(t *testing.T) {
			cut, engine := newBaselineBench(t)
			cut.copyJournal(t, whole, records[:n])
			if got := cut.toTheEnd(t, "t"); got != want {
				t.Errorf("resumed after record %d, the result is\n%s", n, got)
			}
			before := 0
			for _, r := range records[:n] {
				if r.Kind == record.KindOf(record.CommandStarted{}) {
					before++
				}
			}
			lost := records[n-1].Kind == record.KindOf(record.CommandStarted{})
			if ran := before + engine.ran; ran != 2 && (!lost || ran != 3) {
				t.Errorf("resumed after record %d, %d commands ran", n, ran)
			}
		})
	}
}
