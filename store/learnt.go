package store

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// learntBucket is in a workspace's database: task id -> number of the last record that memory has learnt from. The
// memory is another file, so a crash can come between a task's decision and its lesson.
var learntBucket = []byte("learnt")

// Behind is a task whose journal has records that memory has not learnt from.
type Behind struct {
	Task string
	Seq  int64 // of the last record that it has learnt from; 0: none
}

// Unlearnt returns the tasks whose journals went on since [Store.Learnt], oldest first. It reads no journal. In a database of
// an older version it counts all tasks as learnt from: otherwise what the user has forgotten would come back.
func (s *Store) Unlearnt() (list []Behind, err error) {
	fresh := false
	err = s.db.view(func(tx *bolt.Tx) error {
		learnt := tx.Bucket(learntBucket)
		list, fresh = nil, learnt == nil
		if fresh {
			return nil
		}
		return eachJournal(tx, func(id []byte, seq uint64) error {
			var at uint64
			if v := learnt.Get(id); len(v) == 8 {
				at = binary.BigEndian.Uint64(v)
			}
			if at != seq {
				list = append(list, Behind{string(id), int64(at)})
			}
			return nil
		})
	})
	if err == nil && fresh {
		err = s.db.update(func(tx *bolt.Tx) error {
			learnt, err := tx.CreateBucketIfNotExists(learntBucket)
			if err != nil {
				return err
			}
			return eachJournal(tx, func(id []byte, seq uint64) error { return learnt.Put(id, key(int64(seq))) })
		})
	}
	if err != nil {
		return nil, fmt.Errorf("find the tasks that memory has not learnt from: %w", err)
	}
	return list, nil
}

// eachJournal calls f with the id of each task and the number of its last record, oldest first.
func eachJournal(tx *bolt.Tx, f func(id []byte, seq uint64) error) error {
	journals := tx.Bucket(journalsBucket)
	return tx.Bucket(tasksBucket).ForEach(func(_, id []byte) error {
		if j := journals.Bucket(id); j != nil {
			return f(id, j.Sequence())
		}
		return nil
	})
}

// Learnt says that memory has learnt from a task up to a record.
func (s *Store) Learnt(task string, seq int64) error {
	err := s.db.update(func(tx *bolt.Tx) error {
		learnt, err := tx.CreateBucketIfNotExists(learntBucket)
		if err != nil {
			return err
		}
		return learnt.Put([]byte(task), key(seq))
	})
	if err != nil {
		return fmt.Errorf("note that memory has learnt from task %s: %w", task, err)
	}
	return nil
}
