//go:build unix

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

func init() {
	children["import"] = childImport
	children["forget"] = childForget
	children["freeze"] = childFreeze
}

const (
	// attackRecords is how many records the attacks import or forget, importChunk how many an import adds between two
	// acknowledgements: it is killed within one of them.
	attackRecords = 600
	importChunk   = 20
)

// attackRecord is a record with words that no other one has.
func attackRecord(i int) Kept {
	word := syllables(uint64(i))
	return Kept{Pattern: Pattern{Kind: KindFailure, Type: "KeyError", Text: "KeyError in handler " + word, Solution: "define " + word + " first"}}
}

// childImport imports all records in chunks, and acknowledges how many it has imported.
func childImport(dir string) error {
	m, err := UserMemory(Options{StateDir: dir})
	for i := 0; err == nil && i < attackRecords; i += importChunk {
		if _, err = m.Import(ctx, "an attack", someRecords(i, i+importChunk)); err == nil {
			fmt.Println(i + importChunk)
		}
	}
	return err
}

func someRecords(from, to int) (list []Kept) {
	for i := from; i < to; i++ {
		list = append(list, attackRecord(i))
	}
	return list
}

// childForget forgets all records, one after another, and acknowledges each by its number.
func childForget(dir string) error {
	m, err := UserMemory(Options{StateDir: dir})
	for i := 0; err == nil && i < attackRecords; i++ {
		p := attackRecord(i).Pattern
		if _, err = m.Forget(ctx, lessonID(p)); err == nil {
			fmt.Println(i)
		}
	}
	return err
}

// childFreeze begins to write to the memory and stops in the middle of it, with the lock.
func childFreeze(dir string) error {
	m, err := UserMemory(Options{StateDir: dir})
	if err != nil {
		return err
	}
	return m.with(func(db *database) error {
		return db.update(func(tx *bolt.Tx) error {
			if err := drop(tx, lessonID(attackRecord(0).Pattern)); err != nil {
				return err
			}
			fmt.Println("frozen")
			_, err := io.Copy(io.Discard, os.Stdin) // until it is killed
			return err
		})
	})
}

// attack is a process that is killed while it works on the memory beside this one, which has it open.
type attack struct {
	child string
	known int   // records that are remembered before
	kills []int // after how many acknowledgements the process is killed, each time
	// meanwhile is what this process does when it hears an acknowledgement, end what must be true when all were killed. last
	// is the number in the last acknowledgement; -1: there was none.
	meanwhile func(t *testing.T, m *Memory, last int)
	end       func(t *testing.T, m *Memory, last int)
}

var attacks = map[string]attack{
	"an import is killed beside one that recalls": {
		child: "import", kills: []int{1, 3, 6, 2},
		meanwhile: func(t *testing.T, m *Memory, last int) { checkFound(t, m, last-1, true) },
		end: func(t *testing.T, m *Memory, last int) {
			before := countAll(t, m)
			if before < last {
				t.Errorf("%d records are left of %d that were imported", before, last)
			}
			added, err := m.Import(ctx, "an attack", someRecords(0, attackRecords))
			if err != nil || added != attackRecords-before || countAll(t, m) != attackRecords {
				t.Errorf("the same import again adds %d to %d, %v; there are %d", added, before, err, countAll(t, m))
			}
			for i := range attackRecords {
				checkFound(t, m, i, true)
			}
		},
	},
	"an import is killed beside one that learns": {
		child: "import", kills: []int{2, 5, 1},
		meanwhile: func(t *testing.T, m *Memory, last int) {
			must(t, m.Learn(ctx, fmt.Sprintf("task %06d", last), Lesson{Patterns: []Pattern{attackRecord(attackRecords + last).Pattern}}))
		},
		end: func(t *testing.T, m *Memory, last int) {
			for i := range last {
				checkFound(t, m, i, true)
			}
			for i := importChunk; i <= last; i += importChunk {
				checkFound(t, m, attackRecords+i, true)
			}
		},
	},
	"one forgets and is killed beside one that recalls": {
		child: "forget", known: attackRecords, kills: []int{5, 40, 1, 90},
		meanwhile: func(t *testing.T, m *Memory, last int) {
			checkFound(t, m, last, false)
			// The next ones are recalled: their uses are counted here when they are forgotten there.
			_, err := m.Recall(ctx, KindFailure, attackRecord(last+2).Text, 5)
			must(t, err)
		},
		end: func(t *testing.T, m *Memory, last int) {
			m.writeUses()
			if n := countAll(t, m); n != attackRecords-last-1 && n != attackRecords-last-2 {
				t.Errorf("%d of %d records are left after %d were forgotten", n, attackRecords, last+1)
			}
			for i := range attackRecords {
				if i != last+1 { // which may have been forgotten when its process was killed
					checkFound(t, m, i, i > last)
				}
			}
			must(t, m.Remember(ctx, attackRecord(attackRecords).Pattern)) // which erases what the killed one left
			raw, err := os.ReadFile(m.path)
			must(t, err)
			for i := range last + 1 {
				if word := attackRecord(i).Solution; bytes.Contains(raw, []byte(word)) {
					t.Fatalf("the file still holds %q", word)
				}
			}
		},
	},
	"one stops with the lock": {
		child: "freeze", known: 3, kills: []int{1},
		meanwhile: func(t *testing.T, m *Memory, _ int) {
			var locked *Locked
			if _, err := m.Recall(ctx, KindFailure, attackRecord(0).Text, 5); !errors.As(err, &locked) {
				t.Errorf("a recall ends with %v", err)
			}
		},
		end: func(t *testing.T, m *Memory, _ int) {
			for i := range 3 {
				checkFound(t, m, i, true)
			}
		},
	},
}

