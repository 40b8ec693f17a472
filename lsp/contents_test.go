package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// shower is an editor that shows documents which are no files.
var shower = lsptest.Options{Initialize: json.RawMessage(strings.Replace(string(lsptest.Modern), `"applyEdit": true,`, `"applyEdit": true, "textDocumentContent": {"dynamicRegistration": false},`, 1))}

// TestContents shows the documents that are only read as such which are no files: they have the same actions, follow what is
// decided without an edit, and are never modified. What is written into stays a file.
func TestContents(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: corrects, editor: shower})
	id := sc.run("change it all")
	page := sc.shown("caselsp:/review-" + id + ".diff")
	sc.act(page, "+x18 = 180", "CASE: accept hunk")
	sc.expect(lsptest.TextHas(page, "hunk 2 of 2: accepted"))
	sc.act(page, "+c = 2", "CASE: write a note on hunk")
	paper := sc.shown("note-" + id)
	if strings.Contains(paper, scheme+":") {
		t.Errorf("a document that is written into is no file: %s", paper)
	}
	sc.must(sc.SetText(paper, sc.Text(paper)+"say why\n"))
	sc.act(paper, "say why", keepNoteTitle)
	sc.expect(lsptest.TextHas(page, "say why"))

	for command, want := range map[string]string{
		cmdHistory: "caselsp:/history.md", cmdReport: "caselsp:/report-" + id + ".md", cmdMemory: "caselsp:/memory.md", cmdState: "caselsp:/state.md",
		cmdActivity: "caselsp:/activity-" + id + ".md", cmdDoctor: "caselsp:/doctor.md", cmdApprovals: "caselsp:/approvals.md", cmdSettings: "caselsp:/settings.md",
	} {
		sc.command(command)
		if text := sc.Text(sc.shown(want)); text == "" {
			t.Errorf("%s has no text", want)
		}
	}
	sc.command(cmdReject)
	sc.said("Decided: ")
	sc.expect(lsptest.TextHas(page, "Decided: "))
	sc.status(id, record.Succeeded)
	for name, b := range sc.State().Buffers {
		if b.Dirty && strings.HasPrefix(name, scheme+":") {
			t.Errorf("%s is left modified", name)
		}
	}
	var result protocol.TextDocumentContentResult
	for _, u := range []string{"caselsp:/none.md", "caselsp:/..%2f..%2fstore.db", "caselsp:/"} {
		if err := sc.Request(t.Context(), protocol.MethodWorkspaceTextDocumentContent, map[string]string{"uri": u}, &result); err == nil {
			t.Errorf("%s has the text %q", u, result.Text)
		}
	}
}
