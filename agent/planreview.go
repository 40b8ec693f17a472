package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/record"
)

// Before the work begins, the user can look at the plan (setting plan.review): the task waits with
// a question that shows it. What the user wants changed goes to TARS as the user's word, in the
// conversation in which it planned, and the plan that comes is asked about again; features that
// are dropped by number are taken out at once.

// maxPlanChanges bounds how often TARS is asked to change a plan: who wants it otherwise then has
// another task in mind, and says so better in its text.
const maxPlanChanges = 5

// errPlanStopped ends a run whose user does not go on with the plan now. The question stays open:
// whoever resumes the task is asked again.
var errPlanStopped = errors.New("you stopped it at its plan; no work has begun")

// stopsAtPlan reports whether an answer leaves the plan undecided and ends the run.
func stopsAtPlan(q record.Question, a record.Answer) bool {
	about, ok := q.Subject.(record.Input)
	return ok && about.Plan != nil && a.Text == record.PlanStop
}

// plan takes in what TARS submits, unless it names files that do not exist.
func (r *run) plan(ctx context.Context, plan action.Plan) error {
	if told := r.misnames(ctx, plan); told != "" {
		return r.record(record.ReplyRefused{Reason: told, Misnames: true})
	}
	if r.state.Splitting {
		return r.split(plan)
	}
	return r.record(record.Planned{Plan: plan})
}

// asksPlan reports whether the user is to be asked about the plan.
func (r *run) asksPlan() bool {
	p := r.state
	begun := slices.ContainsFunc(p.Features, func(f record.Feature) bool { return f.Attempt > 0 || f.Ended || f.Again != nil || f.PartOf != "" })
	return p.PlanReview && !p.PlanAccepted && p.Plan != nil && !p.Task.Single && !begun
}

// askPlan asks the user about the plan.
func (r *run) askPlan() error {
	p := r.state
	n, left := len(p.Plan.Features), max(0, maxPlanChanges-p.PlanChanges)
	what := fmt.Sprintf("Shall the work begin with this plan of %d features?", n)
	if n == 1 {
		what = "Shall the work begin with this plan of one feature?"
	}
	why := "Write what is to change, and TARS plans anew. "
	if left == 0 {
		why = fmt.Sprintf("TARS has changed the plan %d times, and is not asked again. ", p.PlanChanges)
	}
	if n > 1 {
		why += "\"drop 2\" leaves feature 2 out. "
	}
	return r.question(record.Question{
		Text: what, Why: why + fmt.Sprintf("%q leaves the task for later.", record.PlanStop),
		Subject: record.Input{Choices: []string{record.PlanGo, record.PlanStop}, Plan: &record.PlanAsked{Plan: *p.Plan, Class: p.PlannedClass(), Left: left}},
	})
}
