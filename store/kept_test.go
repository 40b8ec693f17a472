package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// forgetAll forgets what a text finds.
func forgetAll(t *testing.T, m *Memory, text string) {
	t.Helper()
	for _, found := range checkRecall(t, m, text, 1, text) {
		_, err := m.Forget(ctx, found.ID)
		must(t, err)
	}
}

// keptCase changes the file of a memory that is kept open, as another process would.
type keptCase struct {
	change func(t *testing.T, m *Memory)
	want   []string // what a recall of keptSecond finds; nil: the file is broken
}

const keptFirst, keptSecond = "escape the template", "rename the table"

// keptBeside is another memory on the same file.
func keptBeside(t *testing.T, m *Memory) *Memory {
	other := newMemory(m.path, m.clock, m.redact)
	t.Cleanup(other.Close)
	return other
}

func copied(t *testing.T, m *Memory) []byte {
	t.Helper()
	raw, err := os.ReadFile(m.path)
	must(t, err)
	return raw
}

func addBeside(t *testing.T, m *Memory) { remember(t, keptBeside(t, m), Pattern{Text: keptSecond}) }

var keptCases = map[string]keptCase{
	"unchanged":     {func(*testing.T, *Memory) {}, []string{}},
	"added":         {addBeside, []string{keptSecond}},
	"released":      {func(t *testing.T, m *Memory) { m.kept.release(); addBeside(t, m) }, []string{keptSecond}},
	"added, erased": {func(t *testing.T, m *Memory) { addBeside(t, m); forgetAll(t, keptBeside(t, m), keptFirst) }, []string{keptSecond}},
	"grown": {func(t *testing.T, m *Memory) {
		for i := range 60 {
			remember(t, keptBeside(t, m), Pattern{Text: fmt.Sprint("x", i), Solution: strings.Repeat("y", maxPatternText)})
		}
		addBeside(t, m)
	}, []string{keptSecond}},
	// One that is put back has had as many transactions as the one that is kept open.
	"backup, as old": {func(t *testing.T, m *Memory) {
		old := copied(t, m)
		remember(t, m, Pattern{Text: "validate the form"})
		must(t, os.WriteFile(m.path, old, 0o600))
		addBeside(t, m)
	}, []string{keptSecond}},
	"replaced": {func(t *testing.T, m *Memory) {
		must(t, writeFile(m.path+".new", copied(t, m)))
		other := newMemory(m.path+".new", m.clock, m.redact)
		remember(t, other, Pattern{Text: keptSecond})
		other.Close()
		must(t, os.Rename(other.path, m.path))
	}, []string{keptSecond}},
	"deleted":       {func(t *testing.T, m *Memory) { must(t, os.Remove(m.path)) }, []string{}},
	"cut":           {func(t *testing.T, m *Memory) { must(t, os.Truncate(m.path, 3*int64(os.Getpagesize()))) }, nil},
	"cut, metas":    {func(t *testing.T, m *Memory) { must(t, os.Truncate(m.path, 100)) }, nil},
	"emptied":       {func(t *testing.T, m *Memory) { must(t, os.Truncate(m.path, 0)) }, nil},
	"other program": {func(t *testing.T, m *Memory) { must(t, os.WriteFile(m.path, []byte("x"), 0o600)) }, nil},
}

// TestKept recalls after each change: the next recall finds what is in the file now, or says what is wrong with it, and what is
// written next is whole.
func TestKept(t *testing.T) {
	for name, test := range keptCases {
		t.Run(name, func(t *testing.T) {
			m := newMemory(filepath.Join(t.TempDir(), memoryFile), time.Now, func(s string) string { return s })
			t.Cleanup(m.Close)
			remember(t, m, Pattern{Text: keptFirst})
			checkRecall(t, m, keptFirst, 1, keptFirst)
			if relocks && m.kept.db == nil {
				t.Fatal("the database was not kept open")
			}
			test.change(t, m)
			if test.want == nil {
				var broken *Broken
				if found, err := m.Recall(ctx, KindPattern, keptSecond, 1); !errors.As(err, &broken) {
					t.Fatalf("a broken file recalls %v, %v", found, err)
				}
				return
			}
			checkRecall(t, m, keptSecond, 1, test.want...)
			remember(t, m, Pattern{Text: "the last one"}, Pattern{Text: keptSecond})
			checkRecall(t, keptBeside(t, m), keptSecond, 1, keptSecond)
			checkRecall(t, m, "the last one", 1, "the last one")
			must(t, m.with(func(db *database) error {
				return db.view(func(tx *bolt.Tx) error {
					for err := range tx.Check() {
						return err
					}
					return nil
				})
			}))
		})
	}
}
