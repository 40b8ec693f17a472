package review

import (
	"fmt"
	"io/fs"
	"slices"

	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// lookForParts looks at the files that did not become what they were to. An
// editor may have carried out some hunks only, or all of them while the user
// typed on. A hunk has arrived where making it again would change nothing. Files
// with all hunks are marked as arrived in results, the others are returned, with
// the contents that they name.
//
// Believing the applier's no instead would lose the way back: what did arrive
// would be taken for the user's own text.
func (s *Session) lookForParts(rev *Review, intent record.Applying, results []workspace.Applied) ([]record.Partly, [][]byte) {
	var parts []record.Partly
	var blobs [][]byte
	for i, result := range results {
		f := rev.file(result.Path, intent.Hunks)
		at := slices.IndexFunc(intent.Edits, func(e record.AppliedTo) bool { return e.Path == result.Path })
		if result.OK || f == nil || f.Whole() || at < 0 {
			continue
		}
		wanted := f.hunksIn(intent.Hunks)
		came, err := s.arrivedHunks(*f, wanted)
		if err != nil || len(came) == 0 {
			continue // nothing is known to have arrived, so all of it stays open
		}
		if len(came) == len(wanted) {
			results[i].OK, results[i].Reason = true, ""
			continue
		}
		part, data, err := s.partOf(*f, intent.Edits[at], came)
		if err != nil {
			s.Log.Warn("what arrived in part cannot be recorded", "task", s.State.Task.ID, "path", result.Path, "error", err)
			continue
		}
		results[i].Reason = fmt.Sprintf("%d of %s arrived, the others stay undecided", len(came), count.Of(len(wanted), "hunk"))
		parts, blobs = append(parts, part), append(blobs, data)
	}
	return parts, blobs
}

// file returns the file at path if some of these hunks are in it, else nil.
func (rev *Review) file(path string, hunks []record.HunkID) *File {
	for _, f := range rev.All() {
		if f.Change.Path == path && len(f.hunksIn(hunks)) > 0 {
			return &f
		}
	}
	return nil
}

// hunksIn returns those of list that are of this file.
func (f File) hunksIn(list []record.HunkID) []int {
	var own []int
	for _, h := range list {
		if h.Path == f.Change.Path && h.Kept == f.Kept {
			own = append(own, h.Hunk)
		}
	}
	return own
}

// with returns which hunks a text has that has those accepted before and came.
func (f File) with(came ...int) func(int) bool {
	return func(h int) bool { return f.Hunks[h] == record.HunkAccepted || slices.Contains(came, h) }
}

// arrivedHunks returns which of the wanted hunks are in the file as it is now.
func (s *Session) arrivedHunks(f File, wanted []int) ([]int, error) {
	now, err := s.Workspace.Read(f.Change.Path)
	if err != nil {
		return nil, err
	}
	var came []int
	for _, h := range wanted {
		again, conflicts := workspace.Merge(f.base(), now.Text, f.Change.Select(f.with(h)))
		if len(conflicts) == 0 && again == now.Text {
			came = append(came, h)
		}
	}
	return came, nil
}

// partOf describes a file that only the hunks came came into: as it was before,
// with them, and without what the user typed since.
func (s *Session) partOf(f File, e record.AppliedTo, came []int) (record.Partly, []byte, error) {
	ref := e.Before
	if first, again := s.State.Review.Applied[e.Path]; again {
		ref = first.After
	}
	before, err := ref.Content(s.Blob)
	if err != nil {
		return record.Partly{}, nil, err
	}
	now, err := s.Workspace.Read(f.Change.Path)
	if err != nil {
		return record.Partly{}, nil, err
	}
	was, _ := before.Text()
	text, _ := workspace.Merge(f.base(), was, f.Change.Select(f.with(came...)))
	data, err := now.Encoding.Encode(text)
	if err != nil {
		return record.Partly{}, nil, err
	}
	return record.Partly{Path: e.Path, Hunks: came, After: record.FileRef{Path: e.Path, Hash: workspace.NewContent(data, before.Mode).Hash, Mode: before.Mode}}, data, nil
}

// tellApart keeps, beside an edit, what tells what was accepted from what the user wrote in the file, and returns the contents
// that it names.
func (s *Session) tellApart(rev *Review, intent record.Applying, e *record.AppliedTo) (blobs [][]byte) {
	keep := func(ref **record.FileRef, data []byte, found record.FileRef) {
		if data != nil {
			*ref, blobs = &found, append(blobs, data)
		}
	}
	if intent.Undo {
		data, ref := s.reopens(*e)
		keep(&e.Reopens, data, ref)
		return blobs
	}
	first, again := s.State.Review.Applied[e.Path]
	if rev == nil || !again || first.After.Hash == e.Before.Hash {
		return nil
	}
	f := rev.file(e.Path, intent.Hunks)
	if f == nil || f.Whole() {
		return nil
	}
	if data, ref := s.takenFrom(e.Before, first); data != nil {
		keep(&e.Without, data, ref)
		return blobs
	}
	part, data, err := s.partOf(*f, *e, f.hunksIn(intent.Hunks))
	if err != nil {
		s.Log.Warn("what was accepted cannot be told from what the user wrote", "task", s.State.Task.ID, "path", e.Path, "error", err)
		return nil
	}
	keep(&e.Alone, data, part.After)
	return blobs
}

// takenFrom is a text of a file without what was accepted of it; nil where that is not to be told from what else changed.
func (s *Session) takenFrom(ref record.FileRef, accepted record.AppliedTo) ([]byte, record.FileRef) {
	var texts [3]string
	var mode fs.FileMode
	for i, r := range []record.FileRef{accepted.After, ref, accepted.Before} {
		content, err := r.ContentOrNone(s.Blob)
		text, isText := content.Text()
		if err != nil || content == nil || !isText {
			return nil, ref
		}
		if texts[i] = text; i == 1 {
			mode = content.Mode
		}
	}
	text, conflicts := workspace.Merge(texts[0], texts[1], texts[2])
	now, err := s.Workspace.Read(ref.Path)
	if err != nil || len(conflicts) > 0 {
		return nil, ref
	}
	data, err := now.Encoding.Encode(text)
	if err != nil {
		return nil, ref
	}
	return data, record.FileRef{Path: ref.Path, Hash: workspace.NewContent(data, mode).Hash, Mode: mode}
}

// reopens is the base of what is staged of a file without what was accepted of an earlier result, which an undo takes back.
func (s *Session) reopens(e record.AppliedTo) ([]byte, record.FileRef) {
	earlier, some := s.State.Review.Earlier(e.Path)
	i := slices.IndexFunc(s.State.Staged.Files, func(f record.StagedFile) bool { return f.Path == e.Path })
	if !some || i < 0 || s.State.Staged.Files[i].Base == nil || earlier.Op != workspace.Modify {
		return nil, record.FileRef{}
	}
	return s.takenFrom(*s.State.Staged.Files[i].Base, earlier)
}
