package lsp

import (
	"slices"
	"testing"
)

// TestCommentTwice runs a comment that has a task: it is told which, and none is begun, until that is over.
func TestCommentTwice(t *testing.T) {
	const run = "Run CASE on this comment"
	sc := play(t, plot{files: map[string]string{"a.py": "# case: see to it\na = 1\n"}, open: []string{"a.py"}, script: holds + write + holds, editor: ale(t)})
	sc.act("a.py", "case", run)
	sc.model.Held()
	lens := func(want string) {
		t.Helper()
		if got := sc.lensTitles("a.py"); !slices.Contains(got, want) || want[2:] != run && slices.Contains(got, want[:2]+run) {
			t.Errorf("lenses %q, want %q", got, want)
		}
	}
	lens("0 CASE works on this comment")
	sc.must(sc.Replace("a.py", "see to it", "see to it today"))
	lens("0 CASE works on this comment as it was before")
	sc.act("a.py", "case", run)
	sc.said("This comment's task " + sc.srv.tasks.all()[0].id + " is coding: see the code actions")
	sc.must(sc.Replace("a.py", "see to it today", "see to it"))
	sc.act("a.py", "case", run)
	id := sc.srv.tasks.all()[0].id
	sc.said("This comment's task " + id + " is coding: see the code actions")
	sc.command(cmdStop)
	sc.said("Stopped")
	sc.must(sc.Replace("a.py", "# case", "\n# case")) // lines move
	sc.act("a.py", "case", run)
	sc.said("This comment's task " + id + " is stopped: see the code actions")
	lens("1 CASE: resume the task of this comment")
	sc.command(cmdResume)
	sc.said("to review")
	sc.act("a.py", "case", run)
	sc.said("This comment's task " + id + " is to be reviewed: see the code actions")
	lens("1 " + showResult)
	sc.command(cmdReject)
	sc.said("Rejected: ")
	lens("1 " + run)
	sc.act("a.py", "case", run)
	sc.model.Held()
	e, release, err := sc.srv.engines.use(t.Context())
	sc.must(err)
	defer release()
	if all, err := e.Agent.History(); err != nil || len(all) != 2 {
		t.Errorf("there are %d tasks, %v; want the one that was rejected and the new one", len(all), err)
	}
}

// TestCommentsAlike has two comments of the same text in a file: each begins a task of its own.
func TestCommentsAlike(t *testing.T) {
	sc := play(t, plot{files: map[string]string{"a.py": "# case: see to it\na = 1\n# case: see to it\nb = 1\n"}, open: []string{"a.py"}, script: holds + holds, editor: ale(t)})
	for _, at := range []string{"# case", "# case: see to it\nb", "# case"} {
		sc.act("a.py", at, "Run CASE on this comment")
	}
	sc.said("This comment's task ")
	if n := len(sc.srv.tasks.all()); n != 2 {
		t.Errorf("%d tasks were begun, want 2", n)
	}
}
