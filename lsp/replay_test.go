package lsp

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"
	"caselsp/sandbox"

	"go.lsp.dev/protocol"
)

// asksTwice is a model that wants to run a command, which is approved, and another, which is denied with a reason.
const asksTwice = asksToRun + `
on case
want all clean
call RUN_COMMAND {"thought": "again", "command": "make install"}
on case
want The reason: not on this machine
`

// inWhole is what the approved command does, on the tree of project.
func inWhole() []sandbox.Recording {
	var tree []sandbox.File
	for _, name := range slices.Sorted(maps.Keys(project)) {
		tree = append(tree, sandbox.File{Path: name, Mode: 0o644, Data: []byte(project[name])})
	}
	return []sandbox.Recording{sandbox.Record(sandbox.Command{Line: "make docs", Tree: tree}, &sandbox.Result{Status: sandbox.Exited, Output: "all clean\n"}, true)}
}

// TestScenarioOfClients has each recorded client start a task, with a file of it open, approve a command, deny another with a
// reason, review by hunk and undo, all by commands; the client is sent no request that it did not declare.
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
			sc := play(t, plot{files: project, open: []string{"a.py"}, script: asksTwice + strings.TrimPrefix(edits, "\non case\n"), runs: inWhole(),
				editor: lsptest.Options{Initialize: inProject(t, raw)}})
			id := sc.run("change it all")
			sc.said("Nothing happens until you answer")
			sc.command(cmdApprove, map[string]any{"task": id, "question": "q1"})
			sc.said("make install")
			sc.command(cmdDeny, map[string]any{"task": id, "question": "q2", "reason": "not on this machine"})
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
