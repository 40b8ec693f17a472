package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	bolt "go.etcd.io/bbolt"
)

// Old tasks are pruned: their journals are deleted, and the contents that no other journal names. Which contents a journal names is found
// in the bytes of its records, by whatever looks like a hash, so that a kind of record that is new is not forgotten here: at
// worst, a content is kept that nobody needs. A task is deleted with its contents in one transaction, in which records that were added
// meanwhile are read too.

// prunedBucket is in a workspace's database: id of a task that was pruned -> when, in Unix seconds. A thread that was handed over to
// such a task must not begin it again.
var prunedBucket = []byte("pruned")

// sum is the key of a blob.
type sum [sha256.Size]byte

// Census is what each journal takes, and which contents it names.
type Census struct {
	store    *Store
	first    func(json.RawMessage) json.RawMessage
	journals map[string]*holding
	blobs    map[sum]*blobUse
	damaged  map[string]bool // journals with a record that cannot be read: what it names is not known
}

// holding is what a journal takes.
type holding struct {
	seq     uint64 // of the last record that was read
	records int64  // in bytes
	names   map[sum]bool
}

// blobUse is a content, and how many journals name it.
type blobUse struct {
	size int64
	by   int
}

// Census reads all journals. first returns what of the body of a task's first record may name contents; nil: all of it.
func (s *Store) Census(ctx context.Context, first func(json.RawMessage) json.RawMessage) (*Census, error) {
	c := &Census{store: s, first: first, journals: map[string]*holding{}, blobs: map[sum]*blobUse{}, damaged: map[string]bool{}}
	err := s.db.view(func(tx *bolt.Tx) error {
		clear(c.blobs)
		return tx.Bucket(blobsBucket).ForEach(func(k, v []byte) error {
			if len(k) == sha256.Size {
				c.blobs[sum(k)] = &blobUse{size: int64(len(v))}
			}
			return nil
		})
	})
	tasks, failed := s.Tasks()
	if err = errors.Join(err, failed); err != nil {
		return nil, fmt.Errorf("count what tasks take: %w", err)
	}
	for _, task := range tasks { // a transaction each: a long one holds up those that write
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		err := s.db.view(func(tx *bolt.Tx) error { return c.read(tx, task) })
		if err != nil {
			return nil, fmt.Errorf("count what task %s takes: %w", task, err)
		}
	}
	return c, nil
}

// read reads the records of a journal that were not read yet.
func (c *Census) read(tx *bolt.Tx, task string) error {
	b := tx.Bucket(journalsBucket).Bucket([]byte(task))
	if b == nil {
		return nil
	}
	h := c.journals[task]
	if h == nil {
		h = &holding{names: map[sum]bool{}}
		c.journals[task] = h
	}
	cursor := b.Cursor()
	for k, v := cursor.Seek(key(int64(h.seq + 1))); k != nil; k, v = cursor.Next() {
		if len(k) != 8 || len(v) < 4 || crc32.Checksum(v[4:], castagnoli) != binary.BigEndian.Uint32(v) {
			c.damaged[task] = true
		} else {
			h.seq = binary.BigEndian.Uint64(k)
		}
		h.records += int64(len(k) + len(v))
		if h.seq == 1 {
			v = c.naming(v)
		}
		c.name(h, v)
	}
	return nil
}

// naming is what of a record may name contents.
func (c *Census) naming(value []byte) []byte {
	if c.first == nil {
		return value
	}
	if rec, err := decodeRecord(value); err == nil {
		return c.first(rec.Body)
	}
	return value
}

// name notes the contents that are named in a text.
func (c *Census) name(h *holding, text []byte) {
	digits := 0
	for i, b := range text {
		if !('0' <= b && b <= '9' || 'a' <= b && b <= 'f') {
			digits = 0
			continue
		}
		if digits++; digits < 2*sha256.Size {
			continue
		}
		var s sum
		if _, err := hex.Decode(s[:], text[i+1-2*sha256.Size:i+1]); err != nil {
			continue
		}
		if use := c.blobs[s]; use != nil && !h.names[s] {
			h.names[s] = true
			use.by++
		}
	}
}

