package lsp

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"caselsp/agent/record"
	"caselsp/lsp/lsptest"
	"caselsp/sandbox"
)

// TestSecretQuestion asks for a secret in an editor, where nothing that is typed
// is hidden: no command takes its value, and what one was given all the same is
// kept nowhere. It comes by the keyring, or is done without.
func TestSecretQuestion(t *testing.T) {
	const login = `
on case
call RUN_COMMAND {"thought": "log in", "secrets": ["API_TOKEN"], "command": "login {{ API_TOKEN }}"}
`
	runs := []sandbox.Recording{sandbox.Record(
		sandbox.Command{Line: `login "${API_TOKEN}"`, Tree: []sandbox.File{{Path: "a.py", Mode: fs.FileMode(0o644), Data: []byte("a = 1\n")}}},
		&sandbox.Result{Status: sandbox.Exited, Output: "hello c4nary-of-the-keyring\n"}, true)}
	goOn := strings.TrimPrefix(write, "\non case\n")
	for _, tt := range []struct {
		name   string
		then   func(sc *scene, ring *sync.Map)
		script string
	}{
		{"in the keyring, by command", func(sc *scene, ring *sync.Map) {
			ring.Store("API_TOKEN", "c4nary-of-the-keyring")
			sc.command(cmdApprove)
		}, "on case\nwant hello [redacted]\n" + goOn},
		{"in the keyring, by code action", func(sc *scene, ring *sync.Map) {
			ring.Store("API_TOKEN", "c4nary-of-the-keyring")
			sc.act("a.py", "a", "CASE asks: it is there now: the secret API_TOKEN")
		}, "on case\nwant hello [redacted]\n" + goOn},
		{"not in the keyring yet", func(sc *scene, ring *sync.Map) {
			sc.refused("there is no secret API_TOKEN in the keyring yet: run `caselsp secret set API_TOKEN`", cmdApprove)
			ring.Store("API_TOKEN", "c4nary-of-the-keyring")
			sc.command(cmdApprove)
		}, "on case\nwant hello [redacted]\n" + goOn},
		{"in the keyring, resumed", func(sc *scene, ring *sync.Map) {
			ring.Store("API_TOKEN", "c4nary-of-the-keyring")
			sc.command(cmdStop)
			sc.said("Stopped")
			sc.command(cmdResume)
		}, "on case\nwant hello [redacted]\n" + goOn},
		{"done without", func(sc *scene, _ *sync.Map) { sc.command(cmdDeny) }, "on case\nwant the user did not allow it\n" + goOn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ring := &sync.Map{}
			editor := lsptest.Options{Answer: func(q lsptest.Question) string {
				if strings.Contains(q.Text, "needs the secret") {
					return "" // dismissed
				}
				return chooseOnce
			}}
			sc := play(t, plot{files: hello, open: []string{"a.py"}, script: login + tt.script, runs: runs, editor: editor, ring: ring})
			id := sc.run("see to it")
			sc.said("Nothing happens until you answer")
			sc.status(id, record.Waiting)
			const typed = "c4nary-that-was-typed"
			sc.idle("No such question is open", cmdAnswer, typed)
			sc.idle("No such question is open", cmdAnswer, map[string]string{"task": id, "question": "q2", "text": typed})
			sc.refused("a secret is not given by a command", cmdApproveAlways, typed)
			tt.then(sc, ring)
			sc.said("is done")
			sc.nowhere("c4nary")
		})
	}
}

// nowhere fails where a text stands in the state or in what the editor was told.
func (sc *scene) nowhere(text string) {
	sc.t.Helper()
	if strings.Contains(sc.Received(), text) {
		sc.t.Errorf("the editor was told %s", text)
	}
	sc.must(filepath.WalkDir(sc.state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			sc.t.Errorf("%s holds %s", path, text)
		}
		return err
	}))
}
