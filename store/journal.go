package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	// maxRecord is the largest body in bytes of JSON: a request with the
	// context of the largest models fits several times. What is larger is a blob.
	maxRecord = 32 << 20

	// maxTask and maxKind are the longest task id and kind, in bytes: far above
	// what is used and far below what bbolt takes as a key.
	maxTask = 200
	maxKind = 100
)

// Record is one entry of a task's journal.
type Record struct {
	Seq  int64           `json:"seq"`  // from 1, without gaps
	Time time.Time       `json:"time"` // UTC
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"` // redacted
}

// Journal is the append-only record of one task. Only the owner of the store
// writes it; any number of goroutines may read it.
type Journal struct {
	store *Store
	task  string
}

// Journal returns the journal of a task. It exists from its first record on.
func (s *Store) Journal(task string) *Journal { return &Journal{store: s, task: task} }

// Append adds a record and returns it as [Journal.Records] will. It is on the
// disk when Append returns nil. On an error it was not added, except for an
// *[Unwritable], where that is not known. body is marshalled as JSON and redacted.
func (j *Journal) Append(kind string, body any) (Record, error) {
	return j.AppendWith(kind, body)
}

// AppendWith is [Journal.Append] with the blobs that body refers to by their
// [Hash]: record and blobs are kept together or not at all.
func (j *Journal) AppendWith(kind string, body any, blobs ...[]byte) (Record, error) {
	return j.AppendKept(0, kind, body, blobs...)
}

// AppendKept is [Journal.AppendWith] for the record of something that was kept, which is taken with it; 0 is nothing.
func (j *Journal) AppendKept(kept int64, kind string, body any, blobs ...[]byte) (Record, error) {
	rec, err := j.append(kept, kind, body, blobs)
	if err != nil {
		return Record{}, fmt.Errorf("journal of task %s: add a %q record: %w", j.task, kind, err)
	}
	return rec, nil
}

func (j *Journal) append(kept int64, kind string, body any, blobs [][]byte) (Record, error) {
	if j.task == "" || len(j.task) > maxTask {
		return Record{}, fmt.Errorf("a task's id has 1 to %d bytes, not %d", maxTask, len(j.task))
	}
	if kind == "" || len(kind) > maxKind {
		return Record{}, fmt.Errorf("a record's kind has 1 to %d bytes, not %d", maxKind, len(kind))
	}
	for _, b := range blobs {
		if err := CheckBlob(b); err != nil {
			return Record{}, err
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return Record{}, err
	}
	if len(raw) > maxRecord {
		return Record{}, fmt.Errorf("its body has %d bytes, the limit is %d: keep large content as blobs", len(raw), maxRecord)
	}
	rec := Record{Time: j.store.clock().Round(0).UTC(), Kind: kind}
	if wrote, ok := body.(Authored); ok {
		j.store.Adopt(wrote.Authored()...)
		rec.Body = j.store.redactor.Load().authoredJSON(raw)
	} else {
		rec.Body = j.store.redactor.Load().json(raw)
	}
	a := addition{journal: j, rec: rec, blobs: blobs, kept: kept}
	err = j.store.db.update(a.put)
	return a.rec, err
}

// addition is a record on its way into the journal.
type addition struct {
	journal *Journal
	rec     Record
	blobs   [][]byte
	kept    int64  // what becomes this record; 0 for none
	written []byte // the record as the last try wrote it, if there was one
}

// put numbers and writes the record and its blobs, unless the try before this
// one has done so: its failure may have come after its data.
func (a *addition) put(tx *bolt.Tx) error {
	records, err := a.journal.bucket(tx)
	if err != nil {
		return err
	}
	if a.written != nil && bytes.Equal(records.Get(key(a.rec.Seq)), a.written) {
		return nil
	}
	for _, b := range a.blobs {
		if err := putBlob(tx, b); err != nil {
			return err
		}
	}
	if a.kept != 0 {
		if err := takeKept(tx, a.journal.task, a.kept); err != nil {
			return err
		}
	}
	seq, err := records.NextSequence()
	if err != nil {
		return err
	}
	a.rec.Seq = int64(seq)
	if a.written, err = encodeRecord(a.rec); err != nil {
		return err
	}
	return records.Put(key(a.rec.Seq), a.written)
}

// bucket returns the bucket of the task's records, making it for a new task.
func (j *Journal) bucket(tx *bolt.Tx) (*bolt.Bucket, error) {
	journals, id := tx.Bucket(journalsBucket), []byte(j.task)
	records := journals.Bucket(id)
	if records == nil {
		tasks := tx.Bucket(tasksBucket)
		n, err := tasks.NextSequence()
		if err != nil {
			return nil, err
		}
		if err := tasks.Put(key(int64(n)), id); err != nil {
			return nil, err
		}
		if records, err = journals.CreateBucket(id); err != nil {
			return nil, err
		}
	}
	records.FillPercent = 0.9 // keys only grow: half-empty pages would stay so
	return records, nil
}

// Records returns the whole journal, in order; nothing for a task without one.
// When a record cannot be read, the error names the task and the record's
// sequence number, and the records before it are returned with it.
func (j *Journal) Records() ([]Record, error) {
	var records []Record
	err := j.store.db.view(func(tx *bolt.Tx) error {
		bucket := tx.Bucket(journalsBucket).Bucket([]byte(j.task))
		if j.task == "" || bucket == nil {
			return nil
		}
		return bucket.ForEach(func(k, v []byte) error {
			want := int64(len(records)) + 1
			if !bytes.Equal(k, key(want)) {
				return fmt.Errorf("record %d is missing", want)
			}
			rec, err := decodeRecord(v)
			if err == nil && rec.Seq != want {
				err = fmt.Errorf("it holds record %d", rec.Seq)
			}
			if err != nil {
				return fmt.Errorf("record %d cannot be read: %w", want, err)
			}
			records = append(records, rec)
			return nil
		})
	})
	if err != nil {
		return records, fmt.Errorf("journal of task %s: %w", j.task, err)
	}
	return records, nil
}

// key is a number as a key, so that keys sort as numbers do.
func key(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// bbolt has checksums of its meta pages only. Each record has its own checksum, so
// that a damaged page is detected.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeRecord returns the record as JSON after 4 bytes of checksum.
func encodeRecord(rec Record) ([]byte, error) {
	text, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(text, castagnoli)), text...), nil
}

// decodeRecord is the inverse of encodeRecord. The record shares no memory with value.
func decodeRecord(value []byte) (Record, error) {
	if len(value) < 4 {
		return Record{}, errors.New("it is truncated")
	}
	text := value[4:]
	if crc32.Checksum(text, castagnoli) != binary.BigEndian.Uint32(value) {
		return Record{}, errors.New("its checksum does not match")
	}
	var rec Record
	if err := json.Unmarshal(text, &rec); err != nil {
		return Record{}, err
	}
	return rec, nil
}

// Forget deletes a journal; there is false where there was none. What it said is overwritten as the
// database reuses its pages.
func (s *Store) Forget(task string) (there bool, err error) {
	err = s.db.update(func(tx *bolt.Tx) error {
		there = task != "" && tx.Bucket(journalsBucket).Bucket([]byte(task)) != nil
		return deleteJournal(tx, task)
	})
	return there, err
}
