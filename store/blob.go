package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	bolt "go.etcd.io/bbolt"
)

// maxBlob is the largest blob in bytes. A transaction holds it in memory twice;
// the files that an agent edits are a thousand times smaller.
const maxBlob = 64 << 20

// Hash returns the SHA-256 of data in hexadecimal: the name of its blob.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// PutBlob keeps data and returns its [Hash]. Equal bytes are kept once.
func (s *Store) PutBlob(data []byte) (string, error) {
	if err := CheckBlob(data); err != nil {
		return "", err
	}
	if err := s.db.update(func(tx *bolt.Tx) error { return putBlob(tx, data) }); err != nil {
		return "", fmt.Errorf("keep a blob of %d bytes: %w", len(data), err)
	}
	return Hash(data), nil
}

// CheckBlob refuses data that is too large for a blob.
func CheckBlob(data []byte) error {
	if len(data) > maxBlob {
		return fmt.Errorf("a blob of %d bytes is too large, the limit is %d: leave the file out of the task", len(data), maxBlob)
	}
	return nil
}

// putBlob keeps data in a transaction of the caller's.
func putBlob(tx *bolt.Tx, data []byte) error {
	blobs, sum := tx.Bucket(blobsBucket), sha256.Sum256(data)
	if blobs.Get(sum[:]) != nil {
		return nil
	}
	return blobs.Put(sum[:], data)
}

// Blob returns the bytes whose [Hash] is hash. Errors wrap fs.ErrNotExist when
// there is no such blob, and say so when the stored bytes do not match the hash.
func (s *Store) Blob(hash string) ([]byte, error) {
	sum, err := hex.DecodeString(hash)
	if err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("blob %q: not a SHA-256 in hexadecimal", hash)
	}
	var data []byte
	err = s.db.view(func(tx *bolt.Tx) error {
		v := tx.Bucket(blobsBucket).Get(sum)
		if v == nil {
			return fs.ErrNotExist
		}
		data = bytes.Clone(v)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", hash, err)
	}
	if got := sha256.Sum256(data); !bytes.Equal(got[:], sum) {
		return nil, fmt.Errorf("blob %s: its bytes are damaged: their hash is %x", hash, got)
	}
	return data, nil
}
