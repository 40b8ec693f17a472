package lsp

import (
	"slices"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
)

// ale is what ALE says of itself: its user reaches commands by code actions alone.
func ale(t *testing.T) lsptest.Options { return lsptest.Options{Initialize: recordings(t)["ale-4.0"]} }

// holds is a model that answers when nobody waits for it any more.
const holds = "on case\nhold\ntext late\n"

// atEnd is a model that adds a line at the end of a.py.
const atEnd = `
on case
call PATCH_FILE {"thought": "one more", "path": "a.py"}
arg patch
	@@ -1 +1,2 @@
	 a = 1
	+b = 2
on case
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`

// TestStanding leaves a task as it is and starts another server. That tells what waits, and offers it by code actions: they are all
// that the user of such an editor has.
func TestStanding(t *testing.T) {
	ran := "on case\nwant all clean\n" + strings.TrimPrefix(write, "\non case\n")
	for _, tt := range []struct {
		name   string
		script string            // of the model of the first server
		leave  func(sc *scene)   // what the user does there
		told   string            // at the start of the second
		goes   string            // the script of its model
		action string            // taken there
		said   string            // what comes of it
		disk   map[string]string // and stands on disk then
	}{
		{"stopped", holds, func(sc *scene) { sc.model.Held() }, `Unfinished: "see to it". See the code actions`,
			write, "CASE: resume: see to it", "to review", nil},
		{"asks", asksToRun, func(sc *scene) { sc.said("Nothing happens until you answer") }, `"see to it" has a question. See the code actions`,
			ran, "CASE asks: allow once: “make docs”", "to review", nil},
		{"asks, denied", asksToRun, func(sc *scene) { sc.said("Nothing happens until you answer") }, `"see to it" has a question.`,
			strings.Replace(ran, "all clean", "The user refused", 1), "CASE asks: deny: “make docs”", "to review", nil},
		{"to review", write, func(sc *scene) { sc.said("to review") }, `"see to it" is to be reviewed. See the code actions`,
			"", "CASE: accept all of the result: see to it", "Accepted: ", map[string]string{"done.txt": "done\n"}},
		{"to review, rejected", write, func(sc *scene) { sc.said("to review") }, "",
			"", "CASE: reject all of the result: see to it", "Rejected: ", map[string]string{"done.txt": ""}},
		{"to review, shown", write, func(sc *scene) { sc.said("to review") }, "",
			"", "CASE: show the result: see to it", "Open the document: `:e ", nil},
		{"accepted", write, func(sc *scene) { sc.said("to review"); sc.command(cmdAccept); sc.said("Accepted: ") }, "",
			"", "CASE: undo: see to it", "Undone: ", map[string]string{"done.txt": ""}},
		{"in an open file", atEnd, func(sc *scene) { sc.said("to review") }, "CASE wants to change this",
			"", "CASE: accept this hunk", "Accepted: ", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := plot{files: hello, script: tt.script, runs: lint, editor: ale(t), state: t.TempDir()}
			p.editor.Root = t.TempDir()
			sc := play(t, p)
			sc.run("see to it")
			tt.leave(sc)
			sc.must(sc.Shutdown(t.Context()))

			p.script, p.tells, p.open = tt.goes, true, []string{"a.py"}
			sc = play(t, p)
			if tt.told != "" {
				sc.expect(lsptest.AnyOf(lsptest.ShownMessage(tt.told), lsptest.Diagnosed("a.py", tt.told)))
			}
			<-sc.srv.standing.begin() // on a slow machine, code actions do not wait for it
			sc.act("a.py", "a", tt.action)
			sc.said(tt.said)
			sc.disk(tt.disk)
			for _, m := range sc.State().Messages {
				if m.Type == 1 {
					t.Errorf("an error: %q", m.Text)
				}
			}
		})
	}
}

// offeredTitles are the titles of the code actions at the start of a document.
func (sc *scene) offeredTitles(path string) (titles []string) {
	sc.t.Helper()
	list, err := sc.CodeActions(sc.t.Context(), path, 0, 0)
	sc.must(err)
	for _, a := range list {
		titles = append(titles, a.Title)
	}
	return titles
}

// TestStandingElsewhere has another process work while a server is idle: what is offered follows the store.
func TestStandingElsewhere(t *testing.T) {
	p := plot{files: hello, editor: ale(t), state: t.TempDir()}
	p.editor.Root = t.TempDir()
	idle := p
	idle.tells, idle.clock, idle.open = true, lsptest.NewClock(), []string{"a.py"}
	sc := play(t, idle)
	offers := func(want ...string) {
		t.Helper()
		if got := sc.offeredTitles("a.py"); !slices.Equal(got, want) {
			t.Errorf("offered %q, want %q", got, want)
		}
	}
	offers()
	for _, step := range []struct {
		script string
		do     func(other *scene)
		offers []string
	}{
		{write, func(other *scene) { other.run("see to it"); other.said("to review") },
			[]string{"CASE: show the result: see to it", "CASE: accept all of the result: see to it", "CASE: reject all of the result: see to it"}},
		{"", func(other *scene) { other.command(cmdAccept); other.said("Accepted: ") }, []string{"CASE: undo: see to it"}},
		{"", func(other *scene) {
			other.command(cmdUndo)
			other.said("Undone: ")
			other.command(cmdReject)
			other.said("Rejected: ")
		}, nil},
	} {
		p.script = step.script
		other := play(t, p)
		step.do(other)
		other.must(other.Shutdown(t.Context()))
		other.Hangup()
		<-other.ended
		offers(step.offers...)
	}
}
