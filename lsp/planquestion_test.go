package lsp

import (
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"
)

// planned is a script of a task with a plan that the user has changed once.
const planned = `
on tars
last # Workspace
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["uno.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Write uno", "description": "Write uno.txt."}]}
on tars
want name it one.txt
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["one.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Write one", "description": "Write one.txt.", "test": "sh test.sh"}, {"id": "g", "title": "More", "description": "d"}]}
on case
want not to be built: g (More)
call WRITE_FILE {"thought": "t", "path": "one.txt", "content": "1\n"}
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
when # Diff of this feature
call SUBMIT_VERDICT {"completion": 100, "summary": "done", "issues": []}
`

// TestPlanQuestion looks at plans in an editor: the prompt names the features and offers to change
// the plan, in a document that shows the whole of it; features are dropped by a command.
func TestPlanQuestion(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, plans: true, script: planned, editor: lsptest.Options{Answer: func(q lsptest.Question) string {
		switch {
		case strings.Contains(q.Text, "Write uno"):
			return chooseChange
		case strings.Contains(q.Text, "More"):
			return chooseEnough
		}
		return chooseMore
	}}})
	id := sc.command(cmdRun, map[string]any{"task": "write one"})
	paper := sc.shown("answer-")
	if text := sc.Text(paper); !strings.Contains(text, "> 1. f: Write uno\n>    Write uno.txt.\n") {
		t.Errorf("the document lacks the plan:\n%s", text)
	}
	first := sc.State().Questions[0]
	if !slices.Equal(first.Choices, []string{chooseLater, chooseChange, chooseEnough, chooseMore}) ||
		!strings.HasPrefix(first.Text, "Shall the work begin with this plan of one feature? 1. “Write uno”. ") || strings.Contains(first.Text, "\n") {
		t.Errorf("asked %+v", first)
	}
	sc.must(sc.SetText(paper, sc.Text(paper)+"name it one.txt\n"))
	sc.act(paper, "name it", "Send this answer")
	sc.said("Stopped: ") // at the second plan
	sc.status(id, record.Stopped)
	sc.refused("there is nothing to stop", cmdAnswer, chooseEnough)
	sc.command(cmdQuestions)
	page := sc.shown("questions-")
	if text := sc.Text(page); !strings.Contains(text, "> 1. f: Write one\n>    Write one.txt.\n>    tests: sh test.sh\n> 2. g: More\n") {
		t.Errorf("the list lacks the plan:\n%s", text)
	}
	sc.command(cmdAnswer, "drop 2")
	sc.said("to review")
	sc.status(id, record.Review)
}
