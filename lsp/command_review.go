package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"

	"go.lsp.dev/protocol"
)

// inReview reports whether a task's result waits for decisions.
func inReview(st record.Status) bool { return st.State == record.Review }

// doReview opens the review document.
func (l *reviews) doReview(c *call, a arguments) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	data, err := a.wantsData()
	if data || err != nil {
		defer release()
		if err != nil {
			return nil, err
		}
		return l.dataOf(e, a)
	}
	st, err := pickReview(e, a.text("task"))
	if err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		_, path, err := l.refresh(ctx, e, st.Task.ID)
		if err != nil {
			return err
		}
		return l.ed.showDocument(ctx, l.contents.address(path), nil)
	})
	return started{st.Task.ID}, nil
}

// dataOf answers with the result of a task as data: of the one that is named, else of the latest that waits. null: there is
// none.
func (l *reviews) dataOf(e *Engine, a arguments) (any, error) {
	id := a.text(argTask.Name)
	if id == "" {
		all, err := e.Agent.History()
		i := slices.IndexFunc(all, inReview)
		if i < 0 {
			return nil, err
		}
		for _, st := range all {
			if inReview(st) {
				id = st.Task.ID
			}
		}
	}
	rev, err := e.Agent.Review(id)
	switch {
	case errors.Is(err, review.ErrNoReview):
		return nil, nil
	case err != nil:
		return nil, err
	}
	file, _ := a.field(argFile.Name)
	return l.reviewAsData(e, rev, file, a.flag(argTexts.Name))
}

// doAccept and doReject decide about all, one file or one hunk.
func (l *reviews) doAccept(c *call, a arguments) (any, error) { return l.doDecide(c, a, true) }
func (l *reviews) doReject(c *call, a arguments) (any, error) { return l.doDecide(c, a, false) }

func (l *reviews) doDecide(c *call, a arguments, accept bool) (any, error) {
	id, sel, err := a.selection()
	if err != nil {
		return nil, err
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	st, err := pickOf(e, id, sel, accept)
	again := accept && sel.File != "" && (st.State == record.Succeeded || st.State == record.Rejected) || len(st.Kept) > 0 || unfinished(st)
	if err == nil && st.State != record.Review && !again {
		err = nothingTo("task %s is %s: there is nothing to decide", st.Task.ID, st.State)
	}
	if err == nil {
		err = selectable(e, st.Task.ID, sel, accept)
	}
	if err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error { return l.decide(ctx, e, st.Task, sel, accept) })
	return started{st.Task.ID}, nil
}

// selectable says what is wrong with a selection, so that the command fails and
// not only what follows it.
func selectable(e *Engine, id string, sel review.Selection, accept bool) error {
	rev, err := e.Agent.Review(id)
	if err != nil {
		return err
	}
	if sel, err = rev.Resolve(sel); err != nil {
		return err
	}
	if sel.File == "" {
		return rev.Decidable(sel, accept)
	}
	var names []string
	for _, f := range rev.All() {
		if f.Kept != sel.Kept {
			continue
		}
		names = append(names, f.Change.Path)
		if f.Change.Path == sel.File && sel.Hunk < len(f.Hunks) {
			return rev.Decidable(sel, accept)
		} else if f.Change.Path == sel.File {
			return fmt.Errorf("%s has %s, there is no hunk %d", sel.File, count.Of(len(f.Hunks), "hunk"), sel.Hunk+1)
		}
	}
	return fmt.Errorf("the task does not change %q, but %s", sel.File, strings.Join(names, ", "))
}

// decide carries a decision out and tells what came of it.
func (l *reviews) decide(ctx context.Context, e *Engine, task record.Task, sel review.Selection, accept bool) error {
	r := l.take(task.ID)
	l.mu.Lock()
	if r.offer != nil {
		r.offer()
	}
	l.mu.Unlock()
	r.deciding.Lock()
	defer r.deciding.Unlock()
	out, err := e.Agent.Decide(ctx, task.ID, sel, accept, l.applier(e.Agent, "CASE: "+title(task), false))
	if err != nil {
		return err
	}
	if _, _, err := l.refresh(ctx, e, task.ID); err != nil {
		return err
	}
	l.tellOutcome(e, out, task, sel, accept)
	if out.Closed {
		l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("%q was not finished and is closed as it is. %s goes on with what is left of it.", l.ed.client.brief(task), cmdResume))
	}
	if accept && sel.File == "" && sel.Consent == nil && len(out.Waiting) > 0 {
		l.askObeyed(task, sel, out.Waiting)
	}
	left, err := e.Agent.Unfilled(task.ID)
	for _, file := range slices.Sorted(maps.Keys(left)) {
		l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("%s has places for secrets (%s). Fill them in by `caselsp secret fill` in a terminal.", file, strings.Join(left[file], ", ")))
	}
	return err
}

