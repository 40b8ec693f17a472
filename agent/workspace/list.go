package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

const (
	// MaxEntries is how many files List returns at most, and where no limit is
	// given: as many as a workspace is expected to have.
	MaxEntries = 100_000
	// shortHash is how many hex digits Manifest keeps of a hash: enough that two
	// contents of one path never meet.
	shortHash = 16
)

// Entry is a file in a list.
type Entry struct {
	Path   string
	Size   int64 // bytes
	Staged bool  // the agent's

	Modified time.Time // on disk; zero of what is staged or open, and of links
}

// List returns the files that the overlay shows and a glob matches, sorted by
// path; more says that there are others. Globs know *, ?, [a-z], {a,b} and **; one
// without a slash is about file names wherever they lie, an empty one is all.
// Dependencies, virtual environments, build output and what git ignores are left
// out unless staged; links are listed under the file that they lead to only.
func (o *Overlay) List(ctx context.Context, glob string, limit int) (entries []Entry, more bool, err error) {
	g, err := parseGlob(glob)
	if err != nil {
		return nil, false, err
	}
	if limit <= 0 || limit > MaxEntries {
		limit = MaxEntries
	}
	files, more, err := o.walkIn(ctx, false, g)
	if err != nil {
		return nil, false, err
	}
	for _, f := range files {
		if !g.match(f.key) {
			continue
		}
		if len(entries) == limit {
			return entries, true, nil
		}
		entries = append(entries, Entry{f.key, f.size(), f.staged != nil, f.modified()})
	}
	return entries, more, nil
}

// TreeFile is a file of a whole tree.
type TreeFile struct {
	Path   string
	Origin string // the file that a link leads to; else Path
	Mode   fs.FileMode
	Data   []byte
	Link   string // the text of a link to a file or a folder of the workspace, with the Mode and Data of what it leads to; else ""
}

// ErrTreeTooLarge says that a tree has more bytes than were allowed.
var ErrTreeTooLarge = errors.New("the workspace is too large to copy")

// Tree returns every file that the overlay shows, sorted by path, as a tree of
// its own: ignored folders are left out, and so are links that lead out of the workspace. The error
// wraps ErrTreeTooLarge where the files have more than limit bytes. A file that
// cannot be read is left out, as it would be for any program of the user's.
func (o *Overlay) Tree(ctx context.Context, limit int64) ([]TreeFile, error) {
	files, more, err := o.walk(ctx, true)
	if err != nil {
		return nil, err
	}
	tooLarge := func(why string) error {
		return fmt.Errorf("%w: %s; list large files that are not source in .gitignore, or raise the limit", ErrTreeTooLarge, why)
	}
	if more {
		return nil, tooLarge(fmt.Sprintf("it has more than %d files", maxWalk))
	}
	var tree []TreeFile
	left := limit
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.dir {
			tree = append(tree, TreeFile{Path: f.key, Origin: f.place.key, Mode: fs.ModeDir, Link: f.link})
			continue
		}
		c, err := f.content(o.w, left)
		var large *TooLarge
		if errors.As(err, &large) || c != nil && int64(len(c.Data)) > left {
			return nil, tooLarge(fmt.Sprintf("%s goes beyond %d MiB", f.key, limit>>20))
		}
		if err != nil || c == nil {
			continue
		}
		left -= int64(len(c.Data))
		tree = append(tree, TreeFile{f.key, cmp.Or(f.place.key, f.key), c.Mode, c.Data, f.link})
	}
	return tree, nil
}

// Manifest returns a short hash of the content of every file that List would
// return, nil where they are more than limit. A file whose hash is known for what the disk says of it is
// not read; one that is read is known to everything that looks at many files.
func (o *Overlay) Manifest(ctx context.Context, limit int) (map[string]string, error) {
	files, more, err := o.walk(ctx, false)
	if err != nil || more || len(files) > limit {
		return nil, err
	}
	manifest := make(map[string]string, len(files))
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hash, err := o.hash(f)
		switch {
		case err != nil:
			// Too large, or unreadable: its size tells two versions apart most of the time.
			manifest[f.key] = fmt.Sprintf("size-%d", f.size())
		case hash != "":
			manifest[f.key] = hash[:shortHash]
		}
	}
	o.w.known.keeper().end()
	return manifest, nil
}

// hash returns the checksum of a file; "" where it vanished meanwhile.
func (o *Overlay) hash(f found) (string, error) {
	if f.staged == nil && f.buffer == nil {
		if hash, ok := o.w.known.hashOf(f); ok {
			return hash, nil
		}
		begun := o.w.index.clock()
		if e, err := f.place.indexed(o.w); err == nil {
			o.w.known.keepVersion(f.key, e.version, e.hash, begun)
			return e.hash, nil
		}
	}
	c, err := f.content(o.w, MaxContent)
	if err != nil || c == nil {
		return "", err
	}
	return c.Hash, nil
}
