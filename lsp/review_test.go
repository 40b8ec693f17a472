package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"caselsp/agent/record"
	"caselsp/agent/review"
	setting "caselsp/agent/settings"
	"caselsp/agent/workspace"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// lines are 20 lines of Python, those of change in another form.
func lines(change map[int]string) string {
	var b strings.Builder
	for i := 1; i <= 20; i++ {
		if text, ok := change[i]; ok {
			b.WriteString(text + "\n")
		} else {
			fmt.Fprintf(&b, "x%d = %d\n", i, i)
		}
	}
	return b.String()
}

// project is what the edits below are made in: a.py is open, c.py is not.
var project = map[string]string{"a.py": lines(nil), "c.py": "c = 1\n", "old.txt": "old\n"}

// edits is a model that changes a.py in two places and c.py in one, writes
// new.txt and deletes old.txt.
const edits = `
on case
call GET_FULL_FILE_CONTENT {"thought": "see it", "path": "a.py"}
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
call WRITE_FILE {"thought": "the other", "path": "c.py", "content": "c = 2\n"}
on case
call WRITE_FILE {"thought": "a new one", "path": "new.txt", "content": "new\n"}
on case
call DELETE_FILE {"thought": "not needed", "path": "old.txt"}
on case
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`

// TestReviewByHunks decides hunk by hunk, from the user's own file, from the
// review document and by command, while the user types; then takes all back.
func TestReviewByHunks(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	sc.must(sc.Replace("a.py", "x10 = 10", "x10 = 1000 # unsaved"))
	id := sc.run("change it all")
	review := sc.shown("review-" + id)
	sc.expect(lsptest.Diagnosed("a.py", "hunk 1 of 2"), lsptest.Diagnosed("a.py", "+x18 = 180"))

	sc.must(sc.Replace("a.py", "x1 = 1\n", "first = 0\nx1 = 1\n"))
	sc.srv.engines.renew() // as after a minute in which nothing used it
	sc.act("a.py", "x2 = 2", "CASE: accept this hunk")
	typed := map[int]string{1: "first = 0\nx1 = 1", 10: "x10 = 1000 # unsaved"}
	accepted := map[int]string{1: typed[1], 10: typed[10], 2: "x2 = 20"}
	sc.expect(lsptest.HasText("a.py", lines(accepted)))
	sc.said("4 hunks of \"change it all\" left to decide")
	sc.hunks(id, "a.py", record.HunkAccepted, record.HunkOpen)
	sc.disk(project)

	sc.act(review, "+x18 = 180", "CASE: reject hunk")
	sc.said("3 hunks of \"change it all\" left to decide")
	sc.expect(lsptest.Clean("a.py"))
	sc.command(cmdAccept)
	sc.said("Accepted: \"change it all\"")
	sc.hunks(id, "a.py", record.HunkAccepted, record.HunkRejected)
	sc.disk(map[string]string{"a.py": lines(nil), "c.py": "c = 2\n", "new.txt": "new\n", "old.txt": ""})
	sc.idle("There is no task to review", cmdAccept)

	sc.must(sc.Replace("a.py", "x20 = 20", "x20 = 0"))
	sc.command(cmdUndo)
	sc.said("Undone")
	typed[20] = "x20 = 0"
	sc.expect(lsptest.HasText("a.py", lines(typed)))
	sc.disk(project)
	sc.disk(map[string]string{"new.txt": ""})
	sc.status(id, record.Review)
}

