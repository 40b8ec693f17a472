package agent

import (
	"fmt"

	"caselsp/agent/record"
	"caselsp/agent/review"
)

// A task that is paused or stopped has work that the user may want now: because the model is
// not to be reached, or because they have seen enough. They can read it at any time. To decide
// about it closes the task as it is: the feature that was under way becomes kept work, and a
// resume goes on with it and with what was not begun, as with features that failed.

// closing are the records that close a task as it is, in order; none where it is not paused or
// stopped, or nothing was planned. p is then the state after them.
func (a *Agent) closing(p *record.State) (bodies []record.Body) {
	if p.Phase != record.Paused && p.Phase != record.Stopped || p.Report != nil || p.Plan == nil {
		return nil
	}
	add := func(b record.Body) {
		p.Apply(p.Seq+1, p.Changed, b)
		bodies = append(bodies, b)
	}
	why := p.Phase
	if f := p.Feature(); f != nil && f.Attempt > 0 && !f.Ended {
		start, staged := f.Start, p.Staged
		add(record.FeatureEnded{Feature: p.Current, Reason: fmt.Sprintf("it is not finished: the task was %s", why), Staged: &start, Kept: &staged})
	}
	outcome := p.Outcome()
	add(record.Reported{Outcome: outcome, Text: a.reportText(p, outcome, ""), Relied: a.relied(p)})
	to := record.StateChanged{To: record.Review, Reason: fmt.Sprintf("reviewed while it was %s", why), Feature: p.Current}
	if len(p.Staged.Files) == 0 {
		to.To = record.Failed
	}
	add(to)
	return bodies
}

// closed closes a paused or stopped task if something in the selection can be decided. Otherwise the task stays as it is, and
// the error says so.
func (r *run) closed(sel review.Selection) (bool, error) {
	view, err := r.a.load(r.id)
	if err != nil {
		return false, err
	}
	bodies := r.a.closing(view)
	if bodies == nil {
		return false, nil
	}
	rev, err := review.Of(view, r.a.Store.Blob, r.a.obeyed(view))
	if err != nil {
		return false, err
	}
	if sel.Kept == "" && rev.OpenFiles() == 0 {
		return false, fmt.Errorf("%w: %s The task stays %s: `caselsp resume %s` goes on with it", review.ErrDecided, rev.Tally(), r.state.Phase, r.id)
	}
	for _, b := range bodies {
		if err := r.record(b); err != nil {
			return false, err
		}
	}
	return true, nil
}
