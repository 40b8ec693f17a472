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
}

// Use is something that memory gave to a task, and what became of it there.
type Use struct {
	Hit
	// Tests says that it was given for a failed run of tests, whose next run shows whether it
	// helped; else the result of the task shows it.
	Tests  bool
	Helped bool // the tests passed once it was relied on
	Failed bool // they failed once it was relied on
	Passed bool // its reader relied on others

	waits bool // for the next run of the tests
}

// Outcome is what the use is worth as evidence: whether it helped, and whether it was relied on at all.
// accepted says that the user has accepted the result of the task.
func (u Use) Outcome(accepted bool) (helped, ignored bool) {
	switch {
	case !u.Tests:
		return accepted, false
	case u.Helped:
		return accepted, false
	case u.Failed:
		return false, false
	}
	return false, true
}

// failed notes what a failed run of a feature's tests said.
func (p *State) failed(f *Feature, said string) {
	f.Failure = testreport.Failure(said)
	f.failing = &Fix{Said: said, From: p.Staged}
	p.judgeUses(func(u *Use) { u.Failed = true })
}

// fixed notes that the tests of a feature pass, and what has made them.
func (p *State) fixed(f *Feature) {
	p.judgeUses(func(u *Use) { u.Helped = true })
	failures := []*Fix{p.first}
	if p.first == nil || f.failing == nil || !sameFailure(p.first.Said, f.failing.Said) {
		failures = append(failures, f.failing)
	}
	for _, fix := range failures {
		if fix != nil {
			f.Fixes = append(f.Fixes, Fix{Said: fix.Said, From: fix.From, To: p.Staged, Hypothesis: p.Hypothesis})
		}
	}
	p.first, f.failing = nil, nil
}

// failedAtFirst notes what a run of the tests said before anything was staged. The whole change is what
// makes it pass.
func (p *State) failedAtFirst(c *Pending, b ActionDone, said string) {
	line := CommandOf(c.Args)
	if c.Action == action.RunCommandName && !b.OK && !b.Lost && c.Result != nil && len(p.Staged.Files) == 0 && stack.Runs(line) {
		p.first = &Fix{Said: said}
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
	for _, h := range b.Hits {
		h.Kind = b.Kind
		i := slices.IndexFunc(uses, func(u Use) bool { return u.ID == h.ID })
		if i < 0 {
			uses, i = append(uses, Use{Hit: h, Tests: tests}), len(uses)
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
		if slices.Contains(numbers, i+1) {
			continue
		}
		p.Uses = slices.Clone(p.Uses)
		at := slices.IndexFunc(p.Uses, func(u Use) bool { return u.ID == h.ID })
		p.Uses[at].waits, p.Uses[at].Passed = false, true
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
