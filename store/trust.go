package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// trustBucket holds the folders that the user trusts: path -> when and how the user
// decided. It is created with the first folder, so that older databases need no change.
var trustBucket = []byte("trust")

// Trusted is a folder that the user trusts, with everything below it.
type Trusted struct {
	Folder string    `json:"folder"` // absolute, with symbolic links resolved
	Given  time.Time `json:"given"`
	By     string    `json:"by"` // how the user decided: prompt, command, terminal
}

// Trust is the list of folders that the user trusts, and of the editors' settings that
// the user has confirmed. It is kept in the user's database, never in a folder: a folder
// cannot declare itself trusted. Like
// [Memory] it opens the database for each operation only.
type Trust struct{ root string }

// TrustIn returns the trust that is kept in a state directory; "" is the user's,
// as for [Open].
func TrustIn(dir string) (*Trust, error) {
	root, err := stateDir(dir)
	return &Trust{root}, err
}

func (t *Trust) path() string { return filepath.Join(t.root, memoryFile) }

// Folders returns the folders that are trusted, sorted by path.
func (t *Trust) Folders() ([]Trusted, error) {
	var list []Trusted
	err := t.read(trustBucket, func(k, v []byte) error {
		var one Trusted
		if err := json.Unmarshal(v, &one); err != nil {
			return err
		}
		one.Folder = string(k)
		list = append(list, one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the trusted folders: %w", err)
	}
	return list, nil
}

// Give trusts a folder.
func (t *Trust) Give(folder, by string, at time.Time) error {
	text, err := json.Marshal(Trusted{Folder: folder, Given: at.Round(0).UTC(), By: by})
	if err != nil {
		return err
	}
	if err := t.write(trustBucket, func(b *bolt.Bucket) error { return b.Put([]byte(folder), text) }); err != nil {
		return fmt.Errorf("trust %s: %w", folder, err)
	}
	return nil
}

// Withdraw ends the trust in a folder. It changes nothing for a folder that has no
// entry of its own.
func (t *Trust) Withdraw(folder string) error {
	if err := t.write(trustBucket, func(b *bolt.Bucket) error { return b.Delete([]byte(folder)) }); err != nil {
		return fmt.Errorf("withdraw the trust in %s: %w", folder, err)
	}
	return nil
}

// read calls each with the entries of a bucket, sorted; a database or bucket that is not
// there has none.
func (t *Trust) read(bucket []byte, each func(k, v []byte) error) error {
	if _, err := os.Stat(t.path()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return t.with(func(db *database) error {
		return db.view(func(tx *bolt.Tx) error {
			b := tx.Bucket(bucket)
			if b == nil {
				return nil
			}
			return b.ForEach(func(k, v []byte) error {
				if err := each(k, v); err != nil {
					name, _, _ := strings.Cut(string(k), "\x00")
					return fmt.Errorf("the entry for %s cannot be read: %w", name, err)
				}
				return nil
			})
		})
	})
}

// write changes a bucket, which it creates where it is not there.
func (t *Trust) write(bucket []byte, change func(*bolt.Bucket) error) error {
	if err := makeDirs(t.root); err != nil {
		return err
	}
	return t.with(func(db *database) error {
		return db.update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(bucket)
			if err != nil {
				return err
			}
			return change(b)
		})
	})
}

func (t *Trust) with(fn func(*database) error) error {
	db, err := openUser(t.path())
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.close())
}
