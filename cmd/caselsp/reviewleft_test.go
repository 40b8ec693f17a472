package main

import "testing"

// TestReviewLeft leaves a review with Ctrl+C, which says how to go on, and resumes the task of another one: what it is about stands first.
func TestReviewLeft(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on case
call WRITE_FILE {"thought": "t", "path": "b.txt", "content": "b\n"}
call FINISH_FEATURE {"thought": "t", "summary": "done"}
on case
when ask me
call REQUEST_USER_INPUT {"thought": "t", "question": "Which language?"}
`, project: map[string]string{"a.txt": "a\n"}})
	h := sitAt(c, "100", "50")
	h.runs(c, "COLORTERM=", "run", "--single", "write it")
	h.onScreen(`h = decide hunk by hunk`)
	h.answers("h", "Enter")
	h.onScreen(`(?m)^a = accept, r = reject, w = write a note, l = later > *$`)
	h.keys("C-c")
	h.onScreen(`the result waits for your review: caselsp review 2`)
	h.onScreen(`(?m)^\$ *$`)
	h.keys("clear", "Enter")
	h.runs(c, "COLORTERM=", "run", "--single", "ask me")
	h.onScreen(`decide later > *\n`)
	h.keys("C-c")
	h.onScreen(`to continue it: caselsp resume`)
	h.onScreen(`(?m)^\$ *$`)
	h.keys("clear", "Enter")
	h.runs(c, "COLORTERM=", "resume")
	h.onScreen(`(?m)^caselsp: going on with task .*: ask me$`)
}
