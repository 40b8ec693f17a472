package lsp

import (
	"bytes"
	"encoding/json"
	flags "flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

var update = flags.Bool("update", false, "rewrite the fixtures")

var times = regexp.MustCompile(`"20\d\d-[^"]+T[^"]+"`)

// fixture compares an answer with a file of testdata/plugin, in which the task is TASK and the project's root ROOT.
func (sc *scene) fixture(name, task, id string, args any) {
	sc.t.Helper()
	raw, err := sc.Command(sc.t.Context(), id, args)
	sc.must(err)
	text := strings.NewReplacer(task, "TASK", "file://"+sc.Abs(""), "file://ROOT", sc.state, "/STATE").Replace(string(raw))
	text = times.ReplaceAllString(text, `"TIME"`)
	text = regexp.MustCompile(`file:///STATE/workspaces/[^/]+/`).ReplaceAllString(text, "file:///STATE/workspaces/ID/")
	var got bytes.Buffer
	sc.must(json.Indent(&got, []byte(text), "", "  "))
	got.WriteByte('\n')
	file := filepath.Join("testdata", "plugin", name+".json")
	if *update {
		sc.must(os.WriteFile(file, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	sc.must(err)
	if !bytes.Equal(got.Bytes(), want) {
		sc.t.Errorf("%s of %s:\n%s", id, file, got.String())
	}
}

// data are the arguments that ask for data.
func data(fields map[string]any) map[string]any {
	fields["format"] = "data"
	return fields
}

// TestPluginReview compares the data of a result with its fixture: pending, in conflict with what the user typed, after
// a decision, with whole texts.
func TestPluginReview(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: edits})
	id := sc.run("change it all")
	sc.shown("review-" + id)
	sc.must(sc.Replace("a.py", "x1 = 1\n", "first = 0\nx1 = 1\n"))
	sc.fixture("review_pending", id, cmdReview, data(map[string]any{"task": id}))
	sc.must(sc.Replace("a.py", "x18 = 18\n", "x18 = 81\n"))
	sc.command(cmdAccept, map[string]any{"task": id, "file": "a.py", "hunk": 1})
	sc.said("left to decide")
	sc.fixture("review_texts", id, cmdReview, data(map[string]any{"file": "a.py", "texts": true}))
	sc.fixture("status_review", id, cmdStatus, data(map[string]any{"task": id}))
	sc.command(cmdReject)
	sc.said("is rejected; what you accepted stays")
	sc.fixture("status_decided", id, cmdStatus, data(map[string]any{}))
	if raw, err := sc.Command(t.Context(), cmdReview, data(map[string]any{})); err != nil || string(raw) != "null" {
		t.Errorf("no result waits: %s, %v", raw, err)
	}
	sc.refused(`unknown format "xml"`, cmdStatus, map[string]any{"format": "xml"})
	if shown := sc.State().Shown; len(shown) != 1 {
		t.Errorf("data have opened a document: %+v", shown)
	}
}

// TestPluginQuestions compares the data of an open question and of the task that waits with their fixtures; the command
// of a choice, as it stands there, answers.
func TestPluginQuestions(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: asksToRun + "on case\nwant all clean\n" + strings.TrimPrefix(write, "\non case\n"), runs: lint,
		editor: lsptest.Options{Answer: func(lsptest.Question) string { return "" }}})
	id := sc.run("see to it")
	sc.said("Nothing happens until you answer")
	sc.fixture("questions", id, cmdQuestions, data(map[string]any{}))
	sc.fixture("status_waiting", id, cmdStatus, data(map[string]any{"task": id}))
	var d questionsView
	raw, err := sc.Command(t.Context(), cmdQuestions, data(map[string]any{"task": id}))
	sc.must(err)
	sc.must(json.Unmarshal(raw, &d))
	for _, c := range d.Questions[0].Choices {
		if c.Title == chooseOnce {
			sc.command(c.Command, c.Arguments...)
		}
	}
	sc.said("to review")
	sc.status(id, record.Review)
}

// TestChangedEvents has many changes told in few notifications, and none to a client that does not want them.
func TestChangedEvents(t *testing.T) {
	var clock *lsptest.Clock
	begun := func(experimental string) *session {
		init := strings.Replace(string(lsptest.Modern), `"general"`, `"experimental": `+experimental+`, "general"`, 1)
		return begin(t, lsptest.Options{Initialize: json.RawMessage(init)}, func(s *server) { clock = freeze(s); s.install() })
	}
	s := begun(`{"caselsp": {"events": true}}`)
	for range 100 {
		s.srv.events.tell("t1", changedStatus)
		s.srv.events.tell("t2", changedReview, changedStatus)
	}
	clock.Advance(changedInterval)
	s.srv.ed.showMessage(protocol.MessageTypeInfo, "behind them")
	s.expect(lsptest.ShownMessage("behind them"))
	want := []string{`{"changes":[{"task":"t1","kinds":["status"]}]}`, `{"changes":[{"task":"t1","kinds":["status"]},{"task":"t2","kinds":["review","status"]}]}`}
	if got := s.State().Notified[methodChanged]; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("notified %q, want %q", got, want)
	}
	s = begun(`{"caselsp": {"questions": "beside"}}`)
	s.srv.events.hear(agent.Event{Body: record.Asked{}})
	clock.Advance(time.Minute)
	s.srv.ed.showMessage(protocol.MessageTypeInfo, "behind it")
	s.expect(lsptest.ShownMessage("behind it"))
	if got := s.State().Notified[methodChanged]; len(got) > 0 {
		t.Errorf("a client that did not ask for events was sent %q", got)
	}
}
