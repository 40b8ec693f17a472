package review

import (
	"cmp"
	"fmt"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// found is what a file shows of an edit that may have been carried out before a crash. The user
// may have changed the file since, so equal content is not the only evidence: what the user
// wrote is told apart by merging.
type found int

const (
	none found = iota
	part
	whole
	unsure
)

// unseen begins the reason of an edit of which it cannot be seen whether it arrived.
const unseen = "it was interrupted, and whether it was written cannot be seen: "

// look returns what the user's files show of an edit, and, unless it is all, why it stays open.
func (s *Session) look(e record.AppliedTo) (found, string) {
	now, err := s.lookAt(e.Path)
	if err != nil {
		return unsure, err.Error()
	}
	recased := e.From != "" && strings.EqualFold(e.From, e.Path) // one file under both names, on some systems
	if e.From != "" && !recased {
		return s.lookRenamed(e, now)
	}
	before, after := e.Before.Hash, e.After.Hash
	switch {
	case now == after:
		return whole, ""
	case now == before, now == "":
		return none, "it was interrupted before it was written"
	case before == "" && s.keeps(e.After, e.Path):
		return whole, ""
	case before == "":
		return unsure, unseen + "there is another file of that name now"
	case after == "" && s.keeps(e.Before, e.Path):
		return none, "it was interrupted before it was deleted, and the file has changed since"
	case after == "":
		return unsure, unseen + "there is another file of that name now"
	}
	return s.lookInto(e)
}

// lookRenamed is look for a rename, which writes the new file before it removes the old one. now
// is the hash of the new one.
func (s *Session) lookRenamed(e record.AppliedTo, now string) (found, string) {
	old, err := s.lookAt(e.From)
	switch {
	case err != nil:
		return unsure, err.Error()
	case now == "" && old == "":
		return none, fmt.Sprintf("it was interrupted, and neither %s nor %s is there now", e.From, e.Path)
	case now == "":
		return none, "it was interrupted before it was written"
	case old == "":
		return whole, ""
	case now == e.After.Hash:
		return none, fmt.Sprintf("it was interrupted before %s was removed", e.From)
	}
	return unsure, unseen + fmt.Sprintf("both %s and %s are there", e.From, e.Path)
}

// half reports whether a rename was interrupted between its two steps.
func half(s *Session, e record.AppliedTo) bool {
	return e.From != "" && !strings.EqualFold(e.From, e.Path) && e.After.Hash != "" && s.hashOf(e.Path) == e.After.Hash && s.hashOf(e.From) != ""
}

// keeps reports whether a file still has all lines of a content, in order, beside others.
func (s *Session) keeps(ref record.FileRef, path string) bool {
	was, isText := s.textOf(ref)
	now, err := s.Workspace.Read(path)
	if err != nil || !isText || strings.TrimSpace(was) == "" {
		return false
	}
	for _, h := range workspace.Diff(was, now.Text) {
		if len(h.Old) > 0 {
			return false
		}
	}
	return true
}

func (s *Session) textOf(ref record.FileRef) (string, bool) {
	c, err := ref.ContentOrNone(s.Blob)
	if err != nil || c == nil {
		return "", false
	}
	return c.Text()
}

// lookInto looks for the hunks of an edit in a file that holds neither what was there before nor
// what was to be there.
func (s *Session) lookInto(e record.AppliedTo) (found, string) {
	before, errBefore := e.Before.ContentOrNone(s.Blob)
	after, errAfter := e.After.ContentOrNone(s.Blob)
	now, err := s.Workspace.Read(e.Path)
	if err := cmp.Or(errBefore, errAfter, err); err != nil {
		return unsure, unseen + err.Error()
	}
	set := workspace.Compare(workspace.State{}, workspace.State{Files: []workspace.Staged{{Path: e.Path, Base: before, Now: after}}})
	if len(set.Files) != 1 || set.Files[0].Binary || len(set.Files[0].Hunks) == 0 {
		return unsure, unseen + "the file has changed since"
	}
	change := set.Files[0]
	base := change.Select(func(int) bool { return false })
	there, missing := 0, 0
	for h := range change.Hunks {
		with := change.Select(func(k int) bool { return k == h })
		switch isThere(base, with, now.Text) - isThere(with, base, now.Text) {
		case 1:
			there++
		case -1:
			missing++
		}
	}
	switch {
	case there > 0 && missing == 0: // what is not seen was changed since: a file is written as a whole
		return whole, ""
	case there == 0 && missing > 0:
		return none, "it was interrupted before it was written"
	case there > 0:
		return part, fmt.Sprintf("it was interrupted, and %d of %d hunks are there", there, len(change.Hunks))
	}
	return unsure, unseen + "you changed the same lines since"
}

// isThere returns 1 where a text shows a change from one text to another, with whatever else was
// changed: to make it would change nothing, or to take it back would change only that. Otherwise 0.
func isThere(from, to, now string) int {
	again, conflicts := workspace.Merge(from, now, to)
	if len(conflicts) == 0 && again == now {
		return 1
	}
	back, conflicts := workspace.Merge(to, now, from)
	if len(conflicts) == 0 && back != now {
		return 1
	}
	return 0
}
