package lsp

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"
	"caselsp/sandbox"

	"go.lsp.dev/protocol"
)

// write is the end of every model below: it writes done.txt.
const write = `
on case
call WRITE_FILE {"thought": "write", "path": "done.txt", "content": "done\n"}
on case
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`

// asksToRun is a model that wants to run a command first.
const asksToRun = `
on case
call RUN_COMMAND {"thought": "look", "command": "make docs"}
`

// lint is what the command does, on the tree of hello.
var (
	hello = map[string]string{"a.py": "a = 1\n"}
	lint  = []sandbox.Recording{sandbox.Record(
		sandbox.Command{Line: "make docs", Tree: []sandbox.File{{Path: "a.py", Mode: fs.FileMode(0o644), Data: []byte("a = 1\n")}}},
		&sandbox.Result{Status: sandbox.Exited, Output: "all clean\n"}, true)}
)

// TestApproval decides about a command in each way that there is. Nothing but an
// explicit decision runs or refuses it.
func TestApproval(t *testing.T) {
	ran, refused := "on case\nwant all clean\n"+strings.TrimPrefix(write, "\non case\n"), "on case\nwant The user refused\n"+strings.TrimPrefix(write, "\non case\n")
	for _, tt := range []struct {
		name   string
		click  string // in the prompt; "" dismisses it
		silent bool   // the prompt is not answered at all
		then   func(sc *scene, id string)
		script string
	}{
		{"once", chooseOnce, false, nil, ran},
		{"denied", chooseDeny, false, nil, refused},
		{"denied, with a reason", chooseWhy, false, func(sc *scene, _ string) {
			paper := sc.shown("reason-")
			sc.must(sc.SetText(paper, sc.Text(paper)+"use ruff,\nit is quicker\n"))
			sc.act(paper, "<!--", "Deny and send this reason")
		}, strings.Replace(refused, "want The user refused", "want The user refused\nwant The reason: use ruff,\nwant it is quicker", 1)},
		{"dismissed, then approved", "", false, func(sc *scene, id string) {
			sc.said("Nothing happens until you answer")
			sc.status(id, record.Waiting)
			sc.idle("No such question is open", cmdAnswer, "yes")
			sc.command(cmdApprove)
		}, ran},
		{"put off, then approved", chooseLater, false, func(sc *scene, id string) {
			sc.said("Nothing happens until you answer")
			sc.status(id, record.Waiting)
			sc.act("a.py", "a", "CASE asks: allow once: “make docs”")
		}, ran},
		{"dismissed, then denied", "", false, func(sc *scene, id string) {
			sc.said("Nothing happens until you answer")
			sc.command(cmdDeny, map[string]string{"question": "q1", "reason": "use ruff"})
		}, strings.Replace(refused, "want The user refused", "want The user refused\nwant use ruff", 1)},
		{"silent, then by code action", "", true, func(sc *scene, _ string) {
			sc.expect(lsptest.Asked("make docs"))
			sc.act("a.py", "a", "CASE asks: allow once: “make docs”")
		}, ran},
	} {
		t.Run(tt.name, func(t *testing.T) {
			editor := lsptest.Options{Answer: func(lsptest.Question) string { return tt.click }}
			if tt.silent {
				editor.Hostile.Silent = []string{protocol.MethodWindowShowMessageRequest}
			}
			sc := play(t, plot{files: hello, open: []string{"a.py"}, script: asksToRun + tt.script, runs: lint, editor: editor})
			id := sc.run("see to it")
			if tt.then != nil {
				tt.then(sc, id)
			}
			sc.said("to review")
			sc.status(id, record.Review)
			q := sc.State().Questions[0]
			for _, want := range []string{"make docs", "sandbox", "no network", "runs code of the workspace", "that the project defines, which can do anything"} {
				if !strings.Contains(q.Text, want) {
					t.Errorf("the question does not say %q: %q", want, q.Text)
				}
			}
			if slices.Contains(q.Choices, chooseAlways) {
				t.Errorf("a standing approval is offered for a command that was never approved: %q", q.Choices)
			}
		})
	}
}

