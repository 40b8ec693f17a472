package record

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/stack"
	"caselsp/agent/testreport"
)

// Evidence is what the tests of a feature prove of it.
type Evidence struct {
	// Tests are the test files that the feature has added or changed.
	Tests []string `json:"tests,omitempty"`
	// Without is how they went on the tree without the feature's change of other code.
	Without Proof `json:"without"`
	// Unstarted says that it failed before any test began: the tests use what is new, which says little of what it does.
	Unstarted bool `json:"unstarted,omitempty"`
	// Added is how many tests are new, and Passing those of them that pass there: each shows
	// nothing of the change. It is empty if the run does not name every failed test, and lacks a test of
	// which no result says so.
	Added   int      `json:"added,omitempty"`
	Passing []string `json:"passing,omitempty"`
	// Tester says that they are the tester's own: of these the verifier is told alone.
	Tester bool `json:"tester,omitempty"`
	// Returned says that CASE was told that they pass there, too.
	Returned bool `json:"returned,omitempty"`
}

// Proof is how new tests went without the change that they are for.
type Proof string

// The ways in which they can have gone.
const (
	FailsWithout  Proof = "fails without the change"
	PassesWithout Proof = "passes without the change, too"
	NoProof       Proof = "could not run"
)

// NewEvidence reads a run of the tests without the change of other code; changes are all that was changed.
// Where all that failed is in other files, the new tests have passed.
func NewEvidence(tests []string, changes []testreport.Change, outcome stack.Outcome, ran testreport.Report) *Evidence {
	added, all := testreport.Added(changes)
	e := &Evidence{Tests: tests, Without: NoProof, Added: len(added)}
	if outcome == stack.Passed {
		if e.Tests = ran.OfRun(tests, all); len(e.Tests) == 0 { // the command runs none of them
			e.Tests = tests
			return e
		}
	}
	bad := ran.Bad()
	named := len(bad) == ran.Failed+ran.Errors
	switch outcome {
	case stack.Passed:
		e.Without = PassesWithout
	case stack.Failed:
		e.Without, e.Unstarted = FailsWithout, ran.Errors > 0 && ran.Failed+ran.Passed == 0
		if named && len(bad) > 0 && !slices.ContainsFunc(bad, func(t testreport.Test) bool {
			return t.File == "" || slices.Contains(tests, t.File) || t.MayBe(all)
		}) {
			e.Without = PassesWithout
		}
	}
	if e.Without == FailsWithout && named && ran.Errors == 0 {
		e.Passing = ran.Passing(added, all)
	}
	return e
}

// mostPassing is how many tests are named that pass without the change.
const mostPassing = 5

// String says it in a line.
func (e *Evidence) String() string {
	text := "new or changed tests (" + strings.Join(e.Tests, ", ") + "), run without the change of other code: " + string(e.Without)
	if e.Unstarted {
		text += " before any of them begins, because what they use is not there"
	}
	if n := len(e.Passing); n > 0 {
		text += fmt.Sprintf("; but %d of %d new tests pass there, too, and show nothing of it: %s", n, e.Added, strings.Join(e.Passing[:min(n, mostPassing)], ", "))
	}
	if e.Returned {
		text += "; CASE was told so"
	}
	return text
}

// Useless reports whether CASE is to be told that its tests show nothing of the change.
func (e *Evidence) Useless() bool {
	return e != nil && e.Without == PassesWithout && !e.Returned && !e.Tester
}

// tellEvidence notes that another round has begun, in which CASE knows where its tests show
// nothing. To finish again at once is no loop then.
func (f *Feature) tellEvidence() {
	if f.Evidence.Useless() {
		now := *f.Evidence
		now.Returned = true
		f.Evidence, f.Deeds = &now, nil
	}
}

// applyEvidence folds a run of the tests without the change: once a feature, however it ended.
func (f *Feature) applyEvidence(b ActionDone) {
	if f.Evidence = b.Evidence; f.Evidence == nil {
		f.Evidence = &Evidence{Without: NoProof}
	}
}
