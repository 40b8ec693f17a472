package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// open opens a store that the test closes and whose files are checked then.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Workspace == "" {
		o.Workspace = "a1b2"
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		checkPages(t, filepath.Join(s.dir, databaseFile))
		checkPages(t, s.memory.path)
	})
	return s
}

// checkPages looks for broken pages in a database, where there is one.
func checkPages(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		return
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: ownerWait, ReadOnly: true})
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	_ = db.View(func(tx *bolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
}

// stopped is a clock that stands.
func stopped() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 123456789, time.UTC) }

func TestStateDir(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // the directories are Linux's
	}
	for name, c := range map[string]struct{ option, xdg, home, want string }{
		"option first":        {"/o", "/x", "/h", "/o"},
		"XDG_STATE_HOME":      {"", "/x", "/h", "/x/caselsp"},
		"relative is ignored": {"", "x", "/h", "/h/.local/state/caselsp"},
		"home":                {"", "", "/h", "/h/.local/state/caselsp"},
		"nothing":             {"", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", c.xdg)
			t.Setenv("HOME", c.home)
			got, err := stateDir(c.option)
			if got != c.want || (err != nil) != (c.want == "") {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
			if err != nil && !strings.Contains(err.Error(), "XDG_STATE_HOME") {
				t.Errorf("the error does not say what to do: %v", err)
			}
		})
	}
}

// TestBroken opens files that are no store: the error says which, and the file
// stays as it was.
func TestBroken(t *testing.T) {
	whole := wholeDatabase(t)
	page := os.Getpagesize()
	for name, content := range map[string][]byte{
		"text":             []byte("hello"),
		"one byte":         {0},
		"a long text":      bytes.Repeat([]byte("not a database\n"), 10_000),
		"cut":              whole[:len(whole)/3],
		"cut to two pages": whole[:2*page],
		"no meta pages":    append(make([]byte, 2*page), whole[2*page:]...),
		"no data pages":    append(bytes.Clone(whole[:2*page]), make([]byte, len(whole)-2*page)...),
		"noise for data":   append(bytes.Clone(whole[:2*page]), bytes.Repeat([]byte{0xa5}, len(whole)-2*page)...),
		"foreign":          foreignDatabase(t),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "workspaces", "a1b2", databaseFile)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second finds no lock left behind
				_, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
				var broken *Broken
				if !errors.As(err, &broken) || broken.Path != path {
					t.Fatalf("got %v, not a *Broken of %s", err, path)
				}
				if !strings.Contains(err.Error(), "move the file aside") {
					t.Errorf("the error does not say what to do: %v", err)
				}
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, content) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

// wholeDatabase returns the bytes of a store with some records in it.
func wholeDatabase(t *testing.T) []byte {
	dir := t.TempDir()
	s, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if _, err := s.Journal(fmt.Sprint(i%7)).AppendWith("step", strings.Repeat("x", 500), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(s.dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// foreignDatabase returns a bbolt file that another program made.
func foreignDatabase(t *testing.T) []byte {
	path := filepath.Join(t.TempDir(), "db")
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("theirs"))
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestTornWhileOpen cuts the file under an open store: what follows are errors,
// not a crash and not a wait.
func TestTornWhileOpen(t *testing.T) {
	s, err := Open(Options{StateDir: t.TempDir(), Workspace: "a1b2"})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := s.Journal("1").Append("step", strings.Repeat("x", 1000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(s.dir, databaseFile), int64(2*os.Getpagesize())); err != nil {
		return // Windows does not cut an open file, so this cannot happen there
	}
	var broken *Broken
	if _, err := s.Journal("1").Records(); !errors.As(err, &broken) {
		t.Errorf("Records: got %v, not a *Broken", err)
	}
	if _, err := s.Journal("1").Append("step", 1); !errors.As(err, &broken) {
		t.Errorf("Append: got %v, not a *Broken", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := Open(Options{StateDir: filepath.Dir(filepath.Dir(s.dir)), Workspace: "a1b2"}); !errors.As(err, &broken) {
		t.Errorf("Open: got %v, not a *Broken", err)
	}
}

func TestNewerFormat(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{StateDir: dir})
	err := s.db.update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(formatKey, []byte("99")) })
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{StateDir: dir, Workspace: "a1b2"}); err == nil || !strings.Contains(err.Error(), `format "99"`) {
		t.Errorf("got %v", err)
	}
}

// TestUnwritable gives a state directory that cannot be made.
func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "state")
	_, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	checkUnwritable(t, err, dir)
}

