package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"caselsp/agent/llm/llmtest"
	"caselsp/lsp/lsptest"
	"caselsp/sandbox"

	"go.lsp.dev/protocol"
)

// served is an editor with the real server as its child.
type served struct {
	*lsptest.Editor
	t     *testing.T
	model *llmtest.Server
	cmd   *exec.Cmd
	home  string
	heard transcript // all that the server sent
}

// transcript keeps what is written to it.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.text.Bytes())
}

// startServer starts `caselsp serve` for the user whose home is home, and an
// editor on a project that lies in it.
func startServer(t *testing.T, home string, files map[string]string, script string, o lsptest.Options, env ...string) *served {
	t.Helper()
	parsed, err := llmtest.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, model: llmtest.Start(t, parsed), home: home}
	o.Root = filepath.Join(home, "project")
	s.must(os.MkdirAll(o.Root, 0o755))
	for name, text := range files {
		s.must(os.WriteFile(filepath.Join(o.Root, name), []byte(text), 0o644))
	}
	s.cmd = exec.Command("caselsp", "serve")
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, ".state"), "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"CASELSP_SANDBOX_ENGINE=none", "CASELSP_TRUST_FOLDERS=" + home, "CASELSP_MODEL_BASE_URL=" + s.model.URL, "CASELSP_MODEL_NAME=scripted"}
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.Stderr = os.Stderr
	s.connect(o)
	return s
}

// connect starts the server and shakes hands.
func (s *served) connect(o lsptest.Options) {
	s.t.Helper()
	in, err := s.cmd.StdinPipe()
	s.must(err)
	out, err := s.cmd.StdoutPipe()
	s.must(err)
	s.must(s.cmd.Start())
	listening := struct {
		io.Reader
		io.Closer
	}{io.TeeReader(out, &s.heard), out}
	s.Editor = lsptest.Connect(lsptest.Join(listening, in), o)
	s.t.Cleanup(func() {
		s.Hangup()
		s.cmd.Wait()
	})
	_, err = s.Initialize(s.t.Context())
	s.must(err)
}

func (s *served) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) expect(list ...lsptest.Expectation) {
	s.t.Helper()
	s.must(s.Expect(s.t.Context(), list...))
}

// command runs a command and returns the task that it names.
func (s *served) command(id string, args ...any) string {
	s.t.Helper()
	raw, err := s.Command(s.t.Context(), id, args...)
	s.must(err)
	var answer struct{ TaskID string }
	_ = json.Unmarshal(raw, &answer) // null, or a list
	return answer.TaskID
}

// act carries out a code action on the first place of a text.
func (s *served) act(path, text, title string, diagnostics ...protocol.Diagnostic) {
	s.t.Helper()
	at := strings.Index(s.Text(path), text)
	if at < 0 {
		s.t.Fatalf("%s has no %q:\n%s", path, text, s.Text(path))
	}
	list, err := s.CodeActions(s.t.Context(), path, at, at, diagnostics...)
	s.must(err)
	for _, a := range list {
		if a.Title == title {
			_, err := s.Do(s.t.Context(), a)
			s.must(err)
			return
		}
	}
	s.t.Fatalf("no action %q at %q: %+v", title, text, list)
}

// disk expects what files hold on disk; "" is no file.
func (s *served) disk(want map[string]string) {
	s.t.Helper()
	for name, text := range want {
		if raw, err := os.ReadFile(s.Abs(name)); string(raw) != text || err == nil && text == "" {
			s.t.Errorf("%s on disk: %q, %v; want %q", name, raw, err, text)
		}
	}
}

const shop = `def price(net):
    return net


# one
# two
# three
# four
# five
# six
# seven
def total(prices):
    return sum(prices)
`