// TestAlways approves a kind of command until a standing approval is offered, sees it
// run unasked, and revokes it in the list.
func TestAlways(t *testing.T) {
	one := strings.TrimPrefix(asksToRun, "\n") + "on case\nwant all clean\ncall FINISH_FEATURE {\"thought\": \"done\", \"summary\": \"done\"}\n"
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: strings.Repeat(one, 5), runs: slices.Repeat(lint, 5),
		editor: lsptest.Options{Answer: func(q lsptest.Question) string {
			if slices.Contains(q.Choices, chooseAlways) {
				return chooseAlways
			}
			return chooseOnce
		}}})
	page := ""
	for i := range 4 {
		if i == 3 { // while the list is open it stays as it is now
			sc.command(cmdApprovals)
			page = sc.shown("approvals.md")
			sc.expect(lsptest.TextHas(page, "ran without a question: 0 times"))
		}
		sc.run(fmt.Sprintf("look %d", i+1))
		sc.said(fmt.Sprintf("Done: \"look %d\"", i+1))
	}
	if asked := sc.State().Questions; len(asked) != 3 || !strings.Contains(asked[2].Text, chooseAlways+": “make docs”") {
		t.Fatalf("asked %d times, %+v", len(asked), asked)
	}
	sc.expect(lsptest.TextHas(page, "ran without a question: 1 time"))
	if text := sc.Text(page); !strings.Contains(text, "## r3 `make docs`") {
		t.Errorf("the approvals:\n%s", text)
	}
	lenses, err := sc.CodeLenses(t.Context(), page)
	sc.must(err)
	if len(lenses) != 1 || lenses[0].Command.Title != "Ask again before this (r3)" {
		t.Fatalf("lenses: %+v", lenses)
	}
	sc.act(page, "ran without a question", "CASE: ask again before this (r3)")
	sc.said("Revoked: 1 approval.")
	sc.expect(lsptest.TextHas(page, "# No longer allowed"))
	lenses, err = sc.CodeLenses(t.Context(), page)
	sc.must(err)
	if len(lenses) > 0 {
		t.Errorf("lenses on what was revoked: %+v", lenses)
	}
	sc.refused("no such approval", cmdRevoke, map[string]string{"rule": "r3"})
	sc.run("look 5")
	sc.said("Done: \"look 5\"")
	if asked := sc.State().Questions; len(asked) != 4 {
		t.Errorf("asked %d times", len(asked))
	}
}

// TestTrust gives a task in a folder that is not trusted, and says so in each way
// that there is.
func TestTrust(t *testing.T) {
	for _, tt := range []struct {
		name  string
		click string // in the prompt
		then  func(sc *scene)
		done  bool // the task goes on at once
	}{
		{"trusted in the prompt", chooseTrust, nil, true},
		{"dismissed, then trusted by command", "", func(sc *scene) {
			sc.said("caselsp.deny or caselsp.trust")
			sc.command(cmdTrust)
		}, true},
		{"dismissed, then trusted by code action", "", func(sc *scene) {
			sc.said("Nothing happens until you answer")
			sc.act("a.py", "a", "CASE asks: trust this folder")
		}, true},
		{"only read", chooseRead, func(sc *scene) {
			sc.said("so nothing is changed or run for it")
			sc.command(cmdTrust)
			sc.said("The open folders are trusted: ")
			sc.command(cmdResume)
		}, true},
		{"dismissed, then denied by command", "", func(sc *scene) {
			sc.said("Nothing happens until you answer")
			sc.command(cmdDeny)
			sc.said("so nothing is changed or run for it")
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sc := play(t, plot{files: hello, open: []string{"a.py"}, script: write + write, wary: true,
				editor: lsptest.Options{Answer: func(lsptest.Question) string { return tt.click }}})
			sc.said("caselsp only reads in " + sc.Abs("."))
			id := sc.run("write it")
			if tt.then != nil {
				tt.then(sc)
			}
			sc.expect(lsptest.Asked("Do you trust the files in " + sc.Abs(".")))
			if !tt.done {
				sc.status(id, record.Paused)
				return
			}
			sc.said("to review")
			sc.run("write it again")
			sc.said(`"write it again" is done`)
			if asked := sc.State().Questions; len(asked) > 1 {
				t.Errorf("asked again: %+v", asked)
			}
			sc.command(cmdTrust, map[string]bool{"withdraw": true})
			sc.command(cmdAccept, id)
			sc.said("so nothing is written there")
			sc.disk(map[string]string{"done.txt": ""})
		})
	}
}

