package lsp

import (
	"cmp"
	"fmt"
	"slices"

	"caselsp/agent/record"
)

// commentTask is the text of a comment's task.
func commentTask(d directive) string {
	return d.Text + "\n\nA comment in the code asks for this. Remove that comment when it is done."
}

// alone reports whether no other comment of a file has this text.
func alone(all []directive, d directive) bool {
	n := 0
	for _, other := range all {
		if other.Text == d.Text {
			n++
		}
	}
	return n == 1
}

// sameComment reports whether a task was begun for a comment: of the same text in the same file and, where the file has several
// comments of that text, on the same line. Lines move while a task works, so that they do not count where it is alone.
func sameComment(t record.Task, text, path string, line int, alone bool) bool {
	return t.Text == text && t.Focus != nil && t.Focus.Path == path && (alone || t.Focus.FromLine == line)
}

// ofComment returns the task that works on a comment of a file, or waits, as far as this server has heard of it.
func (l *tasks) ofComment(all []directive, d directive, path string, line int) (st record.Status, known bool) {
	if d.Ask {
		return st, false
	}
	text, one := commentTask(d), alone(all, d)
	for _, t := range l.all() {
		if st = t.get(); sameComment(st.Task, text, path, line, one) {
			return st, true
		}
	}
	for _, r := range l.recent() {
		if r.waits() && sameComment(r.status.Task, text, path, line, one) {
			return r.status, true
		}
	}
	return st, false
}

// ofComment returns the task that was begun for a comment and is not over, see [sameComment].
func (k *taskCommands) ofComment(text string, at *record.Focus, alone bool) (st record.Status, known bool) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil || at == nil {
		return st, false // the task's start says why
	}
	defer release()
	same := func(t record.Task) bool { return sameComment(t, text, at.Path, at.FromLine, alone) }
	for _, t := range k.tasks.all() { // one that has just been begun has no journal yet
		if st = t.get(); same(st.Task) {
			return st, true
		}
	}
	all, err := e.Agent.History()
	if err != nil {
		k.ed.Log.Warn("some tasks cannot be read", "error", err)
	}
	for _, st := range slices.Backward(all) {
		if !st.State.Ended() && same(st.Task) {
			return st, true
		}
	}
	return st, false
}

// commented says that a comment has a task already, in which state it is, and what the user can do: shortly, as [client.waiting].
func (c *client) commented(st record.Status) string {
	stands, how := "is "+cmp.Or(string(st.State), "begun"), cmdActivity
	switch r := (recentTask{status: st}); {
	case st.Open != nil:
		stands, how = "has a question", cmdQuestions
	case st.State == record.Review:
		stands, how = "is to be reviewed", cmdReview
	case st.State != "" && r.resumable():
		stands, how = "is "+st.String(), cmdResume
	}
	if c.ActionsOnly {
		how = "see the code actions"
	}
	return fmt.Sprintf("This comment's task %s %s: %s", st.Task.ID, stands, how)
}
