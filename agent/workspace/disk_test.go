package workspace

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// editsOf returns a whole change set as edits.
func editsOf(set ChangeSet) []FileEdit {
	var edits []FileEdit
	for _, c := range set.Files {
		e := FileEdit{Op: c.Op, Path: c.Path, From: c.From, Content: c.After}
		if c.Before != nil {
			e.Expect = c.Before.Hash
		}
		edits = append(edits, e)
	}
	return edits
}

// apply makes edits, all of which must work.
func apply(t *testing.T, a Applier, edits ...FileEdit) {
	t.Helper()
	done, err := a.Apply(t.Context(), edits, nil)
	if err != nil || len(done) != len(edits) {
		t.Fatalf("got %d answers to %d edits, %v", len(done), len(edits), err)
	}
	for _, d := range done {
		if !d.OK || d.Reason != "" {
			t.Errorf("%s: %s", d.Path, d.Reason)
		}
	}
}

func text(s string) *Content { return &Content{Data: []byte(s)} }

func was(s string) string { return hashOf([]byte(s)) }

// TestDisk: each row is one edit of the same folder, and all that is in it then.
func TestDisk(t *testing.T) {
	start := map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n", "link": "-> sub/b.txt", "out": "-> /nowhere/x"}
	for _, tt := range []struct {
		name    string
		edit    FileEdit
		changes map[string]string // "" takes a file away
		reason  string
	}{
		{"modify", FileEdit{Op: Modify, Path: "a.txt", Expect: was("a\n"), Content: text("A\n")}, map[string]string{"a.txt": "A\n"}, ""},
		{"empty", FileEdit{Op: Modify, Path: "a.txt", Expect: was("a\n"), Content: text("")}, map[string]string{"a.txt": "EMPTY"}, ""},
		{"create", FileEdit{Op: Create, Path: "new/er/c.txt", Content: text("c\n")}, map[string]string{"new/er/c.txt": "c\n"}, ""},
		{"delete", FileEdit{Op: Delete, Path: "a.txt", Expect: was("a\n")}, map[string]string{"a.txt": ""}, ""},
		{"rename", FileEdit{Op: Rename, Path: "x/c.txt", From: "a.txt", Expect: was("a\n"), Content: text("c\n")}, map[string]string{"a.txt": "", "x/c.txt": "c\n"}, ""},
		{"rename to other case", FileEdit{Op: Rename, Path: "A.TXT", From: "a.txt", Expect: was("a\n"), Content: text("a\n")}, map[string]string{"a.txt": "", "A.TXT": "a\n"}, ""},
		{"through a link", FileEdit{Op: Modify, Path: "link", Expect: was("b\n"), Content: text("B\n")}, map[string]string{"sub/b.txt": "B\n"}, ""},
		{"there already", FileEdit{Op: Modify, Path: "a.txt", Expect: was("older\n"), Content: text("a\n")}, nil, ""},
		{"gone already", FileEdit{Op: Delete, Path: "none", Expect: was("x")}, nil, ""},
		{"renamed already", FileEdit{Op: Rename, Path: "a.txt", From: "older.txt", Expect: was("a\n"), Content: text("a\n")}, nil, ""},

		{"changed", FileEdit{Op: Modify, Path: "a.txt", Expect: was("other\n"), Content: text("A\n")}, nil, "changed on disk"},
		{"changed, delete", FileEdit{Op: Delete, Path: "a.txt", Expect: was("other\n")}, nil, "changed on disk"},
		{"changed, rename", FileEdit{Op: Rename, Path: "c.txt", From: "a.txt", Expect: was("other\n"), Content: text("a\n")}, nil, "changed on disk"},
		{"gone", FileEdit{Op: Modify, Path: "none.txt", Expect: was("x"), Content: text("A\n")}, nil, "no longer there"},
		{"gone, rename", FileEdit{Op: Rename, Path: "c.txt", From: "none.txt", Expect: was("x"), Content: text("A\n")}, nil, "no longer there"},
		{"in the way", FileEdit{Op: Create, Path: "a.txt", Content: text("A\n")}, nil, "already there"},
		{"in the way of a rename", FileEdit{Op: Rename, Path: "sub/b.txt", From: "a.txt", Expect: was("a\n"), Content: text("a\n")}, nil, "already there"},
		{"a folder", FileEdit{Op: Modify, Path: "sub", Expect: was("x"), Content: text("A\n")}, nil, "is a folder"},
		{"delete a folder", FileEdit{Op: Delete, Path: "sub", Expect: was("x")}, nil, "is a folder"},
		{"under a file", FileEdit{Op: Create, Path: "a.txt/c", Content: text("A\n")}, nil, "is a file, not a folder"},
		{"delete a link", FileEdit{Op: Delete, Path: "link", Expect: was("b\n")}, nil, "is a link"},
		{"a link out", FileEdit{Op: Create, Path: "out", Content: text("A\n")}, nil, "leads out"},
		{"version control", FileEdit{Op: Create, Path: ".git/hooks/x", Content: text("A\n")}, nil, "version control"},
		{"outside", FileEdit{Op: Create, Path: "../x", Content: text("A\n")}, nil, `".."`},
		{"no content", FileEdit{Op: Modify, Path: "a.txt", Expect: was("a\n")}, nil, "must have new content"},
		{"no operation", FileEdit{Op: "move", Path: "a.txt", Content: text("")}, nil, "is not a file operation"},
	} {
		w, dir := open(t, map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n"})
		link(t, "sub/b.txt", dir, "link")
		link(t, "/nowhere/x", dir, "out")
		done, err := Disk(w).Apply(t.Context(), []FileEdit{tt.edit}, nil)
		if err != nil || len(done) != 1 || done[0].OK != (tt.reason == "") || !strings.Contains(done[0].Reason, tt.reason) || done[0].Path != tt.edit.Path {
			t.Errorf("%s: got %+v, %v; want reason %q", tt.name, done, err, tt.reason)
		}
		want := maps.Clone(start)
		for name, text := range tt.changes {
			switch text {
			case "":
				delete(want, name)
			case "EMPTY":
				want[name] = ""
			default:
				want[name] = text
			}
		}
		if got := tree(t, dir); !maps.Equal(got, want) {
			t.Errorf("%s: the folder has %q, want %q", tt.name, got, want)
		}
	}
}

var (
	raceModify = FileEdit{Op: Modify, Path: "a.txt", Expect: was("a\n"), Content: text("agent\n")}
	raceCreate = FileEdit{Op: Create, Path: "d/a.txt", Content: text("agent\n")}
	raceDelete = FileEdit{Op: Delete, Path: "a.txt", Expect: was("a\n")}
	raceRename = FileEdit{Op: Rename, Path: "b.txt", From: "a.txt", Expect: was("a\n"), Content: text("agent\n")}
)

// race is an edit of a folder that holds a.txt, a user who does something in the
// middle of it, and what must be there then.
type race struct {
	name   string
	edit   FileEdit
	user   map[string]string // "" takes a file away
	want   map[string]string
	reason string
}

// TestDiskRace: another program changes the file in the instants before it is
// replaced or taken away. Its version is never lost, and nothing else is left.
func TestDiskRace(t *testing.T) {
	for _, tt := range []race{
		{"modify", raceModify, map[string]string{"a.txt": "user\n"}, map[string]string{"a.txt": "user\n"}, "changed"},
		{"vanished", raceModify, map[string]string{"a.txt": ""}, map[string]string{}, "no longer there"},
		{"create", raceCreate, map[string]string{"d/a.txt": "user\n"}, map[string]string{"a.txt": "a\n", "d/a.txt": "user\n"}, "already there"},
		{"delete", raceDelete, map[string]string{"a.txt": "user\n"}, map[string]string{"a.txt": "user\n"}, "changed"},
		{"rename, the new name", raceRename, map[string]string{"b.txt": "user\n"}, map[string]string{"a.txt": "a\n", "b.txt": "user\n"}, "already there"},
	} {
		tt.run(t, func(d *disk, user func()) { d.before = user })
	}
}

// run plays a race; hook says when the user acts.
func (r race) run(t *testing.T, hook func(d *disk, user func())) {
	t.Helper()
	w, dir := open(t, map[string]string{"a.txt": "a\n"})
	d := &disk{w: w}
	hook(d, func() {
		for name, text := range r.user {
			file := filepath.Join(dir, name)
			if text == "" {
				os.Remove(file)
				continue
			}
			put(t, dir, name+"~", text) // as editors save: a new file in the place of the old one
			if err := os.Rename(file+"~", file); err != nil {
				t.Fatal(err)
			}
		}
	})
	done, err := d.Apply(t.Context(), []FileEdit{r.edit}, nil)
	if err != nil || done[0].OK || !strings.Contains(done[0].Reason, r.reason) {
		t.Errorf("%s: got %+v, %v; want reason %q", r.name, done, err, r.reason)
	}
	if got := tree(t, dir); !maps.Equal(got, r.want) {
		t.Errorf("%s: the folder has %q, want %q", r.name, got, r.want)
	}
}

func TestDiskModes(t *testing.T) {
	w, dir := open(t, map[string]string{"secret": "s\n", "run": "r\n", "locked": "l\n", "plain": "p\n"})
	for name, mode := range map[string]os.FileMode{"secret": 0o600, "run": 0o755, "locked": 0o444, "plain": 0o640} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	with := func(s string, mode os.FileMode) *Content { return &Content{Data: []byte(s), Mode: mode} }
	apply(t, Disk(w),
		FileEdit{Op: Modify, Path: "secret", Expect: was("s\n"), Content: with("S\n", 0o644)},
		FileEdit{Op: Modify, Path: "run", Expect: was("r\n"), Content: with("R\n", 0)},
		FileEdit{Op: Modify, Path: "plain", Expect: was("p\n"), Content: with("p\n", 0o755)},
		FileEdit{Op: Create, Path: "new", Content: with("n\n", 0o755)},
		FileEdit{Op: Rename, Path: "moved", From: "secret", Expect: was("S\n"), Content: with("S\n", 0)},
	)
	for name, want := range map[string]os.FileMode{"moved": 0o600, "run": 0o755, "plain": 0o750, "new": 0o755} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	for _, e := range []FileEdit{
		{Op: Modify, Path: "locked", Expect: was("l\n"), Content: text("L\n")},
		{Op: Delete, Path: "locked", Expect: was("l\n")},
		{Op: Rename, Path: "x", From: "locked", Expect: was("l\n"), Content: text("l\n")},
	} {
		done, err := Disk(w).Apply(t.Context(), []FileEdit{e}, nil)
		if err != nil || done[0].OK || !strings.Contains(done[0].Reason, "read-only") {
			t.Errorf("%s of a read-only file: got %+v, %v", e.Op, done, err)
		}
	}
	if got := tree(t, dir)["locked"]; got != "l\n" {
		t.Errorf("the read-only file is %q", got)
	}
}

func TestDiskUnsaved(t *testing.T) {
	w, dir := open(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	w.OpenBuffer("a.txt", "typed\n", 1)
	w.OpenBuffer("b.txt", "b\n", 1)
	w.OpenBuffer("new.txt", "typed\n", 1)
	done, err := Disk(w).Apply(t.Context(), []FileEdit{
		{Op: Modify, Path: "a.txt", Expect: was("a\n"), Content: text("A\n")},
		{Op: Delete, Path: "a.txt", Expect: was("a\n")},
		{Op: Create, Path: "new.txt", Content: text("n\n")},
		{Op: Modify, Path: "b.txt", Expect: was("b\n"), Content: text("B\n")},
	}, nil)
	for i, ok := range []bool{false, false, false, true} {
		if err != nil || done[i].OK != ok || !ok && !strings.Contains(done[i].Reason, "unsaved") {
			t.Errorf("%d: got %+v, %v", i, done[i], err)
		}
	}
	if got, want := tree(t, dir), map[string]string{"a.txt": "a\n", "b.txt": "B\n"}; !maps.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestDiskStopped(t *testing.T) {
	w, dir := open(t, map[string]string{"a.txt": "a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	d := &disk{w: w, before: cancel}
	done, err := d.Apply(ctx, []FileEdit{
		{Op: Create, Path: "b.txt", Content: text("b\n")},
		{Op: Delete, Path: "a.txt", Expect: was("a\n")},
	}, nil)
	if !errors.Is(err, context.Canceled) || len(done) != 2 || !done[0].OK || done[1].OK || !strings.Contains(done[1].Reason, "stopped") {
		t.Errorf("got %+v, %v", done, err)
	}
	if got, want := tree(t, dir), map[string]string{"a.txt": "a\n", "b.txt": "b\n"}; !maps.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}
