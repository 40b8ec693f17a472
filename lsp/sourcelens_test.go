package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// lensTitles are the titles of a document's code lenses, each with its line. Those of a line begin one behind the other:
// some clients sort them by that.
func (sc *scene) lensTitles(path string) (list []string) {
	sc.t.Helper()
	lenses, err := sc.CodeLenses(sc.t.Context(), path)
	sc.must(err)
	for i, l := range lenses {
		if i > 0 && lenses[i-1].Range.Start.Line == l.Range.Start.Line && lenses[i-1].Range.Start.Character >= l.Range.Start.Character {
			sc.t.Errorf("%q does not begin behind %q", l.Command.Title, lenses[i-1].Command.Title)
		}
		list = append(list, fmt.Sprintf("%d %s", l.Range.Start.Line, l.Command.Title))
	}
	return list
}

// lens carries out the lens of a title.
func (sc *scene) lens(path, title string) {
	sc.t.Helper()
	lenses, err := sc.CodeLenses(sc.t.Context(), path)
	sc.must(err)
	for _, l := range lenses {
		if l.Command.Title == title {
			_, err := sc.DoCommand(sc.t.Context(), l.Command)
			sc.must(err)
			return
		}
	}
	sc.t.Fatalf("no lens %q: %q", title, sc.lensTitles(path))
}

// TestSourceLenses decides about hunks in the user's own file, where they are after the user typed, and goes from one
// to the next; what overlaps with what was typed cannot be accepted.
func TestSourceLenses(t *testing.T) {
	files := map[string]string{"a.py": lines(map[int]string{20: "# TODO: tidy up"}), "c.py": "c = 1\n", "old.txt": "old\n"}
	sc := play(t, plot{files: files, open: []string{"a.py"}, script: edits})
	if got := sc.lensTitles("a.py"); !slices.Equal(got, []string{"19 CASE: do this TODO"}) {
		t.Errorf("lenses before a task: %q", got)
	}
	id := sc.run("change it all")
	sc.shown("review-" + id)
	sc.expect(lsptest.Diagnosed("a.py", "hunk 1 of 2"))
	sc.must(sc.Replace("a.py", "x1 = 1\n", "first = 0\nx1 = 1\n"))
	want := []string{"2 Accept hunk 1 of 2", "2 Reject hunk 1 of 2", "2 Next hunk", "18 Accept hunk 2 of 2", "18 Reject hunk 2 of 2", "18 Next hunk", "20 CASE: do this TODO"}
	if got := sc.lensTitles("a.py"); !slices.Equal(got, want) {
		t.Errorf("lenses on open hunks: %q, want %q", got, want)
	}
	sc.lens("a.py", "Next hunk")
	sc.expect(lsptest.Expectation{What: "the second hunk shown", Check: func(s *lsptest.State) lsptest.Verdict {
		last := s.Shown[len(s.Shown)-1]
		if last.Path == "a.py" && last.Selection != nil && last.Selection.Start.Line == 18 {
			return lsptest.Met
		}
		return lsptest.Unmet
	}})
	sc.must(sc.Replace("a.py", "x18 = 18\n", "x18 = 81\n"))
	if got := sc.lensTitles("a.py"); !slices.Contains(got, "18 Overlaps with your change: reject hunk 2 of 2") || slices.Contains(got, "18 Accept hunk 2 of 2") {
		t.Errorf("lenses on a hunk that overlaps: %q", got)
	}
	sc.lens("a.py", "Accept hunk 1 of 2")
	sc.lens("a.py", "Overlaps with your change: reject hunk 2 of 2")
	sc.said("3 hunks of")
	for _, m := range sc.State().Messages {
		if strings.Contains(m.Text, "4 hunks of") {
			t.Errorf("each of two decisions was told: %q", m.Text)
		}
	}
	sc.command(cmdAccept)
	sc.said("Written, not open here: c.py, new.txt, old.txt.")
	offers, err := sc.CodeActions(t.Context(), "a.py", 0, 0)
	sc.must(err)
	if !slices.ContainsFunc(offers, func(a protocol.CodeAction) bool { return a.Title == "CASE: undo: change it all" }) {
		t.Errorf("the acceptance cannot be undone by an action: %+v", offers)
	}
	sc.command(cmdUndo)
	sc.said("Undone: \"change it all\". What you rejected is undecided again, too.")
}

