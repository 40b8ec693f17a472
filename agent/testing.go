package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/stack"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// What becomes of the tests of a feature. FINISH_FEATURE starts them: those that the plan names,
// or CASE or the reflector in its place, or else those that the project's own files name
// (lookForTests). What the run means is in its record (record.Tested). A run in which no test
// ran is no pass; one that could not start is no fault of CASE's, and the user is asked
// (askTests); what failed before the task does not count against it (compare): TARS may have
// run them while planning (record.Baselining), else they run once on the files as they were; the
// first failure of a kind goes back to CASE, and from the second on the reflector is asked.

// finished goes on after FINISH_FEATURE.
func (r *run) finished(ctx context.Context) error {
	f := r.state.Feature()
	named := r.state.NamedTests() != ""
	if !named && r.state.Unchanged() {
		return r.move(record.Verifying, "nothing was changed, and the plan names no tests for it")
	}
	if r.documentsOnly() {
		return r.record(record.StateChanged{To: record.Verifying, Feature: r.state.Current, Attempt: f.Attempt, Round: f.Round, Reason: "untested: " + onlyDocumentation, Untested: onlyDocumentation})
	}
	if !named || f.Changed.Line != "" {
		if looked, err := r.lookForTests(ctx); looked || err != nil {
			return err
		}
	}
	if r.state.TestLine() == "" {
		return r.move(record.Verifying, "untested: no test command was found in the project")
	}
	changed := ""
	if t := r.state.LastTest; f.Changed.Line != "" && r.state.TestLine() == f.Changed.Line && (t == nil || t.Command() != f.Changed.Line) {
		changed = f.Changed.Told()
	}
	return r.move(record.Testing, changed)
}

// maxProjectFiles is among how many files of a project those are looked for that a trace names.
const maxProjectFiles = 20000

// lookForTests records which commands run the project's tests, where that has changed.
func (r *run) lookForTests(ctx context.Context) (looked bool, err error) {
	found, recorded := r.a.outside.tests()
	if !recorded {
		p := r.prompter()
		entries, _, err := p.entries(ctx)
		if err != nil {
			return false, err
		}
		if found.Candidates, _ = p.project(entries); len(found.Candidates) == 0 {
			found.Instead = r.state.TestLine()
		}
	}
	if known := r.state.TestsKnown(); known != nil && slices.Equal(known.Candidates, found.Candidates) {
		return false, nil
	}
	if f := r.state.Feature(); len(found.Candidates) == 0 && f != nil && f.Changed.Line != "" {
		return false, nil // one is named
	}
	return true, r.record(found)
}

// testing runs the feature's tests, once a round, and looks at how they ended.
func (r *run) testing(ctx context.Context) error {
	f, t := r.state.Feature(), r.state.LastTest
	switch {
	case f.Loop != "":
		return r.failFeature("it went in circles: "+f.Loop, "")
	case !r.state.Tested && r.state.LostTests >= maxLostTests:
		return &pauseError{fmt.Sprintf("the tests were started %d times, and their outcome is not known: %s Mend that, then resume", maxLostTests, r.state.LastTurn().Said.Text)}
	case !r.state.Tested && t != nil && t.Before && f.Returned && !r.state.TestsOutdated():
		return r.move(record.Verifying, "CASE has changed nothing since: the tests fail as they did before the change")
	case !r.state.Tested:
		return r.runTests(r.state.TestLine(), "Run the tests of this feature.", false)
	case t.Skipped:
		return r.move(record.Verifying, "the tests were not run")
	case t.Nothing(), t.Settled:
		return r.move(record.Verifying, f.Tests)
	case t.OK:
		if linted, err := r.lintStaged(ctx); linted || err != nil { // those that waited for dependencies
			return err
		}
		if did, err := r.writeValidator(ctx); did || err != nil {
			return err
		}
		if r.wantsEvidence() {
			return r.runTestsOn(t.Command(), record.ActionChosen{Thought: evidenceThought, Bare: true})
		}
		if f.Evidence.Useless() && f.Round < r.a.Limits.Rounds {
			return r.nextRound(f.Attempt, "the new tests pass without the change of other code, too, so they show nothing of it: make them check what the change does; where it is not meant to change behaviour, finish again and say so")
		}
		if why := r.wantsTests(); why != "" {
			return r.move(record.Extending, why)
		}
		return r.move(record.Verifying, "the tests pass")
	case t.Before && t.Returned:
		return r.nextRound(f.Attempt, "the task is about tests that fail as they did before: make them pass, or finish again and say why they cannot")
	case t.Before:
		return r.move(record.Verifying, "nothing fails that did not fail before the change")
	}
	return r.failing(ctx)
}

