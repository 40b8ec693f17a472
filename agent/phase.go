package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"caselsp/agent/action"
	"caselsp/store"
)

// planning asks TARS for a plan, then begins with its first feature.
func (r *run) planning(ctx context.Context) error {
	switch {
	case r.p.plan != nil:
		return r.nextFeature()
	case r.p.task.Single:
		return r.record(Planned{Plan: singlePlan(r.p.task)})
	case !r.p.asked:
		return r.recall(ctx, store.KindPattern, r.p.task.Text)
	case len(r.p.turns) >= maxPlanningTurns:
		return &pauseError{fmt.Sprintf("TARS looked around for %d turns and made no plan: resume to go on, or give the task in smaller parts", maxPlanningTurns)}
	}
	messages, shown, err := r.planPrompt(ctx)
	if err != nil {
		return err
	}
	return r.consult(ctx, roleTars, messages, planVerbs, shown)
}

// singlePlan is the plan of a task that is done in one loop: the task itself.
func singlePlan(t Task) action.Plan {
	f := action.Feature{ID: "task", Title: firstLine(t.Text), Description: t.Text}
	if t.Focus != nil {
		f.Files = []string{t.Focus.Path}
	}
	return action.Plan{Analysis: "Done in one loop, without a plan.", Features: []action.Feature{f}}
}

// nextFeature begins the first feature that is open and not blocked, or ends
// the task where there is none. Features that depend on a failed one fail too.
func (r *run) nextFeature() error {
	failed := map[string]bool{}
	for i, f := range r.p.features {
		if f.ended {
			failed[f.ID] = !f.ok
			continue
		}
		for _, d := range f.DependsOn {
			if failed[d] {
				return r.record(FeatureEnded{Feature: i, Reason: fmt.Sprintf("it depends on %q, which failed", d)})
			}
		}
		return r.record(StateChanged{To: Coding, Feature: i, Attempt: 1, Round: 1})
	}
	return r.conclude()
}

// conclude writes the report and hands the result over for review.
func (r *run) conclude() error {
	outcome := outcomeOf(r.p)
	if r.p.report == nil {
		r.remember(outcome)
		return r.record(Reported{Outcome: outcome, Text: reportText(r.p, outcome)})
	}
	switch {
	case len(r.p.staged.Files) > 0:
		return r.record(StateChanged{To: Review, Feature: r.p.cur})
	case outcome == "success":
		return r.record(StateChanged{To: Succeeded, Reason: "nothing had to be changed", Feature: r.p.cur})
	default:
		return r.record(StateChanged{To: Failed, Reason: "no feature succeeded", Feature: r.p.cur})
	}
}

// outcomeOf says how a task went: success, partial or failed.
func outcomeOf(p *progress) string {
	good := 0
	for _, f := range p.features {
		if f.ok {
			good++
		}
	}
	switch {
	case good == 0:
		return "failed"
	case good < len(p.features):
		return "partial"
	default:
		return "success"
	}
}

// coding asks CASE for the next step, or ends the round.
func (r *run) coding(ctx context.Context) error {
	f := r.p.feature()
	if f.ended {
		return r.nextFeature()
	}
	if last := r.lastTurn(); last != nil && last.ok {
		switch last.call.Name {
		case action.FinishFeatureName:
			if f.Test == "" {
				return r.move(Verifying, "the plan names no tests for it")
			}
			return r.move(Testing, "")
		case action.AbortName:
			return r.failFeature("CASE gave it up: " + last.result)
		}
	}
	switch {
	case f.rollbacks >= r.a.Limits.Rollbacks:
		return r.failFeature(fmt.Sprintf("it was rolled back %d times", f.rollbacks))
	case r.p.steps >= r.a.Limits.Steps, r.p.free >= maxFreeTurns:
		reason := fmt.Sprintf("round %d ended after %d steps without FINISH_FEATURE", f.round, r.p.steps)
		if f.idle > 0 {
			return r.failFeature(reason + ", as the one before it: give it as smaller tasks")
		}
		return r.nextRound(f.attempt, reason)
	}
	messages, shown, err := r.codePrompt()
	if err != nil {
		return err
	}
	return r.consult(ctx, roleCase, messages, caseVerbs, shown)
}

// testing runs the feature's tests, once a round, and looks at how they ended.
func (r *run) testing() error {
	f := r.p.feature()
	switch {
	case !r.p.tested:
		args, err := json.Marshal(action.RunCommand{Command: f.Test})
		if err != nil {
			return err
		}
		return r.record(ActionChosen{Role: roleTester, Action: action.RunCommandName, Thought: "Run the tests of this feature.", Args: args})
	case r.p.lastTest.skipped:
		return r.move(Verifying, "the tests were not run")
	case r.p.lastTest.ok:
		r.rememberFix()
		return r.move(Verifying, "the tests pass")
	case f.round >= r.a.Limits.Rounds:
		return r.failFeature(fmt.Sprintf("its tests still fail after %d rounds", f.round))
	}
	return r.move(Reflecting, "the tests fail")
}

