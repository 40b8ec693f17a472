package agent

import (
	"context"
	"path"
	"slices"

	"caselsp/agent/record"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
)

// What the tests of a feature prove: where it has changed code and tests, and they pass, they
// run once more on the tree without the change of the code. Tests that pass there, too, show
// nothing of it, and CASE is told so once; of the tester's own the verifier and the report are told.

// evidenceThought is why they run once more.
const evidenceThought = "Run the new tests without the change of other code: they should fail there."

// wantsEvidence reports whether the tests that have just passed are to run without the change.
func (r *run) wantsEvidence() bool {
	f, t := r.state.Feature(), r.state.LastTest
	if f.Evidence != nil || t.Results == nil || t.Results.Passed == 0 || !r.a.outside.provesTests() {
		return false
	}
	code := slices.ContainsFunc(r.featureChanges(), func(c workspace.Change) bool { return isCode(c.Path) })
	return code && len(r.changedTests()) > 0
}

// changedTests are the test files that the feature has added or changed.
func (r *run) changedTests() (list []string) {
	for _, c := range r.featureChanges() {
		if testreport.IsTest(c.Path) && c.After != nil {
			list = append(list, c.Path)
		}
	}
	return list
}

// ofTests reports whether a file belongs to the tests: it stays where they run without the change.
func ofTests(name string) bool {
	return testreport.IsTest(name) || testPath.MatchString(name) || path.Base(name) == "conftest.py"
}

// treeWithout is the staged tree without what the feature has changed beside its tests.
func (r *run) treeWithout(ctx context.Context, policy sandbox.Policy) (tree []sandbox.File, err error) {
	start, err := r.state.Feature().Start.State(r.a.Store.Blob)
	if err != nil {
		return nil, err
	}
	var bare workspace.State
	for _, f := range start.Files {
		if !ofTests(f.Path) {
			bare.Files = append(bare.Files, f)
		}
	}
	for _, f := range r.overlay.State().Files {
		if ofTests(f.Path) {
			bare.Files = append(bare.Files, f)
		}
	}
	return r.treeOf(ctx, policy, bare)
}

// proven notes in an outcome what a run without the change shows; ran names those that passed, too.
func (r *run) proven(outcome *record.ActionDone, ran testreport.Report) {
	if c := r.state.Pending; c.Bare && outcome.Tested != nil {
		var changes []testreport.Change
		for _, c := range r.featureChanges() {
			changes = append(changes, testreport.Change{Path: c.Path, Before: textOf(c.Before), After: textOf(c.After), Deleted: c.After == nil})
		}
		outcome.Evidence = record.NewEvidence(r.changedTests(), changes, outcome.Tested.Outcome, ran)
		outcome.Evidence.Tester = r.state.Phase == record.Extending
	}
}
