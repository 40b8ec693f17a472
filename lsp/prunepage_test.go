package lsp

import (
	"bytes"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
)

// TestPrunePage shows a task that would be pruned, and prunes it when the user confirms that: by a question where the editor shows it
// beside the text, else by a second action.
func TestPrunePage(t *testing.T) {
	for name, second := range map[string]bool{"Visual Studio Code": false, "Neovim": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := make(chan string, 2)
			answers <- "Keep"
			answers <- "Prune"
			p := plot{files: project, open: []string{"a.py"}, script: givesUp}
			p.editor.Initialize = bytes.Replace(lsptest.Modern, []byte("Visual Studio Code"), []byte(name), 1)
			p.editor.Answer = func(q lsptest.Question) string {
				if strings.HasPrefix(q.Text, "Prune 1 task (") {
					return <-answers
				}
				return ""
			}
			sc := play(t, p)
			id := sc.run("change it all")
			sc.said("Its work is kept")
			sc.idle("Nothing is shown that could be pruned", cmdPrune, map[string]any{"sure": true})
			sc.refused("days is \"soon\": a number from 1 is wanted", cmdPrune, map[string]any{"days": "soon"})
			sc.command(cmdPrune, map[string]any{"megabytes": 1})
			page := sc.shown("prune.md")
			sc.expect(lsptest.TextHas(page, "Nothing would go."))
			sc.command(cmdPrune, map[string]any{"task": id})
			sc.expect(lsptest.TextHas(page, "## Would go\n\n* **"+id+"**"))
			lenses, err := sc.CodeLenses(t.Context(), page)
			sc.must(err)
			if len(lenses) != 1 || !strings.HasPrefix(lenses[0].Command.Title, "Prune 1 task (") {
				t.Fatalf("lenses: %+v in\n%s", lenses, sc.Text(page))
			}
			title := lenses[0].Command.Title
			if second {
				sc.act(page, "# Old", title)
				sc.expect(lsptest.TextHas(page, "# Prune these old tasks?"))
				title = "Yes, p" + title[1:]
			} else {
				sc.act(page, "# Old", title)
				sc.expect(lsptest.Asked("Prune 1 task ("))
			}
			sc.command(cmdReport, id) // it is there still
			sc.act(page, "What memory", title)
			sc.said("Pruned: 1 task, ")
			sc.expect(lsptest.TextHas(page, "Nothing would go."))
			sc.refused("the task was pruned", cmdReport, id)
		})
	}
}