// taxModel asks for the rate, changes two files, and wants to run a command.
const taxModel = `
on tars
want add tax to the price
want It speaks of shop.py, lines
want The lines read:
call REQUEST_USER_INPUT {"thought": "the rate", "question": "Which rate?", "choices": ["7", "19"]}
on tars
want 19
call SUBMIT_PLAN
	{"analysis": "Add the rate.", "files_to_create": [], "files_to_change": ["shop.py", "tax.py"], "steps": [], "considerations": [],
	 "features": [{"id": "tax", "title": "Tax", "description": "Add tax to price, in shop.py and tax.py."}]}
on case
call GET_FULL_FILE_CONTENT {"thought": "see it", "path": "shop.py"}
on case
want # unsaved
call PATCH_FILE {"thought": "add it", "path": "shop.py"}
arg patch
	--- a/shop.py
	+++ b/shop.py
	@@ -1,3 +1,2 @@
	-# case: add tax to the price
	 def price(net):
	-    return net
	+    return net * 1.19
	@@ -12,2 +12,2 @@
	 def total(prices):
	-    return sum(prices)
	+    return round(sum(prices), 2)
on case
call WRITE_FILE {"thought": "the rate", "path": "tax.py", "content": "RATE = 19\n"}
on case
call RUN_COMMAND {"thought": "see", "command": "python3 shop.py"}
on case
want sandbox.engine is none
call FINISH_FEATURE {"thought": "done", "summary": "tax added"}
on tars
want net * 1.19
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// TestServe drives the real server as a user does: a comment that asks for work,
// a question, a command that cannot run, the review by hunks while the user
// types, acceptance of open and of closed files, undo; then the log on disk.
func TestServe(t *testing.T) {
	files := map[string]string{"shop.py": "# case: add tax to the price\n" + shop, "tax.py": "RATE = 0\n"}
	s := startServer(t, t.TempDir(), files, taxModel, lsptest.Options{
		Reading:               demoReading,
		Answer:                func(q lsptest.Question) string { return q.Choices[len(q.Choices)-1] },
		InitializationOptions: json.RawMessage(`{"review": {"annotations": false}}`),
	})
	s.must(s.Open("shop.py"))
	s.must(s.Replace("shop.py", "# four", "# four, unsaved"))
	s.must(s.Replace("shop.py", "# five", "# unsaved"))
	s.act("shop.py", "# case:", "Run CASE on this comment")
	s.expect(lsptest.Opened("review-"), lsptest.Diagnosed("shop.py", "hunk 2 of 2"))
	review := s.State().Shown[0].Path
	s.must(s.Open(review))

	s.must(s.Replace("shop.py", "# seven", "# 7"))
	s.act("shop.py", "    return net", "CASE: accept this hunk")
	s.expect(lsptest.ShownMessage("2 hunks of"))
	s.act(review, "+    return round", "CASE: reject hunk")
	s.expect(lsptest.ShownMessage("1 hunk of"))
	s.disk(files)
	s.command("caselsp.accept")
	s.expect(lsptest.ShownMessage("Accepted"))
	typed := strings.NewReplacer("# four", "# four, unsaved", "# five", "# unsaved", "# seven", "# 7").Replace(files["shop.py"])
	want := strings.Replace(strings.Replace(typed, "# case: add tax to the price\n", "", 1), "return net", "return net * 1.19", 1)
	s.expect(lsptest.HasText("shop.py", want))
	s.disk(map[string]string{"shop.py": files["shop.py"], "tax.py": "RATE = 19\n"})

	s.command("caselsp.undo")
	s.expect(lsptest.ShownMessage("Undone"), lsptest.HasText("shop.py", typed))
	s.disk(files)

	s.command("caselsp.doctor")
	s.expect(lsptest.Opened("doctor.md"))
	s.must(s.Shutdown(t.Context()))
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after shutdown and exit: %v", err)
	}
	logs, err := filepath.Glob(filepath.Join(s.home, ".state/caselsp/workspaces/*/logs/caselsp.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("the log: %v, %v", logs, err)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil || !strings.Contains(string(text), "RUN_COMMAND") || !strings.Contains(string(text), `,"round":1,"agent":"case"`) {
		t.Errorf("the log does not tell of the task: %v\n%s", err, text)
	}
}

// TestServeRefusals shows what a user reads when the server cannot work: a second
// server on the same workspace, a store that is broken, no folder, no key.
func TestServeRefusals(t *testing.T) {
	home := t.TempDir()
	first := startServer(t, home, map[string]string{"a.py": "a = 1\n"}, "on tars\nhold\ntext late\n", lsptest.Options{})
	first.command("caselsp.run", "take your time")
	first.model.Held()

	second := startServer(t, home, nil, "", lsptest.Options{})
	second.must(second.OpenText("b.py", "def broken(:\n"))
	second.expect(lsptest.Diagnosed("b.py", ""))
	refused(second, "works on this workspace, perhaps another editor", "caselsp.run", "me too")
	first.must(first.Shutdown(t.Context()))
	if err := first.cmd.Wait(); err != nil {
		t.Errorf("the first server: %v", err)
	}
	second.command("caselsp.status")
	second.expect(lsptest.ShownMessage(`"take your time": stopped: the editor was closed or reloaded`))
	second.must(second.Shutdown(t.Context()))
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("the second server: %v", err)
	}

	stores, err := filepath.Glob(filepath.Join(home, ".state/caselsp/workspaces/*/caselsp.db"))
	if err != nil || len(stores) != 1 {
		t.Fatalf("stores: %v, %v", stores, err)
	}
	if err := os.WriteFile(stores[0], []byte(strings.Repeat("no store ", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	third := startServer(t, home, nil, "", lsptest.Options{})
	refused(third, "nothing was deleted; move the file aside", "caselsp.history")
	third.must(third.OpenText("b.py", "def broken(:\n"))
	third.expect(lsptest.Diagnosed("b.py", ""))
}

// refused expects that a command fails with a text.
func refused(s *served, want, id string, args ...any) {
	s.t.Helper()
	_, err := s.Command(s.t.Context(), id, args...)
	if err == nil || !strings.Contains(err.Error(), want) {
		s.t.Errorf("%s: got %v, want %q", id, err, want)
	}
}

// TestServeSweeps shows that a server removes, at its start, the container of a
// caselsp that was killed when the container was frozen.
func TestServeSweeps(t *testing.T) {
	need(t, "docker")
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	docker := func(args ...string) *exec.Cmd { return exec.CommandContext(t.Context(), "docker", args...) }
	// This process is not the one with its id that started at another time.
	made, err := docker("run", "--detach", "--rm", "--label=caselsp=1", "--label=caselsp.place="+host+" "+space, "--label=caselsp.pid="+strconv.Itoa(os.Getpid()),
		"--label=caselsp.start=another boot 1", sandbox.ImageTag(sandbox.Python), "sleep", "300").Output()
	id := strings.TrimSpace(string(made))
	if err == nil {
		_, err = docker("pause", id).Output()
	}
	if err != nil {
		t.Fatal(err)
	}
	removed := docker("events", "--since=1", "--filter=container="+id, "--filter=event=destroy", "--format={{.Action}}")
	said, err := removed.StdoutPipe()
	if err == nil {
		err = removed.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	startServer(t, t.TempDir(), nil, "", lsptest.Options{}, "CASELSP_SANDBOX_ENGINE=docker")
	if line, err := bufio.NewReader(said).ReadString('\n'); line != "destroy\n" {
		t.Errorf("got %q, %v", line, err)
	}
	_ = removed.Process.Kill() // it would go on forever
	_ = removed.Wait()
}