// reflecting asks the reflector for one fix to try, then begins the next round.
func (r *run) reflecting(ctx context.Context) error {
	f := r.p.feature()
	switch {
	case r.p.fix != nil:
		return r.nextRound(f.attempt, "the tests failed")
	case !r.p.asked:
		return r.recall(ctx, store.KindFailure, failureText(r.p.lastTest.output))
	case len(r.p.turns) >= maxPlanningTurns:
		return r.nextRound(f.attempt, "the tests failed; the reflector found no explanation")
	}
	messages, shown, err := r.reflectPrompt()
	if err != nil {
		return err
	}
	return r.consult(ctx, roleReflector, messages, fixVerbs, shown)
}

// verifying asks TARS for a verdict. Only a verdict that could be read, says
// 100 and approves passes: everything else is another attempt, or a pause.
func (r *run) verifying(ctx context.Context) error {
	f := r.p.feature()
	switch v := r.p.verdict; {
	case f.ended:
		return r.nextFeature()
	case r.p.task.Single:
		return r.record(FeatureEnded{Feature: r.p.cur, OK: true, Reason: "done in one loop, not verified"})
	case v != nil && v.Approved:
		return r.record(FeatureEnded{Feature: r.p.cur, OK: true, Reason: v.Summary})
	case v != nil && f.attempt >= r.a.Limits.Attempts:
		return r.failFeature(fmt.Sprintf("after %d attempts it is %d percent complete: %s", f.attempt, *v.Completion, strings.Join(v.Issues, "; ")))
	case v != nil:
		return r.nextRound(f.attempt+1, fmt.Sprintf("verification says %d percent", *v.Completion))
	case len(r.p.turns) >= maxPlanningTurns:
		return &pauseError{fmt.Sprintf("TARS looked around for %d turns and gave no verdict: resume to ask again", maxPlanningTurns)}
	}
	messages, shown, err := r.verifyPrompt(ctx)
	if err != nil {
		return err
	}
	return r.consult(ctx, roleTars, messages, verifyVerbs, shown)
}

// nextRound begins another round of the feature, unless its rounds are used up.
func (r *run) nextRound(attempt int, reason string) error {
	f := r.p.feature()
	if f.round >= r.a.Limits.Rounds {
		return r.failFeature(fmt.Sprintf("%s, and its %d rounds are used up", reason, f.round))
	}
	return r.record(StateChanged{To: Coding, Feature: r.p.cur, Attempt: attempt, Round: f.round + 1, Reason: reason})
}

// move goes on to another phase of the same round.
func (r *run) move(to State, reason string) error {
	f := r.p.feature()
	return r.record(StateChanged{To: to, Feature: r.p.cur, Attempt: f.attempt, Round: f.round, Reason: reason})
}

// failFeature ends the feature and takes back everything it staged: a half-done
// feature is worse in a change set than none.
func (r *run) failFeature(reason string) error {
	f := r.p.feature()
	if err := r.putBack(f.start); err != nil {
		return err
	}
	staged, blobs := stagedRefs(r.overlay.State())
	return r.record(FeatureEnded{Feature: r.p.cur, Reason: reason, Staged: &staged}, blobs...)
}

func (r *run) lastTurn() *turn {
	if n := len(r.p.turns); n > 0 {
		return &r.p.turns[n-1]
	}
	return nil
}

// maxRecalled is how many similar past tasks go into a prompt (SPEC rows T2 and T6).
const maxRecalled = 5

// recall asks memory once a phase. Memory that cannot be read is no reason to
// stop: the work goes on without it, and the log says so.
func (r *run) recall(ctx context.Context, kind, query string) error {
	found, err := r.a.recall(ctx, kind, query)
	if err != nil {
		r.a.Log.Warn("memory cannot be read", "task", r.id, "error", err)
	}
	return r.record(MemoryRecalled{Query: query, Found: found})
}

func (a *Agent) recall(ctx context.Context, kind, query string) ([]string, error) {
	if a.Recall != nil {
		return a.Recall(ctx, query)
	}
	patterns, err := a.Store.Memory().Recall(ctx, kind, query, maxRecalled)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, p := range patterns {
		found = append(found, fmt.Sprintf("%s\nSolved by: %s", p.Text, p.Solution))
	}
	return found, nil
}
