package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// What files declare and use is computed from their texts in seconds for a large project, and
// kept in a database of its own beside the workspace's. It is a cache: a file that cannot be
// read as one is deleted and begun anew, nothing in it is ever the only copy, and it is
// written without waiting for the disk. What holds a secret is not kept.

const (
	factsFile = "facts.db"

	// maxFacts is the size in bytes from which the file is begun anew when it is opened: texts
	// that were changed leave their facts behind, and bbolt's files do not shrink. It holds
	// those of some 30,000 files.
	maxFacts = 256 << 20

	// maxFact is the largest value that is kept; larger ones are those of generated files.
	maxFact = 1 << 20
)

var factsBucket = []byte("facts") // a key of the caller's -> bytes

// openFacts opens the cache of a workspace's directory, anew where it is damaged or too large.
func openFacts(dir string) (*database, error) {
	path := filepath.Join(dir, factsFile)
	if info, err := os.Stat(path); err == nil && info.Size() > maxFacts {
		_ = os.Remove(path) // what is left of it is replaced below
	}
	db, err := openDatabase(path, ownerWait, factsBucket)
	var broken *Broken
	if errors.As(err, &broken) {
		if err := os.Remove(path); err != nil {
			return nil, unwritable(path, err)
		}
		db, err = openDatabase(path, ownerWait, factsBucket)
	}
	if err != nil {
		return nil, err
	}
	db.bolt.NoSync = true
	return db, nil
}

// cache is the open cache. It is opened when it is first asked for: most commands need none.
func (s *Store) cache() (*database, error) {
	s.factsMu.Lock()
	defer s.factsMu.Unlock()
	if s.facts == nil && s.factsErr == nil {
		s.facts, s.factsErr = openFacts(s.dir)
	}
	return s.facts, s.factsErr
}

// closeFacts releases the cache.
func (s *Store) closeFacts() error {
	s.factsMu.Lock()
	defer s.factsMu.Unlock()
	s.factsErr = errClosed
	if s.facts == nil {
		return nil
	}
	return s.facts.close()
}

// Fact returns what [Store.KeepFacts] kept under a key; nil for nothing, and where the cache
// cannot be read.
func (s *Store) Fact(key string) (value []byte) {
	db, err := s.cache()
	if err != nil {
		return nil
	}
	_ = db.view(func(tx *bolt.Tx) error { // what cannot be read is computed again
		value = bytes.Clone(tx.Bucket(factsBucket).Get([]byte(key)))
		return nil
	})
	return value
}

// KeepFacts keeps values by their keys, but for those with secrets and those that are too
// large. Without them all goes on; they are computed again the next time.
func (s *Store) KeepFacts(values map[string][]byte) error {
	db, err := s.cache()
	if err == nil {
		err = db.update(func(tx *bolt.Tx) error {
			b := tx.Bucket(factsBucket)
			for key, value := range values {
				if len(value) > maxFact || s.Redact(string(value)) != string(value) {
					continue
				}
				if err := b.Put([]byte(key), value); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("keep what %d files declare: %w", len(values), err)
	}
	return nil
}
