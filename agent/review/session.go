// Package review handles a task's result: the user accepts or rejects hunks of
// it, takes back what was accepted, and sees what arrived. It hides how accepted changes are
// merged with what the user wrote meanwhile, what is recorded so that an acceptance can be
// undone, and how one that a crash interrupted is settled by looking at the files.
//
// review.go is the result with its hunks, session.go the decisions, accept.go their way into
// the user's files and back, arrival.go what came of an acceptance that an editor carried out
// in part, settle.go what a crash left open.
//
// It never changes a file itself: a workspace.Applier does, and only files for which there is
// a [permit.Leave].
package review

import (
	"context"
	"log/slog"

	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Session is one task whose result is being decided. Only the task's writer may use it.
type Session struct {
	State     *record.State
	Workspace *workspace.Workspace
	Blob      record.Blobs
	// Record writes a body into the task's journal, with the contents that it names,
	// and folds it into State.
	Record func(body record.Body, blobs ...[]byte) error
	Log    *slog.Logger
}

// Decide accepts or rejects hunks. Accepted ones are merged into what the user's
// files hold now and carried out by to; what did not arrive, and what overlaps with
// the user's own changes, stays open and is in the results with its reason. Leave is
// asked for once it is known what is to be written.
func (s *Session) Decide(ctx context.Context, sel Selection, accept bool, leave func(paths []string) (permit.Leave, error), to workspace.Applier) ([]workspace.Applied, error) {
	rev, err := Of(s.State, s.Blob)
	if err != nil {
		return nil, err
	}
	hunks, err := rev.open(sel)
	if err != nil || len(hunks) == 0 {
		return nil, err
	}
	if !accept {
		return nil, s.Record(record.Decided{Hunks: hunks})
	}
	given, err := leave(rev.paths(hunks))
	if err != nil {
		return nil, err
	}
	return s.accept(ctx, rev, hunks, given, to)
}

// Undo takes back everything that was accepted, as far as the user has not
// changed the same lines since; what the user wrote elsewhere stays. The
// result is under review again, so the undo can itself be undone.
func (s *Session) Undo(ctx context.Context, to workspace.Applier) ([]workspace.Applied, error) {
	if _, err := Of(s.State, s.Blob); err != nil {
		return nil, err
	}
	results, err := s.undo(ctx, to)
	if err == nil && s.State.Phase == record.Succeeded && len(s.State.Review.Applied) == 0 {
		err = s.Record(record.StateChanged{To: record.Review, Reason: "undone", Feature: s.State.Current})
	}
	return results, err
}

// Finish ends the task where nothing is left to decide, and returns how many hunks are.
func (s *Session) Finish() (open int, err error) {
	rev, err := Of(s.State, s.Blob)
	if err != nil {
		return 0, err
	}
	open = rev.openHunks()
	if open > 0 || s.State.Phase != record.Review {
		return open, nil
	}
	end := record.StateChanged{To: record.Rejected, Reason: "every change was rejected", Feature: s.State.Current}
	if len(s.State.Review.Applied) > 0 {
		end = record.StateChanged{To: record.Succeeded, Reason: "accepted", Feature: s.State.Current}
	}
	return open, s.Record(end)
}