// runTests begins a run of the tests; before says that it is one on the files as they were
// before the task.
func (r *run) runTests(line, thought string, before bool) error {
	return r.runTestsOn(line, record.ActionChosen{Thought: thought, Before: before})
}

// runTestsOn begins one as it is described.
func (r *run) runTestsOn(line string, chosen record.ActionChosen) (err error) {
	if chosen.Args, err = json.Marshal(action.RunCommand{Command: line}); err != nil {
		return err
	}
	chosen.Role, chosen.Action = record.RoleTester, action.RunCommandName
	return r.record(chosen)
}

// failing goes on after a run of the tests that did not pass.
func (r *run) failing(ctx context.Context) error {
	f, t := r.state.Feature(), r.state.LastTest
	if advice := r.state.TestsAdvice; advice != "" {
		reason := "the tests could not run in the sandbox, and the user leaves it to you"
		if advice != record.TestsGive {
			reason = "the tests could not run in the sandbox. The user says: " + advice
		}
		return r.nextRound(f.Attempt, reason)
	}
	if t.Outcome == stack.Unstarted && !f.Given {
		if lack := r.lacking(t.Lacks); lack != nil {
			return r.askTests(ctx, *lack)
		}
	}
	if compared, err := r.compare(); compared || err != nil {
		return err
	}
	if f.Round >= r.a.Limits.Rounds {
		return r.failFeature(fmt.Sprintf("its tests still fail after %s", count.Of(f.Round, "round")), "")
	}
	reflects, recorded := r.a.outside.reflects()
	if !recorded {
		reflects = r.state.Seen() > 1
	}
	switch {
	case !reflects && !r.state.Asked && r.a.outside.recallsFirst():
		return r.recall(ctx, store.KindFailure, r.failureText(ctx, t.Said.Plain()), t.Said.Plain(), maxEarly)
	case !reflects:
		return r.nextRound(f.Attempt, r.state.LastTest.Failed())
	case len(t.Circle) > 0 && r.state.Hypothesis != nil && !f.Given:
		return r.askCircle(t.Circle)
	}
	return r.move(record.Reflecting, "the tests fail in the same way again")
}

// lacking is the first of what a run did not find that is not of the task's own making: what
// its changes name, they have brought in, and CASE can take out or declare; what its text
// names, it is to make.
func (r *run) lacking(lacks []stack.Lack) *stack.Lack {
	for i, l := range lacks {
		if !r.introduced(l.Name) {
			return &lacks[i]
		}
	}
	return nil
}

// introduced reports whether what is staged names something more often than before.
func (r *run) introduced(name string) bool {
	word := regexp.MustCompile(`(^|[^\w])` + regexp.QuoteMeta(name) + `($|[^\w])`)
	f := r.state.Feature()
	if asked := strings.Join(slices.Concat([]string{r.state.Task.Text, f.Title, f.Description}, f.Files), "\n"); word.MatchString(asked) {
		return true // it is what the task is to make, or to use
	}
	for _, c := range r.overlay.ChangeSet().Files {
		if len(word.FindAllString(textOf(c.After), -1)) > len(word.FindAllString(textOf(c.Before), -1)) {
			return true
		}
	}
	return false
}

// textOf is the text of a content; "" for none.
func textOf(c *workspace.Content) string {
	if c == nil {
		return ""
	}
	text, _ := c.Text()
	return text
}

