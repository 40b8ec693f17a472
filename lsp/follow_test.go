package lsp

import "testing"

// TestFollow goes on from the last task: by its words, and by a document.
func TestFollow(t *testing.T) {
	sc := play(t, plot{files: hello, script: `
on case
when what is a
call ANSWER {"text": "It is one."}
on tars
when and b
want It is one.
call ANSWER {"text": "There is none."}
on tars
when and c
want There is none.
call ANSWER {"text": "None either."}
`})
	sc.run("what is a?")
	sc.said("Answered: \"what is a?\"")
	sc.command(cmdFollow, "and b?")
	sc.said("“There is none.”")
	sc.command(cmdFollow)
	paper := sc.shown("task-")
	sc.must(sc.SetText(paper, sc.Text(paper)+"and c?\n"))
	sc.act(paper, "<!--", "Start this task")
	sc.said("“None either.”")
	sc.refused("no such task", cmdFollow, map[string]any{"task": "20200101-000000-abcd", "text": "more"})
}
