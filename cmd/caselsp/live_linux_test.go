package main

import (
	"testing"
)

// TestLiveBeside looks at the live view of a task that another process works on: it is drawn by the one at whose
// terminal the person sits, where also what is typed is edited. Ctrl+C stops the task, which takes as long as the other
// process takes; a second one leaves at once, and leaves a terminal that works.
func TestLiveBeside(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on case
when hold on
hold
call LIST_FILES {"thought": "t"}
on case
when write it
call LIST_FILES {"thought": "first"}
on case
when write it
hold
call LIST_FILES {"thought": "second"}
on case
want make it blue
hold
call LIST_FILES {"thought": "third"}
`, project: map[string]string{"a.txt": "a\n"}})
	h := sitAt(c, "80", "24")
	owner := c.command("run", "--single", "--yes", "hold on")
	c.must(owner.Start())
	t.Cleanup(func() {
		_ = owner.Process.Kill() // it may have ended
		_ = owner.Wait()
	})
	h.held()
	h.runs(c, "COLORTERM=", "run", "--single", "write it")
	h.onScreen(`(?m)^── coding · “write it” ─+\n   .*CASE waits for the model · \d+s\n   \d+ tokens · \d+s · Ctrl\+C stops and saves\n› a message`)
	h.keys("make it blue")
	h.onScreen(`(?m)^› make it blue$`)
	h.must("resize-window", "-x", "60")
	h.onScreen(`(?m)^── coding · “write it” ─{10,40}\n.*\n.*\n› make it blue$`)
	h.alone()
	h.keys("Enter")
	h.onScreen(`noted, for the next step: make it blue`)
	c.freeze(owner)
	h.keys("C-c")
	h.onScreen(`(?m)^   stopping: what is done is being saved. Ctrl\+C again `)
	h.keys("C-c")
	h.onScreen(`(?m)^caselsp: ended at once; what was done is in the journal: (.|\n)*^\$ *$`)
	h.keys("stty -a", "Enter")
	h.onScreen(`[^-]icanon(.|\n)*[^-]echo `)
}
