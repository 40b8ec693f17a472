package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// accept carries hunks into the user's files.
func (s *Session) accept(ctx context.Context, rev *Review, hunks []record.HunkID, leave permit.Leave, to workspace.Applier) ([]workspace.Applied, error) {
	var refused []workspace.Applied
	var edits []workspace.FileEdit
	for _, f := range rev.All() {
		chosen := f.chosen(hunks)
		if chosen == nil || !leave.Covers(f.Change.Path) {
			continue // it waits for the user's word about this file, see [Review.Waiting]
		}
		edit, err := s.acceptFile(f, chosen)
		if err != nil {
			refused = append(refused, workspace.Applied{Path: f.Change.Path, Reason: err.Error()})
			continue
		}
		edits = append(edits, edit)
	}
	results, err := s.apply(ctx, record.Applying{Hunks: hunks}, edits, leave, to, rev)
	return slices.Concat(refused, results), err
}

// withoutPlanted leaves out the edits that would make a repository of git with what the
// user's folders hold now, or change what git runs in one. The overlay has refused those of
// an acceptance; this is for what came about since, and for journals of other versions. An
// undo may bring back what the user had, but not among files that came since.
func (s *Session) withoutPlanted(edits []workspace.FileEdit, undo bool) (kept []workspace.FileEdit, refused []workspace.Applied) {
	var written, removed []string
	for _, e := range edits {
		if e.Content != nil {
			written = append(written, e.Path)
		}
		switch e.Op {
		case workspace.Delete:
			removed = append(removed, e.Path)
		case workspace.Rename:
			removed = append(removed, e.From)
		}
	}
	var planted map[string]error
	if undo {
		planted = s.Workspace.BroughtBack(written, s.State.Started)
	} else {
		planted = s.Workspace.Planted(written)
		maps.Copy(planted, s.Workspace.Kept(removed))
	}
	for _, e := range edits {
		if err := cmp.Or(planted[e.Path], planted[e.From]); err != nil {
			refused = append(refused, workspace.Applied{Path: e.Path, Reason: err.Error()})
			continue
		}
		kept = append(kept, e)
	}
	return kept, refused
}

// chosen returns which hunks of the file are to be in it afterwards: those
// accepted before and those in hunks; nil when hunks names none of this file.
func (f File) chosen(hunks []record.HunkID) func(int) bool {
	in := f.hunksIn(hunks)
	if len(in) == 0 {
		return nil
	}
	return f.with(in...)
}

// acceptFile makes the edit of one file, against what the file holds now.
func (s *Session) acceptFile(f File, chosen func(int) bool) (workspace.FileEdit, error) {
	c := f.Change
	switch {
	case c.Op == workspace.Create:
		if hash := s.hashOf(c.Path); hash != "" && hash != c.After.Hash {
			return workspace.FileEdit{}, errors.New("there is another file of that name now: move it away, then accept again")
		} else if hash != "" {
			return workspace.FileEdit{Op: workspace.Modify, Path: c.Path, Expect: hash, Content: c.After}, nil
		}
		return workspace.FileEdit{Op: c.Op, Path: c.Path, Content: c.After}, nil
	case c.Op == workspace.Delete || f.Whole():
		origin := c.Path
		if c.Op == workspace.Rename {
			origin = c.From
		}
		if s.hashOf(origin) != c.Before.Hash {
			return workspace.FileEdit{}, fmt.Errorf("%s was changed meanwhile: undo that change, or make this one by hand", origin)
		}
		return workspace.FileEdit{Op: c.Op, Path: c.Path, From: c.From, Expect: c.Before.Hash, Content: c.After}, nil
	}
	edit, err := s.merged(c.Path, f.base(), c.Select(chosen))
	var o overlap
	if errors.As(err, &o) && f.Kept != "" {
		err = fmt.Errorf("the lines that it changes are others now, near line %d: nothing was overwritten; accept what it was built on first, make the change by hand, or have it tried again", int(o))
	}
	return edit, err
}

