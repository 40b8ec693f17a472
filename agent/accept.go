package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sort"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// accept carries hunks into the user's files.
func (r *run) accept(ctx context.Context, rev *ReviewOf, hunks []record.HunkID, to workspace.Applier) ([]workspace.Applied, error) {
	var refused []workspace.Applied
	var edits []workspace.FileEdit
	for _, f := range rev.Files {
		chosen := f.chosen(hunks)
		if chosen == nil {
			continue
		}
		edit, err := r.acceptFile(f, chosen)
		if err != nil {
			refused = append(refused, workspace.Applied{Path: f.Change.Path, Reason: err.Error()})
			continue
		}
		edits = append(edits, edit)
	}
	results, err := r.applyEdits(ctx, record.Applying{Hunks: hunks}, edits, to, rev)
	return append(refused, results...), err
}

// chosen returns which hunks of the file are to be in it afterwards: those
// accepted before and those in hunks; nil when hunks names none of this file.
func (f FileReview) chosen(hunks []record.HunkID) func(int) bool {
	in := map[int]bool{}
	for _, h := range hunks {
		if h.Path == f.Change.Path {
			in[h.Hunk] = true
		}
	}
	if len(in) == 0 {
		return nil
	}
	return func(h int) bool { return in[h] || f.Hunks[h] == record.HunkAccepted }
}

// acceptFile makes the edit of one file, against what the file holds now.
func (r *run) acceptFile(f FileReview, chosen func(int) bool) (workspace.FileEdit, error) {
	c := f.Change
	switch {
	case c.Op == workspace.Create:
		if hash := r.hashOf(c.Path); hash != "" && hash != c.After.Hash {
			return workspace.FileEdit{}, errors.New("a file of that name was made meanwhile: move it away, then accept again")
		} else if hash != "" {
			return workspace.FileEdit{Op: workspace.Modify, Path: c.Path, Expect: hash, Content: c.After}, nil
		}
		return workspace.FileEdit{Op: c.Op, Path: c.Path, Content: c.After}, nil
	case c.Op == workspace.Delete || f.Whole():
		origin := c.Path
		if c.Op == workspace.Rename {
			origin = c.From
		}
		if r.hashOf(origin) != c.Before.Hash {
			return workspace.FileEdit{}, fmt.Errorf("%s was changed meanwhile: undo that change, or make this one by hand", origin)
		}
		return workspace.FileEdit{Op: c.Op, Path: c.Path, From: c.From, Expect: c.Before.Hash, Content: c.After}, nil
	}
	base, err := r.baseOf(c)
	if err != nil {
		return workspace.FileEdit{}, err
	}
	return r.merged(c.Path, base, c.Select(chosen))
}

// baseOf returns the text that the user's file was last known to have: before
// anything was accepted, or with what was.
func (r *run) baseOf(c workspace.Change) (string, error) {
	base, _ := c.Before.Text()
	if last, ok := r.state.Review.Applied[c.Path]; ok {
		content, err := last.After.Content(r.a.Store.Blob)
		if err != nil {
			return "", err
		}
		base, _ = content.Text()
	}
	return base, nil
}

// merged is the edit that brings a file from what it holds now to target, with
// what the user changed since base kept.
func (r *run) merged(path, base, target string) (workspace.FileEdit, error) {
	now, err := r.a.Workspace.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return workspace.FileEdit{}, errors.New("the file was deleted meanwhile")
	}
	if err != nil {
		return workspace.FileEdit{}, err
	}
	text, conflicts := workspace.Merge(base, now.Text, target)
	if len(conflicts) > 0 {
		return workspace.FileEdit{}, fmt.Errorf("you changed the same lines meanwhile, near line %d: nothing was overwritten; make the two agree, then decide again", conflicts[0].Line)
	}
	data, err := now.Encoding.Encode(text)
	if err != nil {
		return workspace.FileEdit{}, err
	}
	content := &workspace.Content{Data: data, Mode: now.Mode, Hash: store.Hash(data)}
	return workspace.FileEdit{Op: workspace.Modify, Path: path, Expect: now.Hash, Content: content}, nil
}

