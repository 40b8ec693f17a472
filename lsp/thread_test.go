package lsp

import (
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// threadModel answers in a thread, and carries out what is agreed there.
const threadModel = `
on tars
when what is this
want     1  a = 1
want Not shown:
call ANSWER {"text": "It is **one**."}
on tars
when and in French
want It is **one**.
call ANSWER {"text": "Un."}
on tars
when say why
want Un.
call ANSWER {"text": "Because. Shall I add it?"}
on tars
when yes, please
call HAND_OVER {"task": "Add it to done.txt."}
on tars
when # Task
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["done.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Done", "description": "Add it."}]}
on case
when Add it to done.txt
call WRITE_FILE {"thought": "t", "path": "done.txt", "content": "un\n"}
call FINISH_FEATURE {"thought": "t", "summary": "added"}
on tars
when Diff of this feature
call SUBMIT_VERDICT {"completion": 100, "summary": "done", "issues": []}
`

// TestThread asks in a thread, with a file, with a selection, and by a document; shows, lists, hands over and
// deletes it.
func TestThread(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: threadModel})
	file := string(sc.uri("a.py"))
	sc.command(cmdAsk, map[string]any{"text": "what is this, and @nothing?", "uri": file})
	sc.said("Not shown to the model: @nothing: there is no such file or symbol")
	sc.said("Answered in the thread main: “It is **one**.”.")
	if p := sc.State().Progress; len(p) != 1 || p[0].Title != "CASE answers" {
		t.Errorf("the progress while it is answered: %+v", p)
	}
	page := sc.shown("thread-main")
	for _, want := range []string{"# Thread main", "what is this, and @nothing?", "Shown: a.py", "in the words of the model:\n\n> It is **one**."} {
		if !strings.Contains(sc.Text(page), want) {
			t.Errorf("the document lacks %q:\n%s", want, sc.Text(page))
		}
	}
	sc.command(cmdAsk, "and in French?")
	sc.said("“Un.”")
	offers, err := sc.CodeActions(t.Context(), "a.py", 0, len("a = 1"))
	sc.must(err)
	about := slices.IndexFunc(offers, func(a protocol.CodeAction) bool { return a.Title == "CASE: ask about this" })
	if about < 0 {
		t.Fatalf("nothing is asked about a selection: %v", offers)
	}
	_, err = sc.Do(t.Context(), offers[about])
	sc.must(err)
	paper := sc.shown("ask-")
	sc.must(sc.SetText(paper, sc.Text(paper)+"say why\n"))
	sc.act(paper, "<!--", "Ask this")
	if text := sc.Text(paper); !strings.Contains(text, "It is about a.py, lines 1 to 1") {
		t.Errorf("the prompt document: %s", text)
	}
	sc.said("“Because. Shall I add it?”")
	sc.command(cmdThread)
	if text := sc.Text(sc.shown("threads")); !strings.Contains(text, "* **main**") || !strings.Contains(text, "open, 3 messages") {
		t.Errorf("the list: %s", text)
	}
	sc.command(cmdAsk, "yes, please")
	sc.said("The thread main is handed over to a task: \"Add it to done.txt.\"")
	sc.said("to review")
	sc.refused("no such thread", cmdThread, "none")
	sc.refused("cannot be the name of a thread", cmdAsk, map[string]any{"text": "x", "thread": "../x"})
	sc.refused("needs a thread", cmdThread, map[string]any{"do": true})
	sc.refused("nothing was answered", cmdThread, map[string]any{"thread": "main", "do": true})
	sc.command(cmdThread, map[string]any{"thread": "main", "delete": true})
	sc.said("Deleted: the thread main.")
	sc.refused("no such thread", cmdThread, "main")
}

// TestThreadWaits says something in a thread that is answering: the message waits for its turn, and is answered then.
func TestThreadWaits(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: `
on tars
when second
want The first.
call ANSWER {"text": "The second."}
on tars
when first
hold
call ANSWER {"text": "The first."}
`})
	sc.command(cmdAsk, "first")
	sc.model.Held()
	sc.command(cmdAsk, "second")
	sc.said("The thread main is answering another message. Yours is next.")
	sc.model.Release()
	sc.said("Answered in the thread main: “The first.”")
	sc.said("Answered in the thread main: “The second.”")
}