func checkUnwritable(t *testing.T, err error, dir string) {
	t.Helper()
	var u *Unwritable
	if !errors.As(err, &u) || u.Path != dir || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "XDG_STATE_HOME") {
		t.Errorf("got %v, not a *Unwritable of %s that names XDG_STATE_HOME", err, dir)
	}
}

// TestLayout checks names, modes and the marks for people and other processes.
func TestLayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, Options{StateDir: dir, Name: "blog", Clock: stopped})
	if _, err := s.Journal("7").Append("step", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Document("review-7.diff", []byte("old")); err != nil {
		t.Fatal(err)
	}
	path, err := s.Document("review-7.diff", []byte("new\x00\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "new\x00\r\n" {
		t.Errorf("the document holds %q, %v", text, err)
	}
	log, err := s.LogFile()
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.Memory().Remember(t.Context(), Pattern{Kind: KindPattern, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	got := []string{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(dir, path)
		got = append(got, fmt.Sprintf("%v %s", info.Mode(), filepath.ToSlash(rel)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `drwx------ .
-rw------- user.db
drwx------ workspaces
drwx------ workspaces/a1b2
-rw------- workspaces/a1b2/caselsp.db
drwx------ workspaces/a1b2/documents
-rw------- workspaces/a1b2/documents/review-7.diff
drwx------ workspaces/a1b2/logs
-rw------- workspaces/a1b2/logs/caselsp.log
-rw------- workspaces/a1b2/name
-rw------- workspaces/a1b2/owner`
	if runtime.GOOS != "windows" && strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if readOwner(s.dir) != os.Getpid() {
		t.Errorf("the owner is %d, not %d", readOwner(s.dir), os.Getpid())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if readOwner(s.dir) != 0 {
		t.Error("the owner's mark is left after Close")
	}
}

func TestNames(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir()})
	for name, good := range map[string]bool{
		"review-7.diff": true, "plan 7.md": true, "bericht-ä.md": true, "-": true, strings.Repeat("a", maxName): true,
		"": false, ".": false, "..": false, "../x": false, "a/b": false, `a\b`: false, "/x": false, "C:x": false, "a\x00b": false,
		"a\nb": false, ".hidden": false, "x.": false, " x": false, "a*": false, strings.Repeat("a", maxName+1): false,
	} {
		path, err := s.Document(name, []byte("x"))
		if good != (err == nil) || good && filepath.Dir(path) != filepath.Join(s.dir, "documents") {
			t.Errorf("Document(%q): %q, %v", name, path, err)
		}
		if _, err := Open(Options{StateDir: t.TempDir(), Workspace: name}); !good && err == nil {
			t.Errorf("Open took the workspace id %q", name)
		}
	}
}

// TestLog writes lines in pieces: each is redacted as a whole.
func TestLog(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir(), Secrets: []string{"hunter2"}})
	l, err := s.LogFile()
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{`{"msg":"login hun`, "ter2\",\"n\":1}\nplain hunt", "er2\n", `{"end":"hunter2"`} {
		if n, err := l.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(piece), err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("writing after Close: %v", err)
	}
	path := filepath.Join(s.dir, "logs", "caselsp.log")
	want := "{\"msg\":\"login [redacted]\",\"n\":1}\nplain [redacted]\n{\"end\":\"[redacted]\""
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}

	// Of many lines none is lost or torn by rotation, also when the log is closed and
	// opened again, as by one process after another.
	line := append(bytes.Repeat([]byte("0"), 1<<20-1), '\n')
	copy(line, "\"")
	copy(line[len(line)-2:], "\"")
	for range 2 {
		if l, err = s.LogFile(); err != nil {
			t.Fatal(err)
		}
		for range maxLog - 2 {
			if _, err := l.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := filepath.Glob(filepath.Join(s.dir, "logs", "*.log"))
	if err != nil || len(logs) != 2 {
		t.Fatalf("got %q, %v, want one log set aside", logs, err)
	}
	var all []byte
	for _, file := range logs {
		info, err := os.Stat(file)
		if err != nil || info.Size() > maxLog<<20 || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	if n := bytes.Count(all, line); n != 2*(maxLog-2) || len(all) != n*len(line)+len(want) {
		t.Errorf("%d lines in %d bytes are left", n, len(all))
	}
}