// base is the text that the file would have with what was accepted of this change set and
// nothing else. Whatever else the user's file holds, their own text and what came of another
// change set, is not in it, so that a merge keeps it.
func (f File) base() string { return f.Change.Select(f.with()) }

// overlap is the error of a change of lines that are others now; it is the line.
type overlap int

func (o overlap) Error() string {
	return fmt.Sprintf("you changed the same lines meanwhile, near line %d: nothing was overwritten. Make the change there by hand and reject it here, or put your lines back to what they were and accept it again", int(o))
}

// merged is the edit that brings a file from what it holds now to target, with
// what the user changed since base kept.
func (s *Session) merged(path, base, target string) (workspace.FileEdit, error) {
	now, err := s.Workspace.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return workspace.FileEdit{}, errors.New("there is no such file now")
	}
	if err != nil {
		return workspace.FileEdit{}, err
	}
	text, conflicts := workspace.Merge(base, now.Text, target)
	if len(conflicts) > 0 {
		return workspace.FileEdit{}, overlap(conflicts[0].Changed)
	}
	data, err := now.Encoding.Encode(text)
	if err != nil {
		return workspace.FileEdit{}, err
	}
	return workspace.FileEdit{Op: workspace.Modify, Path: path, Expect: now.Hash, Content: workspace.NewContent(data, now.Mode)}, nil
}

// apply records the intent, with everything needed to take it back, lets the applier
// work and records what arrived. An edit for which there is no leave is a mistake of the
// caller: then nothing is applied. rev is the review that the edits accept hunks of; nil
// for an undo.
func (s *Session) apply(ctx context.Context, intent record.Applying, edits []workspace.FileEdit, leave permit.Leave, to workspace.Applier, rev *Review) ([]workspace.Applied, error) {
	edits, planted := s.withoutPlanted(edits, intent.Undo)
	if len(edits) == 0 {
		return planted, nil
	}
	for _, e := range edits {
		if !leave.Covers(e.Path) || e.From != "" && !leave.Covers(e.From) {
			return nil, fmt.Errorf("nothing was changed: the change of %s was not approved", e.Path)
		}
	}
	var blobs [][]byte
	for _, e := range edits {
		a := record.AppliedTo{Op: e.Op, Path: e.Path, From: e.From, Before: record.FileRef{Path: e.Path}, After: record.FileRef{Path: e.Path}}
		origin := e.Path
		if e.From != "" {
			origin = e.From
		}
		if e.Expect != "" {
			before, err := s.Workspace.Bytes(origin)
			if err != nil {
				return nil, fmt.Errorf("%s cannot be kept for an undo, so nothing was changed: %w", origin, err)
			}
			blobs = append(blobs, before.Data)
			a.Before = record.FileRef{Path: origin, Hash: before.Hash, Mode: before.Mode}
		}
		if e.Content != nil {
			blobs = append(blobs, e.Content.Data)
			a.After.Hash, a.After.Mode = e.Content.Hash, e.Content.Mode
		}
		blobs = append(blobs, s.tellApart(rev, intent, &a)...)
		if !intent.Undo {
			a.Makes = s.Workspace.MissingFolders(e.Path)
		}
		intent.Edits = append(intent.Edits, a)
	}
	if err := s.Record(intent, blobs...); err != nil {
		return nil, err
	}
	results, err := to.Apply(ctx, edits, func(done []workspace.Applied, next ...string) error {
		return s.Record(record.Applied{Undo: intent.Undo, Goes: true, Results: slices.DeleteFunc(slices.Clone(done), func(r workspace.Applied) bool { return !r.OK }), Next: next})
	})
	if err != nil {
		// What it did before it failed is not known: look.
		return nil, errors.Join(err, s.Settle())
	}
	for i := range results { // in the order of the edits
		results[i].Unsaved = results[i].OK && s.Workspace.Unsaved(results[i].Path)
		results[i].Deleted = i < len(edits) && edits[i].Op == workspace.Delete && edits[i].Path == results[i].Path
	}
	outcome := record.Applied{Undo: intent.Undo}
	blobs = nil
	if rev != nil {
		outcome.Partly, blobs = s.lookForParts(rev, intent, results)
	}
	for _, r := range results {
		if !s.State.Review.Touched[r.Path] {
			outcome.Results = append(outcome.Results, r)
		}
	}
	return slices.Concat(planted, results), s.Record(outcome, blobs...)
}

