package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestChatTaskStops stops a task that a thread was handed over to, and goes on in the chat; then the task is resumed.
func TestChatTaskStops(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on tars
when can the limit be 200
not agreed, go
call ANSWER {"text": "Yes: line 1 of limits.py. Shall I?"}
on tars
when agreed, go ahead
not # Task
not and now?
call HAND_OVER {"task": "Set LIMIT to 200 in limits.py."}
on tars
when # Task
not # Thread
not Diff of this feature
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": ["limits.py"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Limit", "description": "Set it.", "files": ["limits.py"]}]}
on case
when Set LIMIT to 200
hold
call LIST_FILES {"thought": "it is not read"}
on tars
when and now?
want stopped
call ANSWER {"text": "It is stopped."}
on case
when Set LIMIT to 200
call WRITE_FILE {"thought": "t", "path": "limits.py", "content": "LIMIT = 200\n"}
call FINISH_FEATURE {"thought": "t", "summary": "set"}
on tars
when Diff of this feature
call SUBMIT_VERDICT {"completion": 100, "summary": "done", "issues": []}
`, project: map[string]string{"limits.py": "LIMIT = 100\n"}})
	h := sitAt(c, "80", "30")
	h.runs(c, "COLORTERM=", "chat")
	h.onScreen(`(?m)^main> a message`)
	h.keys("can the limit be 200?", "Enter")
	h.onScreen(`Shall I\?\nmain> `)
	h.keys("agreed, go ahead", "Enter")
	h.held()
	h.keys("C-c")
	h.onScreen(`(?m)^── stopped · no file changed ──(.|\n)*: caselsp resume (.|\n)*^main> a message`)
	h.keys("and now?", "Enter")
	h.onScreen(`(?m)^  \| It is stopped\.\nmain> `)
	h.keys("exit", "Enter")
	h.onScreen(`(?m)^main> exit\n\$ *$`)
	_ = c.command("resume", "last").Run() // it ends with a review, which is an exit code of its own
	c.must(c.command("review", "--accept", "last").Run())
	if text, err := os.ReadFile(filepath.Join(c.project(), "limits.py")); err != nil || string(text) != "LIMIT = 200\n" {
		t.Errorf("limits.py: %q, %v", text, err)
	}
}
