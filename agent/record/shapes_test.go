package record

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"caselsp/agent/action"
	"caselsp/sandbox"
)

// TestShapes reads the corpus of loops and of honest work with real arguments and results,
// and folds them as a run does.
func TestShapes(t *testing.T) {
	raw, err := os.ReadFile("testdata/shapes.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "\n== ")
	shapes := strings.Split(text, "\n== ")
	loops, honest := 0, 0
	for _, shape := range shapes {
		want, body, _ := strings.Cut(shape, "\n")
		title := strings.TrimPrefix(strings.Split(body, "\n")[0], "# ")
		told, stopped, reason := foldShape(t, body)
		bound := 0
		if _, n, ok := strings.Cut(want, " by "); ok {
			if _, err := fmt.Sscan(n, &bound); err != nil {
				t.Fatalf("%s: %v", title, err)
			}
			loops++
		} else {
			honest++
		}
		switch kind, _, _ := strings.Cut(want, " by "); {
		case kind == "stops" && (stopped == 0 || stopped > bound):
			t.Errorf("a loop is not stopped by %d (told after %d): %s", bound, told, title)
		case kind == "told" && (told == 0 || told > bound) && (stopped == 0 || stopped > bound):
			t.Errorf("a loop is not told by %d: %s", bound, title)
		case bound == 0 && stopped > 0:
			t.Errorf("honest work is stopped at %d (%s): %s", stopped, reason, title)
		case kind == "quiet" && told > 0:
			t.Errorf("honest work is told of at %d (%s): %s", told, reason, title)
		}
	}
	if loops < 20 || honest < 20 {
		t.Errorf("the corpus has %d loops and %d honest shapes", loops, honest)
	}
}

// foldShape carries the lines out and returns after which the model is told first, and at
// which the feature ends, 0 for never, with the reason of what came last.
func foldShape(t *testing.T, body string) (told, stopped int, reason string) {
	t.Helper()
	p := &State{}
	seq := int64(0)
	apply := func(b Body) {
		seq++
		p.Apply(seq, time.Time{}, b)
	}
	apply(TaskGiven{})
	apply(StateChanged{To: Planning})
	apply(Planned{Plan: action.Plan{Features: []action.Feature{{ID: "f"}}}})
	apply(StateChanged{To: Coding, Attempt: 1, Round: 1})
	n := 0
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		b := shapeDone(t, p, line, apply)
		say, stop := p.Circles(b)
		if stop != "" {
			return told, n, stop
		}
		if say != "" && told == 0 {
			told, reason = n, strings.TrimSpace(say)
		}
		apply(b)
	}
	return told, 0, reason
}

// shapeDone records the intent of a line, and returns its outcome.
func shapeDone(t *testing.T, p *State, line string, apply func(Body)) ActionDone {
	t.Helper()
	call, rest, found := strings.Cut(line, " > ")
	w := strings.Split(rest, "|")
	for i := range w {
		w[i] = strings.TrimSpace(w[i])
	}
	name, args, _ := strings.Cut(call, " ")
	if !found || len(w) != 3 || !json.Valid([]byte(args)) {
		t.Fatalf("%q is no line of a shape", line)
	}
	c := ActionChosen{Role: RoleCase, Action: name, Args: json.RawMessage(args)}
	f := p.Feature()
	if name == "tests" {
		c.Role, c.Action = RoleTester, action.RunCommandName
		apply(StateChanged{To: Testing, Attempt: 1, Round: f.Round})
	} else if p.Phase == Testing {
		apply(StateChanged{To: Coding, Attempt: 1, Round: f.Round + 1})
	}
	act, err := action.Restore(c.Action, c.Args)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if effect := act.Verb.Effect; c.Role == RoleCase && effect != action.Reads && effect != action.Looks {
		c.Step = f.Step + 1
	}
	apply(c)
	said := strings.ReplaceAll(w[1], `\n`, "\n")
	b := ActionDone{OK: w[0] == "ok", Text: said}
	if act.Verb.Effect == action.Runs && w[0] != "denied" {
		result := &sandbox.Result{Status: sandbox.Exited, Output: said}
		if !b.OK {
			result.ExitCode = 1
		}
		b = b.Tell(action.Output(CommandOf(c.Args), result))
	}
	if w[0] == "refused" {
		b.Refused = "not-found"
	}
	b.Staged = &Staged{Files: []StagedFile{{Path: "of", Now: &FileRef{Path: "of", Hash: w[2]}}}}
	return b
}