// undoable is what was applied, by path, and what may have been: that of which it could not be
// seen after a crash is taken back where it is found.
func (s *Session) undoable() map[string]record.AppliedTo {
	all := maps.Clone(s.State.Review.Unsure)
	if all == nil {
		all = map[string]record.AppliedTo{}
	}
	maps.Copy(all, s.State.Review.Applied)
	return all
}

// undo takes back what was applied, file by file.
func (s *Session) undo(ctx context.Context, to workspace.Applier) ([]workspace.Applied, error) {
	var refused []workspace.Applied
	var edits []workspace.FileEdit
	applied := s.undoable()
	paths := slices.Sorted(maps.Keys(applied))
	if len(paths) == 0 {
		return nil, errors.New("nothing of this task was accepted, so there is nothing to undo")
	}
	for _, path := range paths {
		edit, err := s.undoFile(applied[path])
		if err != nil {
			refused = append(refused, workspace.Applied{Path: path, Reason: err.Error()})
			continue
		}
		edits = append(edits, edit)
	}
	results, err := s.apply(ctx, record.Applying{Undo: true}, edits, permit.ToUndo(applied), to, nil)
	var made []string
	for _, path := range paths {
		made = append(made, applied[path].Makes...)
	}
	s.Workspace.RemoveEmptyFolders(made)
	return append(refused, results...), err
}

func (s *Session) undoFile(a record.AppliedTo) (workspace.FileEdit, error) {
	changed := fmt.Errorf("%s was changed since it was accepted: nothing was overwritten. Keep it as it is, or put back what was accepted and undo again; the report has the diff", a.Path)
	before, err := a.Before.ContentOrNone(s.Blob)
	if err != nil {
		return workspace.FileEdit{}, err
	}
	switch a.Op {
	case workspace.Create:
		if s.hashOf(a.Path) != a.After.Hash {
			return workspace.FileEdit{}, changed
		}
		return workspace.FileEdit{Op: workspace.Delete, Path: a.Path, Expect: a.After.Hash}, nil
	case workspace.Delete:
		if s.hashOf(a.Path) != "" {
			return workspace.FileEdit{}, changed
		}
		return workspace.FileEdit{Op: workspace.Create, Path: a.Path, Content: before}, nil
	case workspace.Rename:
		if s.hashOf(a.Path) != a.After.Hash {
			return workspace.FileEdit{}, changed
		}
		return workspace.FileEdit{Op: workspace.Rename, Path: a.From, From: a.Path, Expect: a.After.Hash, Content: before}, nil
	}
	after, err := a.After.Content(s.Blob)
	if err != nil {
		return workspace.FileEdit{}, err
	}
	if s.hashOf(a.Path) == a.After.Hash { // the bytes that were, in the encoding that was
		return workspace.FileEdit{Op: workspace.Modify, Path: a.Path, Expect: a.After.Hash, Content: before}, nil
	}
	old, wasText := before.Text()
	applied, isText := after.Text()
	if !wasText || !isText {
		return workspace.FileEdit{}, changed
	}
	edit, err := s.merged(a.Path, applied, old)
	var o overlap
	if errors.As(err, &o) {
		err = fmt.Errorf("you changed the accepted lines since, near line %d: nothing was overwritten. Take them back by hand, or put the accepted lines back and undo again; the report has the diff", int(o))
	}
	return edit, err
}
