package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/quote"
	"caselsp/agent/stack"
	"caselsp/agent/testreport"
	"caselsp/sandbox"
)

// Tested is what is kept of a run of the tests beside its output. Records of older versions
// have none: they say only whether the command ended well.
type Tested struct {
	stack.Reading
	Kind    string   `json:"kind,omitempty"`    // of the failure: runs that fail in the same way have the same one
	Failing []string `json:"failing,omitempty"` // what failed, as the output names it
	Circle  []string `json:"circle,omitempty"`  // the files of a circular import; of one whose files are not known, its line
}

// TestsFound says which commands run the project's tests, by the project's own files; none
// where it shows no tests. It is recorded when a feature without a test command is finished,
// and again where that has changed.
type TestsFound struct {
	Candidates []stack.Candidate `json:"candidates,omitempty"`
	// Instead is the command that tests the feature if there are no candidates. It is empty if no command tests it, and in older versions.
	Instead string `json:"instead,omitempty"`
}

func (TestsFound) kind() string { return "tests" }

// Told says in a line for people what was found.
func (b TestsFound) Told() string {
	switch {
	case len(b.Candidates) == 0 && b.Instead != "":
		return "No test command of the whole project was found. What is known of its tests runs instead: " + b.Instead
	case len(b.Candidates) == 0:
		return "No test command was found in this project: what is written is not tested. Name one in its manifest (a test script, the configuration of pytest, a make target), or in the task."
	}
	return "the project's tests: " + b.Candidates[0].String()
}

// testRun is the last run of a feature's tests.
type testRun struct {
	command string
	OK      bool
	Skipped bool // the user or the settings kept it from running
	Lost    bool // its outcome is not known
	Said    action.Said
	staged  Staged        // what it ran on
	Took    time.Duration // 0: not known
	Results *Results      // nil: older versions kept none
	Tested

	Before   bool     // all that fails failed before the change, too
	Named    bool     // and the task is about a test among them
	Returned bool     // so that CASE is asked to look at them
	recalled []string // what mended similar failures, of which CASE is told
	Settled  bool     // the user let the task go on without these tests
	unended  bool     // they were stopped at the limit
}

// TestsNow is the last run of the tests that counts, and what was staged when they ran; the
// zero value where there is none.
type TestsNow struct {
	Results *Results
	On      Staged
}

// testsNow is that of the feature which is worked on, else of the last one before it that had
// tests.
func (p *State) testsNow() (now TestsNow) {
	if t := p.LastTest; t != nil {
		return TestsNow{t.Results, t.staged}
	}
	for i := min(p.Current, len(p.Features)-1); i >= 0; i-- {
		if f := &p.Features[i]; f.Tests != "" {
			return TestsNow{f.Results, p.Staged}
		}
	}
	return now
}

// Command is the command line that ran.
func (t *testRun) Command() string { return t.command }

// Nothing reports whether the run tested nothing, because no test ran or the command is none.
func (t *testRun) Nothing() bool { return t.Outcome == stack.Nothing || t.Outcome == stack.Checked }

// Baseline is how the tests went on the files as they were before the task.
type Baseline struct {
	OK      bool
	Failing []string
	Kind    string
	Usable  bool // the tests ran, so that they can be compared
	Results *Results
}

// TestCommand is a test command that CASE or the reflector has put in the place of another, which
// is the one that the feature began with.
type TestCommand struct {
	Line string `json:"line"`
	Old  string `json:"old,omitempty"`
	By   string `json:"by"`
	Why  string `json:"why,omitempty"`
	// Failed is how the other went when it failed last, in a line; "" where it was not run.
	Failed string `json:"failed,omitempty"`

	unstarted bool // it could not run at all
	failing   bool // tests of it failed
}

// Told says in a line what was changed, and why.
func (c TestCommand) Told() string {
	why := ""
	if c.Why != "" {
		why = ": " + quote.Words(FirstLine(c.Why)).String()
	}
	if c.Old == "" {
		return fmt.Sprintf("%s named the test command `%s`%s", c.By, c.Line, why)
	}
	return fmt.Sprintf("%s changed the test command from `%s` to `%s`%s", c.By, c.Old, c.Line, why)
}

// projectTests is what the state knows of the project's tests.
type projectTests struct {
	Found     *TestsFound // nil: nobody has looked yet
	absent    map[string]bool
	Baselines map[string]Baseline // by command line
}

