package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// named is a record that names contents.
type named struct {
	Hashes []string `json:"hashes"`
}

// add adds a record that names contents, with those that are new.
func addNamed(t *testing.T, s *Store, task string, contents ...[]byte) {
	t.Helper()
	var n named
	for _, c := range contents {
		n.Hashes = append(n.Hashes, Hash(c))
	}
	if _, err := s.Journal(task).AppendWith("task", n, contents...); err != nil {
		t.Fatal(err)
	}
}

// census counts what the store holds.
func census(t *testing.T, s *Store) *Census {
	t.Helper()
	c, err := s.Census(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hasBlob reports whether a content is kept.
func hasBlob(t *testing.T, s *Store, content []byte) bool {
	t.Helper()
	got, err := s.Blob(Hash(content))
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(got, content) {
		t.Fatal(err)
	}
	return err == nil
}

func TestPrune(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	own, shared, late := []byte("only the first"), []byte("of both"), []byte("named by the second meanwhile")
	addNamed(t, s, "20260101-000000-aaaa", own, shared, late)
	addNamed(t, s, "20260102-000000-bbbb", shared)
	for _, name := range []string{"review-20260101-000000-aaaa.diff", "report-20260101-000000-aaaab.md", "report-20260102-000000-bbbb.md"} {
		if _, err := s.Document(name, []byte("text")); err != nil {
			t.Fatal(err)
		}
	}
	c := census(t, s)
	if got, least := c.Size("20260101-000000-aaaa"), int64(len(own)+len(late)); got <= least || got > least+1000 {
		t.Errorf("the first takes %d bytes", got)
	}
	all, before := c.Cut(), c.Bytes()
	if freed := all.Take("20260101-000000-aaaa") + all.Take("20260102-000000-bbbb"); freed != before {
		t.Errorf("both give back %d of %d bytes", freed, before)
	}
	addNamed(t, s, "20260102-000000-bbbb", late) // after the census
	freed, err := c.Prune("20260101-000000-aaaa", false)
	if err != nil || freed <= int64(len(own)) {
		t.Fatal(freed, err)
	}
	if hasBlob(t, s, own) || !hasBlob(t, s, shared) || !hasBlob(t, s, late) {
		t.Error("the contents that are left are not those that the second task names")
	}
	if tasks, err := s.Tasks(); err != nil || !slices.Equal(tasks, []string{"20260102-000000-bbbb"}) {
		t.Error(tasks, err)
	}
	if _, was, err := s.Pruned("20260101-000000-aaaa"); !was || err != nil {
		t.Error("it is not known that the first was pruned", err)
	}
	if _, was, err := s.Pruned("20260102-000000-bbbb"); was || err != nil {
		t.Error("the second is said to be pruned", err)
	}
	list, err := os.ReadDir(filepath.Join(s.dir, documents))
	if err != nil || len(list) != 2 || list[0].Name() != "report-20260101-000000-aaaab.md" {
		t.Error(list, err)
	}
}

// TestPruneFirst leaves out what a first record only mentions.
func TestPruneFirst(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	content := []byte("a file of the workspace")
	addNamed(t, s, "one", content)
	if _, err := s.Journal("two").Append("task", map[string]any{"manifest": map[string]string{"a": Hash(content)}}); err != nil {
		t.Fatal(err)
	}
	for _, first := range []func(json.RawMessage) json.RawMessage{nil, func(raw json.RawMessage) json.RawMessage {
		if bytes.Contains(raw, []byte("manifest")) {
			return nil
		}
		return raw
	}} {
		c, err := s.Census(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		if left := c.Size("one") < c.Bytes()-c.Size("two"); left == (first != nil) {
			t.Errorf("the content is needed by the second: %v", left)
		}
	}
}

// TestPruneDamaged keeps all contents while a journal cannot be read: what it names is not known.
func TestPruneDamaged(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	content := []byte("content")
	addNamed(t, s, "one", content)
	addNamed(t, s, "broken")
	addNamed(t, s, "broken")
	err := s.db.update(func(tx *bolt.Tx) error {
		b := tx.Bucket(journalsBucket).Bucket([]byte("broken"))
		return b.Put(key(2), b.Get(key(2))[1:])
	})
	if err != nil {
		t.Fatal(err)
	}
	c := census(t, s)
	if got := c.Damaged(); !slices.Equal(got, []string{"broken"}) {
		t.Fatal(got)
	}
	if _, err := c.Prune("one", false); err != nil || !hasBlob(t, s, content) {
		t.Fatal("a content is gone that the damaged journal may need", err)
	}
	if freed, err := c.Sweep(); err != nil || freed != 0 {
		t.Error(freed, err)
	}
	if _, err := c.Prune("broken", false); err != nil {
		t.Fatal(err)
	}
	if freed, err := c.Sweep(); err != nil || freed != int64(len(content)) || hasBlob(t, s, content) {
		t.Error(freed, err)
	}
}

// TestPruneAgainstModel prunes at random: what remains can always be read whole, and what nothing names is gone.
func TestPruneAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := open(t, Options{StateDir: t.TempDir()})
		names := map[string][][]byte{}
		for n := range 60 {
			task := fmt.Sprintf("task%d", random.IntN(12))
			if names[task] == nil {
				names[task] = [][]byte{}
			}
			for range random.IntN(3) {
				names[task] = append(names[task], fmt.Appendf(nil, "content %d", random.IntN(30)))
			}
			addNamed(t, s, task, names[task]...)
			if n%15 != 14 {
				continue
			}
			c := census(t, s)
			for gone := range names {
				if random.IntN(3) > 0 {
					continue
				}
				if _, err := c.Prune(gone, true); err != nil {
					t.Fatal(err)
				}
				delete(names, gone)
			}
			if _, err := c.Sweep(); err != nil {
				t.Fatal(err)
			}
			for i := range 30 {
				content := fmt.Appendf(nil, "content %d", i)
				needed := false
				for _, list := range names {
					needed = needed || slices.ContainsFunc(list, func(b []byte) bool { return bytes.Equal(b, content) })
				}
				if hasBlob(t, s, content) != needed {
					t.Fatalf("seed %d: %q is needed: %v", seed, content, needed)
				}
			}
		}
	}
}

// TestShrink gives the space back, and keeps what is left, also for one who waits for the lock.
func TestShrink(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{StateDir: dir, Workspace: "w"})
	for i := range 64 {
		addNamed(t, s, fmt.Sprintf("task%d", i), bytes.Repeat([]byte{byte(i)}, 1<<17))
	}
	if before, after, err := s.Shrink(t.Context()); err != nil || before != after {
		t.Fatal("there is nothing to give back", before, after, err)
	}
	c := census(t, s)
	for i := range 63 {
		if _, err := c.Prune(fmt.Sprintf("task%d", i), false); err != nil {
			t.Fatal(err)
		}
	}
	before, after, err := s.Shrink(t.Context())
	if err != nil || before < 8<<20 || after > 1<<20 {
		t.Fatal(before, after, err)
	}
	addNamed(t, s, "task63")
	addNamed(t, s, "new")
	if _, err := Open(Options{StateDir: dir, Workspace: "w"}); !errors.As(err, new(*Locked)) {
		t.Fatal("another one owns the store, too:", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{StateDir: dir, Workspace: "w"})
	records, err := s.Journal("task63").Records()
	if err != nil || len(records) != 2 || !hasBlob(t, s, bytes.Repeat([]byte{63}, 1<<17)) {
		t.Fatal(records, err)
	}
	if tasks, err := s.Tasks(); err != nil || strings.Join(tasks, " ") != "task63 new" {
		t.Fatal(tasks, err)
	}
	if _, was, err := s.Pruned("task3"); err != nil || !was {
		t.Error("what was pruned is forgotten", err)
	}
}

// TestShrinkWaits opens the store while its owner puts a smaller file in its place: whoever waited for the lock of the old file gets
// the new one.
func TestShrinkWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	old, err := openDatabase(path, ownerWait, tasksBucket)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan *database)
	go func() {
		d, err := openDatabase(path, memoryWait, tasksBucket)
		if err != nil {
			t.Error(err)
		}
		opened <- d
	}()
	if err := old.shrink(); err != nil {
		t.Fatal(err)
	}
	if err := old.close(); err != nil {
		t.Fatal(err)
	}
	d := <-opened
	if d == nil {
		return
	}
	if err := d.inPlace(); err != nil {
		t.Error(err)
	}
	if err := d.close(); err != nil {
		t.Error(err)
	}
}
