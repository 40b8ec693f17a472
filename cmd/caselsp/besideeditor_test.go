package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
)

// TestEditorBeside starts an editor on a workspace that a terminal works on: its commands reach that one's tasks, what
// begins a task says what to do, and when the terminal has been killed, the editor says so and goes on with the task.
func TestEditorBeside(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: besideModel + `
on case
when hold on
want be brief
call WRITE_FILE {"thought": "t", "path": "held.txt", "content": "held\n"}
call FINISH_FEATURE {"thought": "t", "summary": "written"}
`, project: map[string]string{"calc.py": "def double(n):\n    return n * 2\n"}})
	if out, err := c.command("run", "--single", "make it").CombinedOutput(); err == nil || !strings.Contains(string(out), "waits for your review") {
		t.Fatalf("%v\n%s", err, out)
	}
	made, _, _ := c.events()
	owner := c.command("run", "--single", "--yes", "hold on")
	c.must(owner.Start())
	ended := false
	end := func() {
		if !ended {
			ended = true
			_ = owner.Process.Kill()
			_ = owner.Wait()
		}
	}
	defer end()
	c.model.Held()

	s := startServer(t, c.home, nil, "", lsptest.Options{}, "CASELSP_MODEL_BASE_URL="+c.model.URL)
	s.expect(lsptest.ShownMessage("works here, too: caselsp.status"))
	s.command("caselsp.status")
	s.expect(lsptest.ShownMessage("coding"), lsptest.ShownMessage("hold on"))
	s.opens("caselsp.history", "beside-history.md", "hold on", "make it")
	s.opens("caselsp.review", "beside-review.md", "+made")
	s.opens("caselsp.report", "beside-report.md", "hold on")
	s.opens("caselsp.state", "beside-state.md", "tasks")
	s.opens("caselsp.approvals", "beside-approvals.md", "Nothing is always allowed here")
	s.command("caselsp.accept", map[string]any{"task": made, "file": "made.txt"})
	s.disk(map[string]string{"made.txt": "made\n"})
	s.command("caselsp.undo", made)
	s.disk(map[string]string{"made.txt": ""})
	if got := s.command("caselsp.ask", "what is it?"); got != "chat-main" {
		t.Errorf("the message is in the journal %q", got)
	}
	s.expect(lsptest.ShownMessage("Answered in the thread main: It is a test."))
	s.opens("caselsp.thread", "beside-threads.md", "main")
	s.opens("caselsp.thread", "beside-thread.md", "It is a test.", map[string]string{"thread": "main"})
	task := c.newest()
	for id, args := range map[string]any{"caselsp.run": "another", "caselsp.resume": task, "caselsp.new": nil, "caselsp.ask": nil, "caselsp.memory": nil} {
		if _, err := s.Command(t.Context(), id, args); err == nil || !strings.Contains(err.Error(), "or here when it has ended. Meanwhile work here: the checks of files, caselsp.status") {
			t.Errorf("%s beside the terminal: %v", id, err)
		}
	}
	if _, err := s.Command(t.Context(), "caselsp.tell", map[string]string{"task": made, "text": "too late"}); err == nil || !strings.Contains(err.Error(), "is over (review)") {
		t.Errorf("what is told to a task that is over: %v", err)
	}
	s.command("caselsp.tell", map[string]string{"task": task, "text": "be brief"})
	s.expect(lsptest.ShownMessage("is told before its next step"))

	end()
	s.expect(lsptest.ShownMessage("The other process has ended: tasks begin here now."), lsptest.Asked(`A task is not finished: "hold on"`))
	s.command("caselsp.resume", task)
	s.expect(lsptest.ShownMessage("to review"))
}

// opens runs a command and looks at the document that it opens: name, with each of wants in it. Last come the
// command's arguments, where it has some.
func (s *served) opens(id, name string, wants ...any) {
	s.t.Helper()
	var args []any
	if n := len(wants) - 1; n > 0 {
		if _, ok := wants[n].(string); !ok {
			wants, args = wants[:n], wants[n:]
		}
	}
	s.command(id, args...)
	found, _ := filepath.Glob(filepath.Join(s.home, ".state", "caselsp", "workspaces", "*", "documents"))
	if len(found) != 1 {
		s.t.Fatalf("documents lie in %q", found)
	}
	path := filepath.Join(found[0], name)
	s.expect(lsptest.Opened(path))
	text, err := os.ReadFile(path)
	s.must(err)
	for _, want := range wants {
		if !strings.Contains(string(text), want.(string)) {
			s.t.Errorf("%s opens %s without %q:\n%s", id, name, want, text)
		}
	}
}

// newest is the id of the task that is worked on.
func (c *crashed) newest() string {
	c.t.Helper()
	out, err := c.command("status").Output()
	c.must(err)
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "hold on") {
			return strings.Fields(line)[0]
		}
	}
	c.t.Fatalf("nobody works on the task:\n%s", out)
	return ""
}
