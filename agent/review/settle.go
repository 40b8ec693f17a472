package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Settle closes an application that was interrupted, by what was recorded of it and by what
// the files hold, and clears away what it left beside them.
func (s *Session) Settle() error {
	intent := s.State.Review.Applying
	if intent == nil {
		return nil
	}
	for _, e := range intent.Edits {
		s.sweep(e)
		if err := s.takeBackHalf(e); err != nil {
			s.Log.Warn("a file that was renamed in part is under both names", "task", s.State.Task.ID, "path", e.Path, "error", err)
		}
	}
	outcome, blobs := s.settlement(*intent)
	if err := s.Record(outcome, blobs...); err != nil {
		return err
	}
	if !intent.Undo || !s.decided() {
		return nil
	}
	rev, err := s.review()
	if err == nil && rev.openHunks() > 0 {
		err = s.Record(record.StateChanged{To: record.Review, Reason: "undone in part", Feature: s.State.Current})
	}
	return err
}

// Foresee is Settle for those who only look: nothing is recorded, and no file is touched.
func (s *Session) Foresee() {
	if intent := s.State.Review.Applying; intent != nil {
		outcome, _ := s.settlement(*intent)
		s.State.Apply(s.State.Seq+1, s.State.Changed, outcome)
	}
}

// settlement says what became of the files of which that was not recorded.
func (s *Session) settlement(intent record.Applying) (record.Applied, [][]byte) {
	outcome := record.Applied{Undo: intent.Undo, Settled: true}
	touched := s.State.Review.Touched
	var partly []workspace.Applied
	for _, e := range intent.Edits {
		arrived, known := touched[e.Path]
		if arrived {
			continue
		}
		result := workspace.Applied{Path: e.Path, Reason: "it was interrupted before it was written"}
		if touched == nil || known {
			found, why := s.look(e)
			switch found {
			case whole:
				result.OK, why = true, ""
			case part:
				partly = append(partly, workspace.Applied{Path: e.Path})
			case unsure:
				outcome.Unsure = append(outcome.Unsure, e.Path)
			}
			result.Reason = why
		}
		outcome.Results = append(outcome.Results, result)
	}
	rev, err := s.review()
	if err != nil || intent.Undo || len(partly) == 0 {
		return outcome, nil
	}
	var blobs [][]byte
	outcome.Partly, blobs = s.lookForParts(rev, intent, partly)
	for _, p := range partly {
		at := slices.IndexFunc(outcome.Results, func(r workspace.Applied) bool { return r.Path == p.Path })
		if outcome.Results[at].OK = p.OK; p.Reason != "" || p.OK {
			outcome.Results[at].Reason = p.Reason
		}
	}
	return outcome, blobs
}

// sweep clears away what an interrupted application left beside a file.
func (s *Session) sweep(e record.AppliedTo) {
	var known [][]byte
	for _, ref := range []record.FileRef{e.Before, e.After} {
		if c, err := ref.ContentOrNone(s.Blob); err == nil && c != nil {
			known = append(known, c.Data)
		}
	}
	for _, path := range []string{e.Path, e.From} {
		if path == "" {
			continue
		}
		if left, err := workspace.Sweep(s.Workspace, path, known...); err != nil || len(left) > 0 {
			s.Log.Warn("an interrupted acceptance left files behind", "task", s.State.Task.ID, "files", left, "error", err)
		}
	}
}

// takeBackHalf removes the new file of a rename that was interrupted before the old one was
// removed: the user would have it under both names, whatever they decide.
func (s *Session) takeBackHalf(e record.AppliedTo) error {
	arrived, known := s.State.Review.Touched[e.Path]
	if !half(s, e) || arrived || s.State.Review.Touched != nil && !known {
		return nil
	}
	done, err := workspace.Disk(s.Workspace).Apply(context.Background(), []workspace.FileEdit{{Op: workspace.Delete, Path: e.Path, Expect: e.After.Hash}}, nil)
	if err == nil && !done[0].OK {
		err = errors.New(done[0].Reason)
	}
	return err
}

// lookAt returns the hash of the user's file as it is now, text or not, "" if it does not exist.
func (s *Session) lookAt(path string) (string, error) {
	c, err := s.Workspace.Bytes(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("it was interrupted, and %s cannot be read: %w", path, err)
	}
	return c.Hash, nil
}

// hashOf is lookAt for callers that treat an unreadable file as missing.
func (s *Session) hashOf(path string) string {
	hash, err := s.lookAt(path)
	if err != nil {
		return ""
	}
	return hash
}
