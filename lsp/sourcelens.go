package lsp

import (
	"context"
	"fmt"

	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// maxLenses is how many lenses of one kind a document has: each is a line more in most editors.
const maxLenses = 100

// lensesAt are commands above a range.
func lensesAt(r protocol.Range, commands ...protocol.Command) []protocol.CodeLens {
	var list []protocol.CodeLens
	for _, c := range commands {
		list = append(list, protocol.CodeLens{Range: protocol.Range{Start: r.Start, End: r.Start}, Command: c})
	}
	return list
}

// lenses offer to carry out the comments that ask for work.
func (o *offers) lenses(doc *document) []protocol.CodeLens {
	if doc = o.workable(snapshot{doc.URI: doc}, doc.URI); doc == nil {
		return nil
	}
	m := doc.mapper(o.ed.client.Encoding)
	path, _ := o.tasks.engines.path(doc.URI)
	var list []protocol.CodeLens
	for _, d := range o.memory.of(doc) {
		if len(list) == maxLenses {
			break
		}
		r := m.Range(d.Start, d.End)
		c := command(directiveTitle(d), cmdTodo, placeArguments{URI: string(doc.URI), Range: r})
		if st, has := o.tasks.ofComment(commentAt{commentTask(d), path, int(r.Start.Line) + 1, o.memory.of(doc)}); has && !d.Ask {
			c = commentCommand(st, st.Task.Text != commentTask(d))
		} else if d.Ask && o.asking(doc.URI, d.Text) {
			c = command("CASE answers this question", cmdThread, map[string]any{"thread": commentThread})
		}
		list = append(list, lensesAt(r, c)...)
	}
	return list
}

// commentCommand is what can be done about the task that a comment has; changed says that the user has written on in it since.
func commentCommand(st record.Status, changed bool) protocol.Command {
	task := taskArguments{st.Task.ID}
	switch r := (recentTask{status: st}); {
	case st.State == record.Review:
		return command(showResult, cmdReview, task)
	case st.State != "" && r.resumable():
		return command("CASE: resume the task of this comment", cmdResume, task)
	}
	if changed {
		return command("CASE works on this comment as it was before", cmdActivity, task)
	}
	return command("CASE works on this comment", cmdActivity, task)
}

// sourceLenses are the decisions above the open hunks in the user's own file.
func (l *reviews) sourceLenses(doc *document) []protocol.CodeLens {
	revs, own := l.marked(doc.URI)
	m := doc.mapper(l.ed.client.Encoding)
	var list []protocol.CodeLens
	for _, rev := range revs {
		for _, f := range rev.Files {
			if own != f.Change.Path && own != f.Change.From {
				continue
			}
			for _, p := range placesOf(f, doc.Text) {
				if len(list) < maxLenses {
					list = append(list, lensesAt(pendingMark(m, rev.Task.ID, f, p).Range, hunkCommands(rev.Task.ID, f, p)...)...)
				}
			}
		}
	}
	return list
}

// hunkCommands are what can be done about an open hunk in the user's own file. One that overlaps with what the user
// typed cannot be accepted now.
func hunkCommands(task string, f review.File, p hunkPlace) []protocol.Command {
	args, what := hunkArguments{Task: task, File: f.Change.Path, Hunk: p.hunk + 1}, fmt.Sprintf("hunk %d of %d", p.hunk+1, len(f.Hunks))
	if f.Whole() {
		args.Hunk, what = 0, string(f.Change.Op)
	}
	list := decisions(args, what+obeyedBy(f))
	if p.conflict {
		list = []protocol.Command{command("Overlaps with your change: reject "+what, cmdReject, args)}
	}
	return append(list, command("Next hunk", cmdNext, args))
}

// lenses offer to go on with the tests that fail in what a task has done.
func (l *failingTests) lenses(doc *document) []protocol.CodeLens {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []protocol.CodeLens
	for task, shown := range l.tasks {
		for _, d := range shown.lists[doc.URI] {
			if len(list) == maxLenses {
				break
			}
			text := "Make this test pass: " + messageOf(d)[len(stagedPrefix):]
			list = append(list, lensesAt(d.Range,
				command("This test fails in what CASE did: show the task", cmdActivity, taskArguments{task}),
				command("Have CASE make it pass", cmdTell, tellArguments{task, text}))...)
		}
	}
	return list
}

// tellArguments are those of caselsp.tell.
type tellArguments struct {
	Task string `json:"task"`
	Text string `json:"text"`
}

// lenses say at the top of a file of the project what is waited for, and which tasks work on that file.
func (k *taskCommands) lenses(doc *document) []protocol.CodeLens {
	var list []protocol.CodeLens
	path, project := k.engines.path(doc.URI)
	if !project {
		return nil
	}
	for _, q := range k.tasks.questions() {
		list = append(list, lensesAt(protocol.Range{}, command(asking(q), cmdQuestions, map[string]any{}))...)
	}
	for _, t := range k.tasks.all() {
		st := t.get()
		focused := st.Task.Focus != nil && st.Task.Focus.Path == path
		if !focused && !k.tasks.staged.touches(t.id, doc.URI) {
			continue
		}
		list = append(list, lensesAt(protocol.Range{},
			command("CASE works on this: "+cut(title(st.Task), maxBrief), cmdActivity, taskArguments{t.id}), command("Stop it", cmdStop, taskArguments{t.id}))...)
	}
	return list
}

// asking is the title of a question's lens: who asks, and what.
func asking(q record.Question) string {
	if q.Kind() == record.KindInput {
		return capital(brief(subjectOf(q)))
	}
	return "CASE asks: " + brief(subjectOf(q))
}

// touches reports whether a running task has staged a file.
func (l *stagedFiles) touches(task string, u uri.URI) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.tasks[task][u]
	return ok
}

