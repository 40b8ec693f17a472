package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccept: what becomes of a file when some hunks are accepted, as bytes.
func TestAccept(t *testing.T) {
	const gone = "(no file)"
	far := numbered(20, nil)
	for _, tt := range []struct {
		name, before, after string // or gone
		mode                fs.FileMode
		binary              bool
		hunks               int
		only                int // the hunk that is accepted; -1: all, -2: none
		want                string
	}{
		{"all", "a\n", "b\n", 0o644, false, 1, -1, "b\n"},
		{"none", "a\n", "b\n", 0o644, false, 1, -2, "a\n"},
		{"the second", far, "X\n" + far + "Y\n", 0o644, false, 2, 1, far + "Y\n"},
		{"in the file's encoding", "\xe9\n" + far, "\xe8\n" + far + "\xfc\n", 0o644, false, 2, 1, "\xe9\n" + far + "\xfc\n"},
		{"with the file's mark", "\xef\xbb\xbfa\n" + far, "\xef\xbb\xbfb\n" + far + "é\n", 0o644, false, 2, 1, "\xef\xbb\xbfa\n" + far + "é\n"},
		{"creation", gone, "a\n", 0o644, false, 1, -1, "a\n"},
		{"no creation", gone, "a\n", 0o644, false, 1, -2, gone},
		{"creation of an empty file", gone, "", 0o644, false, 0, -1, ""},
		{"deletion", "a\n", gone, 0o644, false, 1, -1, gone},
		{"no deletion", "a\n", gone, 0o644, false, 1, -2, "a\n"},
		{"deletion of an empty file", "", gone, 0o644, false, 0, -1, gone},
		{"binary", "\x00a", "\x00b", 0o644, true, 0, -1, "\x00b"},
		{"no binary", "\x00a", "\x00b", 0o644, true, 0, -2, "\x00a"},
		{"a mark is added", "a\n", "\xef\xbb\xbfa\n", 0o644, true, 0, -1, "\xef\xbb\xbfa\n"},
		{"a mark is taken away, with a change", "\xef\xbb\xbfa\n", "b\n", 0o644, true, 0, -2, "\xef\xbb\xbfa\n"},
		{"another encoding", "\xe9\n", "è\n", 0o644, true, 0, -1, "è\n"},
		{"the first special character", "e\n", "é\n", 0o644, false, 1, -1, "é\n"},
		{"executable", "a\n", "a\n", 0o755, false, 0, -1, "a\n"},
	} {
		content := func(s string, mode fs.FileMode) *Content {
			if s == gone {
				return nil
			}
			return NewContent([]byte(s), mode)
		}
		c := changeOf("f", "", content(tt.before, 0o644), content(tt.after, tt.mode))
		if c.Binary != tt.binary || len(c.Hunks) != tt.hunks {
			t.Errorf("%s: binary %v, %d hunks; want %v, %d", tt.name, c.Binary, len(c.Hunks), tt.binary, tt.hunks)
		}
		got, err := c.Accept(func(i int) bool { return tt.only == -1 || i == tt.only })
		shown := gone
		if got != nil {
			shown = string(got.Data)
		}
		if err != nil || shown != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.name, shown, err, tt.want)
		}
		if got != nil && executable(got.Mode) != (tt.mode == 0o755) {
			t.Errorf("%s: got mode %v", tt.name, got.Mode)
		}
	}
}

// TestStageMeetsTyping: a key that is hit between an edit's look at the file and
// its staging is under the edit at once, and the edit was made on it.
func TestStageMeetsTyping(t *testing.T) {
	w, _ := open(t, map[string]string{"a": "1\n2\n3\n"})
	o := w.NewOverlay()
	at, err := w.locateWrite("a")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	_, err = o.stage(at, func(v view) (*Content, error) {
		if calls++; calls == 1 {
			w.OpenBuffer("a", "typed\n2\n3\n", 1)
		}
		return NewContent([]byte(strings.Replace(string(v.now().Data), "3", "agent", 1)), 0o644), nil
	})
	state := o.State().Files
	if err != nil || calls != 2 || string(state[0].Base.Data) != "typed\n2\n3\n" || string(state[0].Now.Data) != "typed\n2\nagent\n" {
		t.Errorf("after %d calls: %v, %v", calls, state, err)
	}
}

// TestRenameMeetsTyping does the same to a rename, at each of its two looks.
func TestRenameMeetsTyping(t *testing.T) {
	for _, typed := range []string{"a", "b"} {
		w, _ := open(t, map[string]string{"a": "a\n"})
		o := w.NewOverlay()
		src, _ := w.locateName("a")
		dst, _ := w.locateName("b")
		was, _ := o.look(src)
		target, _ := o.look(dst)
		w.OpenBuffer(typed, "typed\n", 1)
		if e, ok := o.commitRename(src, dst, was, target); ok || o.State().Files != nil {
			t.Errorf("typing into %s: the rename %v was staged on what is no longer there", typed, e)
		}
		_, err := o.Rename("a", "b")
		if file, _ := o.Read("b"); file.Text != "typed\n" || typed == "b" && !errors.Is(err, fs.ErrExist) {
			t.Errorf("typing into %s: then b is %q, %v", typed, file.Text, err)
		}
	}
}

// TestDiskCleansUp: a failure in the middle leaves neither folders nor files.
func TestDiskCleansUp(t *testing.T) {
	w, dir := open(t, nil)
	d := &disk{w: w, before: func() {
		temps, _ := filepath.Glob(filepath.Join(dir, "x/y/"+tempPrefix+"*"))
		for _, temp := range temps {
			os.Remove(temp)
		}
	}}
	done, err := d.Apply(t.Context(), []FileEdit{{Op: Create, Path: "x/y/z.txt", Content: text("z\n")}}, nil)
	left, _ := os.ReadDir(dir)
	if err != nil || done[0].OK || len(left) != 0 {
		t.Errorf("got %v, %v; left %v", done, err, fmt.Sprint(left))
	}
}
