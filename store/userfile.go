package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// The user's database, user.db, is opened for single operations by several processes: for memory, and for trust.

// userBuckets are in every user's database.
var userBuckets = [][]byte{patternsBucket, vectorsBucket}

// openUser opens the user's database, which it makes where there is none. It is made under another name and gets its own when
// it is whole: a file of no bytes is never one that a killed caselsp has left, but one that lost what it held.
func openUser(path string) (*database, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := makeUser(path); err != nil {
			return nil, err
		}
	case err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return nil, &Broken{Path: path, Err: errors.New("it is empty: what is remembered and which folders are trusted is lost")}
	}
	return openDatabase(path, memoryWait, userBuckets...)
}

// makeUser makes a user's database that holds nothing. Where a file system has no links, opening makes it in place.
func makeUser(path string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return unwritable(path, err)
	}
	name := tmp.Name()
	defer os.Remove(name)
	if err := tmp.Close(); err != nil {
		return unwritable(path, err)
	}
	db, err := openDatabase(name, memoryWait, userBuckets...)
	if err != nil {
		return err
	}
	if err := db.close(); err != nil {
		return err
	}
	_ = os.Link(name, path) // another process may have been faster
	return nil
}

// eraseKey is in metaBucket while the file has free pages with what was dropped.
var eraseKey = []byte("erase")

// toErase has what a transaction frees erased after it: bbolt only marks pages as free, and what was in them, perhaps a
// secret that the redaction did not know, would stay in the file until something else is written there.
func toErase(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(eraseKey, []byte{1}) }

// eraseDropped writes zeros over the free pages of the file, if something was dropped: by this process, or by one that was
// killed before it came here. Copying the file lost to it (bbolt.Compact): another process that waits for the lock
// would then go on with the old file.
func (d *database) eraseDropped() error {
	wanted := false
	err := d.view(func(tx *bolt.Tx) error {
		if wanted = tx.Bucket(metaBucket).Get(eraseKey) != nil; wanted {
			return d.eraseFree(tx)
		}
		return nil
	})
	if err != nil || !wanted {
		return unwritable(d.path, err)
	}
	return d.update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Delete(eraseKey) })
}

// eraseFree writes zeros over the free pages. No valid page refers to them, so that a crash in between does no harm.
func (d *database) eraseFree(tx *bolt.Tx) error {
	size := d.bolt.Info().PageSize
	zeros, page := make([]byte, size), make([]byte, size)
	for id := 2; ; id++ { // behind the two meta pages
		info, err := tx.Page(id)
		if err != nil {
			return err
		}
		if info == nil {
			return d.file.Sync()
		}
		if info.Type != "free" {
			continue
		}
		at := int64(id) * int64(size)
		if n, err := d.file.ReadAt(page, at); err == nil && bytes.Equal(page[:n], zeros) {
			continue
		}
		if _, err := d.file.WriteAt(zeros, at); err != nil {
			return err
		}
	}
}