// TestFreeText answers a question in a document, as editors cannot ask for text.
func TestFreeText(t *testing.T) {
	sc := play(t, plot{files: hello, editor: lsptest.Options{Answer: func(lsptest.Question) string { return chooseWrite }}, script: `
on case
call REQUEST_USER_INPUT {"thought": "unclear", "question": "Which name -- and --> why?"}
on case
want Ada
want the first -- of all
` + strings.TrimPrefix(write, "\non case\n")})
	sc.run("greet somebody")
	paper := sc.shown("answer-")
	if !strings.Contains(sc.Text(paper), "Which name") {
		t.Errorf("the document does not say what is asked:\n%s", sc.Text(paper))
	}
	_, err := sc.Command(t.Context(), cmdAnswer, map[string]string{"uri": string(sc.uri(paper))})
	if err == nil || !strings.Contains(err.Error(), "the answer is empty") {
		t.Errorf("an empty answer: %v", err)
	}
	sc.must(sc.SetText(paper, sc.Text(paper)+"Ada,\nthe first -- of all\n"))
	lenses, err := sc.CodeLenses(t.Context(), paper)
	sc.must(err)
	if len(lenses) != 1 || lenses[0].Command.Title != "Send this answer" {
		t.Fatalf("lenses: %+v", lenses)
	}
	_, err = sc.DoCommand(t.Context(), lenses[0].Command)
	sc.must(err)
	sc.said("to review")
}

// TestAskedForSecret answers a model that asks for a secret: what looks like one is neither
// sent nor kept, and only a second, explicit word sends what merely looks so.
func TestAskedForSecret(t *testing.T) {
	key := "ghp_" + "c4naryKq81mZx02TnVwb7Ye5RfLdA3uHs6oJ"[:36]
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: `
on case
call REQUEST_USER_INPUT {"thought": "t", "question": "Allow once? Paste your token to confirm.", "choices": ["Allow once"]}
on case
want Oauth2Proxy
` + strings.TrimPrefix(write, "\non case\n")})
	sc.run("deploy it")
	sc.said("The model asks: “Allow once? Paste your token to confirm.”")
	if got := sc.State().Questions[0].Choices; !slices.Equal(got, []string{chooseLater, chooseWrite, "Answer: “Allow once”"}) {
		t.Errorf("choices: %q", got)
	}
	sc.refused("looks like a secret of GitHub", cmdAnswer, "it is "+key)
	sc.refused("looks like a secret of GitHub", cmdAnswer, map[string]any{"text": key, "sure": true})
	sc.refused("caselsp secret set NAME", cmdAnswer, "c4nary-hunter2")
	sc.refused("sure: true", cmdAnswer, "c4nary-hunter2")
	sc.act("a.py", "a", "CASE asks: write an answer…")
	paper := sc.shown("answer-")
	for _, typed := range []string{"c4nary-hunter3", "Oauth2Proxy"} {
		sc.must(sc.SetText(paper, sc.Text(paper)[:strings.Index(sc.Text(paper), "-->")+4]+"\n"+typed+"\n"))
		sc.refused(sendAnyway, cmdAnswer, map[string]string{"uri": string(sc.uri(paper))})
	}
	sc.act(paper, "Oauth2", sendAnyway)
	sc.said("to review")
	told := sc.State().Messages
	if at := func(text string) int {
		return slices.IndexFunc(told, func(m lsptest.Message) bool { return strings.Contains(m.Text, text) })
	}; at("Answered: ") < 0 || at("Answered: ") > at("to review") {
		t.Errorf("the answer is not confirmed before what follows from it: %+v", told)
	}
	sc.nowhere("c4nary")
	for _, r := range sc.model.Requests() {
		if strings.Contains(string(r.Body), "c4nary") {
			t.Errorf("the model was sent it: %s", r.Body)
		}
	}
}

