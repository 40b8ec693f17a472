package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"caselsp/agent"
)

// TestQuestionAfterKill kills a process, with kill -9, while its task waits for an answer: the question is open, another
// process lists it, and the task asks it again when it is resumed.
func TestQuestionAfterKill(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on case
call REQUEST_USER_INPUT {"thought": "unclear", "question": "Which color?", "choices": ["red", "blue"]}
on case
want blue
call WRITE_FILE {"thought": "t", "path": "color.txt", "content": "blue\n"}
call FINISH_FEATURE {"thought": "t", "summary": "painted"}
`, project: map[string]string{"a.txt": "a\n"}})
	h := sitAt(c, "80", "40")
	h.runs(c, "COLORTERM=", "run", "--single", "paint it")
	h.onScreen(`Which color\?`)
	shell := strings.TrimSpace(h.must("list-panes", "-F", "#{pane_pid}"))
	child, err := os.ReadFile(filepath.Join("/proc", shell, "task", shell, "children"))
	c.must(err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(child)))
	c.must(err)
	c.must(syscall.Kill(pid, syscall.SIGKILL))
	h.onScreen(`(?m)Killed\n\$ *$`)
	h.keys("stty sane; clear", "C-j") // nobody could give the terminal back
	h.runs(c, "COLORTERM=", "status")
	h.onScreen(`Which color\?`)
	h.runs(c, "COLORTERM=", "resume", "last")
	h.onScreen(`(?m)^caselsp: going on with task (.|\n)*Which color\?(.|\n)*Enter = decide later >`)
	<-time.After(restTime + agent.MaxReadTime) // an answer before it can have been read does not count
	h.keys("2", "Enter")
	h.onScreen(`(?m)^a = accept the 1 undecided file, `)
}
