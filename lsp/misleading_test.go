package lsp

import (
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/lsp/lsptest"
)

// TestMisleadingNames: a name that turns the direction of text is spelled out wherever the
// editor shows it, and its file can be decided about all the same.
func TestMisleadingNames(t *testing.T) {
	const name = "a\u202eyp.b"
	sc := play(t, plot{files: map[string]string{name: "a = 1\n"}, open: []string{name}, script: `
on case
call GET_FULL_FILE_CONTENT {"thought": "see it", "path": "a\u202eyp.b"}
on case
call WRITE_FILE {"thought": "t", "path": "a\u202eyp.b", "content": "a = 2\n"}
on case
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`})
	id := sc.run("change it")
	review := sc.shown("review-" + id)
	text := sc.Text(review)
	if !strings.Contains(text, `a\u{202e}yp.b`) {
		t.Errorf("the review does not name the file:\n%s", text)
	}
	sc.expect(lsptest.Diagnosed(name, "hunk 1 of 1"))
	lenses, err := sc.CodeLenses(t.Context(), review)
	sc.must(err)
	var shown []string
	for _, l := range lenses {
		shown = append(shown, l.Command.Title)
	}
	for _, path := range []string{review, name} {
		actions, err := sc.CodeActions(t.Context(), path, 0, len(sc.Text(path)))
		sc.must(err)
		for _, a := range actions {
			shown = append(shown, a.Title)
		}
	}
	for _, m := range sc.State().Messages {
		shown = append(shown, m.Text)
	}
	for _, s := range append(shown, text) {
		if agent.Visible(s) != s {
			t.Errorf("shown: %q", s)
		}
	}
	sc.act(review, "+a = 2", "CASE: accept file")
	sc.said("Accepted: ")
	sc.expect(lsptest.HasText(name, "a = 2\n"))
}
