package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// What the user says to a task, or in a thread, is kept beside its journal until its writer takes it: a journal has
// one writer, which is busy with a step then. It is taken in the transaction that makes it a record, so that
// after a crash it is in exactly one of both places.

// inboxBucket is in a workspace's database: task id -> (number -> what was said). The numbers are the bucket's
// own sequence: none is used again.
var inboxBucket = []byte("inbox")

// Waiting is something that waits for the writer of a journal.
type Waiting struct {
	Number int64           // from 1, in the order in which they were kept
	Body   json.RawMessage // redacted
}

// Keep keeps something for the writer of the journal, which need not exist yet, and returns its number. It is on the
// disk when Keep returns nil.
func (j *Journal) Keep(body any) (int64, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	if j.task == "" || len(j.task) > maxTask || len(raw) > maxRecord {
		return 0, fmt.Errorf("what has %d bytes is not kept for the task %q", len(raw), j.task)
	}
	raw = j.store.redactor.Load().json(raw)
	var number int64
	err = j.store.db.update(func(tx *bolt.Tx) error {
		all, err := tx.CreateBucketIfNotExists(inboxBucket)
		if err != nil {
			return err
		}
		list, err := all.CreateBucketIfNotExists([]byte(j.task))
		if err != nil {
			return err
		}
		if number != 0 && bytes.Equal(list.Get(key(number)), raw) {
			return nil // the try before this one has done it
		}
		n, err := all.NextSequence()
		if err != nil {
			return err
		}
		number = int64(n)
		return list.Put(key(number), raw)
	})
	if err != nil {
		return 0, fmt.Errorf("keep a message for the task %s: %w", j.task, err)
	}
	return number, nil
}

// Kept returns what waits for the writer of the journal, oldest first.
func (j *Journal) Kept() (list []Waiting, err error) {
	err = j.store.db.view(func(tx *bolt.Tx) error {
		list = nil
		at := inboxOf(tx, j.task)
		if at == nil {
			return nil
		}
		return at.ForEach(func(k, v []byte) error {
			list = append(list, Waiting{int64(binary.BigEndian.Uint64(k)), bytes.Clone(v)})
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read what waits for the task %s: %w", j.task, err)
	}
	return list, nil
}

// Drop forgets what was kept; nothing happens where it was taken.
func (j *Journal) Drop(kept int64) error {
	return j.store.db.update(func(tx *bolt.Tx) error { return takeKept(tx, j.task, kept) })
}

// inboxOf is the bucket of what waits for a task; nil for none.
func inboxOf(tx *bolt.Tx, task string) *bolt.Bucket {
	all := tx.Bucket(inboxBucket)
	if all == nil || task == "" {
		return nil
	}
	return all.Bucket([]byte(task))
}

// takeKept removes one of those that wait, and the bucket with the last.
func takeKept(tx *bolt.Tx, task string, kept int64) error {
	at := inboxOf(tx, task)
	if at == nil {
		return nil
	}
	if err := at.Delete(key(kept)); err != nil {
		return err
	}
	if first, _ := at.Cursor().First(); first != nil {
		return nil
	}
	return deleteInbox(tx, task)
}

// deleteInbox removes all that waits for a task.
func deleteInbox(tx *bolt.Tx, task string) error {
	if inboxOf(tx, task) == nil {
		return nil
	}
	return tx.Bucket(inboxBucket).DeleteBucket([]byte(task))
}
