package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
)

// The user writes notes on parts of a result that is under review, and sends it back with all of them. They become one
// more feature of the same task, which is coded, tested and verified like any other, and another review follows. What was
// accepted stays in the user's files, what was rejected stays out of the result. Notes are the user's word.

// Note keeps a note on a part of a task's result, in the place of the one on the same part; an empty text withdraws
// that. A note without a file is about the whole result, one without a hunk about the whole file. It returns how many
// notes the result has then.
func (a *Agent) Note(id string, n record.HunkNote) (int, error) {
	if strings.TrimSpace(n.Text) != "" {
		if err := record.CheckNote(n.Text); err != nil {
			return 0, err
		}
	}
	release, err := a.acquire(id)
	if err != nil {
		return 0, err
	}
	defer release()
	r, rev, err := a.underReview(id)
	if err != nil {
		return 0, err
	}
	n.Text = strings.TrimSpace(n.Text)
	if n.File, err = Named(n.File, rev.Paths(review.Selection{})); err != nil {
		return 0, err
	}
	if n.Lines, err = rev.Lines(n.File, n.Hunk); err != nil {
		return 0, err
	}
	if p := r.state; n.Text != "" && len(p.Review.Notes) >= record.MaxNotes {
		return 0, fmt.Errorf("the result has %s, and takes no more: send it back with them", count.Of(len(p.Review.Notes), "note"))
	}
	err = r.record(record.Noted{HunkNote: n})
	return len(r.state.Review.Notes), err
}

// underReview is a task whose result is under review, with that. The caller is its only writer.
func (a *Agent) underReview(id string) (*run, *review.Review, error) {
	p, err := a.load(id)
	if err != nil {
		return nil, nil, err
	}
	if p.Phase != record.Review || p.Report == nil {
		return nil, nil, fmt.Errorf("%w: task %s is %s, and notes are written on a result under review", review.ErrNoReview, id, p.Phase)
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	rev, err := review.Of(p, a.Store.Blob, a.obeyed(p))
	return r, rev, err
}

// ErrNoNotes says that there are no notes that a result could go back with.
var ErrNoNotes = errors.New("no note is written on the result: write one first")

// Return sends a task's result back with the notes on it, and goes on with the task. It yields what Run yields.
func (a *Agent) Return(ctx context.Context, id string) iter.Seq2[Event, error] {
	return a.giveBack(ctx, id, func(*run) error { return nil })
}

// giveBack is Return, where before has recorded what comes before it.
func (a *Agent) giveBack(ctx context.Context, id string, before func(*run) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		release, err := a.acquire(id)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer release()
		a.drive(ctx, id, yield, func(r *run) error {
			under, _, err := a.underReview(id)
			if err != nil {
				return err
			}
			r.state = under.state
			if err := before(r); err != nil {
				return err
			}
			if err := r.giveBack(ctx); err != nil {
				return err
			}
			return r.settle()
		})
	}
}

// Returnable says why a result cannot go back, nil where it can.
func (a *Agent) Returnable(id string) error {
	r, _, err := a.underReview(id)
	if err == nil && len(r.state.Review.Notes) == 0 {
		err = ErrNoNotes
	}
	return err
}

// noteAgain records what the user did to a recorded result before it went back.
func (r *run) noteAgain(b record.Returned) error {
	var err error
	if len(b.Rejected) > 0 {
		err = r.record(record.Decided{Hunks: b.Rejected})
	}
	for _, n := range b.Notes {
		err = errors.Join(err, r.record(record.Noted{HunkNote: n}))
	}
	return err
}

// giveBack records that a result goes back. What the user has not decided about stays staged.
func (r *run) giveBack(ctx context.Context) error {
	p := r.state
	if len(p.Review.Notes) == 0 {
		return ErrNoNotes
	}
	r.a.adoptAuthored()
	if err := errors.Join(r.conceal(ctx), r.a.adopt(r.id)); err != nil {
		return err
	}
	s := r.session()
	if err := s.Settle(); err != nil {
		return err
	}
	rev, err := review.Of(p, r.a.Store.Blob, s.Obeyed)
	if err != nil {
		return err
	}
	carried, err := rev.Carried()
	if err != nil {
		return err
	}
	if err := r.overlay.Restore(carried); err != nil {
		return fmt.Errorf("the staged files cannot be put back: %w", err)
	}
	b := record.Returned{Notes: p.Review.Notes}
	for _, f := range rev.Files {
		if f.Open() < len(f.Hunks) {
			b.Standing = append(b.Standing, f.Change.Path+": "+f.Standing())
		}
		for h, state := range f.Hunks {
			if state == record.HunkRejected {
				b.Rejected = append(b.Rejected, record.HunkID{Path: f.Change.Path, Hunk: h})
			}
		}
	}
	var blobs [][]byte
	b.Staged, blobs = record.StagedOf(r.overlay.State())
	return r.record(b, blobs...)
}

// toldNotes is what CASE is told of notes on a result: what they say, where the feature does not say it, what they are
// about, and what is staged.
func (r *run) toldNotes(f *record.Feature) (text, quoted, more string) {
	text = "The user has read the result and sends it back with the notes of this feature. They are the user's word.\n"
	if r.state.Task.Single { // its conversation shows no feature
		text = f.Description
	}
	if f.Again.Reason != "" {
		text += fmt.Sprintf("This was worked on before and failed: %s. It is tried again, with new rounds.\n", f.Again.Words.PlainAfter(f.Again.Reason))
	}
	if f.Again.Said != "" {
		text += "The user says how: " + f.Again.Said + "\n"
	}
	may := r.may()
	for i, n := range f.Again.Notes {
		if n.Lines != "" && !may.Hides(n.File) {
			quoted += fmt.Sprintf("Note %d is about this of %s:\n%s\n", i+1, n.File, r.window().text(partChanged, n.Lines, ""))
		}
	}
	quoted += "What is staged of the result now:\n" + r.prompter().diffSince(record.Staged{})
	if len(f.Again.Standing) > 0 {
		more = "\nThe user has decided about parts of the result. What is written is in their files; what is rejected is not wanted in this form:\n" + bullets(f.Again.Standing)
	}
	return text, quoted, more
}

// noted reports whether a feature is what the notes on a result became.
func noted(f *record.Feature) bool {
	return f != nil && f.Again != nil && slices.ContainsFunc(f.Again.Notes, func(n record.HunkNote) bool { return n.Text != "" })
}
