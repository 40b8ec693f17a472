package record

import "caselsp/agent/action"

// Writing is the tester's work on the tests of a feature.
type Writing struct {
	Why       string   // it was asked
	Start     Staged   // what was staged before
	run       *testRun // that passed before
	Submitted *action.Tests
	Ran       bool
	Tries     int    // that failed
	Note      string // what became of it, for people and for TARS
}

// TestsWritten says that the tester holds its tests for complete.
type TestsWritten struct {
	Tests action.Tests `json:"tests"`
}

// TestsReturned gives the tests that failed back to the tester.
type TestsReturned struct{}

// TestsSettled ends the tester's work. Staged is set where its tests were dropped: what was staged before.
type TestsSettled struct {
	Note   string  `json:"note"`
	Staged *Staged `json:"staged,omitempty"`
}

func (TestsWritten) kind() string  { return "tests_written" }
func (TestsReturned) kind() string { return "tests_returned" }
func (TestsSettled) kind() string  { return "tests_settled" }

// applyWriting folds the records of the tester's work.
func (p *State) applyWriting(body Body) {
	f := p.Feature()
	if f == nil || f.Writing == nil {
		return
	}
	w := f.Writing
	switch b := body.(type) {
	case TestsWritten:
		w.Submitted, w.Ran = &b.Tests, false
		p.submitted("The tests are recorded.")
	case TestsReturned:
		w.Tries, w.Submitted, w.Ran = w.Tries+1, nil, false
	case TestsSettled:
		if w.Note = b.Note; b.Staged != nil {
			p.Staged, p.LastTest = *b.Staged, w.run
			f.Good, f.Tests, f.Results = p.Staged, testLine(w.run), w.run.Results
		}
	}
}

// enterWriting begins it.
func (p *State) enterWriting(why string) {
	f := p.Feature()
	f.Writing = &Writing{Why: why, Start: p.Staged, run: p.LastTest}
}

// Notes are how the tests went before the tester was asked.
func (w *Writing) Notes() []string { return (&Feature{Results: w.run.Results}).TestNotes() }
