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
