package record

import (
	"slices"
	"strings"

	"caselsp/agent/stack"
)

// Evidence is what the tests of a feature prove of it.
type Evidence struct {
	// Tests are the test files that the feature has added or changed.
	Tests []string `json:"tests,omitempty"`
	// Without is how they went on the tree without the feature's change of other code.
	Without Proof `json:"without"`
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

// NewEvidence reads a run of the tests without the change. Where all that failed is in other
// files, the new tests have passed.
func NewEvidence(tests []string, outcome stack.Outcome, results *Results) *Evidence {
	e := &Evidence{Tests: tests, Without: NoProof}
	switch outcome {
	case stack.Passed:
		e.Without = PassesWithout
	case stack.Failed:
		if e.Without = FailsWithout; results != nil && len(results.Bad()) > 0 && len(results.Bad()) == results.Failed+results.Errors {
			e.Without = PassesWithout
			for _, t := range results.Bad() {
				if t.File == "" || slices.Contains(tests, t.File) {
					e.Without = FailsWithout
				}
			}
		}
	}
	return e
}

// String says it in a line.
func (e *Evidence) String() string {
	text := "new or changed tests (" + strings.Join(e.Tests, ", ") + "), run without the change of other code: " + string(e.Without)
	if e.Returned {
		text += "; CASE was told so, and has finished again since"
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