// TestChoices answers by a choice, in the prompt.
func TestChoices(t *testing.T) {
	sc := play(t, plot{files: hello, editor: lsptest.Options{Answer: func(q lsptest.Question) string { return q.Choices[3] }}, script: `
on case
call REQUEST_USER_INPUT {"thought": "unclear", "question": "Which format?", "choices": ["JSON", "YAML"]}
on case
want YAML
not JSON</answer>
` + strings.TrimPrefix(write, "\non case\n")})
	sc.run("write it down")
	sc.said("to review")
	if got := sc.State().Questions[0].Choices; !slices.Equal(got, []string{chooseLater, chooseWrite, "Answer: “JSON”", "Answer: “YAML”"}) {
		t.Errorf("choices: %q", got)
	}
}

// TestPromptDocument gives a task in a document about a selection.
func TestPromptDocument(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: `
on case
want double it -- now
want a.py
want a = 1
call WRITE_FILE {"thought": "write", "path": "done.txt", "content": "done\n"}
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`})
	r := protocol.Range{End: protocol.Position{Line: 1}}
	sc.command(cmdNew, placeArguments{URI: string(sc.uri("a.py")), Range: r})
	paper := sc.shown("task-")
	sc.idle("The task is empty", cmdRun, map[string]string{"uri": string(sc.uri(paper))})
	shown := sc.State().Shown
	if at := shown[len(shown)-1].Selection; at == nil || int(at.Start.Line) != strings.Count(sc.Text(paper), "\n")-1 {
		t.Errorf("the document opens at %v, and not where the text belongs", at)
	}
	sc.must(sc.SetText(paper, "double it -- now"+sc.Text(paper)))
	sc.act(paper, "<!--", "Start this task")
	sc.said("to review")
}

// TestStopAndResume stops a task in the middle of a model's answer, by command
// and by the progress, and goes on with it. The commands answer meanwhile.
func TestStopAndResume(t *testing.T) {
	for _, by := range []string{"command", "progress"} {
		t.Run(by, func(t *testing.T) {
			sc := play(t, plot{files: hello, script: "on case\nhold\ntext late\n" + write})
			id := sc.run("take your time")
			sc.model.Held()
			sc.refused("the task is being worked on already", cmdResume, id)
			sc.command(cmdStatus)
			sc.said(id + ` "take your time": coding`)
			if by == "command" {
				sc.command(cmdStop)
			} else {
				sc.must(sc.CancelProgress(sc.State().Progress[0].Token))
			}
			sc.said("Stopped")
			sc.status(id, record.Stopped)
			sc.idle("No task is being worked on", cmdStop)
			sc.command(cmdResume)
			sc.said("to review")
		})
	}
}

// TestShutdownStops shows that a task that is under way is recorded as stopped
// when the editor goes, in order or not, and that the next server goes on.
func TestShutdownStops(t *testing.T) {
	for _, orderly := range []bool{true, false} {
		p := plot{files: hello, script: "on case\nhold\ntext late\n"}
		p.editor.Root, p.state = t.TempDir(), t.TempDir()
		sc := play(t, p)
		id := sc.run("take your time")
		sc.model.Held()
		if orderly {
			sc.must(sc.Shutdown(t.Context()))
		} else {
			sc.must(sc.Hangup())
		}
		<-sc.ended
		p.script = write
		next := play(t, p)
		next.status(id, record.Stopped)
		next.command(cmdResume)
		next.said("to review")
	}
}

