package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

const livePicture = "../../editors/live.svg"

// TestReadmeLivePicture keeps the picture of the live view equal to what a terminal shows while a task is at work and the
// user types a message to it; -update makes it anew. Times and tokens, which differ from run to run, are the picture's own.
func TestReadmeLivePicture(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on tars
call SUBMIT_PLAN
	{"analysis": "Orders know when they were sent; cancelling must know it, too.", "type": "feature", "files_to_create": [], "files_to_change": ["orders.py"],
	 "steps": ["cancel an order that is not sent", "refuse the others"], "considerations": ["the stock gets its items back"], "features": [
	 {"id": "cancel", "title": "Cancel an order", "description": "A method cancel.", "files": ["orders.py"]},
	 {"id": "page", "title": "A button on the page of an order", "description": "The button.", "files": ["orders.py"]}]}
on case
call GET_FULL_FILE_CONTENT {"thought": "How does an order say that it was sent?", "path": "orders.py"}
on case
call PATCH_FILE {"thought": "An order that was sent cannot be cancelled.", "path": "orders.py"}
arg patch
	<<<<<<< SEARCH
	        self.sent = False
	=======
	        self.sent = False
	        self.cancelled = False
	
	    def cancel(self):
	        if self.sent:
	            raise ValueError("the order was sent")
	        self.cancelled = True
	>>>>>>> REPLACE
on case
hold
call LIST_FILES {"thought": "t"}
`, project: map[string]string{"orders.py": "class Order:\n    def __init__(self, items):\n        self.items = items\n        self.sent = False\n"}})
	h := sitAt(c, "100", "40")
	h.runs(c, "COLORTERM=", "run", "let customers cancel an order")
	h.held()
	h.onScreen(`(?m)^── coding · feature 1 of 2 .*\n   round 1 of 15 · step 1 · CASE waits for the model `)
	h.keys("the stock must get the items back")
	h.onScreen(`(?m)^› the stock must get the items back$`)
	shown := strings.TrimRight(h.must("capture-pane", "-e", "-p"), "\n")
	for _, own := range []struct{ what, is string }{
		{`^\$ sh .*`, `$$ caselsp run "let customers cancel an order"`}, // the shell's command
		{`task [0-9]{8}-[0-9]{6}-[0-9a-f]{4}`, "task 20260701-120000-4c1f"},
		{`(waits for the model[^·\n]* · )\d+s`, "${1}4s"},
		{`[\d,]+ tokens( · )\d+s`, "9,412 tokens${1}38s"},
	} {
		shown = regexp.MustCompile(own.what).ReplaceAllString(shown, own.is)
	}
	lines := strings.Split(shown, "\n")
	comparePicture(t, livePicture, picture([]scene{{lines, time.Second}}, rowsOf(lines), "caselsp run shows in a terminal what it does, and takes a message"))
}
