package lsp

import (
	"errors"
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/lsp/lsptest"
)

// TestUnfinished starts a server on a workspace with a task that was stopped: the user is told of
// it, and a click goes on with it. Nothing happens by itself.
func TestUnfinished(t *testing.T) {
	p := plot{files: hello, script: "on case\nhold\ntext late\n", tells: true}
	p.editor.Root, p.state = t.TempDir(), t.TempDir()
	sc := play(t, p)
	id := sc.run("take your time")
	sc.model.Held()
	sc.must(sc.Shutdown(t.Context()))

	p.script = write
	p.editor.Answer = func(lsptest.Question) string { return "" }
	sc = play(t, p)
	sc.expect(lsptest.Asked(`A task is not finished: "take your time" (` + id + `), stopped.`))
	if got := strings.Join(sc.State().Questions[0].Choices, ", "); got != chooseLater+", "+chooseResume {
		t.Errorf("the choices are %s", got)
	}
	sc.status(id, record.Stopped)
	sc.must(sc.Shutdown(t.Context()))

	p.editor.Answer = func(q lsptest.Question) string { return q.Choices[1] }
	sc = play(t, p)
	sc.said("to review")
	sc.status(id, record.Review)
}

// TestUnfinishedTakenBack resumes the task by command while the user is asked about it: the question is taken back.
func TestUnfinishedTakenBack(t *testing.T) {
	p := plot{files: hello, script: holds, tells: true}
	p.editor.Root, p.state = t.TempDir(), t.TempDir()
	sc := play(t, p)
	id := sc.run("take your time")
	sc.model.Held()
	sc.must(sc.Shutdown(t.Context()))

	closed := make(chan struct{})
	p.script = write
	p.editor.Answer = func(lsptest.Question) string { <-closed; return chooseResume }
	sc = play(t, p)
	sc.expect(lsptest.Asked("A task is not finished"))
	sc.command(cmdResume)
	sc.expect(lsptest.Withdrawn("A task is not finished"))
	close(closed)
	sc.said("to review")
	sc.status(id, record.Review)
}

// TestUnfinishedLate looks for unfinished tasks when one works here already, as on a busy machine: the store is not
// opened a second time, which would take this very process for another one that owns it.
func TestUnfinishedLate(t *testing.T) {
	sc := play(t, plot{files: hello, script: "on case\nhold\ntext late\n"})
	sc.run("take your time")
	sc.model.Held()
	list, err := sc.srv.engines.standing(sc.srv.folders.dirs(), func([]string) ([]agent.Standing, error) {
		return nil, errors.New("the store was opened again")
	})
	if err != nil || len(list) > 0 {
		t.Errorf("got %d tasks and %v, want none", len(list), err)
	}
}

// TestWaitingResult starts a server on a workspace with a result that nobody has decided about: the user is told of it, with
// the command that shows it, and a plugin hears of the task as if it had changed.
func TestWaitingResult(t *testing.T) {
	p := plot{files: hello, script: write, tells: true}
	p.editor.Root, p.state = t.TempDir(), t.TempDir()
	sc := play(t, p)
	id := sc.run("say it")
	sc.said("to review")
	sc.status(id, record.Review)
	sc.must(sc.Shutdown(t.Context()))

	p.script = ""
	p.editor.Initialize = []byte(`{"clientInfo": {"name": "Eglot"}, "capabilities": {"experimental": {"caselsp": {"events": true}}}}`)
	sc = play(t, p)
	sc.said(`"say it" is to be reviewed. caselsp.review shows it`)
	if heard := strings.Join(sc.State().Notified[methodChanged], ""); !strings.Contains(heard, `{"task":"`+id+`","kinds":["questions","review","status"]}`) {
		t.Errorf("a plugin has heard %q", heard)
	}
}

// TestWaitingMessage has what waits in one short line, with the command that shows it.
func TestWaitingMessage(t *testing.T) {
	task := func(phase record.Phase, question *record.Question) record.Status {
		return record.Status{Task: record.Task{Text: "count from one"}, State: phase, Open: question}
	}
	for want, list := range map[string][]record.Status{
		`Unfinished: "count from one". caselsp.resume goes on`:                           {task(record.Paused, nil)},
		`"count from one" has a question. caselsp.questions shows it`:                    {task(record.Waiting, &record.Question{})},
		`"count from one" is to be reviewed. caselsp.review shows it`:                    {task(record.Review, nil)},
		`2 tasks wait for you, the last is "count from one". caselsp.history lists them`: {task(record.Review, nil), task(record.Paused, nil)},
	} {
		if got := (&client{}).waiting(list); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