// TestCommentQuestion asks the question of a comment and finds the answer beside it, also when the comment has moved,
// and no more when it is gone.
func TestCommentQuestion(t *testing.T) {
	sc := play(t, plot{files: map[string]string{"a.py": "a = 1\n# case? why is this one\nb = 2\n"}, open: []string{"a.py"}, script: `
on tars
when why is this one
want # case? why is this one
hold
call ANSWER {"text": "Because it is **the first**.\nAnd more."}
`})
	sc.lens("a.py", "Ask CASE this question")
	if got := sc.lensTitles("a.py"); !slices.Equal(got, []string{"1 CASE answers this question"}) {
		t.Errorf("lenses while it is asked: %q", got)
	}
	sc.model.Release()
	sc.expect(lsptest.Diagnosed("a.py", "CASE answers: “Because it is **the first**. And more.”"))
	sc.must(sc.Replace("a.py", "a = 1\n", "a = 1\n\n"))
	hover := func(line uint32) string {
		var h json.RawMessage
		sc.must(sc.Request(context.Background(), protocol.MethodTextDocumentHover, map[string]any{
			"textDocument": map[string]any{"uri": string(sc.uri("a.py"))}, "position": map[string]any{"line": line, "character": 3},
		}, &h))
		return string(h)
	}
	if got := hover(2); !strings.Contains(got, "And more.") {
		t.Errorf("the hover on the comment: %s", got)
	}
	if got := hover(0); got != "null" {
		t.Errorf("the hover elsewhere: %s", got)
	}
	if got := sc.lensTitles("a.py"); !slices.Contains(got, "2 Open the answer") {
		t.Errorf("lenses: %q", got)
	}
	sc.must(sc.Replace("a.py", "# case? why is this one\n", ""))
	sc.expect(lsptest.Clean("a.py"))
}

// TestActivity opens what a task does while it waits, and sees it brought up to date.
func TestActivity(t *testing.T) {
	other := json.RawMessage(strings.Replace(string(lsptest.Modern), "Visual Studio Code", "Neovim", 1))
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: asksToRun + "on case\nwant all clean\n" + strings.TrimPrefix(write, "\non case\n"), runs: lint,
		editor: lsptest.Options{Initialize: other}})
	id := sc.run("see to it")
	sc.said("Nothing happens until you answer")
	if got := sc.lensTitles("a.py"); !slices.Contains(got, "0 CASE asks: “make docs”") {
		t.Errorf("what is waited for is not told in the file: %q", got)
	}
	sc.command(cmdActivity)
	page := sc.shown("activity-" + id)
	for _, want := range []string{"> see to it", "**It waits for you:** “make docs”.", "run “make docs”", "> look"} {
		if !strings.Contains(sc.Text(page), want) {
			t.Errorf("the activity lacks %q:\n%s", want, sc.Text(page))
		}
	}
	sc.command(cmdApprove)
	sc.expect(lsptest.TextHas(page, "    all clean"), lsptest.TextHas(page, "    +done"), lsptest.TextHas(page, "* done.txt, created, +1 -0"))
	sc.status(id, record.Review)
}

// TestClientSettings has the settings of clients, in each form in which they send them, not complained of, but others
// that are unknown.
func TestClientSettings(t *testing.T) {
	for given, want := range map[string]string{
		`{"trace": {"server": "verbose"}, "path": "/opt/caselsp", "vscode": {"sound": true}}`:          `{}`,
		`{"trace.server": "off", "limits.steps": 3}`:                                                   `{"limits.steps":3}`,
		`{"caselsp": {"trace": {"server": "off"}, "limits": {"steps": 3}}, "caselsp.nvim.keys": true}`: `{"caselsp":{"limits":{"steps":3}}}`,
		`{"tracer": 1}`: `{"tracer":1}`,
		`[1]`:           `[1]`,
	} {
		if got := string(withoutClients(json.RawMessage(given))); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

// TestWriteTests has tests written for a selection; the model is shown it.
func TestWriteTests(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: "on case\nwant Write tests for lines 1 to 1 of a.py\nwant a = 1\n" + strings.TrimPrefix(write, "\non case\n")})
	list, err := sc.CodeActions(t.Context(), "a.py", 0, 5)
	sc.must(err)
	for _, a := range list {
		if a.Title == "CASE: write tests for this" {
			_, err := sc.Do(t.Context(), a)
			sc.must(err)
			sc.said("to review")
			return
		}
	}
	t.Errorf("no action writes tests: %+v", list)
}
