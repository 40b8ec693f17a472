package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	bolt "go.etcd.io/bbolt"
)

const (
	// shrinkSuffix ends the name of the file that is written to take the place of a database. One that a killed process left
	// is deleted when the database is opened.
	shrinkSuffix = ".smaller"

	// shrinkFrom and shrinkShare are how many bytes of a database must be free, and which part of it, before it is written
	// anew: what is free is used for what comes next, and less than this is not worth writing all the rest again.
	shrinkFrom  = 1 << 20
	shrinkShare = 4

	// shrinkBatch is how many bytes one transaction copies: it is held in memory.
	shrinkBatch = 16 << 20
)

// Shrink gives the space of the database that nothing uses back to the disk, if there is enough of it: what is left is copied into a new file,
// which then takes the name of the old one. Who writes or begins to read waits meanwhile, so it is for when nothing works. before and after are
// the sizes of the file, in bytes; they are equal where nothing was done. On Windows, where an open file cannot be replaced, the file
// keeps its size, and what comes next uses the space.
func (s *Store) Shrink(ctx context.Context) (before, after int64, err error) {
	if before, err = s.db.size(); err != nil || runtime.GOOS == "windows" {
		return before, before, err
	}
	free, err := s.db.free()
	if err != nil || free < shrinkFrom || free < before/shrinkShare {
		return before, before, err
	}
	if err := ctx.Err(); err != nil {
		return before, before, context.Cause(ctx)
	}
	if err := s.db.shrink(); err != nil {
		return before, before, fmt.Errorf("give back the space of what was pruned: %w", err)
	}
	after, err = s.db.size()
	return before, after, err
}

func (d *database) size() (int64, error) {
	info, err := os.Stat(d.path)
	if err != nil {
		return 0, unwritable(d.path, err)
	}
	return info.Size(), nil
}

// free is how many bytes of the file hold nothing.
func (d *database) free() (n int64, err error) {
	err = d.view(func(tx *bolt.Tx) error {
		stats := tx.DB().Stats()
		n = int64(stats.FreePageN+stats.PendingPageN) * int64(tx.DB().Info().PageSize)
		return nil
	})
	return n, err
}

// shrink copies what is in the database into a new file and goes on with that one. The new file is locked before it gets the name, so that
// at no moment another process can own it; one that waits for the lock of the old file finds that this has no name any longer, see openDatabase.
func (d *database) shrink() error {
	d.swapping.Lock()
	defer d.swapping.Unlock()
	if err := d.inPlace(); err != nil {
		return err
	}
	path := d.path + shrinkSuffix
	if err := removeStale(path); err != nil {
		return err
	}
	smaller := &database{path: path, pause: d.pause}
	err := smaller.guard(func() (err error) {
		if smaller.bolt, err = bolt.Open(path, 0o600, smaller.options(ownerWait)); err != nil {
			return err
		}
		smaller.bolt.NoSync = true // it has no name yet
		return d.guard(func() error { return bolt.Compact(smaller.bolt, d.bolt, shrinkBatch) })
	})
	if err == nil {
		smaller.bolt.NoSync = false
		err = smaller.bolt.Sync()
	}
	if err == nil {
		err = os.Rename(path, d.path)
	}
	if err != nil {
		err = unwritable(path, err)
		_ = smaller.close() // the first error counts
		_ = os.Remove(path)
		return err
	}
	syncDir(filepath.Dir(d.path))
	old := &database{path: path, bolt: d.bolt, file: d.file}
	d.bolt, d.file = smaller.bolt, smaller.file
	_ = old.close() // nothing was written to it that is not in the new one
	return nil
}

// removeStale removes what a killed process has left under a name.
func removeStale(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(path, err)
	}
	return nil
}
