package lsp

import (
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"
)

// corrects is a model whose result comes back with two notes, and that does what they ask.
const corrects = edits + `
on case
want 1. On a.py, hunk 2: 181, please
want 2. On c.py: say why
want +x18 = 180
want a.py: hunk 1 written; hunk 2 undecided
want old.txt: rejected
call PATCH_FILE {"thought": "as noted", "path": "a.py"}
arg patch
	@@ -17,3 +17,3 @@
	 x17 = 17
	-x18 = 180
	+x18 = 181
	 x19 = 19
call WRITE_FILE {"thought": "as noted", "path": "c.py", "content": "c = 2  # one more\n"}
call FINISH_FEATURE {"thought": "done", "summary": "as noted"}
`

// TestNotes writes notes on hunks, in a document and by command, and sends the result back: what was decided stays
// decided, and another review follows.
func TestNotes(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: corrects})
	id := sc.run("change it all")
	page := sc.shown("review-" + id)
	sc.idle("No note is written on the result", cmdNote, map[string]any{"send": true})
	sc.act("a.py", "x2 = 2", "CASE: accept this hunk")
	sc.said("left to decide")
	sc.command(cmdReject, map[string]any{"file": "old.txt"})
	sc.said("rejected: 1 file")
	sc.hunks(id, "old.txt", record.HunkRejected)

	sc.act(page, "+x18 = 180", "CASE: write a note on hunk")
	paper := sc.shown("note-" + id)
	if !strings.Contains(sc.Text(paper), "> +x18 = 180\n") {
		t.Errorf("the document does not show the hunk:\n%s", sc.Text(paper))
	}
	sc.idle("The note is empty", cmdNote, map[string]any{"uri": string(sc.uri(paper))})
	sc.must(sc.SetText(paper, sc.Text(paper)+"181, please\n"))
	sc.act(paper, "181, please", keepNoteTitle)
	sc.said("1 note kept")
	sc.expect(lsptest.TextHas(page, "a.py, hunk 2: 181, please"))
	sc.command(cmdNote, map[string]any{"task": id, "file": "c.py", "text": "say why"})
	sc.command(cmdNote, map[string]any{"task": id, "text": "nothing else"})
	sc.said("3 notes kept")
	sc.command(cmdNote, map[string]any{"task": id, "withdraw": true})
	sc.said("2 notes kept")
	sc.expect(lsptest.TextHas(page, "c.py: say why\nUntested: "))
	sc.act(page, "Result of task", "CASE: send the result back with 2 notes")
	sc.expect(lsptest.TextHas(page, "+x18 = 181"), lsptest.TextHas(page, "+c = 2  # one more"), lsptest.Diagnosed("a.py", "+x18 = 181"))
	if text := sc.Text(page); strings.Contains(text, "x2 = 20\n+") || strings.Contains(text, "Your notes") || strings.Contains(text, "old.txt") {
		t.Errorf("the next review shows what was decided before:\n%s", text)
	}
	sc.status(id, record.Review)
	sc.command(cmdAccept)
	sc.said("Accepted: \"change it all\"")
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20", 18: "x18 = 181"})))
	sc.disk(map[string]string{"c.py": "c = 2  # one more\n", "new.txt": "new\n", "old.txt": "old\n"})
	sc.idle("is succeeded: notes are written on a result under review", cmdNote, map[string]any{"task": id, "text": "late"})
}
