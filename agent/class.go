package agent

import (
	"slices"

	"caselsp/agent/record"
)

// classHints say to those who test and verify a feature what the type of the task asks of it.
var classHints = map[string]string{
	record.TypeFix:           "the cause is mended, not the symptom, and a test shows the fault without the fix.",
	record.TypeRefactoring:   "what the code does stays as it was.",
	record.TypeTests:         "the tests test what the code promises; other code changes only where the task asks for it.",
	record.TypeDocs:          "what the text says is true of the code; code changes only where the task asks for it.",
	record.TypeConfiguration: "nothing changes but what is configured.",
}

// class says the type of the task, with what it asks; "" for a type that asks nothing of its own, and in
// tasks of versions that did not tell it.
func (p *prompter) class() string {
	c := p.state.PlannedClass()
	if hint := classHints[c.Type]; hint != "" && p.state.Known != nil {
		return c.String() + ": " + hint
	}
	return ""
}

// testable are the languages whose projects caselsp tests by itself.
var testable = []string{"Python", "JavaScript", "TypeScript", "Go"}

// askClass asks the user for a part of the task's class.
func (r *run) askClass(what string) error {
	q := record.Question{Text: "In which language shall the code be?", Why: "There is no code here yet, and the task names no language."}
	choices := testable
	if what == record.ClassType {
		q.Text, q.Why = "What type of task is this?", "Neither the plan nor the task says it. How the work is tested and verified depends on it."
		choices = slices.DeleteFunc(record.Types(), func(t string) bool { return t == record.TypeQuestion })
	}
	q.Subject = record.Input{Choices: append(slices.Clone(choices), record.ClassOpen), Class: what}
	return r.question(q)
}
