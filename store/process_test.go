package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// children are what this test binary does when it is started as another process.
var children = map[string]func(dir string) error{
	"append":   childAppend,
	"hold":     childHold,
	"remember": childRemember,
}

const childVariable = "CASELSP_STORE_CHILD"

func TestMain(m *testing.M) {
	child, dir := os.Getenv(childVariable), os.Getenv(childVariable+"_DIR")
	if child == "" {
		os.Exit(m.Run())
	}
	if err := children[child](dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// process is a child that runs.
type process struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func start(t *testing.T, child, dir string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childVariable+"="+child, childVariable+"_DIR="+dir)
	cmd.Stderr = os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &process{cmd, in, bufio.NewScanner(out)}
}

// killedAfter reads some lines of the process, kills it, and reads what it said before it died. heard is called with each line.
func (p *process) killedAfter(t *testing.T, lines int, heard func(line string)) {
	t.Helper()
	for range lines {
		if !p.out.Scan() {
			t.Fatal("the child ended by itself")
		}
		heard(p.out.Text())
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for p.out.Scan() {
		heard(p.out.Text())
	}
	_ = p.Wait() // it was killed
}

// childAppend appends until it is killed, and acknowledges each record.
func childAppend(dir string) error {
	s, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		blob := bytes.Repeat([]byte(strconv.Itoa(i)), 1+i*37%5000)
		rec, err := s.Journal("1").AppendWith("step", Hash(blob), blob)
		if err != nil {
			return err
		}
		fmt.Println(rec.Seq)
	}
}

// TestKill kills a process in mid-append again and again: each record that it
// acknowledged is there, with its blob, and nothing half-done.
func TestKill(t *testing.T) {
	dir, acknowledged := t.TempDir(), int64(0)
	for round := range 12 {
		last := ""
		start(t, "append", dir).killedAfter(t, 5+round*7, func(line string) { last = line })
		seq, err := strconv.ParseInt(last, 10, 64)
		if err != nil || seq <= acknowledged {
			t.Fatalf("the child acknowledged %q after %d", last, acknowledged)
		}
		acknowledged = seq
		checkJournal(t, dir, acknowledged)
	}
}

// checkJournal reads back at least n records with their blobs. One more than
// was acknowledged may be there.
func checkJournal(t *testing.T, dir string, n int64) {
	t.Helper()
	s := open(t, Options{StateDir: dir})
	records, err := s.Journal("1").Records()
	if err != nil || int64(len(records)) < n {
		t.Fatalf("%d records of %d are left, %v", len(records), n, err)
	}
	for _, rec := range records {
		var hash string
		if err := json.Unmarshal(rec.Body, &hash); err != nil {
			t.Fatalf("record %d: %v", rec.Seq, err)
		}
		if _, err := s.Blob(hash); err != nil {
			t.Fatalf("record %d: %v", rec.Seq, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkPages(t, filepath.Join(s.dir, databaseFile))
}

// childHold owns a store until its input ends.
func childHold(dir string) error {
	s, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, s.Close())
}

// TestTwoProcesses opens a store that another process owns: it is told who, and
// the store is free when that one closes or dies.
func TestTwoProcesses(t *testing.T) {
	for name, end := range map[string]func(p *process) error{
		"closes": func(p *process) error { return errors.Join(p.in.Close(), p.Wait()) },
		"dies":   func(p *process) error { err := p.Process.Kill(); _ = p.Wait(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := start(t, "hold", dir)
			if !p.out.Scan() {
				t.Fatal("the child could not open the store")
			}
			checkLocked(t, dir, p.Process.Pid)
			other := open(t, Options{StateDir: dir, Workspace: "c3d4"})
			if err := errors.Join(other.Close(), end(p)); err != nil {
				t.Fatal(err)
			}
			open(t, Options{StateDir: dir})
			checkLocked(t, dir, os.Getpid())
		})
	}
}

func checkLocked(t *testing.T, dir string, pid int) {
	t.Helper()
	_, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	var locked *Locked
	if !errors.As(err, &locked) || locked.PID != pid {
		t.Errorf("got %v, not a *Locked by %d", err, pid)
	}
}

const remembered = 25

// childRemember learns and recalls beside another process.
func childRemember(dir string) error {
	s, err := Open(Options{StateDir: dir, Workspace: strconv.Itoa(os.Getpid())})
	if err != nil {
		return err
	}
	return errors.Join(learn(s.Memory(), strconv.Itoa(os.Getpid())), s.Close())
}

func learn(m *Memory, who string) error {
	for i := range remembered {
		p := Pattern{Kind: KindFailure, Text: fmt.Sprintf("KeyError in handler %s of process %s", string(rune('a'+i)), who)}
		if err := m.Remember(ctx, p); err != nil {
			return err
		}
		if _, err := m.Recall(ctx, KindFailure, p.Text, 1); err != nil {
			return err
		}
	}
	return nil
}

// TestSharedMemory learns in two processes at once: both know all of it then.
func TestSharedMemory(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "remember", dir)
	m := open(t, Options{StateDir: dir}).Memory()
	if err := errors.Join(learn(m, "parent"), p.Wait()); err != nil {
		t.Fatal(err)
	}
	found, err := m.Recall(ctx, KindFailure, "KeyError in handler of process", maxRecalled)
	if err != nil || len(found) != 2*remembered {
		t.Errorf("%d patterns of %d are known, %v", len(found), 2*remembered, err)
	}
}
