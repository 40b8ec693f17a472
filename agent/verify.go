package agent

import (
	"context"
	"fmt"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/count"
	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// maxRetests is how often a feature's tests run, and TARS is asked, again because the user typed in staged files
// behind them. One more time each while somebody types would never end; what is typed after it is the user's own.
const maxRetests = 1

// verifying asks TARS for a verdict. Only a verdict that could be read, says 100, has
// no issue and rests on evidence passes: everything else is another attempt, or a pause.
func (r *run) verifying(ctx context.Context) error {
	f := r.state.Feature()
	if r.state.TestsOutdated() && r.state.Retests < maxRetests {
		return r.move(record.Testing, "you typed in staged files since the tests ran: they run once more")
	}
	switch v := r.state.Verdict; {
	case r.state.Task.Single:
		return r.record(record.FeatureEnded{Feature: r.state.Current, OK: true, Reason: "done in one loop, not verified" + r.howTested() + r.typedSince()})
	case v != nil && v.Passes():
		return r.record(record.FeatureEnded{Feature: r.state.Current, OK: true, Reason: strings.TrimPrefix(r.typedSince(), "; "), Words: quote.Words(v.Summary)})
	case v != nil && f.Attempt >= r.a.Limits.Attempts:
		return r.failFeature(fmt.Sprintf("after %s it is %d percent complete", count.Of(f.Attempt, "attempt"), *v.Completion), quote.Words(strings.Join(v.Issues, "; ")))
	case v != nil:
		return r.nextRound(f.Attempt+1, fmt.Sprintf("verification says %d percent, issues: %d", *v.Completion, len(v.Issues)))
	case r.state.Exchanges >= maxPlanningTurns:
		return &pauseError{fmt.Sprintf("TARS looked around for %d turns and gave no verdict: resume to ask again", maxPlanningTurns)}
	}
	if opened, err := r.open("verify.open.md", verifyOpening(ctx)); opened || err != nil {
		return err
	}
	return r.converse(ctx, record.RoleTars, verifyVerbs, (*prompter).verifyPrompt)
}

// typedSince says which staged files the user typed in since the tests ran, "" where none.
func (r *run) typedSince() string {
	if !r.state.TestsOutdated() {
		return ""
	}
	return "; tested without what you typed since in " + strings.Join(r.state.OutdatedFiles(), ", ")
}

// reopen goes back to coding where edits of a feature that was finished were dropped, because
// the user typed there: what was tested and judged is not what is staged.
func (r *run) reopen() (again bool, err error) {
	f := r.state.Feature()
	if r.state.Dropped == "" || f == nil || f.Ended && (!f.OK || r.state.Report != nil) {
		return false, nil
	}
	return true, r.nextRound(f.Attempt, "edits of this feature gave way to what the user typed in the same lines: the tests and the verdict no longer count")
}

// verdict takes in what TARS submits, or returns it where it does not say what is missing
// or passes a feature without evidence.
func (r *run) verdict(v action.Verdict) error {
	switch {
	case v.Unexplained() && !r.state.Unexplained:
		return r.record(record.ReplyRefused{Unexplained: true, Reason: fmt.Sprintf(
			"The verdict says %d percent and names no issue. Name in issues what is missing or wrong, each with its place; or, where nothing is, submit 100.", *v.Completion)})
	case v.Unexplained():
		v.Issues = []string{fmt.Sprintf("TARS finds it %d percent complete and did not say what is missing. %s", *v.Completion, v.Summary)}
		v = v.Settled()
	case v.Passes() && r.state.Unchanged() && !r.evidence():
		return r.refuse("Nothing was changed for this feature, no command has run and nobody has looked at a file: read what shows that it is complete, then submit the verdict.")
	}
	return r.record(record.Verified{Verdict: v})
}

// evidence reports whether something beside the diff shows how complete the feature is:
// a test that passed, a command that ran or a file that was read for it, or what TARS looked at.
func (r *run) evidence() bool {
	if t := r.state.LastTest; t != nil && t.OK {
		return true
	}
	for _, d := range r.state.Feature().Deeds {
		if d.OK && (d.Looks || action.EffectOf(d.Action) == action.Runs) {
			return true
		}
	}
	for _, t := range r.state.Turns {
		if effect := action.EffectOf(t.Call.Name); t.OK && (effect == action.Reads || effect == action.Looks) {
			return true
		}
	}
	return false
}
