package record

import (
	"strings"
	"testing"

	"caselsp/agent/action"
)

// TestUnsure: the user is asked for the language where there is no code and the task names none, and for the type where
// neither the plan nor the task says it; once, and only a user who is at hand.
func TestUnsure(t *testing.T) {
	plan := func(kind string, files ...string) *action.Plan { return &action.Plan{Type: kind, Change: files} }
	for name, tt := range map[string]struct {
		task Task
		code bool // there is some in the workspace
		plan *action.Plan
		want string
	}{
		"nothing says the language":     {Task{Text: "Write a calculator"}, false, nil, ClassLanguage},
		"there is code":                 {Task{Text: "Write a calculator"}, true, nil, ""},
		"the user says it":              {Task{Text: "Write a calculator", Language: "Go"}, false, nil, ""},
		"the task names the language":   {Task{Text: "Write a calculator in Python"}, false, nil, ""},
		"the task names a framework":    {Task{Text: "A blog with Django"}, false, nil, ""},
		"the task names a file":         {Task{Text: "Write a calculator to calc.rb"}, false, nil, ""},
		"no code is asked for":          {Task{Text: "Write a README"}, false, nil, ""},
		"it is a question":              {Task{Text: "What can I do here?"}, false, nil, ""},
		"the plan says no type":         {Task{Text: "Greet the world"}, true, plan("", "a.py"), ClassType},
		"the plan says an unknown type": {Task{Text: "Greet the world"}, true, plan("perf", "a.py"), ClassType},
		"its files show another one":    {Task{Text: "Greet the world"}, true, plan("tests", "a.py"), ClassType},
		"the plan says it":              {Task{Text: "Greet the world"}, true, plan("feature", "a.py"), ""},
		"its files say it":              {Task{Text: "Greet the world"}, true, plan("", "README.md"), ""},
		"the task says it":              {Task{Text: "Let users cancel an order"}, true, plan("", "a.py"), ""},
		"the user says the type":        {Task{Text: "Greet the world", Type: "chore"}, true, plan("", "a.py"), ""},
		"a task in one loop":            {Task{Text: "Greet the world", Single: true}, false, plan("", "a.py"), ""},
	} {
		p := &State{Task: tt.task, Plan: tt.plan}
		if p.NoCode = !tt.code; p.Unsure() != "" {
			t.Errorf("%s: asked of a user who is not at hand", name)
		}
		p.Task.Classify = true
		if got := p.Unsure(); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if p.applyClass(tt.want, Answer{Text: ClassOpen}); p.Unsure() != "" {
			t.Errorf("%s: asked twice", name)
		}
	}
}

// TestClassAnswers: an answer is the user's classification; none leaves it as it is.
func TestClassAnswers(t *testing.T) {
	for _, tt := range []struct{ what, answer, want string }{
		{ClassLanguage, "2", "feature (go)"}, {ClassLanguage, "Rust\nor so", "feature (rust)"}, {ClassLanguage, "3", "feature"},
		{ClassType, "bugfix", "fix"}, {ClassType, "Chore", "chore"}, {ClassType, "3", "feature"},
	} {
		q := Question{Subject: Input{Choices: []string{"Python", "Go", ClassOpen}, Class: tt.what}}
		a, err := q.Take(Answer{Text: tt.answer})
		if err != nil {
			t.Fatal(err)
		}
		p := &State{Task: Task{Text: "greet"}}
		p.applyAnswer(&q, a)
		if got := p.Class().String(); got != tt.want {
			t.Errorf("%s %q: got %s, want %s", tt.what, tt.answer, got, tt.want)
		}
		if a, ok := q.Unanswered(); !ok || a.Text != ClassOpen || !q.Flagged() || q.FlagAnswer().Text != ClassOpen {
			t.Errorf("%s: unanswered it means %q, %v, and with --yes %q", tt.what, a.Text, ok, q.FlagAnswer().Text)
		}
		if _, err := q.Take(Answer{Text: strings.Repeat("x", maxClass+1)}); err == nil {
			t.Errorf("%s: a name of any length is taken", tt.what)
		}
	}
	for _, q := range []Question{{Subject: Input{}}, {Subject: Trust{}}, {Subject: Command{}}} {
		if _, ok := q.Unanswered(); ok {
			t.Errorf("a question of %T needs no answer", q.Subject)
		}
	}
}
