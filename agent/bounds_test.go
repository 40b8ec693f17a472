package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/sandbox"
)

// TestEndless checks the bound that holds where no other does.
func TestEndless(t *testing.T) {
	var e endless
	p := &record.State{Phase: record.Testing, Seq: 1}
	steps := 0
	for e.step(p) == nil {
		steps++
		p.Seq++
	}
	if steps != maxRecords+1 {
		t.Errorf("%d records of one phase were let pass, want %d", steps, maxRecords+1)
	}
	p.Phase = record.Coding
	for steps = 0; e.step(p) == nil; steps++ {
	}
	if steps != maxUnrecorded {
		t.Errorf("%d steps without a record were let pass, want %d", steps, maxUnrecorded)
	}
}

// TestRoundsLeft checks when the user is warned.
func TestRoundsLeft(t *testing.T) {
	for _, c := range []struct {
		rounds int
		warned string // the rounds with a warning
	}{{1, ""}, {2, "2"}, {3, "2 3"}, {5, "4 5"}, {15, "12 13 14 15"}} {
		var warned []string
		for round := 1; round <= c.rounds; round++ {
			if roundsLeft(round, c.rounds) != "" {
				warned = append(warned, fmt.Sprint(round))
			}
		}
		if got := strings.Join(warned, " "); got != c.warned {
			t.Errorf("of %d rounds, %q are warned of, want %q", c.rounds, got, c.warned)
		}
	}
}

// looking is a model that reads without end, in every phase but that of the plan.
const looking = `
on tars
when # Workspace
when %[1]s
times always
call LIST_FILES {"thought": "t"}
on tars
when # Workspace
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D", "test": "check b.txt"}]}
on case
when %[2]s
times always
call LIST_FILES {"thought": "t"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "s"}
on tars
times always
call LIST_FILES {"thought": "t"}
`

// TestLookingEnds checks that a model that only looks around comes to an end in every
// phase, and has its whole measure again after a resume.
func TestLookingEnds(t *testing.T) {
	for _, c := range []struct {
		phase, planning, coding string
		reason                  string
		calls, more             int // until it ends, and after a resume
	}{
		{"planning", "task", "zzz", "TARS looked around for 40 turns and made no plan", maxPlanningTurns, maxPlanningTurns},
		{"verifying", "zzz", "zzz", "TARS looked around for 40 turns and gave no verdict", maxPlanningTurns + 2, maxPlanningTurns},
		{"coding", "zzz", "task", "it was not split: TARS looked around for 40 turns", 1 + 2*maxFreeTurns + maxPlanningTurns, 0},
	} {
		b := newBench(t, fmt.Sprintf(looking, c.planning, c.coding), agreeable{})
		var last Event
		for e, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
			if err != nil {
				t.Fatal(err)
			}
			if ended, ok := e.Body.(record.FeatureEnded); ok && !strings.Contains(ended.Reason, c.reason) {
				t.Errorf("%s: the feature ended because %q, want %q", c.phase, ended.Reason, c.reason)
			}
			last = e
		}
		if c.more > 0 && !strings.Contains(last.Status.Reason, c.reason) {
			t.Errorf("%s: the task is %s because %q, want %q", c.phase, last.Status.State, last.Status.Reason, c.reason)
		}
		if n := len(b.model.Requests()); n != c.calls {
			t.Errorf("%s: %d calls, want %d", c.phase, n, c.calls)
		}
		if c.more == 0 {
			continue
		}
		for _, err := range b.Resume(context.Background(), "t") {
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := len(b.model.Requests()) - c.calls; n != c.more {
			t.Errorf("%s: %d calls after a resume, want %d", c.phase, n, c.more)
		}
	}
}

// never is what a model does that comes to no end, in each of the other loops.
var never = []struct {
	loop, script string
	reason       string // why the feature ends
	calls        int
}{
	{"steps", `
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "1\n"}
on case
after 1
times always
call WRITE_FILE {"thought": "t", "path": "c.txt", "content": "2\n"}
on case
after 2
times always
call PATCH_FILE {"thought": "t", "path": "b.txt", "patch": "<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n"}
on case
after 3
times always
call PATCH_FILE {"thought": "t", "path": "b.txt", "patch": "<<<<<<< SEARCH\nc\n=======\nb\n>>>>>>> REPLACE\n"}
on case
times always
call REQUEST_USER_INPUT {"thought": "t", "question": "Sure?"}
`, "it went in circles: REQUEST_USER_INPUT was done 5 times in a row", 1 + 9},
	{"idle rounds", `
on case
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "1\n"}
on case
call WRITE_FILE {"thought": "t", "path": "c.txt", "content": "2\n"}
on case
call REQUEST_USER_INPUT {"thought": "t", "question": "Sure?"}
on case
call WRITE_FILE {"thought": "t", "path": "d.txt", "content": "1\n"}
on case
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "1\n"}
on case
call WRITE_FILE {"thought": "t", "path": "c.txt", "content": "2\n"}
on case
call REQUEST_USER_INPUT {"thought": "t", "question": "Sure?"}
on case
call WRITE_FILE {"thought": "t", "path": "d.txt", "content": "2\n"}
on tars
when A feature that is too large
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D"}]}
`, "and it was not split: TARS sees no smaller features", 1 + 2*4 + 1},
	{"reflecting", `
on case
after 0
call WRITE_FILE {"thought": "t", "path": "b.txt", "content": "a bug\n"}
on case
last # Round 2
call WRITE_FILE {"thought": "t", "path": "b.txt", "content": "another bug\n"}
on case
last # Round 3
call WRITE_FILE {"thought": "t", "path": "b.txt", "content": "a third bug\n"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "s", "fixes_applied": ["f"]}
on reflector
times always
call LIST_FILES {"thought": "t"}
`, "its tests still fail after 3 rounds", 1 + 2 + 2 + maxPlanningTurns + 2},
	{"attempts", `
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "s"}
on tars
times always
call SUBMIT_VERDICT {"completion": 50, "summary": "s", "issues": ["half of it is missing"]}
`, "after 1 attempt it is 50 percent complete", 1 + 2},
}

