package lsp

import (
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
)

// TestSavedBeforeSent sends a reason in Helix, which does not end with unsaved documents: it is sent once it is saved.
func TestSavedBeforeSent(t *testing.T) {
	refused := "on case\nwant The user refused\nwant use ruff\n" + strings.TrimPrefix(write, "\non case\n")
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: asksToRun + refused, runs: lint, editor: lsptest.Options{Initialize: recordings(t)["helix-25.07"]}})
	sc.run("see to it")
	sc.said("Nothing happens until you answer")
	sc.act("a.py", "a", "CASE asks: deny and say why…: “make docs”")
	paper := sc.shown("reason-")
	sc.must(sc.SetText(paper, sc.Text(paper)+"use ruff\n"))
	sc.act(paper, "<!--", "Deny and send this reason")
	sc.said("Save this document first, with `:w`")
	sc.must(sc.Save(paper))
	sc.act(paper, "<!--", "Deny and send this reason")
	sc.said("to review")
}
