package record

import (
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/stack"
	"caselsp/agent/testreport"
)

// failedBefore names the tests of the last run that failed before the task, too, where others failed
// beside them or all did; "" for none.
func (p *State) failedBefore() string {
	t := p.LastTest
	before, known := p.Baseline(t.command)
	if !known || !before.Usable {
		return ""
	}
	return NamedTests(slices.DeleteFunc(slices.Clone(t.Failing), func(name string) bool { return !slices.Contains(before.Failing, name) }))
}

// bad is a test that did not pass, by its name; the zero value for none.
func (r *Results) bad(name string) (test testreport.Test) {
	if r != nil {
		for _, t := range r.Bad() {
			if t.Name == name {
				return t
			}
		}
	}
	return test
}

// TestsSaid is what a model is told of the last run of the tests: of one that failed, what fails now and
// did not before the task first, and each trace once. short says that it was shortened so.
func (p *State) TestsSaid() (said action.Said, short bool) {
	t := p.LastTest
	if t.OK || t.Skipped || t.Results == nil || t.Outcome != stack.Failed {
		return t.Said, false
	}
	before, known := p.Baseline(t.command)
	old := func(now testreport.Test) bool {
		then := before.Results.bad(now.Name)
		return known && before.Usable && !t.Returned && slices.Contains(before.Failing, now.Name) && (then.Name == "" || slices.Equal(now.Reason(), then.Reason()))
	}
	text, short := t.Results.Failures(old)
	if said = t.Said; short {
		said.Mark, said.Quote = action.MarkOutput, text
	}
	return said, short
}
