package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// model is what a store must hold.
type model struct {
	tasks   []string
	records map[string][]Record
	blobs   map[string][]byte
}

// TestJournalModel carries random operations out on a store and on a model of
// it, and compares all they hold after each reopening.
func TestJournalModel(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			ops := make([]byte, 300)
			for i := range ops {
				ops[i] = byte(random.UintN(256))
			}
			runModel(t, ops)
		})
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 7, 0, 8, 16, 7})
	f.Add([]byte("random operations"))
	f.Fuzz(func(t *testing.T, ops []byte) { runModel(t, ops[:min(len(ops), 64)]) })
}

func runModel(t *testing.T, ops []byte) {
	options := Options{StateDir: t.TempDir(), Workspace: "a1b2", Clock: stopped, Secrets: []string{"hunter2"}}
	m := model{records: map[string][]Record{}, blobs: map[string][]byte{}}
	s := open(t, options)
	for i, op := range ops {
		task := []string{"b", "a", "task-3"}[op>>3%3]
		blob := bytes.Repeat([]byte{op}, int(op)*int(op)/16) // the empty one too
		switch op % 8 {
		case 0, 1, 2:
			m.append(t, s, task, map[string]any{"i": i, "code": "if a < b && c { hunter2 }", "é": "\u2028"})
		case 3, 4:
			m.append(t, s, task, []any{i, Hash(blob)}, blob, []byte("shared"))
		case 5:
			hash, err := s.PutBlob(blob)
			if err != nil || hash != Hash(blob) {
				t.Fatalf("PutBlob: %s, %v", hash, err)
			}
			m.blobs[hash] = blob
		case 6: // an operation that must leave no trace
			if rec, err := s.Journal(task).AppendWith("step", make(chan int), []byte("lost")); err == nil {
				t.Fatalf("a channel became %v", rec)
			}
		case 7:
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, options)
			m.compare(t, s)
		}
	}
	m.compare(t, s)
}

// append adds a record to the store and to the model.
func (m *model) append(t *testing.T, s *Store, task string, body any, blobs ...[]byte) {
	t.Helper()
	rec, err := s.Journal(task).AppendWith("step", body, blobs...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(m.tasks, task) {
		m.tasks = append(m.tasks, task)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("hunter2"), []byte(mask))
	want := Record{Seq: int64(len(m.records[task]) + 1), Time: stopped(), Kind: "step", Body: text}
	if !reflect.DeepEqual(rec, want) {
		t.Fatalf("appended %+v, not %+v", rec, want)
	}
	m.records[task] = append(m.records[task], want)
	for _, b := range blobs {
		m.blobs[Hash(b)] = b
	}
}

func (m *model) compare(t *testing.T, s *Store) {
	t.Helper()
	if tasks, err := s.Tasks(); err != nil || !slices.Equal(tasks, m.tasks) {
		t.Fatalf("tasks are %q, %v, not %q", tasks, err, m.tasks)
	}
	for _, task := range []string{"a", "b", "task-3", "none", ""} {
		if got, err := s.Journal(task).Records(); err != nil || !reflect.DeepEqual(got, m.records[task]) {
			t.Fatalf("records of %q are %v, %v, not %v", task, got, err, m.records[task])
		}
	}
	for hash, want := range maps.All(m.blobs) {
		if got, err := s.Blob(hash); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("blob %s has %d bytes, %v, not %d", hash, len(got), err, len(want))
		}
	}
	if _, err := s.Blob(Hash([]byte("lost"))); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a blob that was not kept: %v", err)
	}
}

// TestDamage damages what is stored: the error says what and where, and what is
// before it can be read.
func TestDamage(t *testing.T) {
	value := func(text string) []byte {
		v, err := encodeRecord(Record{Seq: 2, Kind: "step", Body: json.RawMessage(text)})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for name, c := range map[string]struct {
		damage func(records *bolt.Bucket) error
		want   string
	}{
		"cut":       {func(b *bolt.Bucket) error { return b.Put(key(2), value(`"x"`)[:20]) }, "record 2 cannot be read"},
		"no sum":    {func(b *bolt.Bucket) error { return b.Put(key(2), []byte{1}) }, "record 2 cannot be read"},
		"one bit":   {func(b *bolt.Bucket) error { v := value(`"x"`); v[30] ^= 1; return b.Put(key(2), v) }, "checksum"},
		"displaced": {func(b *bolt.Bucket) error { return b.Put(key(3), value(`"x"`)) }, "record 3 cannot be read: it holds record 2"},
		"gone":      {func(b *bolt.Bucket) error { return b.Delete(key(2)) }, "record 2 is missing"},
		"bad key":   {func(b *bolt.Bucket) error { return b.Put([]byte{0, 0, 0, 0, 0, 0, 0, 1, 0}, nil) }, "record 2 is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{StateDir: t.TempDir()})
			for i := range 3 {
				if _, err := s.Journal("job 7").Append("step", i); err != nil {
					t.Fatal(err)
				}
			}
			err := s.db.update(func(tx *bolt.Tx) error { return c.damage(tx.Bucket(journalsBucket).Bucket([]byte("job 7"))) })
			if err != nil {
				t.Fatal(err)
			}
			records, err := s.Journal("job 7").Records()
			if err == nil || !strings.Contains(err.Error(), "task job 7") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, which lacks the task or %q", err, c.want)
			}
			if len(records) == 0 || records[0].Seq != 1 {
				t.Errorf("the records before are not returned: %v", records)
			}
		})
	}
}

