package agent

import (
	"context"
	"errors"
	"strings"
	"sync"

	"caselsp/agent/count"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// Review returns a task's result with what was decided about it so far.
func (a *Agent) Review(id string) (*review.Review, error) {
	p, err := a.settled(id)
	if err != nil {
		return nil, err
	}
	a.closing(p) // as a decision would close it; nothing is recorded
	s := a.onlooker(p)
	s.Foresee()
	return s.Review()
}

// onlooker is the review of a task for those who decide nothing.
func (a *Agent) onlooker(p *record.State) *review.Session {
	return &review.Session{State: p, Workspace: a.Workspace, Blob: a.Store.Blob, Obeyed: a.obeyed(p), Log: a.Log}
}

// settled is load for those who look at a task: what a crash interrupted is settled first, unless
// somebody works on the task. The earlier that is, the less the user has changed since.
func (a *Agent) settled(id string) (*record.State, error) {
	p, err := a.load(id)
	if err != nil || p.Review.Applying == nil {
		return p, err
	}
	release, err := a.acquire(id)
	if err != nil {
		return p, nil // it is not interrupted, it goes on
	}
	defer release()
	if p, err = a.load(id); err != nil {
		return nil, err
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	if err := r.session().Settle(); err != nil {
		a.Log.Warn("an interrupted acceptance cannot be settled now", "task", id, "error", err)
	}
	return p, nil
}

// obeyed says of the changes of a task who obeys them.
func (a *Agent) obeyed(p *record.State) func(workspace.Change) permit.Obeyed {
	links := sync.OnceValue(a.Workspace.Links)
	return func(c workspace.Change) permit.Obeyed { return a.Files.Obeyed(p, a.Workspace, links(), c) }
}

// Decide accepts or rejects the open hunks of a selection; what is accepted by its name although it
// was rejected before is accepted. It fails where nothing would change. Accepted ones are
// merged into what the user's files hold now and carried out by to; what did
// not arrive, and what overlaps with the user's own changes, stays open and is
// in the outcome with its reason.
func (a *Agent) Decide(ctx context.Context, id string, sel review.Selection, accept bool, to workspace.Applier) (review.Outcome, error) {
	defer a.keepChecksums(ctx)
	return a.committed(a.reviewed(ctx, id, &sel, func(s *review.Session) ([]workspace.Applied, error) {
		rev, err := review.Of(s.State, s.Blob, s.Obeyed)
		if err != nil {
			return nil, err
		}
		if sel.File, err = Named(sel.File, rev.Paths(sel)); err != nil {
			return nil, err
		}
		if sel, err = rev.Resolve(sel); err != nil {
			return nil, err
		}
		return s.Decide(ctx, sel, accept, to)
	}))(ctx, id)
}

// Undo takes back everything that was decided, accepted hunks as far as the user has not
// changed the same lines since; what the user wrote elsewhere stays. The
// result is under review again, so the undo can itself be undone.
func (a *Agent) Undo(ctx context.Context, id string, to workspace.Applier) (review.Outcome, error) {
	defer a.keepChecksums(ctx)
	stays := ""
	out, err := a.reviewed(ctx, id, &review.Selection{}, func(s *review.Session) ([]workspace.Applied, error) {
		stays = standingCommits(s.State)
		return s.Undo(ctx, to)
	})
	out.Commit = stays
	return out, err
}

// session is the review of the task that a run works on.
func (r *run) session() *review.Session {
	a := r.a
	return &review.Session{State: r.state, Workspace: a.Workspace, Blob: a.Store.Blob, Trust: a.Trust, Obeyed: a.obeyed(r.state), Record: r.record, Log: a.Log}
}

// learntOf counts what a task has taught by kind, in words; "" for nothing.
func learntOf(patterns []store.Pattern) string {
	var parts []string
	for _, kind := range []string{store.KindPattern, store.KindFailure} {
		n := 0
		for _, p := range patterns {
			if p.Kind == kind {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, count.Of(n, kind))
		}
	}
	return strings.Join(parts, ", ")
}

// reviewed locks the task, settles an acceptance that a crash interrupted, lets f decide,
// ends the task where nothing is left to decide, and keeps what it teaches. sel is what was decided about, once f
// has returned.
func (a *Agent) reviewed(ctx context.Context, id string, sel *review.Selection, f func(*review.Session) ([]workspace.Applied, error)) (review.Outcome, error) {
	release, err := a.acquire(id)
	if err != nil {
		return review.Outcome{}, err
	}
	defer release()
	p, err := a.load(id)
	if err != nil {
		return review.Outcome{}, err
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	s := r.session()
	if err := s.Settle(); err != nil {
		return review.Outcome{}, err
	}
	closed, err := r.closed(*sel)
	if err != nil {
		return review.Outcome{}, err
	}
	before, err := review.Of(p, a.Store.Blob, s.Obeyed)
	if err != nil {
		return review.Outcome{}, err
	}
	before.LookAt(p, a.Workspace)
	results, err := f(s)
	if errors.Is(err, review.ErrDecided) && p.Phase == record.Review && before.OpenFiles() == 0 {
		err = nil // a crash came between the last decision and the end of the task
	}
	if err != nil {
		return review.Outcome{Results: results}, err
	}
	a.keepAuthored(id, results)
	open, err := s.Finish()
	if err != nil {
		return review.Outcome{Results: results}, err
	}
	after, err := review.Of(p, a.Store.Blob, s.Obeyed)
	if err != nil {
		return review.Outcome{Results: results}, err
	}
	after.LookAt(p, a.Workspace)
	return review.Outcome{Learnt: learntOf(r.learn(ctx, after)), Results: results, State: p.Phase, Open: open, Waiting: after.WaitingIn(*sel), Kept: sel.Kept != "", Closed: closed, Decided: review.Decided(before, after)}, nil
}
