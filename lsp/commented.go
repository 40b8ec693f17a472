package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/record"
)

// commentAsks is what the text of a comment's task ends with.
const commentAsks = "\n\nA comment in the code asks for this. Remove that comment when it is done."

// commentTask is the text of a comment's task.
func commentTask(d directive) string { return d.Text + commentAsks }

// commentAt is a comment of a file that asks for work, with those beside it.
type commentAt struct {
	text string // of its task
	path string
	line int // from 1
	all  []directive
}

// of reports whether a task was begun for the comment: of the same text in the same file and, where the file has several
// comments of that text, on the same line. Lines move while a task works, so that they do not count where it is alone. A comment
// that was begun and that the user has written on in since is the one on its line, or the one with the same beginning.
func (c commentAt) of(t record.Task) bool {
	text, isComment := strings.CutSuffix(t.Text, commentAsks)
	if !isComment || t.Focus == nil || t.Focus.Path != c.path {
		return false
	}
	same := 0
	for _, d := range c.all {
		if d.Text == text {
			same++
		}
	}
	now := strings.TrimSuffix(c.text, commentAsks)
	switch {
	case same == 0:
		return t.Focus.FromLine == c.line || begins(now, text)
	case now != text:
		return false
	}
	return same == 1 || t.Focus.FromLine == c.line
}

// begins reports whether one text begins with at least a half of the other.
func begins(text, other string) bool {
	n := 0
	for n < min(len(text), len(other)) && text[n] == other[n] {
		n++
	}
	return n > 0 && 2*n >= max(len(text), len(other))
}

// ofComment returns the task that works on a comment of a file, or waits, as far as this server has heard of it.
func (l *tasks) ofComment(c commentAt) (st record.Status, known bool) {
	for _, t := range l.all() {
		if st = t.get(); c.of(st.Task) {
			return st, true
		}
	}
	for _, r := range l.recent() {
		if r.waits() && c.of(r.status.Task) {
			return r.status, true
		}
	}
	return st, false
}

// ofComment returns the task that was begun for a comment and is not over, see [commentAt.of].
func (k *taskCommands) ofComment(c commentAt) (st record.Status, known bool) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return st, false // the task's start says why
	}
	defer release()
	for _, t := range k.tasks.all() { // one that has just been begun has no journal yet
		if st = t.get(); c.of(st.Task) {
			return st, true
		}
	}
	all, err := e.Agent.History()
	if err != nil {
		k.ed.Log.Warn("some tasks cannot be read", "error", err)
	}
	for _, st := range slices.Backward(all) {
		if !st.State.Ended() && c.of(st.Task) {
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
