package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
)

// ApplyWhole makes all changes on disk, one file after the other as [Disk] does,
// or none: when one cannot be made, those before it are taken back, and the
// folders that they needed are removed. Only a process that is killed in the
// middle leaves a part. The error says which file could not be changed, and names
// those that could not be taken back because somebody else changed them meanwhile.
func ApplyWhole(ctx context.Context, w *Workspace, changes []Change) error {
	d := &disk{w: w}
	// What goes makes room for what comes: a folder can take a file's name.
	var deletes, others []Change
	for _, c := range changes {
		if c.Op == Delete {
			deletes = append(deletes, c)
		} else {
			others = append(others, c)
		}
	}
	changes = append(deletes, others...)
	folders := make([][]place, len(changes)) // those that each change needs and that are not there
	for i, c := range changes {
		err := ctx.Err()
		if at, located := w.locate(c.Path); err == nil && located == nil && (c.Op == Create || c.Op == Rename) {
			folders[i] = at.missingParents()
		}
		if err == nil {
			err = d.apply(c.edit())
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", c.Path, err), d.takeBack(changes[:i], folders[:i]))
		}
	}
	return nil
}

// takeBack undoes changes that were made, the last first, each with the folders
// that were made for it, where they are empty.
func (d *disk) takeBack(changes []Change, folders [][]place) error {
	var errs []error
	for i, c := range slices.Backward(changes) {
		err := d.apply(c.inverse())
		if at, located := d.w.locate(c.Path); err == nil && located == nil && c.Op == Delete {
			err = at.inherit(c.Before, c.Before)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s is changed already and could not be changed back: %w", c.Path, err))
		}
		for _, f := range slices.Backward(folders[i]) {
			_ = f.folder.root.Remove(f.rel) // stays where somebody else put something into it
		}
	}
	return errors.Join(errs...)
}

// edit is the change as an edit that an applier makes.
func (c Change) edit() FileEdit {
	e := FileEdit{Op: c.Op, Path: c.Path, From: c.From, Content: c.After}
	if c.Before != nil {
		e.Expect = c.Before.Hash
	}
	return e
}

// inverse is the edit that takes the change back.
func (c Change) inverse() FileEdit {
	e := FileEdit{Op: c.Op, Path: c.Path, Content: c.Before}
	if c.After != nil {
		e.Expect = c.After.Hash
	}
	switch c.Op {
	case Create:
		e.Op = Delete
	case Delete:
		e.Op = Create
	case Rename:
		e.Path, e.From = c.From, c.Path
	}
	return e
}

// missingParents returns the folders that a file needs and that are not there,
// the outermost first.
func (p place) missingParents() []place {
	var missing []place
	for dir := path.Dir(p.rel); dir != "."; dir = path.Dir(dir) {
		if _, err := p.folder.root.Lstat(dir); err == nil {
			break
		}
		missing = append(missing, place{folder: p.folder, rel: dir})
	}
	slices.Reverse(missing)
	return missing
}