func TestDamagedBlob(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	hash, err := s.PutBlob([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	err = s.db.update(func(tx *bolt.Tx) error {
		k, _ := tx.Bucket(blobsBucket).Cursor().First()
		return tx.Bucket(blobsBucket).Put(k, []byte("after"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if data, err := s.Blob(hash); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %q, %v", data, err)
	}
}

// TestRefused gives what cannot be recorded: the error says so and nothing is kept.
func TestRefused(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	for name, add := range map[string]func() error{
		"no task":        func() error { _, err := s.Journal("").Append("step", 1); return err },
		"long task":      func() error { _, err := s.Journal(strings.Repeat("t", maxTask+1)).Append("step", 1); return err },
		"no kind":        func() error { _, err := s.Journal("1").Append("", 1); return err },
		"large body":     func() error { _, err := s.Journal("1").Append("step", strings.Repeat("x", maxRecord)); return err },
		"large blob":     func() error { _, err := s.PutBlob(make([]byte, maxBlob+1)); return err },
		"large blob, 2":  func() error { _, err := s.Journal("1").AppendWith("step", 1, make([]byte, maxBlob+1)); return err },
		"no JSON":        func() error { _, err := s.Journal("1").Append("step", json.RawMessage("{")); return err },
		"no hash":        func() error { _, err := s.Blob("../../etc"); return err },
		"another hash":   func() error { _, err := s.Blob("abcd"); return err },
		"no blob of it":  func() error { _, err := s.Blob(Hash(nil)); return err },
		"no kind at all": func() error { return s.Memory().Remember(t.Context(), Pattern{Text: "x"}) },
	} {
		if err := add(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if tasks, err := s.Tasks(); len(tasks) != 0 || err != nil {
		t.Errorf("tasks are %q, %v", tasks, err)
	}
}

func TestClosed(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, errAppend := s.Journal("1").Append("step", 1)
	_, errRecords := s.Journal("1").Records()
	_, errBlob := s.Blob(Hash(nil))
	for _, err := range []error{errAppend, errRecords, errBlob} {
		if !errors.Is(err, errClosed) {
			t.Errorf("got %v", err)
		}
	}
}

// TestRetry lets writes fail as a disk does.
func TestRetry(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	for name, c := range map[string]struct {
		err        error
		fail, runs int
		want       error
	}{
		"passes":        {syscall.EAGAIN, 2, 3, nil},
		"stays":         {syscall.EAGAIN, 9, 3, syscall.EAGAIN},
		"not transient": {syscall.ENOSPC, 9, 1, syscall.ENOSPC},
	} {
		t.Run(name, func(t *testing.T) {
			var pauses []time.Duration
			s.db.pause = func(d time.Duration) { pauses = append(pauses, d) }
			runs := 0
			err := s.db.update(func(*bolt.Tx) error {
				if runs++; runs <= c.fail {
					return c.err
				}
				return nil
			})
			if !errors.Is(err, c.want) || runs != c.runs || len(pauses) != c.runs-1 {
				t.Errorf("got %v after %d runs and pauses of %v", err, runs, pauses)
			}
		})
	}
}

// TestRetryFindsItself repeats an addition whose first try reached the disk
// though it reported an error: there is one record, not two.
func TestRetryFindsItself(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	a := addition{journal: s.Journal("1"), rec: Record{Kind: "step", Body: json.RawMessage("1")}}
	for range 2 {
		if err := s.db.update(a.put); err != nil {
			t.Fatal(err)
		}
	}
	if records, err := s.Journal("1").Records(); err != nil || len(records) != 1 || a.rec.Seq != 1 {
		t.Errorf("got %v, %v", records, err)
	}
}

func TestAdvice(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"full disk":   {&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, "free some space"},
		"quota":       {syscall.EDQUOT, "quota"},
		"file limit":  {syscall.EFBIG, "free some space"},
		"no right":    {fs.ErrPermission, "XDG_STATE_HOME"},
		"read-only":   {syscall.EROFS, "XDG_STATE_HOME"},
		"a bad block": {syscall.EIO, "check the disk"},
	} {
		if err := unwritable("/state/x", c.err); !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "/state/x") || !errors.Is(err, c.err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	s := open(b, Options{StateDir: b.TempDir(), Secrets: []string{"hunter2"}})
	j, body := s.Journal("1"), map[string]string{"thought": strings.Repeat("the tests fail because the view has no URL; ", 20)}
	for b.Loop() {
		if _, err := j.Append("step", body); err != nil {
			b.Fatal(err)
		}
	}
}