// tellOutcome tells what did not arrive, what changed beside the open documents, and what is left to decide.
func (l *reviews) tellOutcome(e *Engine, out review.Outcome, task record.Task, sel review.Selection, accept bool) {
	typ, text, how := protocol.MessageTypeInfo, "", ""
	for _, f := range out.Failed() {
		typ = protocol.MessageTypeWarning
		text += fmt.Sprintf("Not changed: %s: %s\n", f.Path, sentence(f.Reason))
	}
	switch {
	case out.Kept: // the task itself stays what it is
	case out.State == record.Review:
		text += fmt.Sprintf("%s of %q left to decide.", count.Of(out.Open, "hunk"), l.ed.client.brief(task))
	case out.State == record.Succeeded && accept:
		text += l.acceptedText(task)
	case out.State == record.Succeeded:
		text += fmt.Sprintf("Decided: %q. What was left of it is rejected; what you accepted stays.", l.ed.client.brief(task))
		how = fmt.Sprintf(" The command %s takes all decisions back.", cmdUndo) // behind what an editor with one line shows
	case out.State == record.Rejected:
		text += fmt.Sprintf("Rejected: %q. Nothing was changed. The command %s takes that back.", l.ed.client.brief(task), cmdUndo)
	}
	text = strings.TrimSpace(text+" ("+out.Decided+")") + l.where(e, out) + spaced(out.Commit) + how
	one := sel.File != "" && sel.Hunk != review.AllHunks && out.State == record.Review && len(out.Failed()) == 0
	l.tellSoon(task.ID, typ, text, one)
}

// where names the files that were changed: those that the user has to save, and those that are not open.
func (l *reviews) where(e *Engine, out review.Outcome) string {
	var unsaved, unopened []string
	for _, r := range out.Results {
		switch _, open := l.docs.at(e.Agent.Workspace, r.Path); {
		case r.OK && open && r.Unsaved:
			unsaved = append(unsaved, r.Path)
		case r.OK && !open:
			unopened = append(unopened, r.Path)
		}
	}
	return named(" Changed in the editor, not saved yet: ", unsaved) + named(" Written, not open here: ", unopened)
}

// named returns a sentence that begins with what and lists the names; "" for an empty list.
func named(what string, names []string) string {
	if more := len(names) - maxListed; more > 0 {
		names = append(names[:maxListed], fmt.Sprintf("%d more", more))
	}
	if len(names) == 0 {
		return ""
	}
	return what + strings.Join(names, ", ") + "."
}

// decisionPause is how long further decisions about hunks are waited for before the user is told of them: who goes through
// hunks decides about one a second, and reads no message for each.
const decisionPause = time.Second

// tellSoon tells what a decision led to: of several about single hunks that follow each other only the last, of all
// others at once.
func (l *reviews) tellSoon(task string, typ protocol.MessageType, text string, single bool) {
	r := l.take(task)
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.tell != nil {
		r.tell()
		r.tell = nil
	}
	if !single {
		l.ed.showMessage(typ, text)
		return
	}
	r.tell = l.ed.Clock.After(decisionPause, func() { l.ed.showMessage(typ, text) })
}

// unfinished reports whether a task lies still with work that can be reviewed as it is.
func unfinished(st record.Status) bool {
	return st.State == record.Paused || st.State == record.Stopped
}

// pickReview returns the status of the task that is named, or of the only one whose result
// waits, or else of the only one with kept work that does.
func pickReview(e *Engine, id string) (record.Status, error) {
	st, err := pick(e, id, inReview, "review")
	if err == nil || id != "" {
		return st, err
	}
	kept, failed := pick(e, "", func(st record.Status) bool {
		if len(st.Kept) == 0 && !unfinished(st) || st.State == record.Review {
			return false
		}
		rev, err := e.Agent.Review(st.Task.ID)
		return err == nil && (unfinished(st) || rev.OpenKept() > 0)
	}, "review")
	if failed != nil {
		return st, err
	}
	return kept, nil
}

// pickOf returns the status of the task that a decision is about: that of pickReview, or else, where it accepts a file by its name, of
// the latest task of whose result something was taken out of that file.
func pickOf(e *Engine, id string, sel review.Selection, accept bool) (record.Status, error) {
	st, err := pickReview(e, id)
	if id != "" || sel.File == "" || !accept || err == nil && selectable(e, st.Task.ID, sel, accept) == nil {
		return st, err
	}
	undone, failed := pickLatest(e, "", func(st record.Status) bool {
		if st.State != record.Succeeded {
			return false
		}
		rev, err := e.Agent.Review(st.Task.ID)
		return err == nil && slices.ContainsFunc(rev.Files, func(f review.File) bool { return f.Change.Path == sel.File && len(f.Unmade) > 0 })
	}, "accept")
	if failed != nil {
		return st, err
	}
	return undone, nil
}