// askTests asks the user what to do about tests that cannot run. Rounds are not used up by it.
func (r *run) askTests(ctx context.Context, l stack.Lack) error {
	others := slices.DeleteFunc(slices.Clone(r.state.LastTest.Lacks), func(l stack.Lack) bool { return r.introduced(l.Name) })
	packages, deps, looked, err := r.offer(ctx, others)
	if looked || err != nil {
		return err
	}
	choices, why := []string{record.TestsAgain, record.TestsWithout, record.TestsGive}, l.Hint+". "
	switch {
	case packages != nil && len(packages.Names) > 0:
		choices, why = []string{packages.Once(), packages.Always(), record.TestsWithout, record.TestsAgain, record.TestsGive}, offerText(packages, deps)
	case packages != nil:
		why += unknownPackage(others)
	}
	instead, looked, err := r.otherTests(ctx, l)
	if looked || err != nil {
		return err
	}
	if instead != "" {
		choices = append([]string{record.TestsInstead(instead)}, choices...)
	}
	for _, trouble := range r.state.Uninstalled() {
		why = strings.TrimRight(record.FirstLine(trouble), ".") + ". " + why
	}
	return r.question(record.Question{
		Text:    fmt.Sprintf("The tests cannot run in the sandbox: %s (%s)", stack.Causes(others), r.state.TestLine()),
		Why:     why + fmt.Sprintf("%q runs them again, once it is there. %q ends the feature as untested. With %q, or what you write, CASE goes on.", record.TestsAgain, record.TestsWithout, record.TestsGive),
		Subject: record.Input{Choices: choices, Tests: true, Packages: packages, Instead: instead},
	})
}

// otherTests is the project's own test command where the feature's has no runner in the sandbox; "" where
// it has none, or has no other one. looked says that it was looked for and recorded.
func (r *run) otherTests(ctx context.Context, l stack.Lack) (line string, looked bool, err error) {
	if !r.state.Offers {
		return "", false, nil
	}
	if r.state.TestsKnown() == nil {
		if looked, err := r.lookForTests(ctx); looked || err != nil {
			return "", looked, err
		}
	}
	if r.state.TestsKnown() == nil {
		return "", false, nil
	}
	now := r.state.TestLine()
	for _, c := range r.state.TestsKnown().Candidates {
		runner := l.Kind == stack.Program || slices.Contains(strings.Fields(now), l.Name)
		if runner && c.Command != now && c.Program != l.Name {
			return c.Command, false, nil
		}
	}
	return "", false, nil
}

// askCircle asks the user how modules that import each other are to be parted, where the
// reflector's fix did not do it.
func (r *run) askCircle(way []string) error {
	return r.question(record.Question{
		Text:    "The tests fail because of a circular import, and the reflector's fix did not resolve it: " + strings.Join(way, " → "),
		Why:     "How shall it be resolved? What you choose or write goes to CASE.",
		Subject: record.Input{Choices: []string{circleMove, circleLate, record.TestsGive}, Tests: true},
	})
}

// The ways out of a circular import that are offered.
const (
	circleMove = "Move what both need into a module of its own"
	circleLate = "Import inside the function that needs it"
)

// reflecting asks the reflector for one fix to try, then begins the next round.
func (r *run) reflecting(ctx context.Context) error {
	f := r.state.Feature()
	switch {
	case r.state.Hypothesis != nil:
		return r.nextRound(f.Attempt, r.state.LastTest.Failed())
	case !r.state.Asked:
		said := r.state.LastTest.Said.Plain()
		if old, recorded := r.a.outside.recalled(testreport.Failure(said)); recorded && old.Found != nil {
			return r.record(old) // older versions asked by the telling lines
		}
		return r.recall(ctx, store.KindFailure, r.failureText(ctx, said), said, maxRecalled)
	case r.state.Exchanges >= maxPlanningTurns:
		return r.nextRound(f.Attempt, r.state.LastTest.Failed()+"; the reflector found no explanation")
	}
	if opened, err := r.open("reflect.open.md", reflectOpening); opened || err != nil {
		return err
	}
	return r.converse(ctx, record.RoleReflector, fixVerbs, (*prompter).reflectPrompt)
}

// tested says what a run of the tests means.
func (r *run) tested(line string, result *sandbox.Result, results *record.Results, paths []string) *record.Tested {
	if result.Status != sandbox.Exited {
		return &record.Tested{Reading: stack.Reading{Outcome: stack.Failed}, Kind: string(result.Status)}
	}
	tests, failing, kind := measured(results, result.Output)
	reads := r.state.Pending.Judged != nil && r.state.Pending.Judged.ReadOnly
	t := &record.Tested{
		Reading: stack.Read(stack.Run{Line: line, Exit: result.ExitCode, Output: result.Output, Tests: tests, Paths: paths, Reads: reads, Hidden: r.hidden}),
		Failing: failing,
	}
	if result.ExitCode != 0 {
		t.Kind = kind
		if said, way := stack.Circle(result.Output, paths); said != "" {
			t.Kind = "circular import"
			if t.Circle = way; len(way) == 0 {
				t.Circle = []string{said}
			}
		}
	}
	return t
}

