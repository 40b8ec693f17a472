package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"caselsp/agent/count"
	"caselsp/agent/fixcheck"
	"caselsp/agent/quote"
	"caselsp/agent/stack"
)

// FixChecked is what checks say of a claim that failed tests were fixed, before the tests run for it.
type FixChecked struct {
	Fixes    []string           `json:"fixes,omitempty"` // as CASE claims them
	Analysis string             `json:"analysis,omitempty"`
	Files    map[string]string  `json:"files"` // that have changed since the failure: their content hashes now, "" for none
	Verdicts []fixcheck.Verdict `json:"verdicts,omitempty"`
	Refused  bool               `json:"refused,omitempty"`       // the claim was sent back, and the next run of the tests not made for it
	First    *FailingFirst      `json:"failing_first,omitempty"` // the run of the tests that failed; nil: none
}

// FailingFirst is a run of the tests that failed, to check a claim: alone, before the whole suite, or with it.
type FailingFirst struct {
	Line  string        `json:"line"`
	Tests []string      `json:"tests"`
	Took  time.Duration `json:"took"`
	Whole time.Duration `json:"whole"` // what the whole suite took when they failed
	// Counts says that the whole suite ran: the run counts as that of the tests, unless the claim was sent back.
	Counts bool `json:"counts,omitempty"`
	// Anew says that what had failed fails there in another way, or in one that is not known, as no test was named: the claim is
	// wrong, and the run counts as that of the tests.
	Anew bool `json:"anew,omitempty"`
}

// Begins says what is about to run.
func (f FailingFirst) Begins() string {
	if f.Counts {
		return "running the tests"
	}
	return "running " + count.Of(len(f.Tests), "failed test") + " again, before the whole suite"
}

// told says it in a line for people.
func (f FailingFirst) told() string {
	if f.Counts {
		which := ""
		if len(f.Tests) > 0 {
			which = fmt.Sprintf(", of which %s had failed", count.Of(len(f.Tests), "test"))
		}
		return fmt.Sprintf("ran to check the claim: the whole suite%s: %.1f s", which, f.Took.Seconds())
	}
	return fmt.Sprintf("ran first: %s, which failed: %.1f s; the whole suite takes %.1f s", count.Of(len(f.Tests), "test"), f.Took.Seconds(), f.Whole.Seconds())
}

// StillFails reports whether a test that failed, run again for the claim, failed as before.
func (b FixChecked) StillFails() bool {
	return slices.ContainsFunc(b.Verdicts, func(v fixcheck.Verdict) bool { return v.Validator == fixcheck.FailingTests && v.Refuses() })
}

func (FixChecked) kind() string { return "fix_checked" }

// Same reports whether a claim is the one that was checked.
func (b FixChecked) Same(fixes []string, files map[string]string) bool {
	return slices.Equal(b.Fixes, fixes) && maps.Equal(b.Files, files)
}

// Status is what the verdicts come to.
func (b FixChecked) Status() fixcheck.Status { return fixcheck.Sum(b.Verdicts) }

// Told says for people, a line each, what the checks came to, and why.
func (b FixChecked) Told() (lines []string) {
	var judged []string
	if b.First != nil {
		lines = append(lines, b.First.told())
	}
	for _, v := range b.Verdicts {
		switch {
		case v.Trouble != "":
			lines = append(lines, fmt.Sprintf("%s gave no verdict: %s", v.Validator, FirstLine(v.Trouble)))
		case v.Refuses():
			lines = append(lines, "invalid: "+Verdict(v))
		case v.Valid && v.Counts():
			judged = append(judged, v.Validator)
		}
	}
	switch status := b.Status(); {
	case b.Refused && b.StillFails() && b.First.Counts:
		lines = append(lines, "the claimed fix was sent back: the tests fail as before")
	case b.First != nil && b.First.Anew && len(b.First.Tests) == 0:
		lines = append(lines, "the claimed fix did not make the tests pass")
	case b.First != nil && b.First.Anew:
		lines = append(lines, "the claimed fix did not make the tests pass: they fail in another way")
	case b.Refused && b.StillFails():
		lines = append(lines, "the claimed fix was sent back; the whole suite was not run for it")
	case b.Refused:
		lines = append(lines, "the claimed fix was sent back; no tests were run for it")
	case status == fixcheck.Invalid:
		lines = append(lines, "the tests decide about the claimed fix: two claims were sent back already")
	case status == fixcheck.Valid:
		lines = append(lines, "the claimed fix is plausible by "+strings.Join(judged, ", "))
	default:
		lines = append(lines, "the claimed fix is unverified: no validator is sure of it")
	}
	return lines
}

// Verdict says in a line what a check says, and of which place. The words of a validator that is not shipped, and of
// tests, are quoted: they are data.
func Verdict(v fixcheck.Verdict) string {
	reason := FirstLine(v.Reason)
	if v.Origin != fixcheck.Builtin && v.Origin != fixcheck.Shipped || v.Validator == fixcheck.FailingTests {
		reason = quote.Words(reason).String()
	}
	switch {
	case v.Path != "" && v.Line > 0:
		reason = fmt.Sprintf("%s:%d: %s", v.Path, v.Line, reason)
	case v.Path != "":
		reason = v.Path + ": " + reason
	}
	return fmt.Sprintf("%s (%s)", reason, v.Validator)
}