// TestReviewDocument shows the document's lenses and actions: they name what is
// open, and go with each decision.
func TestReviewDocument(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	id := sc.run("change it all")
	review := sc.shown("review-" + id)
	titles := func() string {
		list, err := sc.CodeLenses(t.Context(), review)
		sc.must(err)
		var b strings.Builder
		for _, l := range list {
			line := strings.Split(sc.Text(review), "\n")[l.Range.Start.Line]
			fmt.Fprintf(&b, "%s: %s\n", line, l.Command.Title)
		}
		return b.String()
	}
	want := ""
	for _, head := range []string{
		"Result of task " + id + ": change it all: %s all",
		"diff --git a/a.py b/a.py: %s file",
		"@@ -1,5 +1,5 @@ hunk 1 of 2: undecided: %s hunk",
		"@@ -15,6 +15,6 @@ hunk 2 of 2: undecided: %s hunk",
		"diff --git a/c.py b/c.py: %s file",
		"@@ -1 +1 @@ hunk 1 of 1: undecided: %s hunk",
		"diff --git a/new.txt b/new.txt: %s file",
		"diff --git a/old.txt b/old.txt: %s file",
	} {
		want += fmt.Sprintf(head+"\n"+head+"\n"+head+"\n", "Accept", "Reject", "Write a note on")
	}
	want = strings.Replace(want, "note on all", "note on the whole result", 1)
	if got := titles(); got != want {
		t.Errorf("lenses:\n%s\nwant:\n%s", got, want)
	}
	sc.act(review, "+c = 2", "CASE: accept file")
	sc.said("4 hunks of")
	sc.act(review, "+new", "CASE: reject file")
	sc.said("3 hunks of")
	sc.disk(map[string]string{"c.py": "c = 2\n", "new.txt": ""})
	if got := titles(); strings.Contains(got, "c.py") || !strings.Contains(got, "new.txt: Accept file after all\n") || strings.Contains(got, "new.txt: Reject") || !strings.Contains(got, "old.txt") {
		t.Errorf("lenses after decisions:\n%s", got)
	}
	sc.act(review, "New file new.txt", "CASE: accept file after all") // its title belongs to it, too
	sc.said("accepted: 1 file. Of 4 files 2 are written, 2 are undecided.")
	sc.disk(map[string]string{"new.txt": "new\n"})
	sc.act(review, "Result of", "CASE: reject all")
	sc.said("What was left of it is rejected; what you accepted stays.")
	sc.status(id, record.Succeeded)
	sc.disk(map[string]string{"a.py": lines(nil), "c.py": "c = 2\n", "old.txt": "old\n"})
}

// TestUndoRejection rejects a result and takes that back: it can be undone only then, and is to be reviewed again.
func TestUndoRejection(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	id := sc.run("change it all")
	sc.shown("review-" + id)
	undoable := func() bool {
		raw, err := sc.Command(t.Context(), cmdStatus, data(map[string]any{"task": id}))
		sc.must(err)
		return strings.Contains(string(raw), `"`+cmdUndo+`"`)
	}
	if undoable() {
		t.Error("an undo is offered where nothing is decided")
	}
	sc.command(cmdReject, map[string]any{"task": id})
	sc.said("Nothing was changed. The command " + cmdUndo + " takes that back.")
	if !undoable() {
		t.Error("no undo is offered of a rejection")
	}
	sc.command(cmdUndo, map[string]any{"task": id})
	sc.said("What you rejected is undecided again, too.")
	sc.status(id, record.Review)
}

// TestOffer has the editor ask about each change of what is open. Its user
// declines one: the others are accepted and can be undone, the rest stays
// open in the review document.
func TestOffer(t *testing.T) {
	asked := 0
	confirm := func(note protocol.ChangeAnnotation, path string) bool {
		asked++
		return asked == 1
	}
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits, editor: lsptest.Options{Confirm: confirm},
		hasty: true, review: &setting.Review{Annotations: true, Open: true}})
	id := sc.run("change it all")
	review := sc.shown("review-" + id)
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20"})))
	sc.hunks(id, "a.py", record.HunkAccepted, record.HunkOpen)
	sc.hunks(id, "c.py", record.HunkOpen)
	sc.disk(project)
	if text := sc.Text(review); !strings.Contains(text, "hunk 1 of 2: accepted") || !strings.Contains(text, "hunk 2 of 2: undecided") {
		t.Errorf("the review document says:\n%s", text)
	}
	sc.command(cmdUndo)
	sc.said("Undone")
	sc.expect(lsptest.HasText("a.py", lines(nil)))
	sc.hunks(id, "a.py", record.HunkOpen, record.HunkOpen)
}

// TestOfferTakenBack decides by command while the editor asks about each change: the question is taken back, what is chosen there later
// counts no more, and the review document, which nobody has asked for, does not open.
func TestOfferTakenBack(t *testing.T) {
	asked, closed := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(asked) })
	confirm := func(protocol.ChangeAnnotation, string) bool {
		once()
		<-closed
		return false
	}
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits, editor: lsptest.Options{Confirm: confirm},
		hasty: true, review: &setting.Review{Annotations: true, Open: true}})
	id := sc.run("change it all")
	<-asked
	sc.command(cmdReject, map[string]any{"task": id, "file": "a.py", "hunk": 1})
	sc.said("4 hunks of") // while the editor still asks
	close(closed)
	sc.hunks(id, "a.py", record.HunkRejected, record.HunkOpen)
	if shown := sc.State().Shown; len(shown) > 0 {
		t.Errorf("documents have opened: %+v", shown)
	}
}

