package agent

import (
	"context"
	"errors"
	"slices"

	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/store"
)

// CatchUp has memory learn what tasks teach whose decision or undo was interrupted before it could, or that were
// decided while memory could not be written. It is for whoever opens a store, before anything works in it; where there is nothing to
// catch up it reads no journal. What goes wrong is logged, and tried again the next time.
//
// It returns the tasks that were in review and are over now, because nothing was left to decide.
func (a *Agent) CatchUp(ctx context.Context) (over []string) {
	behind, err := a.Store.Unlearnt()
	if err != nil {
		a.Log.Warn("it is not known whether memory has missed something", "error", err)
	}
	for _, b := range behind {
		if b.Task == permit.Journal || record.IsThread(b.Task) {
			continue
		}
		ended, err := a.catchUp(ctx, b)
		if err != nil {
			a.Log.Warn("what a task teaches cannot be learnt now", "task", b.Task, "error", err)
		}
		if ended {
			over = append(over, b.Task)
		}
	}
	return over
}

// catchUp learns from one task, and reports whether it is over only now.
func (a *Agent) catchUp(ctx context.Context, b store.Behind) (ended bool, err error) {
	release, err := a.acquire(b.Task)
	if err != nil {
		return false, err
	}
	defer release()
	records, err := a.Store.Journal(b.Task).Records()
	if err != nil {
		return false, err
	}
	p, err := a.load(b.Task)
	if err != nil {
		return false, err
	}
	if !decidedSince(records[min(int(b.Seq), len(records)):], p) {
		return false, a.Store.Learnt(b.Task, p.Seq)
	}
	r := &run{a: a, id: b.Task, journal: a.Store.Journal(b.Task), state: p, yield: func(Event, error) bool { return true }}
	s := r.session()
	if err := s.Settle(); err != nil {
		return false, err
	}
	if p.Phase == record.Review { // where nothing is left to decide, the crash came before the end of the task
		if _, err := s.Finish(); err != nil {
			return false, err
		}
		ended = p.Phase != record.Review
	}
	rev, err := review.Of(p, a.Store.Blob, s.Obeyed)
	if err != nil && !errors.Is(err, review.ErrNoReview) {
		return ended, err
	}
	r.learn(ctx, rev)
	return ended, nil
}

// decidedSince reports whether a decision is among the latest records of a task: the user's, or that it has failed.
func decidedSince(latest []store.Record, p *record.State) bool {
	decisions := []string{record.KindOf(record.Applying{}), record.KindOf(record.Applied{}), record.KindOf(record.Decided{})}
	if p.Phase == record.Failed {
		decisions = append(decisions, record.KindOf(record.StateChanged{}))
	}
	return slices.ContainsFunc(latest, func(rec store.Record) bool { return slices.Contains(decisions, rec.Kind) })
}
