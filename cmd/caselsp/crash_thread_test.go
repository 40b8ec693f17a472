package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// TestCrashThread kills the real process, with kill -9, at every record of a question in a thread. The
// next message goes on with the thread, whose model knows the first one wherever that was
// recorded.
func TestCrashThread(t *testing.T) {
	t.Parallel()
	run := crashRun{project: map[string]string{"calc.py": "def double(n):\n    return n\n"}, model: `
on tars
when the second question
times always
call ANSWER {"text": "the second answer"}
on tars
after 0
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "calc.py"}
on tars
times always
call ANSWER {"text": "the first answer"}
`}
	whole := newCrashed(t, run)
	var kinds []string
	whole.caselsp(func(kind string) bool { kinds = append(kinds, kind); return true }, "chat", "--json", "the first question about @calc.py")
	if last := kinds[len(kinds)-1]; last != "StateChanged" || len(kinds) < 8 {
		t.Fatalf("the thread that is not killed goes wrong: %v", kinds)
	}
	for k, kind := range kinds {
		t.Run(fmt.Sprintf("%d_%s", k+1, kind), func(t *testing.T) {
			t.Parallel()
			c, n := newCrashed(t, run), 0
			c.caselsp(func(string) bool { n++; return n <= k }, "chat", "--json", "the first question about @calc.py")
			c.caselsp(all, "chat", "--json", "the second question")
			text := c.thread(agent.DefaultThread)
			if !strings.Contains(text, "> the second answer") || k >= 2 && !strings.Contains(text, "the first question") {
				t.Errorf("killed at record %d, the thread is\n%s", k+1, text)
			}
		})
	}
}

// TestTwoTerminals says something in a thread while another terminal waits for its answer there. It waits
// for its turn, and is answered by whoever is left: the first terminal ends with its answer, or is killed. Where
// both are, it is answered with the next message.
func TestTwoTerminals(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"answered", "killed", "both"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t, crashRun{project: map[string]string{"calc.py": "x = 1\n"}, model: `
on tars
last the second question
times always
want the first question
call ANSWER {"text": "the second answer"}
on tars
when the third question
times always
want the second question
call ANSWER {"text": "the third answer"}
on tars
hold
call ANSWER {"text": "the first answer"}
`})
			first, second := c.command("chat", "the first question"), c.command("chat", "the second question")
			c.must(first.Start())
			c.model.Held()
			said, err := second.StderrPipe()
			c.must(err)
			var answer strings.Builder
			second.Stdout = &answer
			c.must(second.Start())
			told := bufio.NewReader(said)
			if line, err := told.ReadString('\n'); !strings.Contains(line, "The thread main is answering another message. Yours is next.") {
				t.Errorf("the second terminal shows %q, %v", line, err)
			}
			switch how {
			case "answered":
				c.model.Release()
			case "both":
				c.freeze(second) // it does not leave before the first one is gone
				c.must(first.Process.Kill())
				c.must(second.Process.Kill())
				_ = second.Wait()
			case "killed":
				c.must(first.Process.Kill())
			}
			_ = first.Wait() // the thread tells
			if how == "both" {
				if out, err := c.command("chat", "the third question").Output(); err != nil || strings.TrimSpace(string(out)) != "the third answer" {
					t.Errorf("the next message is answered by %q, %v", out, err)
				}
				if text := c.thread(agent.DefaultThread); strings.Count(text, "the second question") != 1 {
					t.Errorf("the thread is\n%s", text)
				}
				return
			}
			rest, _ := io.ReadAll(told)
			if err := second.Wait(); err != nil || strings.TrimSpace(answer.String()) != "the second answer" {
				t.Errorf("the second terminal ends with %v and the answer %q:\n%s", err, answer.String(), rest)
			}
			text := c.thread(agent.DefaultThread)
			if q := strings.Index(text, "the first question"); q < 0 || strings.Count(text, "the second question") != 1 || strings.Index(text, "the second question") < q || how == "answered" != strings.Contains(text, "> the first answer") {
				t.Errorf("the thread is\n%s", text)
			}
		})
	}
}

// thread reads a thread as the processes left it.
func (c *crashed) thread(name string) string {
	c.t.Helper()
	w, err := workspace.Open(c.project())
	c.must(err)
	defer w.Close()
	s, err := store.Open(store.Options{StateDir: filepath.Join(c.home, ".state", "caselsp"), Workspace: w.ID()})
	c.must(err)
	defer s.Close()
	text, _, err := agent.New(agent.Options{Workspace: w, Store: s}).ThreadText(name)
	c.must(err)
	if st, err := agent.New(agent.Options{Workspace: w, Store: s}).Status(record.ThreadID(name)); err != nil || st.State != record.Idle {
		c.t.Errorf("the thread is %s: %v", st.State, err)
	}
	return text
}