// TestUndoneByEditor accepts a hunk, and the editor's own undo takes it back: the hunk is marked again, and stays open whatever
// else is accepted. Of a result that is decided it is said.
func TestUndoneByEditor(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	id := sc.run("change it all")
	sc.expect(lsptest.Diagnosed("a.py", "hunk 1 of 2"))
	sc.command(cmdAccept, map[string]any{"task": id, "file": "a.py", "hunk": 1})
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20"})))
	sc.said("4 hunks of")
	sc.must(sc.SetText("a.py", lines(nil)))
	sc.expect(lsptest.Diagnosed("a.py", "hunk 1 of 2"))
	sc.hunks(id, "a.py", record.HunkOpen, record.HunkOpen)

	sc.command(cmdAccept, map[string]any{"task": id, "file": "a.py", "hunk": 2})
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{18: "x18 = 180"})))
	sc.said("undecided again: hunk 1 of a.py")
	sc.hunks(id, "a.py", record.HunkOpen, record.HunkAccepted)

	sc.command(cmdAccept, map[string]any{"task": id})
	sc.said("Accepted: ")
	sc.must(sc.SetText("a.py", lines(map[int]string{18: "x18 = 180"})))
	sc.said(`"change it all": Accepted, but no longer in the file, and undecided again: hunk 1 of a.py. caselsp.accept with the file's name accepts it again.`)
	sc.command(cmdAccept, map[string]any{"file": "a.py"})
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20", 18: "x18 = 180"})))
}

// TestPlaceOfMade finds an open hunk that the text has already where it stands now, below lines that were inserted, with all of its
// lines.
func TestPlaceOfMade(t *testing.T) {
	before, after := lines(nil), lines(map[int]string{2: "x2 = 20\nx2 += 1", 18: "x18 = 180"})
	f := review.File{Hunks: []record.HunkState{record.HunkOpen, record.HunkOpen}, Change: workspace.Change{
		Path: "a.py", Op: workspace.Modify, Hunks: workspace.Diff(before, after),
		Before: workspace.NewContent([]byte(before), 0o644), After: workspace.NewContent([]byte(after), 0o644),
	}}
	want := []hunkPlace{{hunk: 0, from: 2, to: 4}, {hunk: 1, from: 19, to: 20}}
	if got := placesOf(f, "# typed\n"+after); !slices.Equal(got, want) {
		t.Errorf("the hunks are at %+v, want %+v", got, want)
	}
}

// TestEditLabel accepts and undoes the result of a task with a long text: what Neovim prints of the edits fits into its last line.
func TestEditLabel(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	id := sc.run(strings.Repeat("change it all ", 9))
	sc.expect(lsptest.Diagnosed("a.py", "hunk 1 of 2"))
	sc.command(cmdAccept, map[string]any{"task": id, "file": "a.py"})
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20", 18: "x18 = 180"})))
	sc.said("hunks of")
	sc.command(cmdUndo, map[string]any{"task": id})
	sc.said("Undone: ")
	for _, e := range sc.State().Edits {
		if n := len([]rune("Workspace edit " + e.Label)); n > 50 || e.Label == "" { // with 'showcmd' and 'ruler' in that line
			t.Errorf("the label %q takes %d columns", e.Label, n)
		}
	}
}

// TestOfferOutdated has the user type while the editor asks, and then take all: the editor changes nothing, and that is said.
func TestOfferOutdated(t *testing.T) {
	asked, typed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	meanwhile := func() { once.Do(func() { close(asked); <-typed }) }
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits, editor: lsptest.Options{Meanwhile: meanwhile},
		hasty: true, review: &setting.Review{Annotations: true, Open: true}})
	id := sc.run("change it all")
	<-asked
	sc.must(sc.Replace("a.py", "x10 = 10\n", "x10 = 'mine'\n"))
	close(typed)
	sc.said("Nothing of the preview was made in files that you changed while it stood: a.py. The review shows what fits now.")
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{10: "x10 = 'mine'"})))
	sc.hunks(id, "a.py", record.HunkOpen, record.HunkOpen)
}

// TestAcceptWhileTyping has the user type in the file that an acceptance changes: the editor declines the edit, and the user is told why.
func TestAcceptWhileTyping(t *testing.T) {
	var sc *scene
	var once sync.Once
	meanwhile := func() { once.Do(func() { sc.must(sc.Replace("a.py", "x10 = 10\n", "x10 = 'mine'\n")) }) }
	sc = play(t, plot{files: project, open: []string{"a.py"}, script: edits, editor: lsptest.Options{Meanwhile: meanwhile}, hasty: true})
	id := sc.run("change it all")
	sc.said("to review")
	sc.command(cmdAccept, map[string]any{"task": id, "file": "a.py", "hunk": 1})
	sc.said("Not changed: a.py: The editor did not make the change, because the text changed at this moment: look at it, then try again.")
	sc.command(cmdAccept, map[string]any{"task": id, "file": "a.py", "hunk": 1})
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20", 10: "x10 = 'mine'"})))
}

