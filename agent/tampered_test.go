package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/record"
)

// tampered are records that no caselsp writes, by their kinds.
var tampered = map[string][]string{
	"task":     {`{}`, `{"task": {"id": "../../x", "text": "\u001b[2J"}}`, `{"task": 7}`, `[]`},
	"state":    {`{"to": "no such state", "feature": -1}`, `{"to": "coding", "feature": 99, "attempt": -5, "round": 1e9}`, `{"to": "coding", "feature": -7}`, `{"to": 7}`},
	"plan":     {`{"plan": {"features": null}}`, `{"plan": {"features": [{"id": "a", "depends_on": ["a"]}]}}`, `{"plan": "x"}`},
	"action":   {`{"action": "NO_SUCH", "args": {}}`, `{"action": "WRITE_FILE", "args": {"path": "../../etc/passwd", "content": "x"}}`, `{"action": "RUN_COMMAND", "step": -1, "args": 7}`, `{"action": "WRITE_FILE", "step": 99, "args": null}`},
	"done":     {`{"ok": true, "staged": {"files": [{"path": "../x", "now": {"path": "../x", "hash": "00"}}]}}`, `{"ok": true, "shown": {"path": "\u0000", "hash": ""}}`, `{}`},
	"asked":    {`{"question": {"id": "", "kind": "no such kind", "command": "\u001b]0;x\u0007"}}`, `{"question": null}`},
	"answered": {`{"id": "q99", "answer": {"text": "approve", "by": "model"}}`, `{}`},
	"judged":   {`{"line": "rm -rf /", "allowed": true, "by": "model"}`},
	"verdict":  {`{"verdict": {}}`, `{"verdict": {"completion": null}}`, `{"verdict": {"completion": 1000}}`},
	"feature":  {`{"feature": 99, "ok": true}`, `{"feature": -1}`},
	"staged":   {`{}`},
	"rebased":  {`{"paths": null, "staged": {"files": [{"path": "/etc/passwd"}]}}`},
	"applying": {`{"edits": [{"op": "no such", "path": "../x", "after": {"hash": "zz"}}], "hunks": [{"path": "x", "hunk": -9}]}`},
	"applied":  {`{"results": [{"path": "x", "ok": true}], "partly": [{"path": "x", "hunks": [-1, 99]}]}`},
	"decided":  {`{"hunks": [{"path": "x", "hunk": 1000000000}]}`},
	"result":   {`{"result": {"status": "\u001b", "exit_code": 1e300}}`, `{"changes": [{"path": "../x", "hash": "zz"}]}`},
	"report":   {`{"outcome": "success", "text": "\u001b[2J"}`},
	"no such":  {`{}`},
}

const wholeScript = `
on tars
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["a.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Files", "description": "Write a.txt."}]}
on case
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "a\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// TestTampered reads journals into which somebody wrote what no caselsp writes,
// after each record of a real task. Whatever is asked of them has an answer or an
// error in words; nothing panics, and nothing is changed.
func TestTampered(t *testing.T) {
	b := newBench(t, wholeScript, agreeable{})
	var kinds []string
	var bodies []json.RawMessage
	for e, err := range b.Run(t.Context(), record.Task{ID: "whole", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Body != nil {
			raw, err := json.Marshal(e.Body)
			if err != nil {
				t.Fatal(err)
			}
			kinds, bodies = append(kinds, record.KindOf(e.Body)), append(bodies, raw)
		}
	}
	n := 0
	for kind, list := range tampered {
		for _, body := range list {
			for _, at := range []int{0, 1, 2, len(kinds) / 2, len(kinds)} {
				n++
				id := fmt.Sprintf("t%d", n)
				journal := b.Store.Journal(id)
				for i := range at {
					mustAppend(t, journal.Append, kinds[i], bodies[i])
				}
				mustAppend(t, journal.Append, kind, json.RawMessage(body))
				lookAt(t, b.Agent, id, kind+" "+body)
			}
		}
	}
}

func mustAppend[R any](t *testing.T, add func(string, any) (R, error), kind string, body any) {
	t.Helper()
	if _, err := add(kind, body); err != nil {
		t.Fatal(err)
	}
}

// lookAt asks all that is asked of a task without working on it.
func lookAt(t *testing.T, a *Agent, id, what string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", what, p)
		}
	}()
	var text bytes.Buffer
	_, errStatus := a.Status(id)
	_, errReview := a.Review(id)
	_, errDecisions := a.Decisions(id)
	_, errUnfilled := a.Unfilled(id)
	_, errLayers := a.Layers(id)
	for _, err := range []error{errStatus, errReview, errDecisions, errUnfilled, errLayers, a.Export(id, &text), a.Answer(id, "", record.Answer{Text: record.Approve})} {
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Errorf("%s: an error without words", what)
		}
	}
}
