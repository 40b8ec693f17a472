package store

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// The checksums of a workspace's files, as the last task left them, say what changed since. A database
// that an older version made has none yet.

var checksumsBucket = []byte("checksums") // path -> checksum

// Checksums returns the checksums that [Store.KeepChecksums] kept, by path; nil for none.
func (s *Store) Checksums() (kept map[string]string, err error) {
	err = s.db.view(func(tx *bolt.Tx) error {
		kept = nil
		b := tx.Bucket(checksumsBucket)
		if b == nil {
			return nil
		}
		kept = map[string]string{}
		return b.ForEach(func(path, sum []byte) error {
			kept[string(path)] = string(sum)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read the checksums of the files: %w", err)
	}
	return kept, nil
}

// KeepChecksums keeps the checksums of all files by their paths, in the place of those that were
// kept. It writes what differs only. Paths that hold a secret are left out.
func (s *Store) KeepChecksums(now map[string]string) error {
	err := s.db.update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(checksumsBucket)
		if err != nil {
			return err
		}
		var gone [][]byte
		if err := b.ForEach(func(path, _ []byte) error {
			if _, ok := now[string(path)]; !ok {
				gone = append(gone, path)
			}
			return nil
		}); err != nil {
			return err
		}
		for _, path := range gone {
			if err := b.Delete(path); err != nil {
				return err
			}
		}
		for path, sum := range now {
			if path == "" || len(path) > bolt.MaxKeySize || string(b.Get([]byte(path))) == sum || s.Redact(path) != path {
				continue
			}
			if err := b.Put([]byte(path), []byte(sum)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep the checksums of %d files: %w", len(now), err)
	}
	return nil
}