// TestHostileReview accepts all with editors that misbehave: what is recorded is
// what arrived, nothing is lost, and it can be done again.
func TestHostileReview(t *testing.T) {
	both := lines(map[int]string{2: "x2 = 20", 18: "x18 = 180"})
	for _, tt := range []struct {
		name    string
		hostile lsptest.Hostile
		message string
		text    string // of a.py in the editor
		hunks   []record.HunkState
	}{
		{"fails", lsptest.Hostile{FailEdits: true}, "Not changed: a.py: The editor did not make the change", lines(nil), []record.HunkState{record.HunkOpen, record.HunkOpen}},
		{"lies", lsptest.Hostile{LieApplied: true}, "Not changed: a.py: The editor says that it made the change", lines(nil), []record.HunkState{record.HunkOpen, record.HunkOpen}},
		{"half", lsptest.Hostile{HalfEdits: true}, "Not changed: a.py: 1 of 2 hunks arrived", lines(map[int]string{2: "x2 = 20"}), []record.HunkState{record.HunkAccepted, record.HunkOpen}},
		{"late", lsptest.Hostile{LateChange: 50e6}, "Accepted:", both, []record.HunkState{record.HunkAccepted, record.HunkAccepted}},
		{"refuses files", lsptest.Hostile{RefuseFiles: true, Noise: true}, "Accepted:", both, []record.HunkState{record.HunkAccepted, record.HunkAccepted}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits, hasty: true, editor: lsptest.Options{Hostile: tt.hostile}})
			id := sc.run("change it all")
			sc.said("to review")
			sc.command(cmdAccept)
			sc.said(tt.message)
			sc.expect(lsptest.HasText("a.py", tt.text))
			sc.hunks(id, "a.py", tt.hunks...)
			sc.disk(map[string]string{"a.py": lines(nil), "c.py": "c = 2\n", "new.txt": "new\n", "old.txt": ""})
		})
	}
}

// TestConflict shows that what the user wrote into the same lines stays.
func TestConflict(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	id := sc.run("change it all")
	sc.expect(lsptest.Diagnosed("a.py", "hunk 1 of 2"))
	sc.must(sc.Replace("a.py", "x2 = 2\n", "x2 = 'mine'\n"))
	sc.expect(lsptest.Diagnosed("a.py", "you changed the same lines"))
	sc.command(cmdAccept, map[string]any{"file": "a.py", "hunk": 1})
	sc.said("Not changed: a.py: You changed the same lines meanwhile, near line 2")
	sc.command(cmdAccept, "a.py", 2)
	sc.said("4 hunks of")
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 'mine'", 18: "x18 = 180"})))
	sc.hunks(id, "a.py", record.HunkOpen, record.HunkAccepted)
	sc.refused("a.py has 2 hunks, there is no hunk 3", cmdReject, "a.py", 3)
	sc.refused(`does not change "b.py", but a.py, c.py, new.txt, old.txt`, cmdReject, "b.py")
}

// TestEditsTried hands edits to a client that says that it takes none and names itself nowhere, as ALE does: what the text is
// afterwards tells whether it made the change.
func TestEditsTried(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits, editor: lsptest.Options{
		Initialize: json.RawMessage(`{"capabilities": {"workspace": {"applyEdit": false}, "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}}}}`),
	}})
	id := sc.run("change it all")
	sc.said("to review")
	sc.command(cmdAccept, map[string]any{"task": id, "file": "a.py", "hunk": 1})
	sc.said("left to decide")
	sc.expect(lsptest.HasText("a.py", lines(map[int]string{2: "x2 = 20"})))
	sc.hunks(id, "a.py", record.HunkAccepted, record.HunkOpen)
}

// TestDiffLines: what is decided of a result, and what stands around its diffs, makes no other one of it; a line of code does.
func TestDiffLines(t *testing.T) {
	const shown = "Result of task t: x\nUndecided: 1 hunk.\n\nFile a.py: undecided\ndiff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@ hunk 1 of 1: undecided\n-a\n+b\n \n\nFile b.py: undecided\ndiff --git a/b.py b/b.py\n"
	for change, same := range map[[2]string]bool{
		{"hunk 1 of 1: undecided", "hunk 1 of 1: rejected"}: true,
		{"File a.py: undecided", "File a.py: rejected"}:     true,
		{"Undecided: 1 hunk.", "Undecided.\n`:reload`"}:     true,
		{"\n", "\r\n"}:                     true,
		{"+b\n", "+c\n"}:                   false,
		{"-1,2", "-2,2"}:                   false,
		{"diff --git a/b.py b/b.py\n", ""}: false,
	} {
		other := strings.ReplaceAll(shown, change[0], change[1])
		if got := slices.Equal(diffLines(shown), diffLines(other)); got != same {
			t.Errorf("%q for %q: the same is %v, want %v", change[1], change[0], got, same)
		}
	}
}