// keptTold says what is kept of features that failed, "" where nothing is.
func keptTold(st record.Status) string {
	if len(st.Kept) == 0 {
		return ""
	}
	var list []string
	for _, k := range st.Kept {
		list = append(list, k.ID+" ("+cut(oneLine(k.Reason), maxTitle)+")")
	}
	return fmt.Sprintf(" The work of %s that failed is kept, not verified: %s. Read and accept it in the review document that %s opens; %s tries it again.",
		count.Of(len(list), "feature"), strings.Join(list, ", "), cmdReview, cmdResume)
}

// acceptedText tells that a result is in the user's files.
func (l *reviews) acceptedText(task record.Task) string {
	return fmt.Sprintf("Accepted: %q. The command %s takes it back.", l.ed.client.brief(task), cmdUndo)
}

// doUndo reverts what was accepted.
func (l *reviews) doUndo(c *call, a arguments) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	decided := func(states ...record.HunkState) func(record.Status) bool {
		return func(st record.Status) bool {
			if st.State != record.Succeeded && st.State != record.Rejected && st.State != record.Review && len(st.Kept) == 0 {
				return false
			}
			rev, err := e.Agent.Review(st.Task.ID)
			return err == nil && anyIn(rev, states...)
		}
	}
	st, err := pickLatest(e, a.text("task"), decided(record.HunkAccepted), "undo")
	if err != nil { // a rejection can be taken back, too, but not in the place of an acceptance
		st, err = pickLatest(e, a.text("task"), decided(record.HunkAccepted, record.HunkRejected), "undo")
	}
	if err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error { return l.undo(ctx, e, st.Task) })
	return started{st.Task.ID}, nil
}

// anyIn reports whether a hunk of a result is in one of the states.
func anyIn(rev *review.Review, states ...record.HunkState) bool {
	return slices.ContainsFunc(rev.All(), func(f review.File) bool {
		return slices.ContainsFunc(f.Hunks, func(s record.HunkState) bool { return slices.Contains(states, s) })
	})
}

// pickLatest returns the status of the task that is named, or of the latest that fits.
func pickLatest(e *Engine, id string, fits func(record.Status) bool, what string) (record.Status, error) {
	st, err := pick(e, id, fits, what)
	var many several
	if errors.As(err, &many) {
		return slices.MaxFunc(many.tasks, func(a, b record.Status) int { return a.Changed.Compare(b.Changed) }), nil
	}
	return st, err
}

// undo takes back what was accepted of a task.
func (l *reviews) undo(ctx context.Context, e *Engine, task record.Task) error {
	r := l.take(task.ID)
	r.deciding.Lock()
	defer r.deciding.Unlock()
	before, err := e.Agent.Review(task.ID)
	if err != nil {
		return err
	}
	out, err := e.Agent.Undo(ctx, task.ID, l.applier(e.Agent, "Undo CASE: "+title(task), false))
	if err != nil {
		return err
	}
	if _, _, err := l.refresh(ctx, e, task.ID); err != nil {
		return err
	}
	typ, text := protocol.MessageTypeInfo, ""
	for _, f := range out.Failed() {
		typ = protocol.MessageTypeWarning
		text += fmt.Sprintf("Not taken back: %s: %s\n", f.Path, sentence(f.Reason))
	}
	rejected := slices.ContainsFunc(before.All(), func(f review.File) bool { return slices.Contains(f.Hunks, record.HunkRejected) })
	if !rejected && len(out.Results) > 0 && len(out.Failed()) == len(out.Results) {
		l.ed.showMessage(typ, text+fmt.Sprintf("Nothing of %q was undone.", l.ed.client.brief(task)))
		return nil
	}
	text += fmt.Sprintf("Undone: %q.", l.ed.client.brief(task))
	if rejected {
		text += " What you rejected is undecided again, too."
	}
	l.ed.showMessage(typ, text+fmt.Sprintf(" Its result can be reviewed again with %s.", cmdReview)+" ("+out.Decided+")"+l.where(e, out)+spaced(out.Commit))
	return nil
}

// spaced is a sentence behind another one; "" stays that.
func spaced(text string) string {
	if text == "" {
		return ""
	}
	return " " + agent.Visible(text)
}
