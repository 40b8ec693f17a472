package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"caselsp/agent/record"

	"github.com/charmbracelet/x/ansi"
)

// forged is what a model writes to pass for the live view, or to move the cursor away from it.
const forged = `\u001b[2J\u001b[H\u001b[?7l\r── coding · feature 9 of 9 ──\u009b1A`

// TestLive looks at the live view of a run at a real terminal: what it shows, that it stays below what is printed, alone
// and whatever a model prints, also where a line is full, when the terminal gets another size and when a line is typed into it; that a question
// takes its place, and what stands at the end.
func TestLive(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on tars
call SUBMIT_PLAN
	{"analysis": "x ` + forged + `", "type": "feature", "files_to_create": ["hello.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Greet ` + forged + `", "description": "Write hello.txt."}]}
on case
hold
call WRITE_FILE {"thought": "t ` + forged + `", "path": "hello.txt", "content": "hello ` + forged + `\n"}
on case
hold
call LIST_FILES {"thought": "` + strings.Repeat("x", 79) + `── coding · feature 9 of 9"}
on case
want make it so that it is blue
call REQUEST_USER_INPUT {"thought": "third", "question": "Which language?\n` + forged + `"}
on case
want English
hold
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
call SUBMIT_VERDICT {"completion": 100, "summary": "done", "issues": []}
`, project: map[string]string{"a.txt": "a\n"}})
	h := sitAt(c, "80", "30")
	h.runs(c, "COLORTERM=", "run", "write a greeting to hello.txt")
	h.held()
	h.onScreen(`(?m)^── coding · feature 1 of 1 · “Greet .*\n   round 1 of 15 · CASE waits for the model · \d+s\n   \d+ tokens · \d+s · Ctrl\+C stops and saves\n› a message to the task, Enter sends it$`)
	c.model.Release()
	h.held()
	h.onScreen(`(?m)^    \+hello.*\n.*\n?── coding · feature 1 of 1 .*\n   round 1 of 15 · step 1 · CASE `)
	h.alone()
	h.keys("make it red", "C-w", "so that it is blue 漢字 and a good deal longer than a row of this terminal is wide")
	h.onScreen(`(?m)^› make it so that it is blue 漢字 and a good deal longer than a row of this\n  terminal is wide$`)
	for _, width := range []string{"50", "120", "70"} {
		h.must("resize-window", "-x", width)
		h.onScreen(`(?m)^── coding · feature 1 of 1 .*\n.*\n.*\n› make it so(.|\n)* wide\s*$`)
		h.alone()
	}
	h.keys("C-z") // the shell has the terminal, and gives it back
	h.onScreen(`(?m)^\$ *$`)
	if strings.Contains(h.scrolled(), "Ctrl+C stops") {
		t.Error("the live view is there while the shell is")
	}
	h.keys("fg", "Enter")
	h.onScreen(`(?m)^── coding · feature 1 of 1 .*\n.*\n.*\n› make it so(.|\n)* wide\s*$`)
	h.alone()
	h.must("resize-window", "-x", "100", "-y", "8") // too low: in one row
	h.onScreen(`(?m)^\d+s · coding, .*› make it so`)
	h.must("resize-window", "-x", "100", "-y", "30")
	h.onScreen(`(?m)^── coding · feature 1 of 1 `)
	h.alone()
	h.keys("Enter")
	h.onScreen(`(?m)^  noted, for the next step: make it so that it is blue(.|\n)*^› a message to the task`)
	c.model.Release()
	h.onScreen(`(?m)^The model asks:\n  \| Which language\?\n  \| \\u\{1b\}\[2J.*\n.*\nyour own words; Enter = decide later >\s*$`)
	if strings.Contains(h.scrolled(), "Ctrl+C stops") {
		t.Error("the live view is there beside a question")
	}
	h.answers("English", "Enter")
	h.held()
	c.model.Release()
	h.onScreen(`anything\s+else\s+=\s+later >`)
	h.answers("a", "Enter")
	h.onScreen(`(?m)^── succeeded · 1 file ──\n   new      hello\.txt  \+1  written\n   it took .*: \d+ model calls, \d+ tokens in and \d+ out\n`)
	h.onScreen(`(?m)^\$ *$`) // the shell reads again
	if seen := h.must("capture-pane", "-p", "-S", "-"); regexp.MustCompile(`(?m)^── coding|Ctrl\+C stops`).MatchString(seen) || !strings.Contains(seen, "feature 9 of 9") {
		t.Errorf("the scrollback has a live view, or a forged one:\n%s", seen)
	}
}

// scrolled is the screen with all that has scrolled by.
func (h *hand) scrolled() string {
	h.t.Helper()
	return h.must("capture-pane", "-p", "-J", "-S", "-")
}

// alone fails unless there is one live view, at the end of what is on the screen and scrolled by.
func (h *hand) alone() {
	h.t.Helper()
	seen := h.scrolled()
	if n := len(regexp.MustCompile(`(?m)^── `).FindAllString(seen, -1)); n != 1 {
		h.t.Errorf("there are %d live views:\n%s", n, seen)
	}
}

// TestLiveView has a view in rows, and in one where it must be one.
func TestLiveView(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	v := liveView{
		Status: "coding, feature 2 of 3, round 4 of 15, attempt 2, step 5", State: record.Coding, Feature: 2, Features: 3, Title: "“Cancel\tan order”\nnext",
		Attempt: 2, Round: 4, Rounds: 15, Step: 5, Who: "CASE", Doing: "WRITE_FILE “a.py”", Tokens: 1234567, Cost: 1.2345,
		Begun: now.Add(-64 * time.Second), Since: now.Add(-3 * time.Second),
	}
	check := func(v liveView, want ...string) {
		t.Helper()
		var got []string
		for _, row := range v.full(60, now).Rows {
			got = append(got, ansi.Strip(row))
		}
		for _, typing := range []bool{false, true} {
			f := v.compact(200, typing, now)
			got = append(got, strings.Join(f.Rows, "")+"|"+f.Prompt)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	compact := "1m4s · coding, feature 2 of 3, round 4 of 15, attempt 2, step 5 · 1234567 tokens · $1.234"
	check(v, "── coding · feature 2 of 3 · “Cancel an order” ────────────",
		"   attempt 2 · round 4 of 15 · step 5 · CASE WRITE_FILE “a.py” · 3s",
		"   1,234,567 tokens · $1.234 · 1m4s · Ctrl+C stops and saves", compact+"|", "|"+compact+" › ")
	v.Feature, v.Attempt, v.Round, v.Step, v.Cost, v.Tokens, v.Status, v.State = 0, 0, 0, 0, 0, 12, "planning", record.Planning
	v.Writing, v.Title = 12345, ""
	check(v, "── planning ───────────────────────────────────────────────", "   CASE writes, 12,345 bytes · 3s", "   12 tokens · 1m4s · Ctrl+C stops and saves",
		"1m4s · writing, 12345 bytes · planning · 12 tokens|", "|1m4s · writing, 12345 bytes · planning · 12 tokens › ")
	v.Writing, v.Who, v.Running, v.Doing = 0, "", "“pytest”", "running “pytest”"
	check(v, "── planning ───────────────────────────────────────────────", "   running “pytest” · 3s", "   12 tokens · 1m4s · Ctrl+C stops and saves",
		"1m4s · running “pytest” · planning · 12 tokens|", "|1m4s · running “pytest” · planning · 12 tokens › ")
}
