package store

import (
	"crypto/sha256"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// authoredBucket holds what models wrote into files that the user accepted: path -> the
// digests of the values that look like secrets. It is created with the first file.
var authoredBucket = []byte("authored")

const (
	maxAuthoredFiles  = 2000 // that are remembered; more are masked again, which is safe
	maxAuthoredValues = 200  // of one file
)

// KeepAuthored remembers, for later tasks, which values in an accepted file a model wrote
// itself. Only their digests are kept.
func (s *Store) KeepAuthored(path, text string) error {
	values := map[string]bool{}
	lookalikes(text, values)
	own := s.redactor.Load().own
	var digests []byte
	for _, v := range slices.Sorted(maps.Keys(values)) {
		if own[v] && len(digests) < maxAuthoredValues*sha256.Size {
			sum := digestOf(path, v)
			digests = append(digests, sum[:]...)
		}
	}
	return s.db.update(func(tx *bolt.Tx) error {
		b := tx.Bucket(authoredBucket)
		if b == nil && len(digests) == 0 {
			return nil
		}
		b, err := tx.CreateBucketIfNotExists(authoredBucket)
		if err != nil {
			return err
		}
		if len(digests) == 0 {
			return b.Delete([]byte(path))
		}
		if b.Get([]byte(path)) == nil && b.Stats().KeyN >= maxAuthoredFiles {
			return nil
		}
		return b.Put([]byte(path), digests)
	})
}

// AdoptAuthored takes note of what [Store.KeepAuthored] remembers, as far as it still
// stands in the files, which read returns.
func (s *Store) AdoptAuthored(read func(path string) (string, error)) error {
	files := map[string]string{}
	err := s.db.view(func(tx *bolt.Tx) error {
		b := tx.Bucket(authoredBucket)
		if b == nil {
			return nil
		}
		return b.ForEach(func(path, digests []byte) error {
			files[string(path)] = string(digests)
			return nil
		})
	})
	own := map[string]bool{}
	for path, digests := range files {
		text, failed := read(path)
		if failed != nil {
			continue // it is gone, or not to be read: nothing is shown of it either
		}
		kept := map[string]bool{}
		for i := 0; i+sha256.Size <= len(digests); i += sha256.Size {
			kept[digests[i:i+sha256.Size]] = true
		}
		values := map[string]bool{}
		lookalikes(text, values)
		for v := range values {
			if sum := digestOf(path, v); kept[string(sum[:])] {
				own[v] = true
			}
		}
	}
	s.adopt(own)
	return err
}

func digestOf(path, value string) [sha256.Size]byte {
	return sha256.Sum256([]byte(path + "\x00" + value))
}
