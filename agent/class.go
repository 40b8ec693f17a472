package agent

import "caselsp/agent/record"

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