// Bytes is what all journals and contents take.
func (c *Census) Bytes() (n int64) {
	for _, h := range c.journals {
		n += h.records
	}
	for _, use := range c.blobs {
		n += use.size
	}
	return n
}

// Size is what a journal takes: its records, and the contents that no other names.
func (c *Census) Size(task string) int64 { return c.Cut().Take(task) }

// Damaged are the journals of which not all can be read, sorted. While one of them remains, no content is deleted.
func (c *Census) Damaged() []string {
	var list []string
	for task := range c.damaged {
		list = append(list, task)
	}
	slices.Sort(list)
	return list
}

// Cut tries what pruning gives back.
type Cut struct {
	census *Census
	taken  map[sum]int
}

// Cut begins with nothing taken.
func (c *Census) Cut() *Cut { return &Cut{c, map[sum]int{}} }

// Take takes a journal away, and returns what this gives back beside what was taken before.
func (k *Cut) Take(task string) (freed int64) {
	h := k.census.journals[task]
	if h == nil {
		return 0
	}
	for s := range h.names {
		use := k.census.blobs[s]
		if k.taken[s]++; k.taken[s] == use.by {
			freed += use.size
		}
	}
	return freed + h.records
}

// Prune deletes a task: its documents, its journal, and the contents that no other journal names; freed is what they took. It notes that
// the task was pruned, unless its id is one that may begin anew. What is interrupted in between is pruned again, or not at all.
func (c *Census) Prune(task string, anew bool) (freed int64, err error) {
	h := c.journals[task]
	if h == nil {
		return 0, nil
	}
	if err := c.store.discardOf(task); err != nil {
		return 0, err
	}
	var gone []sum
	err = c.store.db.update(func(tx *bolt.Tx) (err error) {
		if gone, err = c.unneeded(tx, task, h); err != nil {
			return err
		}
		if err := deleteJournal(tx, task); err != nil {
			return err
		}
		for _, s := range gone {
			if err := tx.Bucket(blobsBucket).Delete(s[:]); err != nil {
				return err
			}
		}
		if anew {
			return nil
		}
		pruned, err := tx.CreateBucketIfNotExists(prunedBucket)
		if err != nil {
			return err
		}
		return pruned.Put([]byte(task), key(c.store.clock().Unix()))
	})
	if err != nil {
		return 0, fmt.Errorf("prune task %s: %w", task, err)
	}
	for s := range h.names {
		c.blobs[s].by--
	}
	freed = h.records
	for _, s := range gone {
		freed += c.blobs[s].size
		delete(c.blobs, s)
	}
	delete(c.journals, task)
	delete(c.damaged, task)
	return freed, nil
}

// unneeded are the contents that only this journal names, by what the journals hold now; none while it is not known what
// another one names.
func (c *Census) unneeded(tx *bolt.Tx, task string, h *holding) (gone []sum, err error) {
	err = eachJournal(tx, func(id []byte, seq uint64) error {
		if known := c.journals[string(id)]; known != nil && known.seq == seq {
			return nil
		}
		return c.read(tx, string(id))
	})
	if err != nil || c.unsure(task) {
		return nil, err
	}
	for s := range h.names {
		if c.blobs[s].by == 1 {
			gone = append(gone, s)
		}
	}
	return gone, nil
}

// unsure reports whether it is not known what some journal but this one names.
func (c *Census) unsure(task string) bool {
	return len(c.damaged) > 1 || len(c.damaged) == 1 && !c.damaged[task]
}

