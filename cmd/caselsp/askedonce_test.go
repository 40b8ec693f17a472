package main

import (
	"strings"
	"testing"
)

// TestAskedOnce answers a question in a terminal that can do nothing: the log there has the question once.
func TestAskedOnce(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on case
call REQUEST_USER_INPUT {"thought": "third", "question": "Which language?", "choices": ["Go", "C"]}
on case
call WRITE_FILE {"thought": "t", "path": "b.txt", "content": "b\n"}
call FINISH_FEATURE {"thought": "t", "summary": "done"}
`, project: map[string]string{"a.txt": "a\n"}})
	h := sitAt(c, "100", "50")
	h.runs(c, "TERM=dumb", "run", "--single", "write it")
	h.onScreen(`decide later > *\n`)
	h.keys("q1 1", "Enter")
	h.onScreen(`(?m)^  answer to q1: Go\n(.|\n)*caselsp: the report: `)
	if n := strings.Count(h.scrolled(), "Which language?"); n != 1 {
		t.Errorf("the question stands there %d times:\n%s", n, h.scrolled())
	}
}