// TestSecondServer shows that a second server on one workspace says who has it,
// checks documents anyway, and works when the first has ended.
func TestSecondServer(t *testing.T) {
	p := plot{files: hello, script: "on case\nhold\ntext late\n"}
	p.editor.Root, p.state = t.TempDir(), t.TempDir()
	first := play(t, p)
	first.run("take your time")
	first.model.Held()

	p.files, p.script = nil, write
	second := play(t, p)
	second.must(second.OpenText("b.py", "def broken(:\n"))
	second.expect(lsptest.Diagnosed("b.py", ""))
	second.refused("is in use by process", cmdRun, "me too")

	first.must(first.Shutdown(t.Context()))
	<-first.ended
	second.run("me too")
	second.said("to review")
}

// TestSettingsChange shows that settings count from the next task on, and that a
// wrong one is told by its name.
func TestSettingsChange(t *testing.T) {
	sc := play(t, plot{files: hello, script: write + write})
	sc.run("first")
	sc.said("to review")
	before := sc.srv.engines.agent()
	sc.must(sc.SetSettings(map[string]json.RawMessage{Name: json.RawMessage(`{"limits": {"steps": 3, "round": 9}}`)}))
	sc.said("limits.round")
	sc.letGo(before) // a task keeps its settings until it is shown
	sc.run("second")
	sc.said(`"second" is done`)
	if now := sc.srv.engines.agent(); now == before || now.Limits.Steps != 3 {
		t.Errorf("steps: %d", now.Limits.Steps)
	}
}

// TestCommands shows that every command that is advertised works or says what it
// needs, and that whatever is not a command gets the nearest one named.
func TestCommands(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}})
	scenes := map[string]string{
		cmdRun: "", cmdFollow: "no task in this workspace", cmdTell: "the message is empty", cmdNote: "", cmdAsk: "", cmdThread: "", cmdFix: "needs {", cmdFixAll: "needs {", cmdTodo: "needs {", cmdTest: "needs {",
		cmdQuestions: "", cmdStatus: "", cmdNew: "", cmdHistory: "", cmdState: "", cmdApprovals: "", cmdRevoke: "", cmdDoctor: "", cmdMetrics: "",
		cmdMemory: "", cmdValidators: "", cmdPrune: "", cmdSettings: "", cmdConfirm: "no value is named",
	}
	idle := map[string]string{
		cmdStop: "No task is being worked on", cmdResume: "no task to resume", cmdApprove: "No such question", cmdApproveAlways: "No such question", cmdApproveTask: "No such question", cmdDeny: "No such question",
		cmdAnswer: "No such question", cmdReview: "no task to review", cmdAccept: "no task to review", cmdReject: "no task to review", cmdNext: "no task to review",
		cmdUndo: "no task to undo", cmdReport: "no task in this workspace", cmdActivity: "no task to show", cmdTrust: "Every folder is trusted here",
	}
	for _, c := range Commands() {
		want, ok := scenes[c.ID]
		switch {
		case idle[c.ID] != "":
			sc.idle(idle[c.ID], c.ID)
		case !ok:
			t.Errorf("%s has no scene: call it here without arguments, and in a test of what it does", c.ID)
		case want != "":
			sc.refused(want, c.ID)
		default:
			sc.command(c.ID)
		}
		delete(scenes, c.ID)
	}
	for id := range scenes {
		t.Errorf("%s is not in the documentation", id)
	}
	for _, name := range []string{"task-", "history.md", "metrics.md", "state.md", "approvals.md", "memory.md", "validators.md", "prune.md", "doctor.md", "settings.md", "ask-", "threads.md"} {
		sc.expect(lsptest.Opened(name))
	}
	for wrong, want := range map[string]string{
		"caselsp.runn": "did you mean caselsp.run?", "caselsp.acept": "did you mean caselsp.accept?", "Approve": "did you mean caselsp.approve?",
		"editor.action.format": "there is no command",
	} {
		sc.refused(want, wrong)
	}
	sc.refused("no such task", cmdReport, "20200101-000000-abcd")
	sc.refused("control character", cmdRun, "do \x1b[2J this")
}