// hidden reports whether a file is in the user's folder and no sandbox gets it, because git ignores it.
func (r *run) hidden(name string) bool {
	_, err := r.overlay.Read(name)
	return err == nil && r.overlay.Ignored(name)
}

// meaning notes in an outcome what a run of the tests means, and returns what the command did
// not find, which the user is told on the line of the result.
func (r *run) meaning(line string, result *sandbox.Result, results *record.Results, outcome *record.ActionDone) []stack.Lack {
	if !r.testsRun() && outcome.OK {
		return nil
	}
	var paths []string
	entries, _, err := r.overlay.List(context.Background(), "", maxProjectFiles)
	if err != nil {
		r.a.Log.Warn("the workspace cannot be listed", "task", r.id, "error", err)
	}
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	t := r.tested(line, result, results, paths)
	if r.testsRun() {
		outcome.Tested = t
		if t.Outcome == stack.Nothing {
			outcome.OK = false
			outcome.Note += ": no test ran"
		}
	}
	if cause := record.FirstLine(stack.InstallCause(result.Output)); cause != "" && stack.Installs(line) {
		t.Lacks = []stack.Lack{{Cause: cause, Hint: stack.InstallHint(result.Output)}}
	}
	for i, l := range t.Lacks {
		if l.Kind == stack.Package && len(r.state.Uninstalled()) > 0 { // which the manifest may well name
			t.Lacks[i].Hint = "It may be one of the dependencies that could not be installed. Where no manifest names it: " + l.Hint
		}
	}
	if len(t.Lacks) > 0 {
		outcome.Note += ": " + stack.Causes(t.Lacks)
	}
	return t.Lacks
}

// causes are what a command did not find, in the words that the user reads, too.
func causes(lacks []stack.Lack) (text string) {
	for _, l := range lacks {
		text += fmt.Sprintf("Cause: %s. %s.\n", l.Cause, l.Hint)
	}
	return text
}

// untestedLine says at the end of a task what of it is untested; "" for nothing.
func untestedLine(p *record.State) string {
	if list := p.Untested(); len(list) > 0 {
		return "untested: " + strings.Join(list, "; ")
	}
	return ""
}

// howTested says behind the reason of a feature that ends how its tests went.
func (r *run) howTested() string {
	if unneeded := r.state.Feature().Unneeded; unneeded != "" {
		return "; untested: " + unneeded
	}
	if tests, own := r.state.Feature().Tests, r.state.OwnRun(); tests != "" {
		if own != "" && strings.HasPrefix(tests, "untested: ") {
			tests = strings.TrimPrefix(tests, "untested: ") + "; " + own
		}
		if instead := r.state.Replaced(); instead != "" {
			tests += "; " + instead
		}
		return "; " + tests
	}
	if own := r.state.OwnRun(); own != "" {
		return "; " + own
	}
	if !r.state.Unchanged() {
		return "; untested: no test command was found in the project"
	}
	return ""
}

// testsText is what a verifier is told of the tests.
func testsText(p *record.State) string {
	f, t := p.Feature(), p.LastTest
	text := ""
	if f.Changed.Line != "" {
		text = f.Changed.Told() + "\n"
	}
	if instead := p.Replaced(); instead != "" {
		text += "Note: " + instead + ". Judge whether that is reason enough.\n"
	}
	if own := p.OwnRun(); own != "" && (t == nil || !t.OK) {
		text += own + ".\n"
	}
	switch {
	case t == nil && f.Unneeded != "":
		return text + "No tests were run: " + f.Unneeded + ".\n"
	case t == nil && p.TestsKnown() != nil:
		return text + "No tests were run: the plan names none, and none were found in the project.\n"
	case t == nil:
		return text + "No tests were run: the plan names none for this feature.\n"
	case t.Skipped:
		return text + "The tests were NOT run: " + t.Said.String() + "\n"
	case t.Nothing(), t.Settled:
		return text + "Nothing was tested. " + f.Tests + "\n" + t.Said.String()
	case t.OK:
		return text + shortPass(t.Said).String()
	}
	if t.Before {
		text += f.Tests + "\n"
	}
	said, _ := p.TestsSaid()
	return text + said.String()
}
