package workspace

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"io/fs"
)

// rename moves a file and gives it its new content. The new file is made and
// looked at before the old one goes; where the old one cannot go, the new one
// does.
func (d *disk) rename(e FileEdit) error {
	from, err := d.w.locateName(e.From)
	if err != nil {
		return err
	}
	to, err := d.w.locateName(e.Path)
	if err != nil {
		return err
	}
	cur, err := from.load(MaxContent)
	if err != nil {
		return err
	}
	content := NewContent(e.Content.Data, e.Content.Mode)
	if cur == nil {
		return d.renamed(to, content)
	}
	if err := d.expected(from, cur, e.Expect); err != nil {
		return fmt.Errorf("%s: %w", from.key, err)
	}
	if from.recased(to) {
		return d.recase(from, to, content)
	}
	if content.Mode == 0 {
		content.Mode = cur.Mode
	}
	there, err := to.load(MaxContent)
	if err != nil {
		return err
	}
	if there != nil && there.Hash != content.Hash {
		return errThere
	}
	if err := d.write(to, "", content); err != nil {
		return err
	}
	if err := to.inherit(cur, content); err != nil {
		return err
	}
	if err := d.delete(from, e.Expect); err != nil {
		err = fmt.Errorf("%s: %w", from.key, err)
		if there == nil {
			err = errors.Join(err, d.delete(to, content.Hash))
		}
		return err
	}
	return nil
}

// renamed settles a rename whose old file is gone: it is done if the new file is
// what it should be.
func (d *disk) renamed(to place, content *Content) error {
	there, err := to.load(MaxContent)
	if err != nil {
		return err
	}
	if there != nil && there.Hash == content.Hash {
		return nil
	}
	return errGone
}

// inherit gives a new file the permissions of the one that it was.
func (p place) inherit(cur, content *Content) error {
	if err := p.folder.root.Chmod(p.rel, withExecutable(cur.Mode, executable(content.Mode))); err != nil {
		return fmt.Errorf("setting the permissions of %s: %w", p.key, err)
	}
	return nil
}

// recased reports whether another path is the same file under a name of other
// case, as on file systems that find a file under both. Two hard links are not:
// both names are in the folder then.
func (p place) recased(to place) bool {
	if p.folder != to.folder || p.rel == to.rel || !strings.EqualFold(p.rel, to.rel) || !sameFile(p, to) {
		return false
	}
	dir := path.Dir(to.rel)
	return !slices.ContainsFunc(to.folder.entries(dir), func(e fs.DirEntry) bool { return e.Name() == path.Base(to.rel) })
}

// recase renames a file to a name of other case, then gives it its content.
func (d *disk) recase(from, to place, content *Content) error {
	cur, err := from.load(MaxContent)
	if err != nil {
		return err
	}
	if cur == nil {
		return errGone
	}
	if err := from.folder.root.Rename(from.rel, to.rel); err != nil {
		return fmt.Errorf("renaming %s: %w", from.key, err)
	}
	return d.write(to, cur.Hash, content)
}
