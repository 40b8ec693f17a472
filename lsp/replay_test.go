package lsp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// TestScenarioOfClients has each recorded client start a task, approve a command, review by hunk and undo, all by
// commands; the client is sent no request that it did not declare.
func TestScenarioOfClients(t *testing.T) {
	recorded, err := filepath.Glob("testdata/capabilities/*.json")
	if err != nil || len(recorded) < 11 {
		t.Fatalf("%d recordings: %v", len(recorded), err)
	}
	for _, file := range recorded {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			sc := play(t, plot{files: project, open: []string{"a.py"}, script: asksToRun + strings.TrimPrefix(edits, "\n"), runs: lint,
				editor: lsptest.Options{Initialize: inProject(t, raw)}})
			id := sc.run("change it all")
			sc.said("Nothing happens until you answer")
			sc.command(cmdDeny, map[string]any{"task": id, "question": "q1", "reason": "not now"})
			sc.said("to review")
			sc.command(cmdAccept, map[string]any{"task": id, "file": "c.py", "hunk": 1})
			sc.said("left to decide")
			sc.hunks(id, "c.py", record.HunkAccepted)
			sc.command(cmdReject)
			sc.said("What was left of it is rejected")
			sc.disk(map[string]string{"c.py": "c = 2\n", "a.py": project["a.py"], "old.txt": "old\n", "new.txt": ""})
			sc.command(cmdUndo)
			sc.said("Undone")
			sc.disk(project)
			for _, m := range sc.undeclared(raw) {
				t.Errorf("it was sent %s, which it did not declare", m)
			}
			if got := sc.State().Complaints; len(got) > 0 {
				t.Errorf("complaints: %q", got)
			}
		})
	}
}

// inProject returns recorded parameters without the folders and the process of the recording.
func inProject(t *testing.T, raw []byte) json.RawMessage {
	var params map[string]json.RawMessage
	if err := json.Unmarshal(raw, &params); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rootUri", "rootPath", "workspaceFolders", "processId"} {
		delete(params, name)
	}
	kept, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// undeclared returns the requests that the client got and that need a capability which the recording does not have.
func (sc *scene) undeclared(raw []byte) (list []string) {
	needs := map[string]string{
		protocol.MethodWorkspaceApplyEdit: "applyEdit", protocol.MethodWindowShowDocument: "showDocument", protocol.MethodWindowWorkDoneProgressCreate: "workDoneProgress",
		protocol.MethodWorkspaceConfiguration: "configuration", protocol.MethodClientRegisterCapability: "dynamicRegistration",
		protocol.MethodWorkspaceCodeLensRefresh: "codeLens", protocol.MethodWorkspaceDiagnosticRefresh: "diagnostics", methodChanged: "caselsp",
	}
	for line := range strings.Lines(sc.Received()) {
		method, _, _ := strings.Cut(line, " ")
		if need, known := needs[method]; known && !bytes.Contains(raw, []byte(`"`+need+`"`)) {
			list = append(list, method)
		}
	}
	return list
}