// Outcome is what the tests said of a claim that was checked.
type Outcome string

// The outcomes. A claim has none while no tests ran for it, as where it was sent back.
const (
	ClaimUntested Outcome = ""
	ClaimHeld     Outcome = "passed"       // the tests pass
	ClaimFailed   Outcome = "failed again" // they fail in the same way
	ClaimOther    Outcome = "failed anew"  // they fail in another way: the failure that was to be fixed is gone
)

// Claim is a claim of a feature, and what became of it.
type Claim struct {
	FixChecked
	Round    int
	Said     string // the output of the failed run that it is about
	From, To Staged // what was staged then, and with the claim
	Outcome  Outcome

	kind  string // of that failure
	deeds int    // of the task before it
}

// Agreed reports whether the tests have agreed with a verdict on the claim; known is false where they do not tell, or where
// the validator was not sure. Tests that failed and were run again for the claim count as the tests do. Its record does not count in that: a validator that lost weight gains it again by verdicts with
// which the tests agree.
func (c Claim) Agreed(v fixcheck.Verdict) (agreed, known bool) {
	outcome := c.Outcome
	if outcome == ClaimUntested && c.StillFails() && v.Validator != fixcheck.FailingTests {
		outcome = ClaimFailed
	}
	if !v.Claimed() || outcome == ClaimUntested {
		return false, false
	}
	switch outcome {
	case ClaimHeld:
		return v.Valid, true
	case ClaimFailed:
		return !v.Valid, true
	}
	return v.Valid, v.Valid // what is to say that an invalid verdict did not mean the new failure
}

// applyChecks folds what has to do with fix validators.
func (p *State) applyChecks(body Body) {
	switch b := body.(type) {
	case FixChecked:
		p.applyFixChecked(b)
	case ValidatorTried:
		p.applyValidatorTried(b)
	}
}

// applyFixChecked folds what checks said of a claim.
func (p *State) applyFixChecked(b FixChecked) {
	f, t := p.Feature(), p.LastTest
	if f == nil || t == nil {
		return
	}
	claims := slices.Clone(f.Claims)
	if n := len(claims); n > 0 && claims[n-1].deeds == p.Deeds { // the process ended before CASE was told, and it was checked again
		claims = claims[:n-1]
	}
	f.Claims = append(claims, Claim{FixChecked: b, Round: f.Round, Said: t.Said.Plain(), From: t.staged, To: p.Staged, kind: t.Kind, deeds: p.Deeds})
}

// judgeClaim notes how the tests went that ran for the last claim.
func (f *Feature) judgeClaim(t *testRun) {
	n := len(f.Claims)
	if n == 0 || f.Claims[n-1].Refused || f.Claims[n-1].Outcome != ClaimUntested || t.Skipped || t.Lost || t.Nothing() {
		return
	}
	f.Claims = slices.Clone(f.Claims)
	c := &f.Claims[n-1]
	switch {
	case len(c.To.changedFrom(t.staged)) > 0: // something else was tested
	case t.OK:
		c.Outcome = ClaimHeld
	case t.Kind == c.kind:
		c.Outcome = ClaimFailed
	default:
		c.Outcome = ClaimOther
	}
}

// RefusedClaims are the claims of the feature that were sent back since its tests ran last.
func (p *State) RefusedClaims() (refused []Claim) {
	f := p.Feature()
	if f == nil {
		return nil
	}
	for _, c := range slices.Backward(f.Claims) {
		if !c.Refused {
			break
		}
		refused = append(refused, c)
	}
	slices.Reverse(refused)
	return refused
}

// Claimable reports whether the feature's tests have failed in a way that CASE can claim to have fixed, and what was
// staged then.
func (p *State) Claimable() (from Staged, ok bool) {
	t := p.LastTest
	if t == nil || t.OK || t.Skipped || t.Lost || t.Settled || p.Phase != Coding || t.Outcome == stack.Unstarted || t.Nothing() {
		return Staged{}, false
	}
	if t.Before && len(p.ChangedSince(t.staged)) == 0 {
		return Staged{}, false // CASE may say that they cannot pass
	}
	return t.staged, true
}

// ChangedSince are the staged files that have changed since something else was staged: their content hashes, "" where there is no
// file.
func (p *State) ChangedSince(from Staged) map[string]string {
	now, files := p.Staged.byPath(), map[string]string{}
	was := from.byPath()
	for _, path := range p.Staged.changedFrom(from) {
		f, ok := now[path]
		switch {
		case !ok: // what was staged is taken back
			if old := was[path]; old.Base != nil {
				files[path] = old.Base.Hash
			} else {
				files[path] = ""
			}
		case f.Now == nil:
			files[path] = ""
		default:
			files[path] = f.Now.Hash
		}
	}
	return files
}
