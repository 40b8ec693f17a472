package agent

import (
	"context"
	"fmt"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/record"
	"caselsp/agent/stack"
	"caselsp/agent/testreport"
)

// When the tester writes tests: setting tests.write.
const (
	WriteOff     = "off"
	WriteMissing = "missing" // where CASE wrote none, and less of the changed lines is covered than the aim
	WriteAlways  = "always"  // where CASE wrote none
)

const (
	// maxTesterTries is how often tests of the tester that fail go back to it.
	maxTesterTries = 2
	// maxTesterTurns bounds its conversation: reading some files, writing one or two.
	maxTesterTurns = 20
)

// writerVerbs are the tester's. It runs no commands: what it wrote is run when it submits it.
var writerVerbs = append([]*action.Verb{action.WriteFileVerb, action.PatchFileVerb, action.TestsVerb}, readVerbs...)

// wantsTests says why the tester is asked for tests of the feature whose tests have just
// passed; "" where it is not.
func (r *run) wantsTests() string {
	f, t := r.state.Feature(), r.state.LastTest
	if f.Writing != nil || r.state.Task.Single || t.Results == nil || t.Results.Passed == 0 {
		return ""
	}
	if when := r.a.WriteTests; when != WriteMissing && when != WriteAlways {
		return ""
	}
	gone, added := map[string]int{}, false
	for _, c := range r.featureChanges() {
		if testreport.IsTest(c.Path) {
			return "" // CASE has seen to it
		}
		for _, h := range c.Hunks {
			for _, l := range h.Old {
				gone[strings.TrimSpace(l)]++
			}
		}
	}
	for _, c := range r.featureChanges() {
		if !isCode(c.Path) || c.Before == nil && c.From != "" {
			continue
		}
		for _, h := range c.Hunks {
			for _, l := range h.New {
				l = strings.TrimSpace(l)
				if gone[l]--; gone[l] < 0 && l != "" {
					added = true // code that is not only moved
				}
			}
		}
	}
	c := t.Results.Coverage
	switch {
	case !added:
		return ""
	case r.a.WriteTests == WriteAlways && !c.Known():
		return "the code was changed and no test was"
	case c.Known() && (r.a.WriteTests == WriteAlways || c.Percent() < record.CoverageAim):
		return fmt.Sprintf("the code was changed and no test was; %d percent of the changed lines are covered, the aim is %d", c.Percent(), record.CoverageAim)
	}
	return ""
}

// extending lets the tester write tests, runs them, and keeps them where they pass. Its own
// tests never fail a feature: TARS is told of those that do.
func (r *run) extending(ctx context.Context) error {
	f := r.state.Feature()
	if asked, err := r.askForWritten(ctx); asked || err != nil {
		return err
	}
	switch w := f.Writing; {
	case w != nil && w.Dropped:
		return r.move(record.Verifying, w.Note)
	case w == nil || w.Note != "":
		return r.move(record.Verifying, "the tests pass")
	case w.Ran && r.state.LastTest.OK && r.wantsEvidence():
		return r.runTestsOn(r.state.LastTest.Command(), record.ActionChosen{Thought: evidenceThought, Bare: true})
	case w.Ran && r.state.LastTest.OK:
		return r.record(record.TestsSettled{Note: "the tester wrote tests, and they pass: " + record.FirstLine(w.Submitted.Summary)})
	case w.Ran && r.state.LastTest.Settled:
		return r.dropTests("the tester's tests were dropped: " + f.Tests)
	case w.Ran && w.Submitted.Fault == "" && w.Tries < maxTesterTries:
		return r.record(record.TestsReturned{})
	case w.Ran:
		return r.dropTests("the tester's tests failed and were dropped: " + failing(r.state.LastTest.Results) + testersWords(w.Submitted))
	case w.Submitted != nil && record.SameStaged(w.Start, r.state.Staged):
		return r.dropTests("the tester wrote no tests: " + record.FirstLine(w.Submitted.Summary))
	case w.Submitted != nil && r.state.LostTests >= maxLostTests:
		return r.dropTests("the tester's tests were dropped: how they went is not known")
	case w.Submitted != nil:
		return r.runTests(r.state.TestLine(), "Run the new tests.", false)
	case r.state.Exchanges >= maxTesterTurns:
		return r.dropTests(fmt.Sprintf("the tester submitted no tests in %d turns", maxTesterTurns))
	}
	return r.converse(ctx, record.RoleTester, writerVerbs, (*prompter).testerPrompt)
}

// askForWritten asks the user for the packages that the tester's tests need, where they cannot run
// without them. If they are refused, the tests are dropped.
func (r *run) askForWritten(ctx context.Context) (asked bool, err error) {
	f, t := r.state.Feature(), r.state.LastTest
	if w := f.Writing; w == nil || !w.Ran || w.Note != "" || t.OK || t.Settled || t.Outcome != stack.Unstarted || f.Given {
		return false, nil
	}
	packages, deps, looked, err := r.offer(ctx, t.Lacks)
	if packages == nil || len(packages.Names) == 0 || err != nil {
		return looked, err
	}
	return true, r.question(record.Question{
		Text:    fmt.Sprintf("The tests that the tester wrote cannot run in the sandbox: %s (%s)", stack.Causes(t.Lacks), t.Command()),
		Why:     offerText(packages, deps) + fmt.Sprintf("With %q they are dropped.", record.TestsWithout),
		Subject: record.Input{Choices: []string{packages.Once(), packages.Always(), record.TestsWithout}, Tests: true, Packages: packages},
	})
}

// testersWords are what the tester says of tests that failed.
func testersWords(t *action.Tests) string {
	if t.Fault != "" {
		return "; the tester says that the code is wrong: " + record.FirstLine(t.Fault)
	}
	return "; the tester says: " + record.FirstLine(t.Summary)
}

// failing names what failed.
func failing(res *record.Results) string {
	if res == nil || len(res.Bad()) == 0 {
		return "see the work log"
	}
	t := res.Bad()[0]
	return t.Name + ": " + record.FirstLine(t.Cause())
}

// dropTests takes back what the tester wrote.
func (r *run) dropTests(note string) error {
	w := r.state.Feature().Writing
	if err := r.putBack(w.Start); err != nil {
		return err
	}
	staged, blobs := record.StagedOf(r.overlay.State())
	return r.record(record.TestsSettled{Note: note, Staged: &staged}, blobs...)
}

// onlyTests says why the tester may not make an edit: it changes a file that is no test
// file. It returns "" if the edit is allowed.
func (r *run) onlyTests(act *action.Action) string {
	if c := r.state.Pending; c == nil || c.Role != record.RoleWriter || act.Verb.Effect != action.Edits {
		return ""
	}
	for _, place := range act.Args.Changes() {
		if f, ok := place.(action.File); ok && !testreport.IsTest(string(f)) {
			return fmt.Sprintf("Nothing was done: %s is no test file, and the tester changes only those. Where the code is wrong, say so in %s.", string(f), action.SubmitTestsName)
		}
	}
	return ""
}

func (p *prompter) testerPrompt() ([]llm.Message, error) {
	d := p.data()
	w := p.state.Feature().Writing
	d.Diff, d.Reason, d.TestNotes = p.writtenDiff(), w.Why, w.Notes()
	return p.conversationOn(d, "tester.system.md", "tester.user.md")
}
