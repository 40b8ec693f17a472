package review

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Settle closes an application that was interrupted, by looking at what
// the files hold, and clears away what it left beside them.
func (s *Session) Settle() error {
	intent := s.State.Review.Applying
	if intent == nil {
		return nil
	}
	var known [][]byte
	for _, e := range intent.Edits {
		for _, ref := range []record.FileRef{e.Before, e.After} {
			if c, err := ref.ContentOrNone(s.Blob); err == nil && c != nil {
				known = append(known, c.Data)
			}
		}
	}
	var results []workspace.Applied
	for _, e := range intent.Edits {
		result := workspace.Applied{Path: e.Path}
		if err := s.arrivedWhole(e); err != nil {
			result.Reason = err.Error()
		} else {
			result.OK = true
		}
		results = append(results, result)
		for _, path := range []string{e.Path, e.From} {
			if path == "" {
				continue
			}
			if left, err := workspace.Sweep(s.Workspace, path, known...); err != nil || len(left) > 0 {
				s.Log.Warn("an interrupted acceptance left files behind", "task", s.State.Task.ID, "files", left, "error", err)
			}
		}
	}
	return s.Record(record.Applied{Undo: intent.Undo, Results: results})
}

// arrivedWhole looks whether an edit has been carried out to its end; the error
// says why not. A rename writes the new file before it removes the old one.
func (s *Session) arrivedWhole(e record.AppliedTo) error {
	hash, err := s.lookAt(e.Path)
	switch {
	case err != nil:
		return fmt.Errorf("it was interrupted, and the file cannot be read: %w", err)
	case hash == e.After.Hash:
	case hash == "" || hash == e.Before.Hash:
		return errors.New("it was interrupted before it was written")
	default:
		return errors.New("it was interrupted, and the file has changed since")
	}
	if e.From == "" || strings.EqualFold(e.From, e.Path) { // of other case only: one file under both names, on some systems
		return nil
	}
	if old, err := s.lookAt(e.From); err != nil || old != "" {
		return fmt.Errorf("it was interrupted before %s was removed", e.From)
	}
	return nil
}

// lookAt returns the hash of the user's file as it is now, text or not, "" if it does not exist.
func (s *Session) lookAt(path string) (string, error) {
	c, err := s.Workspace.Bytes(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
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
