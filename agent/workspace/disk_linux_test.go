package workspace

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// asNobody makes the rest of the test touch files as a user without rights, who
// is told apart from root by the file system only.
func asNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	runtime.LockOSThread() // and never unlocked: the thread ends with the test's goroutine
	if os.Getuid() == 0 {
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Setfsuid(0) })
	}
}

func TestDiskWithoutPermission(t *testing.T) {
	w, dir := open(t, map[string]string{"locked/a.txt": "a\n", "unreadable.txt": "u\n"})
	for name, mode := range map[string]os.FileMode{".": 0o777, "locked": 0o555, "unreadable.txt": 0o200} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "locked/a.txt"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{"locked/a.txt": "a\n", "unreadable.txt": "u\n"}
	t.Run("as nobody", func(t *testing.T) {
		asNobody(t)
		for _, e := range []FileEdit{
			{Op: Modify, Path: "locked/a.txt", Expect: was("a\n"), Content: text("A\n")},
			{Op: Create, Path: "locked/b.txt", Content: text("b\n")},
			{Op: Create, Path: "locked/new/b.txt", Content: text("b\n")},
			{Op: Delete, Path: "locked/a.txt", Expect: was("a\n")},
			{Op: Rename, Path: "b.txt", From: "locked/a.txt", Expect: was("a\n"), Content: text("a\n")},
			{Op: Modify, Path: "unreadable.txt", Expect: was("u\n"), Content: text("U\n")},
		} {
			done, err := Disk(w).Apply(t.Context(), []FileEdit{e}, nil)
			if err != nil || done[0].OK || !strings.Contains(done[0].Reason, "permission denied") {
				t.Errorf("%s %s: got %+v, %v", e.Op, e.Path, done, err)
			}
		}
		if _, err := w.Read("unreadable.txt"); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("reading an unreadable file: got %v", err)
		}
	})
	// An ordinary user could neither look at the folder nor remove it as it is.
	for name, mode := range map[string]os.FileMode{"locked": 0o755, "unreadable.txt": 0o644} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if got := tree(t, dir); !maps.Equal(got, before) {
		t.Errorf("the folder has %q, want %q", got, before)
	}
}

// TestDiskRaceAtTheLastInstant: Linux exchanges two files in one step, so even a
// change after the last look is found and put back. Of a rename, the hook of a
// removal acts when the new file is there already: that goes again.
func TestDiskRaceAtTheLastInstant(t *testing.T) {
	user := map[string]string{"a.txt": "user\n"}
	race{"modify", raceModify, user, user, "changed"}.run(t, func(d *disk, user func()) { d.after = user })
	race{"rename", raceRename, user, user, "changed"}.run(t, func(d *disk, user func()) {
		calls := 0
		d.before = func() {
			if calls++; calls == 2 {
				user()
			}
		}
	})
}

// TestPipe: a pipe in the workspace does not block.
func TestPipe(t *testing.T) {
	w, dir := open(t, map[string]string{"a.txt": "a\n"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := w.NewOverlay()
	_, err := o.Read("pipe")
	checkRefused(t, "read", "pipe", "pipe", err)
	_, err = o.Write("pipe", "x\n")
	checkRefused(t, "write", "pipe", "pipe", err)
	if files, err := o.Tree(t.Context(), 1<<20); err != nil || len(files) != 1 {
		t.Errorf("Tree: got %v, %v", files, err)
	}
}

// TestOwner: a file keeps its owner when root writes it.
func TestOwner(t *testing.T) {
	w, dir := open(t, map[string]string{"a.txt": "a\n"})
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 12345, 54321
		if err := os.Chown(filepath.Join(dir, "a.txt"), uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	apply(t, Disk(w), FileEdit{Op: Modify, Path: "a.txt", Expect: was("a\n"), Content: text("A\n")})
	info, err := os.Stat(filepath.Join(dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); int(s.Uid) != uid || int(s.Gid) != gid {
		t.Errorf("got owner %d:%d, want %d:%d", s.Uid, s.Gid, uid, gid)
	}
}