// doNext goes to the next open hunk in the user's files: the one behind the hunk that is named, else the first; behind the last
// comes the first.
func (l *reviews) doNext(c *call, a arguments) (any, error) {
	id, sel, err := a.selection()
	if err != nil {
		return nil, err
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	st, err := pickLatest(e, id, inReview, "review")
	if err != nil {
		release()
		return nil, err
	}
	rev, err := e.Agent.Review(st.Task.ID)
	if err != nil {
		release()
		return nil, err
	}
	at, u, left := l.nextHunk(e, rev, sel)
	if left == 0 {
		release()
		return nil, nothingTo("no hunk of %q is undecided in a file that can be shown: the review document has the rest", title(rev.Task))
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		if err := l.ed.showDocument(ctx, u, &at); err != nil {
			l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("The next of %s is at line %d of %s.", count.Of(left, "open hunk"), at.Start.Line+1, readable(u)))
		}
		return nil
	})
	return started{st.Task.ID}, nil
}

// nextHunk returns where the open hunk behind another one is, and how many there are.
func (l *reviews) nextHunk(e *Engine, rev *review.Review, sel review.Selection) (at protocol.Range, u uri.URI, left int) {
	passed := sel.File == ""
	found := false
	for _, f := range rev.Files {
		own := f.Change.Path
		if f.Change.Op == workspace.Rename {
			own = f.Change.From
		}
		text, there := l.textNow(e, own)
		if !there {
			continue
		}
		m := newMapper(text, l.ed.client.Encoding)
		for _, p := range placesOf(f, text) {
			here := pendingMark(m, rev.Task.ID, f, p).Range
			if left++; left == 1 || passed && !found {
				at, u = here, uri.URI(l.uriOf(e, own))
				found = passed
			}
			if f.Change.Path == sel.File && (f.Whole() || p.hunk >= sel.Hunk) {
				passed = true
			}
		}
		passed = passed || f.Change.Path == sel.File // all of it is decided
	}
	return at, u, left
}
