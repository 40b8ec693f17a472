package main

import (
	"fmt"
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

// thread reads a thread as the processes left it.
func (c *crashed) thread(name string) string {
	c.t.Helper()
	w, err := workspace.Open(c.project())
	c.must(err)
	defer w.Close()
	s, err := store.Open(store.Options{StateDir: filepath.Join(c.home, ".state", "caselsp"), Workspace: w.ID()})
	c.must(err)
	defer s.Close()
	text, err := agent.New(agent.Options{Workspace: w, Store: s}).ThreadText(name)
	c.must(err)
	if st, err := agent.New(agent.Options{Workspace: w, Store: s}).Status(record.ThreadID(name)); err != nil || st.State != record.Idle {
		c.t.Errorf("the thread is %s: %v", st.State, err)
	}
	return text
}
