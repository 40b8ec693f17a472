package lsp

import (
	"testing"

	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// TestLateCancel is a client that gives up on every request that it has sent, as
// lsp-mode does after ten seconds, also on the command that started a task: the
// command was answered long ago, and the task goes on.
func TestLateCancel(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	id := sc.run("change it all")
	const sent = 50 // more requests than the editor has sent
	for n := range sent {
		sc.must(sc.Notify(protocol.MethodCancelRequest, &protocol.CancelParams{ID: protocol.Integer(n)}))
	}
	sc.shown("review-" + id)
	sc.status(id, record.Review)
	sc.command(cmdReject)
	sc.said("Rejected")
	sc.status(id, record.Rejected)
	sc.disk(project)
}