// Sweep deletes the contents that no journal names, such as those of threads that were deleted; freed is what they took.
func (c *Census) Sweep() (freed int64, err error) {
	var gone []sum
	err = c.store.db.update(func(tx *bolt.Tx) error {
		gone = nil
		if _, err := c.unneeded(tx, "", &holding{}); err != nil || c.unsure("") {
			return err
		}
		for s, use := range c.blobs {
			if use.by == 0 {
				gone = append(gone, s)
				if err := tx.Bucket(blobsBucket).Delete(s[:]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("delete what no task needs: %w", err)
	}
	for _, s := range gone {
		freed += c.blobs[s].size
		delete(c.blobs, s)
	}
	return freed, nil
}

// Pruned returns when a task was pruned; false where it was not.
func (s *Store) Pruned(task string) (at time.Time, was bool, err error) {
	err = s.db.view(func(tx *bolt.Tx) error {
		if b := tx.Bucket(prunedBucket); b != nil && task != "" {
			if v := b.Get([]byte(task)); len(v) == 8 {
				at, was = time.Unix(int64(binary.BigEndian.Uint64(v)), 0), true
			}
		}
		return nil
	})
	if err != nil {
		return at, false, fmt.Errorf("look for task %s: %w", task, err)
	}
	return at, was, nil
}

// discardOf removes the documents of a task: those that have its id in their name.
func (s *Store) discardOf(task string) error {
	list, err := os.ReadDir(filepath.Join(s.dir, documents))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove the documents of task %s: %w", task, err)
	}
	for _, entry := range list {
		if holdsWord(entry.Name(), task) {
			if err := s.Discard(entry.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// holdsWord reports whether a word is in a name and is not a part of a longer one.
func holdsWord(name, word string) bool {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; ; {
		i := strings.Index(name[at:], word)
		if i < 0 || word == "" {
			return false
		}
		before, after := name[:at+i], name[at+i+len(word):]
		if strings.TrimRightFunc(before, inside) == before && strings.TrimLeftFunc(after, inside) == after {
			return true
		}
		at += i + 1
	}
}

// deleteJournal deletes a journal and what is noted of it; nothing happens where there is none.
func deleteJournal(tx *bolt.Tx, task string) error {
	journals, id := tx.Bucket(journalsBucket), []byte(task)
	if err := deleteInbox(tx, task); err != nil || journals.Bucket(id) == nil {
		return err
	}
	tasks := tx.Bucket(tasksBucket)
	var listed []byte
	err := tasks.ForEach(func(k, v []byte) error {
		if bytes.Equal(v, id) {
			listed = bytes.Clone(k)
		}
		return nil
	})
	if learnt := tx.Bucket(learntBucket); learnt != nil && err == nil {
		err = learnt.Delete(id)
	}
	return errors.Join(err, tasks.Delete(listed), journals.DeleteBucket(id))
}

// prunedNoteKey is in metaBucket: how many tasks were pruned by the settings, and how many bytes they took, since a task has said so.
var prunedNoteKey = []byte("pruned")

// NotePruned notes that tasks were pruned without a question.
func (s *Store) NotePruned(tasks int, bytes int64) error {
	return s.db.update(func(tx *bolt.Tx) error {
		n, size := readNote(tx)
		return tx.Bucket(metaBucket).Put(prunedNoteKey, append(key(n+int64(tasks)), key(size+bytes)...))
	})
}

// TakePruned returns what was noted since it was called last.
func (s *Store) TakePruned() (tasks int, bytes int64, err error) {
	err = s.db.view(func(tx *bolt.Tx) error {
		n, size := readNote(tx)
		tasks, bytes = int(n), size
		return nil
	})
	if err == nil && tasks > 0 {
		err = s.db.update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Delete(prunedNoteKey) })
	}
	return tasks, bytes, err
}

func readNote(tx *bolt.Tx) (tasks, bytes int64) {
	v := tx.Bucket(metaBucket).Get(prunedNoteKey)
	if len(v) != 16 {
		return 0, 0
	}
	return int64(binary.BigEndian.Uint64(v)), int64(binary.BigEndian.Uint64(v[8:]))
}
