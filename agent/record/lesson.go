package record

import (
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/stack"
	"caselsp/agent/testreport"
)

// Fix is what made failed tests pass: the change between a failure and the run in which they passed.
type Fix struct {
	Said       string // the output of the failed run
	From, To   Staged
	Hypothesis *action.Hypothesis // the reflector's that was acted on; nil where it was not asked

	line string // the command that failed
}

// passesBy reports whether the tests that failed have certainly run where a command line has passed: it is the same line,
// or it runs the tests of their files. A failure that nothing mended teaches nothing.
func (f *Fix) passesBy(line string) bool {
	if f == nil || line == f.line {
		return f != nil
	}
	var files []string
	for _, t := range testreport.Read(f.line, f.Said, nil).Bad() {
		files = append(files, t.File)
	}
	given := stack.TestPaths(f.line)
	return len(given) > 0 && stack.RunsTestsOf(line, given) || len(files) > 0 && stack.RunsTestsOf(line, files)
}

// Use is something that memory gave to a task, and what became of it there.
type Use struct {
	Hit
	Told string // as a model was told of it
	// Tests says that it was given for a failed run of tests, whose next run shows whether it
	// helped; else the result of the task shows it.
	Tests  bool
	Helped bool // the tests passed once it was known
	Failed bool // they failed once it was known
	Passed bool // its reader relied on others
	Named  bool // its reader has said that they rely on it
	Shows  bool // the change at the end has what it adds

	waits bool // for the next run of the tests
}

// Came is what came of something that memory gave.
type Came int

// What came of it. To stand in a prompt is no success: of what nobody named and the change does not show, it is not known.
const (
	Unused     Came = iota
	PassedOver      // its reader relied on others
	Helped
	Failing // it did not help
)

// Outcome is what the use is worth as evidence. accepted says that the user has accepted the result of the task. Credit
// and blame differ: a record counts as helpful only where its reader named it or the change shows it, and counts as
// failing wherever the work failed once it was known. Where a run failed after it was told and a later one passed, that it
// was named is not enough: its reader had named it for the failed run, too.
func (u Use) Outcome(accepted bool) Came {
	switch {
	case u.Failed && !(u.Helped && u.Shows):
		return Failing
	case u.Tests && !u.Helped:
		return PassedOver // no run of the tests has judged it
	case !accepted:
		return Failing
	case u.Named || u.Shows:
		return Helped
	case u.Passed:
		return PassedOver
	}
	return Unused
}

// failed notes what a failed run of a feature's tests said.
func (p *State) failed(f *Feature, line, said string) {
	f.Failure = testreport.Failure(said)
	f.failing = &Fix{Said: said, From: p.Staged, line: line}
	p.judgeUses(func(u *Use) { u.Failed = true })
}

// fixed notes that the tests of a feature pass by a command line, and what has made them. What failed before the task and
// is not among them waits for a later run.
func (p *State) fixed(f *Feature, line string) {
	p.judgeUses(func(u *Use) { u.Helped = true })
	first, failing := p.first, f.failing
	f.failing = nil
	if first.passesBy(line) {
		p.first = nil
	} else {
		first = nil
	}
	if !failing.passesBy(line) || first != nil && sameFailure(first.Said, failing.Said) {
		failing = nil
	}
	for _, fix := range []*Fix{first, failing} {
		if fix != nil {
			f.Fixes = append(f.Fixes, Fix{Said: fix.Said, From: fix.From, To: p.Staged, Hypothesis: p.Hypothesis})
		}
	}
}

// failedAtFirst notes what a run of the tests said before anything was staged. The whole change is what
// makes it pass.
func (p *State) failedAtFirst(c *Pending, b ActionDone, said string) {
	line := CommandOf(c.Args)
	unstarted := b.Tested != nil && b.Tested.Outcome == stack.Unstarted // what was lacking, no change of the code has brought
	if c.Action == action.RunCommandName && !b.OK && !b.Lost && !unstarted && c.Result != nil && len(p.Staged.Files) == 0 && stack.Runs(line) {
		p.first = &Fix{Said: said, line: line}
	}
}

// sameFailure reports whether two runs failed in the same way.
func sameFailure(a, b string) bool {
	kind, list := testreport.Signatures(a)
	other, others := testreport.Signatures(b)
	return kind == other && slices.Equal(list, others)
}

// remembered notes what memory gave.
func (p *State) remembered(b MemoryRecalled) {
	asked := p.Pending == nil // by a phase, not by a model's call
	switch {
	case asked && p.Phase == Testing && p.LastTest != nil:
		p.LastTest.recalled = b.Found
	case asked:
		p.Recalled = b.Found
	}
	p.Asked = p.Asked || asked
	tests := asked && (p.Phase == Testing || p.Phase == Reflecting)
	if tests {
		p.lastHits = b.Hits
	}
	uses := slices.Clone(p.Uses)
	for n, h := range b.Hits {
		h.Kind = b.Kind
		told := ""
		if n < len(b.Found) {
			told = b.Found[n]
		}
		i := slices.IndexFunc(uses, func(u Use) bool { return u.ID == h.ID })
		if i < 0 {
			uses, i = append(uses, Use{Hit: h, Tests: tests, Told: told}), len(uses)
		}
		uses[i].waits = tests && uses[i].Tests
	}
	p.Uses = uses
}

// reliedOn notes on which of the failures that memory gave the reflector relies: none of the others is
// judged by how the tests go next. numbers is nil where it does not say.
func (p *State) reliedOn(numbers []int) {
	if numbers == nil {
		return
	}
	for i, h := range p.lastHits {
		p.Uses = slices.Clone(p.Uses)
		at := slices.IndexFunc(p.Uses, func(u Use) bool { return u.ID == h.ID })
		if slices.Contains(numbers, i+1) {
			p.Uses[at].Named = true
			continue
		}
		p.Uses[at].waits, p.Uses[at].Passed = false, true
	}
}

// showsIn notes what the change shows to be relied on.
func (p *State) showsIn(ids []string) {
	p.Uses = slices.Clone(p.Uses)
	for i := range p.Uses {
		p.Uses[i].Shows = p.Uses[i].Shows || slices.Contains(ids, p.Uses[i].ID)
	}
}

// judgeUses notes in what waits for a run of the tests how it went.
func (p *State) judgeUses(note func(*Use)) {
	p.Uses = slices.Clone(p.Uses)
	for i := range p.Uses {
		if u := &p.Uses[i]; u.waits {
			u.waits = false
			note(u)
		}
	}
}
