package main

import (
	"strings"
	"testing"
)

// TestChatPrompt writes messages at a real terminal: with the keys of a line editor, with several lines, pasted ones, wide
// characters and while an answer comes; goes back to earlier ones; and leaves.
func TestChatPrompt(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on tars
want Hello wörld 漢字!
hold
call ANSWER {"text": "The first answer, which is a good deal longer than a row of this terminal is wide."}
on tars
want one
want   two
want three
call ANSWER {"text": "Of three lines."}
on tars
want what was half typed
call ANSWER {"text": "It was kept."}
`, project: map[string]string{"a.txt": "a\n"}})
	h := sitAt(c, "60", "24")
	h.runs(c, "COLORTERM=", "chat")
	h.onScreen(`(?m)^main> a message · Alt\+Enter: new line`)
	h.keys("wörld 漢字 x!", "Left", "C-h", "C-h", "Home", "hello ", "C-a", "M-f", "C-u", "Hello")
	h.onScreen(`(?m)^main> Hello wörld 漢字!$`)
	h.must("resize-window", "-x", "50")
	h.onScreen(`(?m)^main> Hello wörld 漢字!$`)
	h.keys("Enter")
	h.held()
	h.keys("what was half")
	h.onScreen(`(?m)^› what was half$`)
	c.model.Release()
	h.onScreen(`(?m)^  \| The first answer, which is a good deal longer\n        than a row of this terminal is wide.\nmain> what was half$`)
	if n := strings.Count(h.scrolled(), "Hello wörld"); n != 1 {
		t.Errorf("the message stands there %d times:\n%s", n, h.scrolled())
	}
	h.keys("C-u")
	h.must("set-buffer", "one\n  two\n\nthree\n")
	h.must("paste-buffer", "-p")
	h.onScreen(`(?m)^main> one\n        two\n\n      three\n`)
	h.keys("Enter")
	h.onScreen(`(?m)^  \| Of three lines.\nmain> `)
	h.keys("C-y")
	h.onScreen(`(?m)^main> what was half$`)
	h.keys(" typed", "Enter")
	h.onScreen(`(?m)^  \| It was kept.\nmain> `)
	h.keys("gone", "C-c")
	h.onScreen(`(?m)^main> a message`)
	h.keys("Up", "Up", "Down", "Up")
	h.onScreen(`(?m)^main> one\n        two\n\n      three\n`)
	h.keys("C-c", "C-c")
	h.onScreen(`(?m)^  Ctrl\+C again leaves the chat`)
	h.keys("C-c")
	h.onScreen(`(?m)^\$ *$`)
	h.keys("stty -a", "Enter")
	h.onScreen(`[^-]icanon(.|\n)*[^-]echo `)
}

// TestChatStops stops an answer, after which the chat goes on, leaves with a word, and is told in the next process what has no
// answer. The keys that go back find the messages of the process before, too.
func TestChatStops(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on tars
call ANSWER {"text": "The first answer."}
on tars
want first
want second
want third
hold
call ANSWER {"text": "It is not read."}
on tars
want one more
call ANSWER {"text": "Of both."}
`, project: map[string]string{"a.txt": "a\n"}})
	c.must(c.command("chat", "what was half typed").Run())
	h := sitAt(c, "60", "24")
	h.runs(c, "COLORTERM=", "chat")
	h.onScreen(`(?m)^main> a message`)
	h.keys("Up")
	h.onScreen(`(?m)^main> what was half typed$`) // of the process before
	h.keys("C-u", "first", "M-Enter", "second\\", "Enter", "third")
	h.onScreen(`(?m)^main> first\n      second\n      third$`)
	h.keys("Enter")
	h.held()
	h.keys("C-c")
	h.onScreen(`(?m)^main> a message`) // the chat goes on
	h.keys("exit", "Enter")
	h.onScreen(`(?m)^main> exit\n\$ *$`)

	h.keys("clear", "Enter")
	h.runs(c, "COLORTERM=", "chat")
	h.onScreen(`caselsp: your message “first ⏎ second ⏎ third” has\s+no answer`)
	h.keys("one more", "Enter")
	h.onScreen(`(?m)^  \| Of both.\nmain> `)
	h.keys("C-d")
	h.onScreen(`(?m)^\$ *$`)
}