// TestLine is the command that tests the feature which is worked on; "" where none is known.
func (p *State) TestLine() string {
	if p.Feature() == nil {
		return ""
	}
	return cmp.Or(p.NamedTests(), p.detected().Command, p.Feature().parts)
}

// NamedTests is the command that the plan names for the feature which is worked on, or that was
// put in its place; "" for none that can be run.
func (p *State) NamedTests() string {
	f := p.Feature()
	for _, line := range []string{f.Changed.Line, f.Test} {
		if line != "" && !slices.Contains(f.void, line) {
			return line
		}
	}
	return ""
}

// voidTests takes note of a test command that is not run.
func (f *Feature) voidTests(line string) {
	if line != "" && !slices.Contains(f.void, line) {
		f.void = append(f.void, line)
	}
}

// detected is the first of the project's own commands that the sandbox has the program for.
func (p *State) detected() (c stack.Candidate) {
	if p.projectTests.Found == nil {
		return c
	}
	list := p.projectTests.Found.Candidates
	for _, c := range list {
		if !p.projectTests.absent[c.Command] {
			return c
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return c
}

// TestsKnown is what was found of the project's tests; nil where nobody has looked.
func (p *State) TestsKnown() *TestsFound { return p.projectTests.Found }

// Baseline is how a test command went before the task, where that is known.
func (p *State) Baseline(line string) (b Baseline, known bool) {
	b, known = p.projectTests.Baselines[line]
	return b, known
}

// applyTests folds what was found out about the project's tests and dependencies.
func (p *State) applyTests(body Body) {
	switch b := body.(type) {
	case TestsFound:
		p.projectTests.Found = &b
	case Compared:
		p.applyCompared(b)
	case DependenciesFound:
		p.applyLayer(b.Key, func(l *Dependencies) { l.found(b) })
		if p.Pending != nil && b.Said != "" {
			p.Pending.Uninstalled = true
		}
	}
}

// applyTest folds the outcome of a run of the tests.
func (p *State) applyTest(f *Feature, c *Pending, b ActionDone, said action.Said) {
	if c.Bare {
		f.applyEvidence(b)
		return
	}
	line := CommandOf(c.Args)
	tested := Tested{}
	if b.Tested != nil {
		tested = *b.Tested
	}
	if c.Before {
		if !b.Lost {
			p.keepBaseline(line, b)
		}
		return
	}
	p.LastTest = &testRun{command: line, OK: b.OK, Said: said, Skipped: b.Skipped, Lost: b.Lost, staged: p.Staged, Results: b.Results, Tested: tested}
	if c.Result != nil {
		p.LastTest.Took, p.LastTest.unended = c.Result.Result.Took, c.Result.Result.Status == sandbox.TimedOut
	}
	if p.Tested = !b.Lost; p.Phase == Extending && f.Writing != nil {
		f.Writing.Ran = !b.Lost
	}
	if tested.Outcome == stack.Unstarted && len(tested.Lacks) > 0 && p.denied() {
		p.LastTest.Settled = true
	}
	f.Tests, f.Results = testLine(p.LastTest), b.Results
	f.judgeClaim(p.LastTest)
	if !b.OK && !b.Skipped && !b.Lost && p.Phase != Extending {
		p.failed(f, line, said.Plain())
		f.failed(tested.Kind)
	}
	if b.OK && !p.LastTest.Nothing() {
		f.Good, f.goodStep = p.Staged, f.Step
		p.fixed(f, line)
	}
	p.passOver(line, tested)
}

// denied reports whether the user has denied an installation.
func (p *State) denied() bool {
	for _, l := range p.Dependencies {
		if l.Denied {
			return true
		}
	}
	return false
}

// passOver leaves out a detected command whose program the sandbox has not, where there is
// another one: the tests are then run by that.
func (p *State) passOver(line string, t Tested) {
	found := p.detected()
	if found.Command != line || p.TestLine() != line || !slices.ContainsFunc(t.Lacks, func(l stack.Lack) bool { return l.Name == found.Program }) {
		return
	}
	if p.projectTests.absent == nil {
		p.projectTests.absent = map[string]bool{}
	}
	p.projectTests.absent[line] = true
	if next := p.detected(); next.Command != line {
		p.Tested = false
		p.LastTest = nil
	} else {
		delete(p.projectTests.absent, line)
	}
}

// failed counts the failures of a kind. Those of a kind that is not known are all of one.
func (f *Feature) failed(kind string) {
	if f.kinds == nil {
		f.kinds = map[string]int{}
	}
	f.kinds[kind]++
}

// Seen is how often the tests of the feature have failed as they did last.
func (p *State) Seen() int {
	f := p.Feature()
	if p.LastTest == nil || f == nil {
		return 0
	}
	return f.kinds[p.LastTest.Kind]
}

// byUser is who changed a test command that stands in the user's own words, whoever has passed it on.
const byUser = "the user"

// userNamed reports whether a test command stands, word for word, in the task or in what the user has said since.
func (p *State) userNamed(line string) bool {
	return stack.Runs(line) && slices.ContainsFunc(p.UserTexts, func(text string) bool {
		before, after, found := strings.Cut(text, line)
		after = strings.TrimPrefix(after, ".") // of a sentence, else a letter follows
		inWord := func(s string) bool { return strings.Trim(s, "\t\n\r \"'`.,:;!?()“”") != "" }
		return found && !inWord(before[max(0, len(before)-1):]) && !inWord(after[:min(1, len(after))])
	})
}

// changeTests puts another test command in the place of the feature's. Of several changes, what the
// first took the place of counts.
func (p *State) changeTests(line, by, why string) {
	f, t := p.Feature(), p.LastTest
	if f == nil || line == "" || line == p.TestLine() {
		return
	}
	if p.userNamed(line) && by != byUser {
		by, why = byUser, "" // the reason is that of the one who passed it on
	}
	c := TestCommand{Line: line, Old: p.TestLine(), By: by, Why: why}
	if first := f.Changed; first.Line != "" {
		c.Old, c.Failed, c.unstarted = first.Old, first.Failed, first.unstarted
	}
	if t != nil && t.command == c.Old && !t.OK && !t.Skipped && !t.Lost {
		c.Failed, c.unstarted, c.failing = testLine(t), t.Outcome == stack.Unstarted, len(t.Failing) > 0
	}
	if f.Changed = c; c.Line == c.Old {
		f.Changed = TestCommand{}
	}
}

// Replaced says that another test command has passed than the project's own, and how that went; ""
// where the project's own has passed, or where there is none. A run of the project's runner in the
// place of a command that could not run, or that does not belong to the project, counts as the project's own.
func (p *State) Replaced() string {
	f, t := p.Feature(), p.LastTest
	if f == nil || t == nil || !t.OK || f.Changed.Line == "" || t.command != f.Changed.Line {
		return ""
	}
	if p.userNamed(f.Changed.Line) {
		return "" // the user has said what tests it
	}
	c, own := f.Changed, f.Changed.Old
	var known []stack.Candidate
	if p.projectTests.Found != nil {
		known = p.projectTests.Found.Candidates
	}
	if slices.ContainsFunc(known, func(k stack.Candidate) bool { return k.Command == c.Line }) {
		return "" // all of the project's, in place of a part
	}
	ofProject := own != "" && (len(known) == 0 || stack.RunOf(own, known))
	if stack.RunOf(c.Line, known) && (!ofProject || c.unstarted) {
		return ""
	}
	if !ofProject {
		own = p.detected().Command
	}
	if own == "" || own == c.Line {
		return ""
	}
	text := fmt.Sprintf("the project's own tests were not passed: `%s` was not run", own)
	if own == c.Old && c.Failed != "" {
		text = "the project's own tests were not passed: " + c.Failed
	}
	text += fmt.Sprintf("; %s ran `%s` in their place", c.By, c.Line)
	if r := t.Results; r != nil && r.Coverage.Known() && r.Coverage.Covered == 0 {
		text += ", which runs none of the changed lines"
	}
	return text
}

// applyTestsAnswer folds what the user wants done about tests that cannot run.
func (p *State) applyTestsAnswer(a Answer) {
	t := p.LastTest
	if t == nil {
		return
	}
	switch a.Text {
	case TestsAgain:
		p.Tested = false
		if w := p.Feature().Writing; w != nil {
			w.Ran = false
		}
	case TestsWithout:
		t.Settled = true
		p.Feature().Tests = testLine(t)
	default:
		p.TestsAdvice = a.Text
		p.Feature().Given = true
	}
}

// The answers to a question about tests that cannot run; any other text is advice for CASE.
const (
	TestsAgain   = "Try again"
	TestsWithout = "Go on without these tests"
	TestsGive    = "Let CASE work on it"
)

// applyCompared folds that the last failure was compared with how the tests went before.
func (p *State) applyCompared(b Compared) {
	if t := p.LastTest; t != nil {
		t.Before, t.Named, t.Returned = true, b.Named, b.Returned
		f := p.Feature()
		f.Returned = f.Returned || b.Returned
		f.Tests = testLine(t)
	}
}

// Compared says that all that fails failed before the task, too.
type Compared struct {
	Named    bool `json:"named,omitempty"`    // the task names a test among them, or has changed how one fails
	Returned bool `json:"returned,omitempty"` // CASE is asked once to look at it
}

func (Compared) kind() string { return "compared" }

// Told says in a line for people what was found.
func (b Compared) Told() string {
	switch {
	case b.Returned:
		return "What fails failed before the change, too; the task is about it, so CASE is asked to look at it."
	case b.Named:
		return "What fails still fails, as before the change; the task is about it."
	}
	return "What fails failed before the change, too: it does not count against it."
}

// maxNamedTests is how many failing tests are named in a line for people.
const maxNamedTests = 3

// testLine says how a test run went, with the line in which the runner sums up.
func testLine(t *testRun) string {
	sum := t.Results.sum(strings.Trim(FirstLine(testreport.Summary(t.Said.Text+t.Said.Quote)), "= ")) // without pytest's rule around it
	switch {
	case t.Skipped:
		return fmt.Sprintf("`%s` was not run: %s", t.command, FirstLine(t.Said.Text))
	case t.Lost:
		return fmt.Sprintf("`%s`: the outcome is not known", t.command)
	case t.Settled:
		return fmt.Sprintf("untested: `%s` could not run: %s", t.command, t.lacking())
	case t.Outcome == stack.Nothing:
		return fmt.Sprintf("untested: `%s` ran no test: %s", t.command, sum)
	case t.Outcome == stack.Checked:
		return fmt.Sprintf("untested: `%s` ended well, and is %s, no test run", t.command, t.What)
	case t.Before && t.Named:
		return fmt.Sprintf("`%s` still fails, as before the change%s: %s", t.command, t.names(), sum)
	case t.Before:
		return fmt.Sprintf("`%s` fails only where it failed before the change%s: %s", t.command, t.names(), sum)
	case t.Outcome == stack.Unstarted:
		return fmt.Sprintf("`%s` could not run: %s", t.command, t.lacking())
	}
	how := "fails"
	if t.OK {
		how = "passes"
	}
	return fmt.Sprintf("`%s` %s: %s", t.command, how, sum)
}

// lacking is why the tests could not run, in a few words.
func (t *testRun) lacking() string {
	if len(t.Lacks) > 0 {
		return stack.Causes(t.Lacks)
	}
	return FirstLine(testreport.Summary(t.Said.Text + t.Said.Quote))
}

func (t *testRun) names() string {
	if len(t.Failing) == 0 {
		return ""
	}
	return " (" + NamedTests(t.Failing) + ")"
}

// NamedTests names tests in a line; of many, how many more there are.
func NamedTests(list []string) string {
	more := ""
	if n := len(list) - maxNamedTests; n > 0 {
		list, more = list[:maxNamedTests], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(list, "; ") + more
}

// untested says why nothing has tested the feature which is worked on, "" where something has
// or where it changed nothing.
func (p *State) untested() string {
	f, t := p.Feature(), p.LastTest
	switch {
	case f == nil || p.Unchanged():
		return ""
	case t == nil && f.Unneeded != "":
		return f.Unneeded
	case p.ownRun() != nil && (t == nil || t.Skipped || t.Settled || t.Lost || t.Nothing()):
		return ""
	case t == nil && p.TestLine() == "" && p.projectTests.Found != nil:
		return "no test command was found in the project"
	case t == nil:
		return "" // older versions did not look
	case t.Skipped || t.Settled || t.Lost || t.Nothing():
		return strings.TrimPrefix(f.Tests, "untested: ")
	case p.narrowed():
		return ""
	}
	return p.Replaced()
}
