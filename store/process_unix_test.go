//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() {
	children["limited"] = childLimited
	children["nobody"] = childNobody
}

// childLimited appends until the system takes no more bytes, and says what it
// was told and that it can still read.
func childLimited(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	s, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	if err != nil {
		return err
	}
	blob := []byte(strings.Repeat("x", 10_000))
	for i := 0; ; i++ {
		blob = fmt.Append(blob[:9_000], i)
		rec, err := s.Journal("1").AppendWith("step", Hash(blob), blob)
		if err == nil {
			fmt.Println(rec.Seq)
			continue
		}
		// A smaller one may find room in pages that are free: then it counts, too.
		if rec, err := s.Journal("1").AppendWith("step", Hash(blob), blob); err == nil {
			fmt.Println(rec.Seq)
		}
		records, readErr := s.Journal("1").Records()
		var u *Unwritable
		fmt.Printf("%v %d %v\n", errors.As(err, &u), len(records), errors.Join(readErr, s.Close()))
		return nil
	}
}

// TestNoSpace runs into a limit of the system for the size of a file, which is
// what a full disk is: the error says what to do and what was acknowledged stays.
func TestNoSpace(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "limited", dir)
	last, n := "", int64(-1)
	for p.out.Scan() {
		last = p.out.Text()
		n++
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("true %d <nil>", n); last != want || n < 10 {
		t.Errorf("the child reports %q, not %q", last, want)
	}
	checkJournal(t, dir, n)
}

// childNobody opens a store without the rights to.
func childNobody(dir string) error {
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
	}
	_, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	var u *Unwritable
	if !errors.As(err, &u) {
		return fmt.Errorf("got %v, not a *Unwritable", err)
	}
	fmt.Println(u.Path)
	fmt.Println(u)
	return nil
}

// TestNoRights opens a state directory that belongs to somebody else.
func TestNoRights(t *testing.T) {
	for name, c := range map[string]struct {
		make func(dir string) error
		want string // the path in the error, under the state directory
	}{
		"root":     {func(string) error { return nil }, "."},
		"below":    {func(dir string) error { return os.Mkdir(dir, 0o500) }, "workspaces"},
		"database": {sealDatabase, "workspaces/a1b2"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "state")
			err := errors.Join(c.make(dir), os.Chmod(parent, 0o500))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(parent, 0o700) })
			p := start(t, "nobody", dir)
			path, text := scan(p), scan(p)
			if err := p.Wait(); err != nil {
				t.Fatal(err)
			}
			if rel, _ := filepath.Rel(dir, path); os.Getuid() != 0 && !strings.HasPrefix(rel, c.want) || !strings.Contains(text, "XDG_STATE_HOME") {
				t.Errorf("got %q: %s", path, text)
			}
		})
	}
}

// sealDatabase leaves a database that may not be written.
func sealDatabase(dir string) error {
	s, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	if err != nil {
		return err
	}
	return errors.Join(s.Close(), os.Chmod(filepath.Join(s.dir, databaseFile), 0o400))
}

func scan(p *process) string {
	p.out.Scan()
	return p.out.Text()
}

func init() { children["full"] = childFull }

// childFull learns until the system takes no more bytes, and says what it was told and that it still knows
// and finds what it learnt.
func childFull(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 1 << 19, Max: 1 << 19}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	m, err := UserMemory(Options{StateDir: dir})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		text := fmt.Sprintf("KeyError in handler %s", syllables(uint64(i)))
		err := m.Remember(ctx, Pattern{Kind: KindFailure, Text: text, Solution: strings.Repeat("x", 10_000)})
		if err == nil {
			continue
		}
		all, readErr := m.All(ctx, "")
		found, lookErr := m.Look(ctx, KindFailure, "KeyError in handler "+syllables(uint64(i-1)), 1)
		var u *Unwritable
		fmt.Printf("%v %v %d %v\n", errors.As(err, &u), len(all) == i, len(found), errors.Join(readErr, lookErr))
		return nil
	}
}

// TestFullMemory runs into the limit of a file's size.
func TestFullMemory(t *testing.T) {
	p := start(t, "full", t.TempDir())
	if got := scan(p); got != "true true 1 <nil>" {
		t.Errorf("the child reports %q", got)
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
}
