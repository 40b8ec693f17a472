package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/sandbox"
)

// ended is what a run came to.
type ended struct {
	last    Event
	reason  string         // why the last feature ended
	kinds   map[string]int // records by kind
	unrun   []string       // why calls were not run
	planned int            // features
}

// end runs a task to where it ends or pauses. hear is told of every event; it may be nil.
func (b *bench) end(t *testing.T, hear func(Event)) (e ended) {
	t.Helper()
	e.kinds = map[string]int{}
	for event, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Body == nil {
			continue
		}
		e.last = event
		e.kinds[record.KindOf(event.Body)]++
		switch body := event.Body.(type) {
		case record.FeatureEnded:
			e.reason = body.Reason
		case record.Unrun:
			e.unrun = append(e.unrun, body.Reason)
		}
		e.planned = event.Status.Features
		if hear != nil {
			hear(event)
		}
	}
	return e
}

// onePlan is the plan of these tests, with readings before and behind it.
const onePlan = `
on tars
when # Workspace
call LIST_FILES {"thought": "t"}
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D", "test": "check b.txt"}]}
call LIST_FILES {"thought": "t"}
`

// TestSubmitsAmongCalls checks that what a role submits in one reply with other calls is taken
// once, in the phases that no scenario shows.
func TestSubmitsAmongCalls(t *testing.T) {
	b := newBench(t, onePlan+`
on case
when # Feature to build: F
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "1\n"}
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "2\n"}
on case
when # Feature to build: F
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "3\n"}
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "4\n"}
on tars
when A feature that is too large
call LIST_FILES {"thought": "t"}
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "one", "title": "One", "description": "D"}, {"id": "two", "title": "Two", "description": "D"}]}
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "b.txt"}
on case
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "b.txt"}
call FINISH_FEATURE {"thought": "t", "summary": "s"}
on tars
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "b.txt"}
call SUBMIT_VERDICT {"completion": 100, "summary": "s", "issues": []}
call LIST_FILES {"thought": "t"}
`, agreeable{})
	b.Limits.Steps = 2
	e := b.end(t, nil)
	if e.kinds["plan"] != 1 || e.kinds["split"] != 1 || e.planned != 2 {
		t.Errorf("the records are %v, and there are %d features", e.kinds, e.planned)
	}
	if e.last.Status.State != record.Review {
		t.Errorf("the task is %s: %s", e.last.Status.State, e.last.Status.Reason)
	}
	if n := len(b.model.Requests()); n != 1+2+1+2*2 {
		t.Errorf("%d calls", n)
	}
}

// TestSubmitsBehindMuch checks that a plan is taken in however large the readings before it
// are in the same reply: a model that always reads first would never hand one in.
func TestSubmitsBehindMuch(t *testing.T) {
	b := newBench(t, `
on tars
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "long.txt", "from": 1, "to": 25}
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "long.txt", "from": 26, "to": 50}
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "long.txt", "from": 51, "to": 75}
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D"}]}
on case
times always
call ABORT {"thought": "t", "reason": "no"}
`, agreeable{})
	b.Context = 8000
	long := ""
	for i := range 300 {
		long += fmt.Sprintf("line %d of a file that is long\n", i)
	}
	if err := os.WriteFile(filepath.Join(b.Workspace.Roots()[0].Dir, "long.txt"), []byte(long), 0o644); err != nil {
		t.Fatal(err)
	}
	if e := b.end(t, nil); e.kinds["plan"] != 1 || len(b.model.Requests()) != 2 || e.last.Status.Reason != "no feature succeeded: CASE gave it up: “no”" {
		t.Errorf("%d plans after %d calls; %s", e.kinds["plan"], len(b.model.Requests()), e.last.Status.Reason)
	}
}

