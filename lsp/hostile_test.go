package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent"

	"go.lsp.dev/protocol"
)

// hostileValues are what no command can mean, as JSON; %s is an open file's URI.
var hostileValues = []string{
	`-1`, `1e308`, `true`, `[]`, `{}`, `[[[[[[[[[[null]]]]]]]]]]`, `"\u0000"`, `"\u001b]0;title\u0007"`, `"\u202e"`, `"%s"`, `"file:///etc/passwd"`, `"file:///%%00"`, `"http://a.example/x"`,
	`"file://host/share"`, `"../../../etc/passwd"`, `"\ud800"`, `99999999999999999999`, `{"start": {"line": -1, "character": -1}, "end": {"line": 0, "character": 0}}`,
	`{"start": {"line": 4294967295, "character": 4294967295}, "end": {"line": 4294967295, "character": 4294967295}}`,
	`{"start": {"line": 5, "character": 5}, "end": {"line": 0, "character": 0}}`, `{"start": null, "end": 7}`, `{"range": {"start": {"line": -1}}, "message": "\u001b[2J", "severity": -7}`,
}

// TestHostileArguments calls every command with arguments of every wrong kind, for
// each field and for all. Each call is answered, none does what nobody decided, and
// what the user is shown has no escapes in it.
func TestHostileArguments(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, wary: true, script: "on any\ntimes always\nstatus 400\nbody {}\n"})
	uri := fmt.Sprintf("file://%s", sc.Abs("a.py"))
	long, deep := `"`+strings.Repeat("a", 1<<18)+`"`, strings.Repeat("[", 2000)+strings.Repeat("]", 2000)
	var bodies []string
	for k, c := range Commands() {
		bodies = append(bodies, fmt.Sprintf(`{"command": %q, "arguments": [{"unknown": 1}]}`, c.ID))
		for i, value := range append([]string{long, deep}, hostileValues...) {
			value = strings.ReplaceAll(strings.ReplaceAll(value, "%s", uri), "%%", "%")
			if c.ID != cmdTrust && c.ID != cmdRun { // these may be given by any word, or by none
				bodies = append(bodies, fmt.Sprintf(`{"command": %q, "arguments": [%s]}`, c.ID, value))
			}
			for j, f := range c.Arguments.Fields {
				if (i+j+k)%3 == 0 && f != argWithdraw { // all of it takes half a minute, and finds no more
					bodies = append(bodies, fmt.Sprintf(`{"command": %q, "arguments": [{%q: %s}]}`, c.ID, f.Name, value))
				}
			}
		}
	}
	bodies = append(bodies, `{"command": 7}`, `{"command": null, "arguments": null}`, `{"command": "caselsp.run", "arguments": "`+"\x00"+`"}`, `[]`, `null`, `7`)
	for _, body := range bodies {
		var answer json.RawMessage
		err := sc.Request(t.Context(), protocol.MethodWorkspaceExecuteCommand, json.RawMessage(body), &answer)
		if err != nil && strings.Contains(err.Error(), "ceiling") || err != nil && strings.Contains(err.Error(), "panic") {
			t.Fatalf("%.200s: %v", body, err)
		}
	}
	sc.quiet()
	if left, err := sc.srv.trust.kept.Untrusted(sc.Abs(".")); err != nil || len(left) != 1 {
		t.Errorf("the folder came to be trusted (%v)", err)
	}
}

// TestHostileRequests asks about invalid places, and in documents that do not exist
// or are not part of the workspace.
func TestHostileRequests(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}})
	uri := fmt.Sprintf("file://%s", sc.Abs("a.py"))
	sc.must(sc.OpenText("b.py", "x = '\x00\x1b[2J\u202e'\n# case: do \x1b]0;this\x07\n"))
	methods := []string{protocol.MethodTextDocumentCodeAction, protocol.MethodTextDocumentCodeLens, protocol.MethodTextDocumentDiagnostic, protocol.MethodWorkspaceDiagnostic,
		protocol.MethodWindowWorkDoneProgressCancel, protocol.MethodTextDocumentDidOpen, protocol.MethodTextDocumentDidChange, protocol.MethodTextDocumentDidClose, protocol.MethodTextDocumentDidSave,
		protocol.MethodWorkspaceDidChangeConfiguration, protocol.MethodWorkspaceDidChangeWorkspaceFolders, "codeAction/resolve", "$/setTrace", "$/cancelRequest"}
	for _, method := range methods {
		for _, value := range append([]string{`null`, `"` + strings.Repeat("a", 1<<16) + `"`}, hostileValues...) {
			value = strings.ReplaceAll(strings.ReplaceAll(value, "%s", uri), "%%", "%")
			for _, params := range []string{value, `{"textDocument": {"uri": ` + value + `}, "range": ` + value + `, "context": {"diagnostics": ` + value + `}}`,
				`{"textDocument": {"uri": "` + uri + `", "version": ` + value + `, "languageId": ` + value + `, "text": ` + value + `}, "range": ` + value + `, "context": {"diagnostics": []}, "contentChanges": [` + value + `], "event": {"added": [` + value + `]}, "settings": ` + value + `, "token": ` + value + `}`} {
				if strings.Contains(method, "did") || strings.HasPrefix(method, "$/") || strings.Contains(method, "cancel") {
					sc.must(sc.Notify(method, json.RawMessage(params)))
					continue
				}
				if err := sc.Request(t.Context(), method, json.RawMessage(params), nil); err != nil && (strings.Contains(err.Error(), "ceiling") || strings.Contains(err.Error(), "panic")) {
					t.Fatalf("%s %.200s: %v", method, params, err)
				}
			}
		}
	}
	sc.command(cmdStatus)
	sc.quiet()
}

// quiet fails where something that was shown holds what does not show, a panic was
// logged, or a task came into being that changed something.
func (sc *scene) quiet() {
	sc.t.Helper()
	for _, m := range sc.State().Messages {
		if agent.Visible(m.Text) != m.Text {
			sc.t.Errorf("shown: %q", m.Text)
		}
	}
	for _, q := range sc.State().Questions {
		if agent.Visible(q.Text) != q.Text {
			sc.t.Errorf("asked: %q", q.Text)
		}
	}
	if strings.Contains(sc.Received(), "panic") {
		sc.t.Errorf("something panicked:\n%s", sc.Received())
	}
	sc.disk(map[string]string{"a.py": "a = 1\n"})
	entries, err := os.ReadDir(filepath.Clean(sc.Abs(".")))
	if err != nil || len(entries) != 1 {
		sc.t.Errorf("the folder holds %v, %v", entries, err)
	}
}
