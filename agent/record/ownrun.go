package record

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/stack"
)

// passedRun is a run of tests in which all passed, on what was staged then.
type passedRun struct {
	line, sum string
	staged    Staged
}

// ownRun is the run of tests that CASE started by itself and that passed on what is staged now; nil where there is none.
func (p *State) ownRun() *passedRun {
	if f := p.Feature(); f != nil && f.passed != nil && SameStaged(f.passed.staged, p.Staged) {
		return f.passed
	}
	return nil
}

// Told says in a sentence which run of the tests passed; "" for none.
func (r *passedRun) Told() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("CASE ran `%s` on these files: %s", r.line, r.sum)
}

// OwnRun says in a sentence which tests CASE has run by itself on what is staged, where the feature's were not run.
func (p *State) OwnRun() string { return p.ownRun().Told() }

// narrowed reports whether a run that is part of the project's own tests has passed in their place: that is less than
// they test, and no untested feature. Where tests of the project's own run failed, it is one.
func (p *State) narrowed() bool {
	f, t, found := p.Feature(), p.LastTest, p.projectTests.Found
	return t.OK && t.command == f.Changed.Line && !f.Changed.failing && found != nil && stack.RunOf(t.command, found.Candidates)
}

// addTests says behind how the feature's tests went what else is to be known of them at its end.
func (p *State) addTests() {
	f, t := p.Feature(), p.LastTest
	if f == nil || f.Untested != "" || p.Unchanged() {
		return
	}
	if said := p.Replaced(); said != "" {
		f.Tests += "; " + said
	} else if said = p.OwnRun(); said != "" && (t == nil || t.Skipped || t.Settled || t.Lost || t.Nothing()) {
		f.Tests = strings.TrimPrefix(strings.TrimPrefix(f.Tests, "untested: ")+"; "+said, "; ")
	}
}

// ran notes a run of tests that CASE started by itself and that passed.
func (f *Feature) ran(c *Pending, b ActionDone, staged Staged) {
	if b.Passed != "" {
		f.passed = &passedRun{CommandOf(c.Args), b.Passed, staged}
	}
}

// Untested says of each feature that is done which was not tested why, in lines for people. One that needs no tests is none of
// them where others were tested: the result is not called untested for its documentation.
func (p *State) Untested() (list []string) {
	tested := slices.ContainsFunc(p.Features, func(f Feature) bool { return f.OK && f.Untested == "" && f.Tests != "" })
	for i := range p.Features {
		if f := &p.Features[i]; f.OK && f.Untested != "" && !(tested && f.Untested == f.Unneeded) {
			line := f.Untested
			if len(p.Features) > 1 {
				line = f.ID + ": " + line
			}
			list = append(list, line)
		}
	}
	return list
}

// Failed says that the tests failed, and how where that is no failure of a test.
func (t *testRun) Failed() string {
	if t.unended {
		return "the tests did not end within the limit"
	}
	return "the tests failed"
}