// TestEndsAmongCalls checks that what ends a feature ends it in the middle of a reply, too, and
// that what stands behind it in the reply does not undo that.
func TestEndsAmongCalls(t *testing.T) {
	for _, c := range []struct {
		name, script, reason, unrun string
		calls                       int
	}{
		{"a loop", `
on case
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "1\n"}
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "2\n"}
call LIST_FILES {"thought": "t"}
`, "it went in circles: the last 2 steps were done before", "the work goes in circles", 2},
		{"rollbacks", `
on case
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "1\n"}
call ROLLBACK {"thought": "t", "reason": "r"}
call RUN_COMMAND {"thought": "t", "command": "touch x.txt"}
call ROLLBACK {"thought": "t", "reason": "r"}
call WRITE_FILE {"thought": "t", "path": "c.txt", "content": "2\n"}
call ROLLBACK {"thought": "t", "reason": "r"}
call WRITE_FILE {"thought": "t", "path": "d.txt", "content": "3\n"}
`, "it was rolled back 3 times", "rolled back as often", 1},
	} {
		b := newBench(t, onePlan+c.script, agreeable{})
		e := b.end(t, nil)
		if !strings.Contains(e.reason, c.reason) || !strings.Contains(strings.Join(e.unrun, "; "), c.unrun) {
			t.Errorf("%s: the feature ended because %q, and calls were not run because %q", c.name, e.reason, e.unrun)
		}
		if n := len(b.model.Requests()); n != 1+c.calls {
			t.Errorf("%s: %d calls, want %d", c.name, n, 1+c.calls)
		}
	}
}

// TestQuestionsEnd checks that a model does not question the user without end.
func TestQuestionsEnd(t *testing.T) {
	b := newBench(t, `
on tars
times always
call REQUEST_USER_INPUT {"thought": "t", "question": "And what else?"}
call REQUEST_USER_INPUT {"thought": "t", "question": "Anything more?"}
`, agreeable{})
	if e := b.end(t, nil); e.kinds["asked"] != maxInquiries || e.last.Status.State != record.Paused {
		t.Errorf("the user was asked %d times, the task is %s", e.kinds["asked"], e.last.Status.State)
	}
}

// forgetful is a sandbox in which tests fail, and which loses what the run on the files as they
// were needs.
type forgetful struct{ runs, lost int }

func (f *forgetful) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	f.runs++
	for _, file := range cmd.Tree {
		if file.Path == "c.txt" {
			return &sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Output: "FAILED test_b.py::test_b - AssertionError: 3 != 6\n1 failed in 0.01s\n"}, nil
		}
	}
	f.lost++
	return nil, sandbox.ErrNoLayer
}

// comparedScript writes c.txt, with which the tests fail.
var comparedScript = strings.ReplaceAll(onePlan, "check b.txt", "pytest") + `
on case
after 0
call WRITE_FILE {"thought": "t", "path": "c.txt", "content": "1\n"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "s", "fixes_applied": ["f"]}
on reflector
times always
call SUBMIT_HYPOTHESIS {"cause": "c", "fix": "f"}
`

// TestLostComparisonsEnd checks that a run of the tests on the files as they were before, of
// which the outcome is never known, is not started without end.
func TestLostComparisonsEnd(t *testing.T) {
	b := newBench(t, comparedScript, agreeable{})
	engine := &forgetful{}
	b.Options.Sandbox = func(context.Context) (sandbox.Engine, error) { return engine, nil }
	b.Limits.Rounds = 2
	e := b.end(t, nil)
	if engine.lost == 0 || engine.lost > 2*maxLostTests {
		t.Errorf("%d of %d runs were lost", engine.lost, engine.runs)
	}
	if e.reason == "" {
		t.Errorf("the task is %s: %s", e.last.Status.State, e.last.Status.Reason)
	}
}

// TestTellingEnds checks that a user who says something behind every FINISH_FEATURE does not
// keep a feature going without end.
func TestTellingEnds(t *testing.T) {
	b := newBench(t, onePlan+`
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "s"}
on tars
times always
call SUBMIT_VERDICT {"completion": 100, "summary": "s", "issues": []}
`, agreeable{})
	b.Limits.Rounds = 4
	e := b.end(t, func(event Event) {
		if s, ok := event.Body.(record.StateChanged); ok && s.To == record.Testing {
			if err := b.Tell("t", "and one thing more"); err != nil {
				t.Error(err)
			}
		}
	})
	if e.reason == "" && e.last.Status.State != record.Succeeded {
		t.Errorf("the task is %s: %s", e.last.Status.State, e.last.Status.Reason)
	}
	if n := len(b.model.Requests()); n > 1+2*4 {
		t.Errorf("%d calls", n)
	}
}
