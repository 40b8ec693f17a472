package record

import (
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/testreport"
)

// Fix is what made failed tests pass: the change between their last failure and the run in which
// they passed.
type Fix struct {
	Said       string // the output of the failed run
	From, To   Staged
	Hypothesis *action.Hypothesis // the reflector's that was acted on; nil where it was not asked
}

// failed notes what a failed run of a feature's tests said.
func (p *State) failed(f *Feature, said string) {
	f.Failure = testreport.Failure(said)
	f.failing = &Fix{Said: said, From: p.Staged}
}

// fixed notes that the tests of a feature pass, and what has made them.
func (p *State) fixed(f *Feature) {
	if f.failing == nil {
		return
	}
	fix := *f.failing
	fix.To, fix.Hypothesis, f.failing = p.Staged, p.Hypothesis, nil
	f.Fixes = append(f.Fixes, fix)
}

// remembered notes what memory gave.
func (p *State) remembered(hits []Hit) {
	for _, h := range hits {
		if !slices.ContainsFunc(p.Hits, func(old Hit) bool { return old.ID == h.ID }) {
			p.Hits = append(p.Hits, h)
		}
	}
}
