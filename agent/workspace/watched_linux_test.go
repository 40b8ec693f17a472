package workspace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// seenIn is what a walk says of every file, and what a search finds.
func seenIn(t *testing.T, w *Workspace) (list []string) {
	t.Helper()
	o := w.NewOverlay()
	defer o.Close()
	files, _, err := o.walk(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		size := int64(-1)
		if f.info != nil {
			size = f.info.Size()
		}
		list = append(list, fmt.Sprint(f.key, size, f.modified().UnixNano()))
	}
	matches, _, err := o.Search(t.Context(), Query{Pattern: "wanted"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range matches {
		list = append(list, m.Path+": "+m.Text)
	}
	return list
}

// watchedWorkspace opens a folder whose lists are kept; kept is false where the system does not tell of changes in it,
// as on a network's file system.
func watchedWorkspace(t *testing.T, dir string) (w *Workspace, kept bool) {
	t.Helper()
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	for range 2 {
		seenIn(t, w)
	}
	f := w.watched.folders[folderID{w.folders[0], ""}]
	return w, f != nil && f.kept
}

// TestWatchedSees: a walk over kept lists shows what a walk over the disk shows, whatever was done there.
func TestWatchedSees(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		put(t, dir, fmt.Sprintf("p%d/q%d/m%d.py", i%3, i%2, i), "wanted = 1\n")
	}
	w, _ := watchedWorkspace(t, dir)
	rng := rand.New(rand.NewPCG(7, 0))
	for i := range 120 {
		name := func() string {
			return filepath.Join(dir, fmt.Sprintf("p%d", rng.IntN(3)), fmt.Sprintf("q%d", rng.IntN(2)), fmt.Sprintf("m%d.py", rng.IntN(12)))
		}
		one, other := name(), name()
		what := ""
		switch rng.IntN(11) {
		case 0, 1:
			what = "write " + one
			_ = os.WriteFile(one, fmt.Appendf(nil, "x = %d\nwanted = %d\n", i, i), 0o644)
		case 2:
			what = "append to " + one
			if file, err := os.OpenFile(one, os.O_APPEND|os.O_WRONLY, 0); err == nil {
				fmt.Fprintf(file, "wanted = %d\n", i)
				file.Close()
			}
		case 3:
			what = "truncate " + one
			_ = os.Truncate(one, int64(rng.IntN(8)))
		case 4:
			what = "rename " + one
			_ = os.Rename(one, other)
		case 5:
			what = "rename folder of " + one
			_ = os.Rename(filepath.Dir(one), filepath.Dir(other))
			_ = os.Rename(filepath.Dir(one), filepath.Dir(one)+"x")
			_ = os.MkdirAll(filepath.Dir(one), 0o755)
		case 6:
			what = "remove " + one
			_ = os.Remove(one)
		case 7:
			what = "link " + one
			_ = os.Link(one, other)
		case 8:
			what = "symbolic link " + one
			_ = os.Symlink(one, other)
		case 9:
			what = "ignore " + one
			_ = os.WriteFile(filepath.Join(filepath.Dir(one), ".gitignore"), fmt.Appendf(nil, "m%d.py\n", rng.IntN(12)), 0o644)
		case 10:
			what = "remove folder of " + one
			_ = os.RemoveAll(filepath.Dir(one))
			_ = os.MkdirAll(filepath.Dir(one), 0o755)
		}
		fresh, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, want := seenIn(t, w), seenIn(t, fresh)
		fresh.Close()
		if !slices.Equal(got, want) {
			t.Fatalf("change %d, %s: got\n%q\nwant\n%q", i, what, got, want)
		}
	}
}

// TestWatchedKeeps: a folder is listed again only after a change in it, also where there were more changes than the
// system remembers.
func TestWatchedKeeps(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a/one.py", "wanted = 1\n")
	put(t, dir, "b/two.py", "wanted = 2\n")
	w, kept := watchedWorkspace(t, dir)
	lists := func(what string, want int, do func()) {
		t.Helper()
		if !kept {
			want = 3 // the top, a and b
		}
		before := w.watched.listed
		do()
		o := w.NewOverlay()
		defer o.Close()
		if _, _, err := o.walk(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if n := w.watched.listed - before; n != want {
			t.Errorf("%s: %d folders are listed, want %d", what, n, want)
		}
	}
	lists("nothing changed", 0, func() {})
	lists("a file changed", 1, func() { put(t, dir, "a/one.py", "wanted = 3\n") })
	flood := func() {
		one, two := filepath.Join(dir, "a/one.py"), filepath.Join(dir, "b/two.py")
		for range 20_000 { // by turns, since the system tells of like changes once
			if os.Chmod(one, 0o644) != nil || os.Chmod(two, 0o644) != nil {
				t.Fatal("chmod")
			}
		}
	}
	lists("more changes than the system remembers", 3, flood)
	lists("afterwards", 0, func() {})
}

// TestWatchedUntold: what the system does not tell is found by comparing with the disk, and that folder is listed each
// time from then on. A file with a name in another folder is never taken from a list.
func TestWatchedUntold(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, dir, "mapped/one.py", "unwanted\n")
	put(t, outside, "linked.py", "nothing\n")
	put(t, dir, "linked/two.py", "nothing\n")
	if err := os.Link(filepath.Join(outside, "linked.py"), filepath.Join(dir, "linked/linked.py")); err != nil {
		t.Fatal(err)
	}
	w, kept := watchedWorkspace(t, dir)
	put(t, outside, "linked.py", "wanted by another name\n")
	if list := seenIn(t, w); !slices.Contains(list, "linked/linked.py: wanted by another name") {
		t.Errorf("a change by another name is not seen: %q", list)
	}
	file, err := os.OpenFile(filepath.Join(dir, "mapped/one.py"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := unix.Mmap(int(file.Fd()), 0, 9, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(text)
	copy(text, "wanted!!\n")
	w.watched.verify()
	fresh, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if got, want := seenIn(t, w), seenIn(t, fresh); !slices.Equal(got, want) {
		t.Errorf("after comparing: got\n%q\nwant\n%q", got, want)
	}
	if f := w.watched.folders[folderID{w.folders[0], "mapped"}]; kept && (f == nil || !f.refused || f.kept) {
		t.Error("a folder whose list was wrong is kept further")
	}
}
