// Package review handles a task's result: the user accepts or rejects hunks of
// it, takes back what was accepted, and sees what arrived. It hides how accepted changes are
// merged with what the user wrote meanwhile, what is recorded so that an acceptance can be
// undone, and how one that a crash interrupted is settled: by what was recorded before each file, and for the
// one that this leaves uncertain by looking at it.
//
// review.go is the result with its hunks, kept.go the work of features that failed, session.go the decisions, accept.go their way into
// the user's files and back, arrival.go what came of an acceptance that an editor carried out
// in part, settle.go what a crash left open, evidence.go what a file shows of it.
//
// It never changes a file itself: a workspace.Applier does, and only files for which there is
// a [permit.Leave].
package review

import (
	"context"
	"log/slog"
	"slices"

	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Session is one task whose result is being decided. Only the task's writer may use it.
type Session struct {
	State     *record.State
	Workspace *workspace.Workspace
	Blob      record.Blobs
	Trust     *permit.Trust
	// Obeyed says who obeys what a change of this task does.
	Obeyed func(workspace.Change) permit.Obeyed
	// Record writes a body into the task's journal, with the contents that it names,
	// and folds it into State.
	Record func(body record.Body, blobs ...[]byte) error
	Log    *slog.Logger
}

// Decide accepts or rejects hunks. Accepted ones are merged into what the user's
// files hold now and carried out by to; what did not arrive, and what overlaps with
// the user's own changes, stays open and is in the results with its reason. What
// programs obey and the selection does not name stays open, too.
func (s *Session) Decide(ctx context.Context, sel Selection, accept bool, to workspace.Applier) ([]workspace.Applied, error) {
	rev, err := s.review()
	if err != nil {
		return nil, err
	}
	hunks, err := rev.about(sel, accept)
	if err != nil {
		return nil, err
	}
	if !accept {
		hunks, kept := s.withoutUnsure(hunks, sel)
		if len(hunks) == 0 {
			return kept, nil
		}
		return kept, s.Record(record.Decided{Hunks: hunks})
	}
	leave, err := s.Trust.ToAccept(s.Workspace, rev.changes(hunks), s.Obeyed, sel.consent())
	if err != nil {
		return nil, err
	}
	return s.accept(ctx, rev, hunks, leave, to)
}

// withoutUnsure leaves out the hunks that a rejection of all must not call rejected, because
// a crash came when they were written and it could not be seen whether they are in the file.
func (s *Session) withoutUnsure(hunks []record.HunkID, sel Selection) (sure []record.HunkID, left []workspace.Applied) {
	for _, h := range hunks {
		if _, not := s.State.Review.Unsure[h.Path]; !not || sel.File != "" {
			sure = append(sure, h)
		} else if !slices.ContainsFunc(left, func(a workspace.Applied) bool { return a.Path == h.Path }) {
			left = append(left, workspace.Applied{Path: h.Path, Reason: "an acceptance of it was interrupted, and whether it was written cannot be seen, because the same lines were changed since: make the file as you want it, then reject it by its name"})
		}
	}
	return sure, left
}

// review is the result as it is now.
func (s *Session) review() (*Review, error) {
	rev, err := Of(s.State, s.Blob, s.Obeyed)
	if err == nil {
		rev.LookAt(s.State, s.Workspace)
	}
	return rev, err
}

// Review is the result as it is now, and for kept work whether it fits the user's files.
func (s *Session) Review() (*Review, error) {
	rev, err := s.review()
	if err != nil {
		return nil, err
	}
	for _, k := range rev.Kept {
		for i := range k.Files {
			if f := &k.Files[i]; f.Open() > 0 {
				if _, err := s.acceptFile(*f, func(h int) bool { return f.Hunks[h] != record.HunkRejected }); err != nil {
					f.Unfit = err.Error()
				}
			}
		}
	}
	return rev, nil
}

// Undo takes back everything that was decided: what was accepted, as far as the user has not
// changed the same lines since, and every rejection. What the user wrote elsewhere stays. The
// result is under review again, so the undo can itself be undone.
func (s *Session) Undo(ctx context.Context, to workspace.Applier) ([]workspace.Applied, error) {
	rev, err := s.review()
	if err != nil {
		return nil, err
	}
	rejected, err := rev.in(Selection{Hunk: AllHunks}, record.HunkRejected)
	if err != nil {
		return nil, err
	}
	for _, k := range rev.Kept {
		ids, err := rev.in(Selection{Kept: k.ID, Hunk: AllHunks}, record.HunkRejected)
		if err != nil {
			return nil, err
		}
		rejected = append(rejected, ids...)
	}
	var results []workspace.Applied
	if len(s.undoable()) > 0 || len(rejected) == 0 {
		if results, err = s.undo(ctx, to); err != nil {
			return results, err
		}
	}
	if len(rejected) > 0 {
		if err := s.Record(record.Decided{Hunks: rejected, Open: true}); err != nil {
			return results, err
		}
	}
	if rev, err = s.review(); err == nil && s.decided() && rev.openHunks() > 0 {
		err = s.Record(record.StateChanged{To: record.Review, Reason: "undone", Feature: s.State.Current})
	}
	return results, err
}

// decided reports whether the task has ended with the user's decision.
func (s *Session) decided() bool {
	return s.State.Phase == record.Succeeded || s.State.Phase == record.Rejected
}

// Finish ends the task where nothing of its result is left to decide, and returns how many
// hunks are. Kept work stays open as long as the user likes.
func (s *Session) Finish() (open int, err error) {
	rev, err := s.review()
	if err != nil {
		return 0, err
	}
	open = rev.openHunks()
	end := record.StateChanged{To: record.Rejected, Reason: "every change was rejected", Feature: s.State.Current}
	if len(s.State.Review.Applied) > 0 {
		end = record.StateChanged{To: record.Succeeded, Reason: "accepted", Feature: s.State.Current}
	}
	if open > 0 || s.State.Phase == end.To || s.State.Phase != record.Review && !s.decided() {
		return open, nil
	}
	return open, s.Record(end)
}
