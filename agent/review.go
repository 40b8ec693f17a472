package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// ReviewOf is the result of a task as the user decides about it.
type ReviewOf struct {
	Task  record.Task
	State record.Phase
	Files []FileReview
}

// FileReview is one file of the change set. A file that is created, deleted or
// renamed, or is not text, is decided as a whole: it has one entry in Hunks.
type FileReview struct {
	Change workspace.Change
	Hunks  []record.HunkState
}

// Whole reports whether the file is decided as a whole.
func (f FileReview) Whole() bool {
	return f.Change.Op != workspace.Modify || f.Change.Binary || len(f.Change.Hunks) == 0
}

// Selection names what a decision is about.
type Selection struct {
	File string // "" for every file
	Hunk int    // from 0; AllHunks for the whole file
}

// AllHunks selects every hunk of a file.
const AllHunks = -1

// Outcome is what a decision led to.
type Outcome struct {
	Results []workspace.Applied // of the files that an acceptance or an undo was to change
	State   record.Phase        // of the task afterwards
	Open    int                 // hunks that are still to be decided
}

// Failed returns what did not arrive.
func (o Outcome) Failed() []workspace.Applied {
	var failed []workspace.Applied
	for _, r := range o.Results {
		if !r.OK {
			failed = append(failed, r)
		}
	}
	return failed
}

// ErrNoReview says that a task has nothing to review.
var ErrNoReview = errors.New("the task has no result to review")

// Review returns a task's result with what was decided about it so far.
func (a *Agent) Review(id string) (*ReviewOf, error) {
	p, err := a.load(id)
	if err != nil {
		return nil, err
	}
	return a.reviewOf(p)
}

func (a *Agent) reviewOf(p *record.State) (*ReviewOf, error) {
	if p.Report == nil || len(p.Staged.Files) == 0 {
		return nil, fmt.Errorf("%w: %s is %s", ErrNoReview, p.Task.ID, p.Phase)
	}
	state, err := p.Staged.State(a.Store.Blob)
	if err != nil {
		return nil, err
	}
	rev := &ReviewOf{Task: p.Task, State: p.Phase}
	for _, c := range workspace.Compare(workspace.State{}, state).Files {
		f := FileReview{Change: c}
		n := len(c.Hunks)
		if f.Whole() {
			n = 1
		}
		for h := range n {
			s := p.Review.Decided[record.HunkID{Path: c.Path, Hunk: h}]
			if s == "" {
				s = record.HunkOpen
			}
			f.Hunks = append(f.Hunks, s)
		}
		rev.Files = append(rev.Files, f)
	}
	return rev, nil
}

// open returns the open hunks of a selection.
func (rev *ReviewOf) open(sel Selection) ([]record.HunkID, error) {
	var ids []record.HunkID
	known := false
	for _, f := range rev.Files {
		if sel.File != "" && sel.File != f.Change.Path {
			continue
		}
		known = true
		if sel.Hunk >= len(f.Hunks) {
			return nil, fmt.Errorf("%s has %d hunks; there is no hunk %d", f.Change.Path, len(f.Hunks), sel.Hunk+1)
		}
		for h, state := range f.Hunks {
			if state == record.HunkOpen && (sel.File == "" || sel.Hunk == AllHunks || sel.Hunk == h) {
				ids = append(ids, record.HunkID{Path: f.Change.Path, Hunk: h})
			}
		}
	}
	if !known {
		return nil, fmt.Errorf("the task does not change %s", sel.File)
	}
	return ids, nil
}

// openHunks counts what is still to be decided.
func (rev *ReviewOf) openHunks() int {
	ids, err := rev.open(Selection{Hunk: AllHunks})
	if err != nil {
		return 0
	}
	return len(ids)
}

// review locks the task, settles an application that a crash interrupted, and calls f.
func (a *Agent) review(id string, f func(*run, *ReviewOf) error) (Outcome, error) {
	release, err := a.acquire(id)
	if err != nil {
		return Outcome{}, err
	}
	defer release()
	p, err := a.load(id)
	if err != nil {
		return Outcome{}, err
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	if err := r.settleApplying(); err != nil {
		return Outcome{}, err
	}
	rev, err := a.reviewOf(p)
	if err != nil {
		return Outcome{}, err
	}
	if err := f(r, rev); err != nil {
		return Outcome{}, err
	}
	if rev, err = a.reviewOf(p); err != nil {
		return Outcome{}, err
	}
	open := rev.openHunks()
	if open == 0 && p.Phase == record.Review {
		end := record.StateChanged{To: record.Rejected, Reason: "every change was rejected", Feature: p.Current}
		if len(p.Review.Applied) > 0 {
			end = record.StateChanged{To: record.Succeeded, Reason: "accepted", Feature: p.Current}
		}
		if err := r.record(end); err != nil {
			return Outcome{}, err
		}
	}
	return Outcome{State: p.Phase, Open: open}, nil
}

// Decide accepts or rejects the open hunks of a selection. Accepted ones are
// merged into what the user's files hold now and carried out by to; what did
// not arrive, and what overlaps with the user's own changes, stays open and is
// in the outcome with its reason.
func (a *Agent) Decide(ctx context.Context, id string, sel Selection, accept bool, to workspace.Applier) (Outcome, error) {
	var results []workspace.Applied
	out, err := a.review(id, func(r *run, rev *ReviewOf) error {
		hunks, err := rev.open(sel)
		if err != nil {
			return err
		}
		if len(hunks) == 0 {
			return nil
		}
		if !accept {
			return r.record(record.Decided{Hunks: hunks})
		}
		if untrusted, err := a.Untrusted(); err != nil || len(untrusted) > 0 {
			return errors.Join(err, fmt.Errorf("%s is not trusted, so that nothing is written there: %s, then accept", strings.Join(untrusted, ", "), adviseTrust))
		}
		results, err = r.accept(ctx, rev, hunks, to)
		return err
	})
	out.Results = results
	return out, err
}

// Undo takes back everything that was accepted, as far as the user has not
// changed the same lines since; what the user wrote elsewhere stays. The
// result is under review again, so the undo can itself be undone.
func (a *Agent) Undo(ctx context.Context, id string, to workspace.Applier) (Outcome, error) {
	var results []workspace.Applied
	out, err := a.review(id, func(r *run, _ *ReviewOf) error {
		var err error
		if results, err = r.undo(ctx, to); err != nil {
			return err
		}
		if r.state.Phase == record.Succeeded && len(r.state.Review.Applied) == 0 {
			return r.record(record.StateChanged{To: record.Review, Reason: "undone", Feature: r.state.Current})
		}
		return nil
	})
	out.Results = results
	return out, err
}
