package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// vimUse is Vim with ALE, which Debian's package adds to it, and with the documented configuration.
var vimUse = editorUse{
	name: "vim", files: map[string]string{".vimrc": "## Vim vim"},
	actions: []string{":ALECodeAction", "Enter"}, save: []string{":w", "Enter"}, quit: []string{":qa!", "Enter"},
}

// TestVimALE begins a task by a comment in Vim with ALE, and decides by code actions alone.
func TestVimALE(t *testing.T) {
	t.Parallel()
	h := newHand(t, vimUse, "testdata/vim/comment.txtar")
	h.sitDown()
	h.act("Run CASE on this comment")
	h.see("the question", func() bool { return h.said("From where?") && h.said("Nothing happens until you answer") })
	h.act("CASE asks: answer: “from one”")
	h.see("the result", func() bool { return h.said("to review") })

	// In the user's own file.
	h.keys(":3", "Enter")
	h.act("CASE: accept this hunk")
	h.see("what is left", func() bool { return h.said("left to decide") })
	h.keys(h.use.save...)
	h.see("it on disk", func() bool { return strings.Contains(h.read("project/notes.py"), "return n + 1") })

	// In the review document, which a message names.
	h.keys(":e "+h.document("review-"), "Enter")
	h.onScreen(`hunk 2 of 2: open`)
	h.keys("/+end = 1", "Enter")
	h.act("CASE: reject hunk")
	h.see("the end", func() bool { return h.said("Decided: ") })
	h.quit()
	h.states(t.Context())
	if got := h.read("project/notes.py"); !strings.Contains(got, "return n + 1") || strings.Contains(got, "end = 1") {
		t.Errorf("the file on disk:\n%s", got)
	}
}

// act takes the code action of a title at the cursor, out of the numbered list.
func (h *hand) act(title string) {
	h.t.Helper()
	h.keys(h.use.actions...)
	h.keys(h.onScreen(`(?m)^(\d+)[):] .*` + title)[1], "Enter")
}

// document is the path of a document of caselsp whose name begins so.
func (h *hand) document(begin string) string {
	h.t.Helper()
	found, err := filepath.Glob(h.at(".state/caselsp/workspaces/*/documents/" + begin + "*"))
	if err != nil || len(found) != 1 {
		h.t.Fatalf("documents: %q, %v", found, err)
	}
	return found[0]
}
