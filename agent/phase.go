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

// planning asks TARS for a plan, then begins with its first feature.
func (r *run) planning(ctx context.Context) error {
	switch {
	case r.state.Splitting:
		return r.splitting(ctx)
	case r.state.Unsure() != "":
		return r.askClass(r.state.Unsure())
	case r.asksPlan():
		return r.askPlan()
	case r.state.Plan != nil:
		return r.nextFeature(ctx)
	case r.state.Task.Single:
		return r.record(record.Planned{Plan: singlePlan(r.state.Task)})
	case !r.state.Asked:
		return r.recallTask(ctx, maxRecalled)
	case r.state.Exchanges >= maxPlanningTurns:
		return &pauseError{fmt.Sprintf("TARS looked around for %d turns and made no plan: resume to go on, or give the task in smaller parts", maxPlanningTurns)}
	}
	if opened, err := r.open("plan.open.md", r.planOpening(ctx)); opened || err != nil {
		return err
	}
	return r.converse(ctx, record.RoleTars, planVerbs, (*prompter).planPrompt)
}

// singlePlan is the plan of a task that is done in one loop: the task itself.
func singlePlan(t record.Task) action.Plan {
	f := action.Feature{ID: "task", Title: record.FirstLine(t.Text), Description: t.Text}
	if t.Focus != nil {
		f.Files = []string{t.Focus.Path}
	}
	return action.Plan{Analysis: "Done in one loop, without a plan.", Features: []action.Feature{f}}
}

// nextFeature begins the first feature that is open and not blocked, or ends
// the task if there is none. Features that depend on a failed one fail too.
func (r *run) nextFeature(ctx context.Context) error {
	failed := map[string]bool{}
	for i, f := range r.state.Features {
		if f.Ended {
			failed[f.ID] = !f.OK
			continue
		}
		for _, d := range f.DependsOn {
			if failed[d] {
				return r.record(record.FeatureEnded{Feature: i, Reason: fmt.Sprintf("it depends on %q, which failed", d)})
			}
		}
		return r.record(record.StateChanged{To: record.Coding, Feature: i, Attempt: 1, Round: 1})
	}
	return r.conclude(ctx)
}

// conclude writes the report and hands the result over for review.
func (r *run) conclude(ctx context.Context) error {
	outcome := r.state.Outcome()
	if r.state.Report == nil {
		b := record.Reported{Outcome: outcome, Relied: r.a.relied(r.state), Theirs: r.overTheirs(), Back: r.a.backAgain(r.state)}
		b.Text = r.a.reportText(r.state, outcome, b.TheirsTold())
		return r.record(b)
	}
	switch {
	case len(r.state.Staged.Files) > 0:
		return r.record(record.StateChanged{To: record.Review, Feature: r.state.Current, Reason: strings.Trim(untestedLine(r.state)+". "+r.state.TheirsTold(), ". ")})
	case outcome == answered:
		return r.record(record.StateChanged{To: record.Succeeded, Reason: "answered", Feature: r.state.Current})
	case outcome == record.OutcomeSuccess:
		return r.record(record.StateChanged{To: record.Succeeded, Reason: "nothing had to be changed", Feature: r.state.Current})
	}
	failed := record.StateChanged{To: record.Failed, Reason: "no feature succeeded" + whyFailed(r.state.Features), Feature: r.state.Current}
	if len(r.state.Kept) > 0 {
		failed.Reason += "; the work is kept, not verified"
	}
	if err := r.record(failed); err != nil {
		return err
	}
	r.learn(ctx, nil)
	return nil
}

// whyFailed says why the first feature that failed did, behind what says that: the others can only depend on it.
func whyFailed(features []record.Feature) string {
	for _, f := range features {
		if f.Ended && !f.OK {
			return ": " + f.Words.After(f.Reason)
		}
	}
	return ""
}

// coding asks CASE for the next step, or ends the round.
func (r *run) coding(ctx context.Context) error {
	f := r.state.Feature()
	if f.Loop != "" {
		return r.failFeature("it went in circles: "+f.Loop, "")
	}
	if last := r.state.LastTurn(); last != nil && last.OK {
		switch last.Call.Name {
		case action.FinishFeatureName:
			return r.finished(ctx)
		case action.AbortName:
			return r.failFeature("CASE gave it up", quote.Words(last.Said.Text))
		}
	}
	switch {
	case f.Rollbacks >= r.a.Limits.Rollbacks:
		return r.failFeature(fmt.Sprintf("it was rolled back %s", count.Of(f.Rollbacks, "time")), "")
	case r.state.Steps >= r.a.Limits.Steps, r.state.Free >= r.maxFree():
		reason := fmt.Sprintf("round %d ended after %s without FINISH_FEATURE", f.Round, count.Of(r.state.Steps, "step"))
		return r.idleRounds(reason)
	}
	if f.Again != nil && !f.Again.Taken {
		return r.takeUp()
	}
	if !f.Opened && r.state.Task.Single {
		if !r.state.Asked && r.a.outside.recallsFirst() {
			return r.recallTask(ctx, maxEarly)
		}
		return r.openTask(ctx)
	}
	if !f.Opened {
		return r.openFeature(ctx)
	}
	if told, err := r.tellChanges(); told || err != nil {
		return err
	}
	_, verbs := offered(record.Coding, r.state.Task.Single)
	return r.converse(ctx, record.RoleCase, verbs, (*prompter).codePrompt)
}

// nextRound begins another round of the feature, unless its rounds are used up.
func (r *run) nextRound(attempt int, reason string) error {
	f := r.state.Feature()
	if f.Round >= r.a.Limits.Rounds {
		return r.failFeature(fmt.Sprintf("%s, and no round is left of %d", reason, f.Round), "")
	}
	if left := roundsLeft(f.Round+1, r.a.Limits.Rounds); left != "" {
		reason += "; " + left
	}
	return r.record(record.StateChanged{To: record.Coding, Feature: r.state.Current, Attempt: attempt, Round: f.Round + 1, Reason: reason})
}

// move goes on to another phase of the same round.
func (r *run) move(to record.Phase, reason string) error {
	f := r.state.Feature()
	return r.record(record.StateChanged{To: to, Feature: r.state.Current, Attempt: f.Attempt, Round: f.Round, Reason: reason})
}

// failFeature ends the feature and takes everything it staged out of the result: a half-done
// feature is worse in a change set than none. It is kept beside the result, as work that is
// not verified. words are what a model says of it.
func (r *run) failFeature(reason string, words quote.Words) error {
	f := r.state.Feature()
	kept, blobs := record.StagedOf(r.overlay.State())
	if err := r.putBack(f.Start); err != nil {
		return err
	}
	staged, more := record.StagedOf(r.overlay.State())
	return r.record(record.FeatureEnded{Feature: r.state.Current, Reason: reason, Words: words, Staged: &staged, Kept: &kept}, append(blobs, more...)...)
}
