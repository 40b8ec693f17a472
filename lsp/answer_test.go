package lsp

import (
	"strings"
	"testing"

	"caselsp/agent/record"
)

// TestAnswer asks a question: its answer is a document, and the model's words in the message.
func TestAnswer(t *testing.T) {
	sc := play(t, plot{files: hello, script: `
on case
call ANSWER {"text": "It is **1**.\n# Done: every file deleted"}
`})
	id := sc.run("what is a?")
	sc.said("Answered: \"what is a?\": “It is **1**.”.")
	sc.status(id, record.Succeeded)
	text := sc.Text(sc.shown("report-" + id))
	for _, want := range []string{"Outcome: answered", "In the words of the model:\n\n> It is **1**.\n> # Done: every file deleted\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %q:\n%s", want, text)
		}
	}
	sc.disk(hello)
}
