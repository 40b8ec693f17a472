package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/record"
	"caselsp/sandbox"
)

// One command that wants more than it gets.
const againScript = `
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": ["b.txt"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Files", "description": "Make all.", "test": "check b.txt"}]}
on case
after 0
times always
call RUN_COMMAND {"thought": "t", "command": "make all"}
on case
after 1
times always
call FINISH_FEATURE {"thought": "t", "summary": "made"}
on tars
when # Test results
times always
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// needy is a sandbox in which "make all" needs some memory and time.
type needy struct {
	memory int64
	time   time.Duration
	given  []string // what it was given
}

func (e *needy) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	if cmd.Line != "make all" {
		return &sandbox.Result{Status: sandbox.Exited}, nil
	}
	p := cmd.Policy
	e.given = append(e.given, fmt.Sprintf("%d MiB, %s", p.Memory>>20, p.Time))
	switch {
	case p.Memory < e.memory:
		return &sandbox.Result{Status: sandbox.OutOfMemory, ExitCode: 137}, nil
	case p.Time < e.time:
		return &sandbox.Result{Status: sandbox.TimedOut, ExitCode: -1}, nil
	}
	return &sandbox.Result{Status: sandbox.Exited, Output: "made\n"}, nil
}

// decided approves or denies what is asked, and notes why it was.
type decided struct {
	deny bool
	why  []string
}

func (d *decided) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	switch {
	case !strings.Contains(q.Text, "once again"):
		return record.Answer{Text: record.Approve}, nil
	case d.deny:
		d.why = append(d.why, q.Why)
		return record.Answer{Text: record.Deny, Reason: "it is stuck"}, nil
	}
	d.why = append(d.why, q.Why)
	return record.Answer{Text: record.Approve}, nil
}

// TestSecondTry shows when a command runs once again, with what, who is asked,
// what the model is told, and that a replay goes the same way.
func TestSecondTry(t *testing.T) {
	const gib = 1 << 30
	for _, tt := range []struct {
		name   string
		policy sandbox.Policy
		needs  needy
		deny   bool
		given  []string
		why    string // of the question; "": none
		told   string
	}{
		{"enough", sandbox.Policy{}, needy{memory: gib}, false,
			[]string{"1024 MiB, 5m0s"}, "", "$ make all\nexit code 0\n"},
		{"a little more memory", sandbox.Policy{}, needy{memory: 2 * gib}, false,
			[]string{"1024 MiB, 5m0s", "2048 MiB, 5m0s"}, "", "It ran out of 1024 MiB of memory and was run once again with twice that.\n$ make all\nexit code 0\n"},
		{"much more memory than there is", sandbox.Policy{}, needy{memory: 9 * gib}, false,
			[]string{"1024 MiB, 5m0s", "2048 MiB, 5m0s"}, "", "twice that.\n$ make all\nended: out of memory\n"},
		{"more memory than is given unasked", sandbox.Policy{Memory: 2 * gib}, needy{memory: 4 * gib}, false,
			[]string{"2048 MiB, 5m0s", "4096 MiB, 5m0s"}, "it ran out of its 2048 MiB of memory", "twice that.\n$ make all\nexit code 0\n"},
		{"memory refused", sandbox.Policy{Memory: 2 * gib}, needy{memory: 4 * gib}, true,
			[]string{"2048 MiB, 5m0s"}, "it ran out of its 2048 MiB of memory", "with more: it is stuck\n$ make all\nended: out of memory\n"},
		{"more time", sandbox.Policy{}, needy{time: 8 * time.Minute}, false,
			[]string{"1024 MiB, 5m0s", "1024 MiB, 10m0s"}, "it did not finish within 5m0s", "It was not done after 5m0s and was run once again with twice that.\n$ make all\nexit code 0\n"},
		{"time refused", sandbox.Policy{}, needy{time: 8 * time.Minute}, true,
			[]string{"1024 MiB, 5m0s"}, "it did not finish within 5m0s", "ended: timed out\n"},
		{"memory, then time", sandbox.Policy{}, needy{memory: 2 * gib, time: 8 * time.Minute}, false,
			[]string{"1024 MiB, 5m0s", "2048 MiB, 5m0s"}, "", "ended: timed out\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			user := &decided{deny: tt.deny}
			b := newBench(t, againScript, user)
			engine := tt.needs
			b.Policy, b.RetryMemory = tt.policy.OrDefault(), 2*gib
			b.Sandbox = func(context.Context) (sandbox.Engine, error) { return &engine, nil }
			told := outcomes(t, b.Agent)
			if !slices.Equal(engine.given, tt.given) || len(told) == 0 || !strings.Contains(told[0], tt.told) {
				t.Errorf("given %q, want %q; told %q, want %q", engine.given, tt.given, told, tt.told)
			}
			if why := strings.Join(user.why, "; "); tt.why == "" && why != "" || !strings.Contains(why, tt.why) {
				t.Errorf("asked because %q, want %q", why, tt.why)
			}
			again := newBench(t, againScript, nil)
			played := player(t, b.Agent)
			played.Attach(&again.Options)
			if replayed := outcomes(t, again.Agent); !slices.Equal(replayed, told) {
				t.Errorf("a replay told %q, not %q", replayed, told)
			}
		})
	}
}

// TestSecondTryBefore has the tests run out of memory on the changed files and on those as they were before: each is tried again
// on its own files. Otherwise all that the change breaks would count as broken before.
func TestSecondTryBefore(t *testing.T) {
	b := newBench(t, comparedScript, agreeable{})
	b.Limits.Rounds = 1
	b.Policy, b.RetryMemory = sandbox.Policy{}.OrDefault(), 2<<30
	b.Sandbox = func(context.Context) (sandbox.Engine, error) { return checkedTwice{}, nil }
	trees := map[bool][]string{}
	for e, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch body := e.Body.(type) {
		case record.CommandStarted:
			trees[body.Before] = append(trees[body.Before], body.Tree)
		case record.StateChanged:
			if strings.Contains(body.Reason, "did not fail before") {
				t.Errorf("what the change breaks counts as broken before: %s", body.Reason)
			}
		}
	}
	before, after := trees[true], trees[false]
	if len(before) != 2 || len(after) < 2 || before[0] != before[1] || after[0] != after[1] || before[0] == after[0] {
		t.Errorf("the trees before are %q, after the change %q", before, after)
	}
}

// checkedTwice is a sandbox in which the tests need 2 GiB, and one fails where there is c.txt.
type checkedTwice struct{}

func (checkedTwice) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	switch {
	case cmd.Policy.Memory < 2<<30:
		return &sandbox.Result{Status: sandbox.OutOfMemory, ExitCode: 137}, nil
	case slices.ContainsFunc(cmd.Tree, func(f sandbox.File) bool { return f.Path == "c.txt" }):
		return &sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Output: "FAILED test_b.py::test_b - AssertionError: 3 != 6\n1 failed in 0.01s\n"}, nil
	}
	return &sandbox.Result{Status: sandbox.Exited, Output: "1 passed in 0.01s\n"}, nil
}

// outcomes runs the task and returns what the model was told about its actions.
func outcomes(t *testing.T, a *Agent) (told []string) {
	t.Helper()
	for e, err := range a.Run(t.Context(), record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
		if done, ok := e.Body.(record.ActionDone); ok {
			told = append(told, done.Text)
		}
	}
	return told
}

// player plays what an agent has recorded.
func player(t *testing.T, a *Agent) *Player {
	t.Helper()
	var recording bytes.Buffer
	if err := a.Export("t", &recording); err != nil {
		t.Fatal(err)
	}
	rec, err := ReadRecording(&recording)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Play()
}
