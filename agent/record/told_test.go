package record

import (
	"strings"
	"testing"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/stack"
)

// TestToldUses has the user say something while a reply is in flight: its calls are used as far as they only look or
// edit, and the message stands behind all of their results. What older versions recorded keeps its meaning.
func TestToldUses(t *testing.T) {
	reply := func() *State {
		p := &State{Phase: Planning}
		p.Apply(1, time.Time{}, CallAnswered{Response: llm.Response{Content: "now", ToolCalls: []llm.ToolCall{
			{Name: "RUN_COMMAND", Arguments: `{"command": "ls"}`}, {Name: "WRITE_FILE"}, {Name: "SUBMIT_PLAN"},
		}}})
		return p
	}
	lines := func(p *State) (said []string) {
		for _, turn := range p.Turns {
			said = append(said, turn.Call.Name+" "+FirstLine(turn.Said.Text))
		}
		return said
	}

	p := reply()
	p.Apply(2, time.Time{}, Told{Text: "stop that", Unread: true, Uses: true, Replies: 1})
	for seq := int64(3); p.Answer != nil || len(p.Rest) > 0; seq++ {
		call, _, _ := p.NextCall()
		if reason := p.HeldBack(call); reason != "" {
			p.Apply(seq, time.Time{}, Unrun{Reason: reason, One: true})
			continue
		}
		p.Apply(seq, time.Time{}, ActionChosen{Role: RoleTars, Action: call.Name})
		p.Apply(seq, time.Time{}, ActionDone{OK: true, Text: "done"})
	}
	want := "RUN_COMMAND Not run: " + saidSince + "|WRITE_FILE done|SUBMIT_PLAN Not run: " + saidSince + "| The user says to you, while you work. It counts as the task does, and more where they differ:"
	if got := strings.Join(lines(p), "|"); got != want || p.Turns[0].Reply != "now" {
		t.Errorf("the conversation is %s, want %s", got, want)
	}

	old := reply()
	old.Apply(2, time.Time{}, Told{Text: "stop that", Unread: true})
	if got := lines(old); len(got) != 4 || !strings.HasPrefix(got[1], "WRITE_FILE Not run: ") || old.Answer != nil || len(old.Rest) > 0 {
		t.Errorf("of an older version: %q", got)
	}
	if again := reply(); !again.Here(Told{Replies: 1, Unread: true, Uses: true}) || again.Here(Told{Replies: 1, Unread: true, Uses: true, Left: 1}) {
		t.Error("a message is told at another place of a replay")
	}
}

// TestUserNamed has a test command be the user's own where it stands in their words, as a word of its own.
func TestUserNamed(t *testing.T) {
	for text, want := range map[string]bool{
		"mend it; test it with `node --test test/a.js`.": true,
		"node --test test/a.js":                          true,
		"node --test test/a.js.bak":                      false,
		"node --test test/a.jsx":                         false,
		"mend it":                                        false,
	} {
		p := &State{Phase: Coding, UserTexts: []string{text}, Features: []Feature{{Feature: action.Feature{Test: "npm test"}}}}
		p.changeTests("node --test test/a.js", "CASE", "")
		p.LastTest = &testRun{command: "node --test test/a.js", OK: true}
		p.projectTests.Found = &TestsFound{Candidates: []stack.Candidate{{Command: "npm test", Program: "npm"}}}
		if by := p.Features[0].Changed.By; (by == byUser) != want || (p.Replaced() == "") != want {
			t.Errorf("%s: changed by %s, replaced: %q", text, by, p.Replaced())
		}
	}
}