// applyEdits journals the intent, with everything needed to take it back, lets
// the applier work and journals what arrived. rev is the review that the edits
// accept hunks of; nil for an undo.
func (r *run) applyEdits(ctx context.Context, intent record.Applying, edits []workspace.FileEdit, to workspace.Applier, rev *ReviewOf) ([]workspace.Applied, error) {
	if len(edits) == 0 {
		return nil, nil
	}
	var blobs [][]byte
	for _, e := range edits {
		a := record.AppliedTo{Op: e.Op, Path: e.Path, From: e.From, Before: record.FileRef{Path: e.Path}, After: record.FileRef{Path: e.Path}}
		origin := e.Path
		if e.From != "" {
			origin = e.From
		}
		if e.Expect != "" {
			before, err := r.a.Workspace.Bytes(origin)
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
		intent.Edits = append(intent.Edits, a)
	}
	if err := r.record(intent, blobs...); err != nil {
		return nil, err
	}
	results, err := to.Apply(ctx, edits)
	if err != nil {
		// What it did before it failed is not known: look.
		return nil, errors.Join(err, r.settleApplying())
	}
	outcome := record.Applied{Undo: intent.Undo, Results: results}
	blobs = nil
	if rev != nil {
		outcome.Partly, blobs = r.lookForParts(rev, intent, results)
	}
	return results, r.record(outcome, blobs...)
}

// undo takes back what was applied, file by file.
func (r *run) undo(ctx context.Context, to workspace.Applier) ([]workspace.Applied, error) {
	var refused []workspace.Applied
	var edits []workspace.FileEdit
	paths := make([]string, 0, len(r.state.Review.Applied))
	for path := range r.state.Review.Applied {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	if len(paths) == 0 {
		return nil, errors.New("nothing of this task was accepted, so there is nothing to undo")
	}
	for _, path := range paths {
		edit, err := r.undoFile(r.state.Review.Applied[path])
		if err != nil {
			refused = append(refused, workspace.Applied{Path: path, Reason: err.Error()})
			continue
		}
		edits = append(edits, edit)
	}
	results, err := r.applyEdits(ctx, record.Applying{Undo: true}, edits, to, nil)
	return append(refused, results...), err
}

func (r *run) undoFile(a record.AppliedTo) (workspace.FileEdit, error) {
	changed := fmt.Errorf("%s was changed since it was accepted: nothing was overwritten", a.Path)
	before, err := a.Before.ContentOrNone(r.a.Store.Blob)
	if err != nil {
		return workspace.FileEdit{}, err
	}
	switch a.Op {
	case workspace.Create:
		if r.hashOf(a.Path) != a.After.Hash {
			return workspace.FileEdit{}, changed
		}
		return workspace.FileEdit{Op: workspace.Delete, Path: a.Path, Expect: a.After.Hash}, nil
	case workspace.Delete:
		if r.hashOf(a.Path) != "" {
			return workspace.FileEdit{}, changed
		}
		return workspace.FileEdit{Op: workspace.Create, Path: a.Path, Content: before}, nil
	case workspace.Rename:
		if r.hashOf(a.Path) != a.After.Hash {
			return workspace.FileEdit{}, changed
		}
		return workspace.FileEdit{Op: workspace.Rename, Path: a.From, From: a.Path, Expect: a.After.Hash, Content: before}, nil
	}
	after, err := a.After.Content(r.a.Store.Blob)
	if err != nil {
		return workspace.FileEdit{}, err
	}
	old, isText := before.Text()
	applied, _ := after.Text()
	if !isText {
		if r.hashOf(a.Path) != a.After.Hash {
			return workspace.FileEdit{}, changed
		}
		return workspace.FileEdit{Op: workspace.Modify, Path: a.Path, Expect: a.After.Hash, Content: before}, nil
	}
	return r.merged(a.Path, applied, old)
}