// TestAttacks kills processes in the middle of what they do with the memory, while this one uses it: nothing that was
// acknowledged is lost or comes back, the file is whole, and nobody waits for ever.
func TestAttacks(t *testing.T) {
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m, err := UserMemory(Options{StateDir: dir})
			must(t, err)
			t.Cleanup(m.Close)
			if a.known > 0 {
				_, err := m.Import(ctx, "an attack", someRecords(0, a.known))
				must(t, err)
			}
			last := -1
			for _, lines := range a.kills {
				start(t, a.child, dir).killedAfter(t, lines, func(line string) {
					if n, err := strconv.Atoi(line); err == nil {
						last = max(last, n)
					}
					a.meanwhile(t, m, last)
				})
			}
			a.end(t, m, last)
			m.Close()
			checkPages(t, m.path)
		})
	}
}

func countAll(t *testing.T, m *Memory) int {
	t.Helper()
	all, err := m.All(ctx, "")
	must(t, err)
	ids := map[string]bool{}
	for _, p := range all {
		ids[p.Text] = true
	}
	if len(ids) != len(all) {
		t.Errorf("%d records have %d texts: some are there twice", len(all), len(ids))
	}
	return len(all)
}

// checkFound looks for a record by its text.
func checkFound(t *testing.T, m *Memory, i int, want bool) {
	t.Helper()
	text := attackRecord(i).Text
	found, err := m.Look(ctx, KindFailure, text, 5)
	must(t, err)
	if got := slices.ContainsFunc(found, func(r Recalled) bool { return r.Text == text }); got != want {
		t.Errorf("record %d (%s) is found: %t, want %t", i, text, got, want)
	}
}

// TestStaleOwner opens a workspace's store where an owner that was killed left its files, or something else lies in their
// place: the store opens, says who owns it now, and serves others.
func TestStaleOwner(t *testing.T) {
	for name, leave := range map[string]func(dir string) error{
		"nothing":                 func(string) error { return nil },
		"a dead process":          func(dir string) error { return writeFile(filepath.Join(dir, "owner"), []byte("4194304\n")) },
		"a process of the system": func(dir string) error { return writeFile(filepath.Join(dir, "owner"), []byte("1\n")) },
		"no number": func(dir string) error {
			return writeFile(filepath.Join(dir, "owner"), []byte(strings.Repeat("x", 100)))
		},
		"an empty owner":          func(dir string) error { return writeFile(filepath.Join(dir, "owner"), nil) },
		"a file for the socket":   func(dir string) error { return writeFile(filepath.Join(dir, socketFile), []byte("x")) },
		"a folder for the socket": func(dir string) error { return os.Mkdir(filepath.Join(dir, socketFile), 0o700) },
		"a link for the socket":   func(dir string) error { return os.Symlink("/dev/null", filepath.Join(dir, socketFile)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{StateDir: t.TempDir(), Workspace: "w"}
			s, err := Open(o)
			must(t, err)
			must(t, s.Close())
			must(t, leave(s.dir))
			if err := AskOwner(t.Context(), o, "hello", "stop", answerOf(new(string))); !errors.Is(err, ErrNoOwner) {
				t.Errorf("nobody owns it, and who asks is told %v", err)
			}
			s, err = Open(o)
			must(t, err)
			defer s.Close()
			if pid := readOwner(s.dir); pid != os.Getpid() {
				t.Errorf("the owner is %d", pid)
			}
			stop, err := s.Serve(func(context.Context, *Exchange) any { return "here" })
			must(t, err)
			var said string
			if err := AskOwner(t.Context(), o, "hello", "stop", answerOf(&said)); err != nil || said != "here" {
				t.Errorf("the owner says %q, %v", said, err)
			}
			must(t, stop())
		})
	}
}
