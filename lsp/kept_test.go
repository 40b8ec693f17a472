package lsp

import (
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"
)

// givesUp is a model that changes a.py in two places, writes new.txt and gives up.
const givesUp = `
on case
call PATCH_FILE {"thought": "two places", "path": "a.py"}
arg patch
	@@ -1,3 +1,3 @@
	 x1 = 1
	-x2 = 2
	+x2 = 20
	 x3 = 3
	@@ -17,3 +17,3 @@
	 x17 = 17
	-x18 = 18
	+x18 = 180
	 x19 = 19
on case
call WRITE_FILE {"thought": "a new one", "path": "new.txt", "content": "new\n"}
on case
call ABORT {"thought": "no", "reason": "too hard"}
`

// TestKeptWork accepts one hunk of what a failed task has left in the editor, rejects another
// and has it tried again from the review document.
func TestKeptWork(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: givesUp + `
on case
want list of it
want a.py: hunk 1 written; hunk 2 rejected
want +new
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`})
	id := sc.run("change it all")
	review := sc.shown("review-" + id)
	sc.said("Failed: \"change it all\". Its work is kept. caselsp.resume tries again")
	sc.expect(lsptest.HasText(review, reviewOf(sc, id)))
	if text := reviewOf(sc, id); !strings.Contains(text, "Kept, not verified: the work on task (change it all), which failed: CASE gave it up: “too hard”") {
		t.Errorf("the review document: %s", text)
	}
	sc.idle("Nothing was decided: all of the result is decided", cmdAccept, map[string]any{"task": id})
	sc.act(review, "+x2 = 20", "CASE: accept hunk")
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20"})))
	sc.said("accepted: 1 hunk in 1 file")
	sc.act(review, "+x18 = 180", "CASE: reject hunk")
	sc.said("rejected: 1 hunk in 1 file")
	sc.status(id, record.Failed)

	sc.command(cmdResume, map[string]any{"task": id, "text": "make a list of it"})
	sc.said(`"change it all" is done: 1 hunk in 1 file to review.`)
	sc.command(cmdAccept, map[string]any{"task": id})
	sc.expect(lsptest.ShownMessage("Accepted: \"change it all\""))
	sc.disk(map[string]string{"new.txt": "new\n"})
	sc.idle("there is nothing to resume", cmdResume, id)
	sc.command(cmdUndo, id)
	sc.expect(lsptest.HasText("a.py", lines(nil)))
}

// reviewOf is the review document of a task as it is now.
func reviewOf(sc *scene, id string) string {
	sc.t.Helper()
	e, release, err := sc.srv.engines.use(sc.t.Context())
	sc.must(err)
	defer release()
	rev, err := e.Agent.Review(id)
	sc.must(err)
	return reviewText(rev)
}