// TestNeverEnds checks that each of these loops ends by its own bound.
func TestNeverEnds(t *testing.T) {
	const plan = `
on tars
when # Workspace
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D", "test": "check b.txt"}]}
`
	for _, c := range never {
		b := newBench(t, plan+c.script, agreeable{})
		b.Limits.Rounds, b.Limits.Attempts = 2, 1
		if c.loop == "reflecting" {
			b.Limits.Rounds = 3 // the first failure goes back to CASE
		}
		if c.loop != "steps" {
			b.Limits.Steps = 4
		}
		reason := ""
		for e, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
			if err != nil {
				t.Fatal(err)
			}
			if ended, ok := e.Body.(record.FeatureEnded); ok {
				reason = ended.Reason
			}
		}
		if !strings.Contains(reason, c.reason) {
			t.Errorf("%s: the feature ended because %q, want %q", c.loop, reason, c.reason)
		}
		if n := len(b.model.Requests()); n != c.calls {
			t.Errorf("%s: %d calls, want %d", c.loop, n, c.calls)
		}
	}
}

// TestThousandsOfCalls checks that a reply with more calls than a round has room for is cut, whatever the
// calls are: the task goes on, and the model is told once.
func TestThousandsOfCalls(t *testing.T) {
	for name, call := range map[string]string{
		"readings": `call LIST_FILES {"thought": "t"}`, "edits": `call WRITE_FILE {"thought": "t", "path": "c.txt", "content": "c\n"}`,
		"unknown": `call FLY {"thought": "t"}`, "broken": `call PATCH_FILE {"path": "b.txt"}`,
	} {
		b := newBench(t, `
on tars
when # Workspace
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D", "test": "check b.txt"}]}
on case
`+strings.Repeat(call+"\n", 3000)+`
on case
want Nor were the 2943 behind it
call ABORT {"thought": "t", "reason": "enough"}
`, agreeable{})
		records, ended := 0, false
		for e, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
			if err != nil {
				t.Fatal(err)
			}
			records++
			end, ok := e.Body.(record.FeatureEnded)
			ended = ended || ok && strings.Contains(end.Reason, "CASE gave it up")
		}
		if fails := b.model.Failures(); !ended || records > 300 || len(fails) > 0 {
			t.Errorf("%s: %d records, ended by the model: %v, %s", name, records, ended, fails)
		}
	}
}

// silly answers every question with what looks like a key, and is held back.
type silly struct{ asked int }

func (s *silly) Ask(context.Context, record.Question) (record.Answer, error) {
	s.asked++
	return record.Answer{Text: "a8Xk2pQ9rT4mZ7wLb3"}, nil
}

// TestHeldAnswersEnd checks that a program which answers a question without sense is not
// asked without end.
func TestHeldAnswersEnd(t *testing.T) {
	user := &silly{}
	b := newBench(t, `
on tars
call REQUEST_USER_INPUT {"thought": "t", "question": "Which key?"}
`, user)
	var last Event
	for e, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	if last.Status.State != record.Paused || user.asked != maxHeld {
		t.Errorf("asked %d times, the task is %s", user.asked, last.Status.State)
	}
}

// lossy is a sandbox that loses the dependencies whenever a command begins.
type lossy struct{ runs int }

func (l *lossy) Run(context.Context, sandbox.Command) (*sandbox.Result, error) {
	l.runs++
	return nil, sandbox.ErrNoLayer
}

// TestLostTestsEnd checks that tests of which no run has an outcome are not started
// without end.
func TestLostTestsEnd(t *testing.T) {
	b := newBench(t, fmt.Sprintf(looking, "zzz", "zzz"), agreeable{})
	engine := &lossy{}
	b.Options.Sandbox = func(context.Context) (sandbox.Engine, error) { return engine, nil }
	var last Event
	for e, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	if last.Status.State != record.Paused || !strings.Contains(last.Status.Reason, "the tests were started 3 times") {
		t.Errorf("the task is %s because %q", last.Status.State, last.Status.Reason)
	}
	if engine.runs != maxLostTests {
		t.Errorf("%d runs, want %d", engine.runs, maxLostTests)
	}
}
