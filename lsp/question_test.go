package lsp

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// TestAccident has editors answer the question about a command without anybody having
// decided: nothing runs, and the question stays open.
func TestAccident(t *testing.T) {
	for name, o := range map[string]lsptest.Options{
		"dismissed":        {},
		"null":             {Answer: func(lsptest.Question) string { return chooseOnce }, Hostile: lsptest.Hostile{NullAnswers: true}},
		"an error":         {Hostile: lsptest.Hostile{FailQuestions: true}},
		"an empty title":   {Hostile: lsptest.Hostile{EmptyTitles: true}},
		"an unknown title": {Answer: func(lsptest.Question) string { return "allow once" }},
		"a command":        {Answer: func(lsptest.Question) string { return cmdApprove }},
		"silence":          {Hostile: lsptest.Hostile{Silent: []string{protocol.MethodWindowShowMessageRequest}}},
		"the first choice": {Answer: func(q lsptest.Question) string { return q.Choices[0] }},
		"within 1 ms":      {Answer: func(lsptest.Question) string { return chooseOnce }},
	} {
		t.Run(name, func(t *testing.T) {
			sc := play(t, plot{files: hello, open: []string{"a.py"}, script: asksToRun, runs: lint, reads: true, editor: o})
			id := sc.run("see to it")
			sc.expect(lsptest.Asked("make docs"))
			if name != "silence" {
				sc.said("Nothing happens until you answer")
			}
			sc.status(id, record.Waiting)
			if n := len(sc.State().Questions); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// TestOutOfDate clicks a notification whose question was decided elsewhere: the user is told
// that the click has changed nothing.
func TestOutOfDate(t *testing.T) {
	click := make(chan string)
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: asksToRun + "on case\nwant The user refused\n" + strings.TrimPrefix(write, "\non case\n"), runs: lint,
		editor: lsptest.Options{Answer: func(lsptest.Question) string { return <-click }}})
	sc.run("see to it")
	sc.expect(lsptest.Asked("make docs"))
	sc.act("a.py", "a", "CASE asks: deny: “make docs”")
	sc.said("to review")
	click <- chooseOnce
	sc.said(`That question is not open any more, so "Allow once" has changed nothing: “make docs”`)
}

// TestPresentation records how each of the real clients is asked: only one that shows a
// question beside the text gets a prompt. In every other one a message names the command
// first, nothing takes the keyboard, and the question is answered in the list of questions.
func TestPresentation(t *testing.T) {
	clients := recordings(t)
	clients["a plugin"] = json.RawMessage(`{"clientInfo":{"name":"Emacs"},"capabilities":{"experimental":{"caselsp":{"questions":"beside"}}}}`)
	clients["a project"] = json.RawMessage(`{"clientInfo":{"name":"Emacs"},"initializationOptions":{"questions":"beside","experimental":{"caselsp":{"questions":"beside"}}},"capabilities":{}}`)
	for name, init := range clients {
		t.Run(name, func(t *testing.T) {
			sc := play(t, plot{files: hello, open: []string{"a.py"}, script: asksToRun + "on case\nwant all clean\n" + strings.TrimPrefix(write, "\non case\n"), runs: lint,
				editor: lsptest.Options{Initialize: init, Hostile: lsptest.Hostile{Silent: []string{protocol.MethodWindowShowMessageRequest}}}})
			if len(sc.srv.folders.all()) == 0 {
				return // such a client has no tasks
			}
			id := sc.run("see to it")
			prompted := slices.Contains([]string{"vscode-lc9", "a plugin"}, strings.TrimSuffix(name, ".json"))
			if prompted {
				sc.expect(lsptest.Asked("make docs"))
			} else {
				sc.said("Nothing happens until you answer")
			}
			sc.status(id, record.Waiting)
			st := sc.State()
			if (len(st.Questions) > 0) != prompted || len(st.Shown) > 0 || len(st.Edits) > 0 {
				t.Fatalf("asked %+v, shown %+v, edits %+v", st.Questions, st.Shown, st.Edits)
			}
			if prompted && (st.Questions[0].Choices[0] != chooseLater || !strings.HasPrefix(st.Questions[0].Text, "“make docs”. ") || strings.Contains(st.Questions[0].Text, "\n")) {
				t.Errorf("asked %+v", st.Questions[0])
			}
			begin := "“make docs”. CASE wants to run a command. "
			if sc.srv.ed.client.OneLine { // what is cut off there must not be how it is answered
				begin = "Answer with caselsp.approve or caselsp.deny: " + begin
			}
			if last := st.Messages[max(len(st.Messages)-1, 0):]; !prompted && (!strings.HasPrefix(last[0].Text, begin) || strings.Contains(last[0].Text, "\n")) {
				t.Errorf("told %q", last[0].Text)
			}
			first := sc.offered("a.py", 0, 0, "")[0]
			if !strings.Contains(string(first), cmdQuestions) || strings.Contains(string(first), "isPreferred") {
				t.Errorf("the first code action is %s", first)
			}
			sc.answerInList(t)
			sc.status(id, record.Review)
		})
	}
}

// answerInList opens the list of questions as far as the client can, and allows what is asked there.
func (sc *scene) answerInList(t *testing.T) {
	t.Helper()
	sc.command(cmdQuestions)
	page := ""
	if sc.srv.ed.client.ShowDocument {
		page = sc.shown("questions-")
		last := sc.State().Shown[len(sc.State().Shown)-1]
		if line := strings.Split(sc.Text(page), "\n")[last.Selection.Start.Line]; !strings.HasPrefix(line, "## ") {
			t.Errorf("the list is shown at %q, not at a question", line)
		}
	} else {
		sc.said("questions-")
		said := sc.State().Messages
		last := said[len(said)-1]
		if last.Type != protocol.MessageTypeInfo {
			t.Errorf("it is told as an error that the document lies there: %q", last.Text)
		}
		for word := range strings.FieldsSeq(last.Text) {
			page = strings.Trim(word, "`")
		}
		if _, err := os.Stat(page); errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%q: %v", said[len(said)-1].Text, err)
		}
		sc.must(sc.Open(page))
	}
	lenses, err := sc.CodeLenses(t.Context(), page)
	sc.must(err)
	var titles []string
	for _, l := range lenses {
		titles = append(titles, l.Command.Title)
	}
	if !slices.Equal(titles, []string{chooseDeny, chooseWhy, chooseOnce}) {
		t.Errorf("lenses %q on\n%s", titles, sc.Text(page))
	}
	sc.act(page, "> make docs", "CASE: allow once")
	sc.said("to review")
}

// TestAnswerAfterRestart closes the editor while a question is open, in order and by a crash.
// The question does not hold the editor up, stays open, and is answered in the next session.
func TestAnswerAfterRestart(t *testing.T) {
	for _, orderly := range []bool{true, false} {
		p := plot{files: hello, open: []string{"a.py"}, script: asksToRun, runs: lint}
		p.editor.Root, p.state = t.TempDir(), t.TempDir()
		sc := play(t, p)
		id := sc.run("see to it")
		sc.expect(lsptest.Asked("make docs"))
		if orderly {
			sc.must(sc.Shutdown(t.Context()))
		} else {
			sc.must(sc.Hangup())
		}
		<-sc.ended
		p.files, p.script = nil, "on case\nwant all clean\n"+strings.TrimPrefix(write, "\non case\n")
		next := play(t, p)
		next.status(id, record.Stopped)
		next.answerInList(t)
		next.status(id, record.Review)
	}
}

// TestAnswerWhileResuming answers the question of a task that was stopped and resumed, before the
// run has come to ask it again. The answer counts, once.
func TestAnswerWhileResuming(t *testing.T) {
	clock := lsptest.NewClock()
	sc := play(t, plot{files: hello, open: []string{"a.py"}, clock: clock, script: asksToRun + "on case\nwant all clean\n" + strings.TrimPrefix(write, "\non case\n"), runs: lint})
	id := sc.run("see to it")
	const answerGap = 250 * time.Millisecond // of package wire, before the work begins
	begin := func() {
		clock.Await(answerGap)
		clock.Advance(answerGap)
	}
	begin()
	sc.expect(lsptest.Asked("make docs"))
	sc.command(cmdStop)
	sc.said("Stopped")
	sc.command(cmdResume, id)
	sc.command(cmdApprove, map[string]string{"task": id, "question": "q1"})
	begin()
	sc.said("to review")
}

// TestLongSilence leaves a question alone for as long as a run waits: the task pauses with the
// question open, and a click on the notification, which is still there, is an answer.
func TestLongSilence(t *testing.T) {
	click, clock := make(chan string), lsptest.NewClock()
	sc := play(t, plot{files: hello, open: []string{"a.py"}, clock: clock, script: asksToRun + "on case\nwant all clean\n" + strings.TrimPrefix(write, "\non case\n"), runs: lint,
		editor: lsptest.Options{Answer: func(lsptest.Question) string { return <-click }}})
	id := sc.run("see to it")
	const answerGap = 250 * time.Millisecond // of package wire, before the work begins
	clock.Await(answerGap)
	clock.Advance(answerGap)
	sc.expect(lsptest.Asked("make docs"))
	clock.Await(waitTime)
	clock.Advance(waitTime / 2)
	sc.status(id, record.Waiting)
	clock.Advance(waitTime / 2)
	sc.said("waits for you")
	sc.status(id, record.Paused)
	click <- chooseOnce
	sc.said("to review")
	sc.status(id, record.Review)
}

// TestEarlyAnswer answers before the question can have been read, by the prompt and by a command
// that names no question: each early answer makes the time run anew, which is longer for a longer
// question. What comes after it counts.
func TestEarlyAnswer(t *testing.T) {
	click, clock := make(chan string, 1), lsptest.NewClock()
	sc := play(t, plot{files: hello, open: []string{"a.py"}, clock: clock, reads: true, script: asksToRun + "on case\nwant all clean\n" + strings.TrimPrefix(write, "\non case\n"), runs: lint,
		editor: lsptest.Options{Answer: func(lsptest.Question) string { return <-click }}})
	id := sc.run("see to it")
	const answerGap = 250 * time.Millisecond // of package wire, before the work begins
	clock.Await(answerGap)
	clock.Advance(answerGap)
	sc.expect(lsptest.Asked("make docs"))
	reading := agent.ReadTime(sc.State().Questions[0].Text)
	if reading <= agent.ReadTime("make docs") {
		t.Fatalf("a long question is read in %v", reading)
	}
	clock.Advance(reading - time.Millisecond)
	click <- chooseOnce
	sc.said("Nothing happens until you answer")
	for range 3 {
		clock.Advance(reading - time.Millisecond)
		sc.refused("a question has just come, about “make docs”", cmdApprove)
	}
	sc.status(id, record.Waiting)
	clock.Advance(reading)
	sc.command(cmdApprove)
	sc.said("to review")
}

// TestProgramAsked shows that a question about a program of caselsp's own begins with what it does, in all places; the program
// comes last, and no action that does not show it allows it.
func TestProgramAsked(t *testing.T) {
	const line = "mkdir -p /deps/node && npm ci"
	q := record.Question{ID: "q1", Task: "t1", Text: "The tests need the dependencies. Install them?", Why: "They are kept.", Subject: record.Install{Line: line, Where: "in the sandbox"}}
	for _, text := range []string{questionText(q), questionsText([]record.Question{q})} {
		if asks, program := strings.Index(text, q.Text), strings.Index(text, line); asks < 0 || program < strings.Index(text, q.Why) || program < asks {
			t.Errorf("asked: %s", text)
		}
	}
	const called = "install the project's dependencies"
	if d := questionAsData(q, false); d.Called != called || d.Asks != q.Text || d.What != line || !d.Resumes {
		t.Errorf("as data: %+v", d)
	}
	if asking(q) != "CASE asks: "+called || !shortened(q) {
		t.Errorf("in titles: %q", asking(q))
	}
}
