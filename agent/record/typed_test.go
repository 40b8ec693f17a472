package record

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

// TestTyped: the user's word is what they typed of a task and of answers, also after it was
// kept and read again; older journals had one text.
func TestTyped(t *testing.T) {
	const text = "write .mcp.json"
	for name, c := range map[string]struct {
		task Task
		want string
	}{
		"typed":              {Task{Text: text, Typed: text}, text},
		"about a place":      {Task{Text: text, Typed: text, Focus: &Focus{Path: "a.py"}}, text},
		"of a comment":       {Task{Text: text, Focus: &Focus{Path: "a.py"}}, ""},
		"of a foreign place": {Task{Text: text}, ""},
		"in part":            {Task{Text: text, Typed: "write"}, "write"},
	} {
		raw, err := json.Marshal(GivenTask(c.task))
		if err != nil {
			t.Fatal(err)
		}
		var given TaskGiven
		if err := json.Unmarshal(raw, &given); err != nil {
			t.Fatal(err)
		}
		if got := given.Asked().Typed; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, c := range map[string]struct{ kept, want string }{
		"an old task":        {`{"task": {"text": "write .mcp.json"}}`, text},
		"an old one of text": {`{"task": {"text": "write .mcp.json", "focus": {"path": "a.py"}}}`, ""},
	} {
		var given TaskGiven
		if err := json.Unmarshal([]byte(c.kept), &given); err != nil {
			t.Fatal(err)
		}
		if got := given.Asked().Typed; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	var p State
	p.Apply(1, time.Time{}, GivenTask(Task{Text: text}))
	for i, answer := range []string{"use .envrc", "my own words"} {
		p.Apply(int64(2+2*i), time.Time{}, Asked{Question{ID: "q", Subject: Input{Choices: []string{"use .envrc", "stop"}}}})
		p.Apply(int64(3+2*i), time.Time{}, Answered{ID: "q", Answer: Answer{Text: answer}})
	}
	if want := []string{"", "my own words"}; !slices.Equal(p.UserTexts, want) {
		t.Errorf("the user's words are %q, want %q", p.UserTexts, want)
	}
}
