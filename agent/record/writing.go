package record

import (
	"fmt"
	"slices"

	"caselsp/agent/action"
)

// Writing is the tester's work on the tests of a feature.
type Writing struct {
	Why       string   // it was asked
	Start     Staged   // what was staged before
	run       *testRun // that passed before
	Submitted *action.Tests
	Ran       bool
	Tries     int    // that failed
	Note      string // what became of it, for people and for TARS
	Dropped   bool   // what it wrote was taken back
	attempt   int    // in which it was settled
	round     int
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
		p.Turns = append(slices.Clip(p.Turns), Turn{Said: action.Said{Text: returnedTests}})
	case TestsSettled:
		w.attempt, w.round = f.Attempt, f.Round
		if w.Note = b.Note; b.Staged != nil {
			w.Dropped = true
			p.stage(*b.Staged)
			p.LastTest = w.run
			f.Good, f.Tests, f.Results = p.Staged, testLine(w.run), w.run.Results
		}
	}
}

// returnedTests goes with the tester's tests that failed.
const returnedTests = "Your tests failed: the result is above. Mend those that are wrong and submit them again. Where a test is right and the code is wrong, leave it as it is and say what is wrong, with its place, in the field `fault` of " + action.SubmitTestsName + ": a summary alone counts as tests that are still to be mended."

// told is what became of it; once CASE has gone on, with when that was.
func (w *Writing) told(f *Feature) string {
	if w.Dropped && (f.Attempt != w.attempt || f.Round != w.round) {
		return fmt.Sprintf("in attempt %d, round %d, before CASE went on: %s", w.attempt, w.round, w.Note)
	}
	return w.Note
}

// enterWriting begins it.
func (p *State) enterWriting(why string) {
	f := p.Feature()
	f.Writing = &Writing{Why: why, Start: p.Staged, run: p.LastTest}
}

// Notes are how the tests went before the tester was asked.
func (w *Writing) Notes() []string { return (&Feature{Results: w.run.Results}).TestNotes() }
