package lsp

import (
	"context"

	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// taskActions offer to see and end what is under way, to go on with or decide about what waits, and to take back what was
// accepted: also of tasks that a server has worked on which has ended. Some editors reach tasks by nothing else.
func (k *taskCommands) taskActions(_ context.Context, _ snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	if ownDocument(p.TextDocument.URI) {
		return nil
	}
	var list []protocol.CodeAction
	add := func(does, id string, st record.Status) {
		list = append(list, offer(protocol.CodeActionKindSource, does+": "+brief(title(st.Task)), id, taskArguments{st.Task.ID}))
	}
	for _, t := range k.tasks.all() {
		st := t.get()
		add("CASE: show where it stands", cmdActivity, st)
		add("CASE: stop", cmdStop, st)
	}
	over := 0
	for _, r := range k.tasks.recent() {
		if len(list) >= maxOffers {
			add("CASE: list all tasks, the next is", cmdHistory, r.status)
			break
		}
		if !r.waits() {
			if over++; over > maxRecent {
				continue
			}
		}
		switch {
		case r.status.State == record.Review:
			add(showResult, cmdReview, r.status)
			add("CASE: accept all of the result", cmdAccept, r.status)
			add("CASE: reject all of the result", cmdReject, r.status)
		case r.waits():
			add("CASE: resume", cmdResume, r.status)
		case len(r.status.Kept) > 0:
			add(showResult, cmdReview, r.status)
		}
		if r.applied {
			add("CASE: undo", cmdUndo, r.status)
		}
	}
	return list
}

// showResult begins the title of what opens a result that waits.
const showResult = "CASE: show the result"
