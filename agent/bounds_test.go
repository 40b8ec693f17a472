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
		{"coding", "zzz", "task", "as the one before it", 2*maxFreeTurns + 1, 0},
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
