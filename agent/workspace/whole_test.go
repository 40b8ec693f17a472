package workspace

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestApplyWhole: changes of all kinds are made, and where one of them cannot
// be, the folder is as it was, permissions and folders included.
func TestApplyWhole(t *testing.T) {
	start := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "name": "n\n", "z.txt": "z\n"}
	for _, tt := range []struct {
		name    string
		spoil   func(t *testing.T, dir string) // between the review and the writing
		ctx     func(context.Context) context.Context
		changed string // what stays of the spoiling
		says    string
	}{
		{name: "all"},
		{name: "one changed meanwhile", says: "z.txt: the file changed on disk", changed: "z.txt",
			spoil: func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "z.txt"), "theirs\n", 0o644) }},
		{name: "one is read-only", says: "z.txt: the file is read-only",
			spoil: func(t *testing.T, dir string) {
				if err := os.Chmod(filepath.Join(dir, "z.txt"), 0o444); err != nil {
					t.Fatal(err)
				}
			}},
		{name: "stopped", says: "context canceled", ctx: func(ctx context.Context) context.Context {
			stopped, cancel := context.WithCancel(ctx)
			cancel()
			return stopped
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range start {
				writeFile(t, filepath.Join(dir, name), text, 0o600)
			}
			w, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			changes := stageAll(t, w)
			if tt.spoil != nil {
				tt.spoil(t, dir)
			}
			ctx := t.Context()
			if tt.ctx != nil {
				ctx = tt.ctx(ctx)
			}
			err = ApplyWhole(ctx, w, changes)
			want := start
			if tt.says == "" {
				want = map[string]string{"a.txt": "A\n", "moved/c.txt": "C\n", "name/x.txt": "x\n", "new/er/d.txt": "d\n", "z.txt": "Z\n"}
			}
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got error %v, want %q", err, tt.says)
			}
			checkWhole(t, dir, want, tt.changed)
		})
	}
}

// stageAll stages one change of each kind; that of z.txt is made last.
func stageAll(t *testing.T, w *Workspace) []Change {
	t.Helper()
	o := w.NewOverlay()
	defer o.Close()
	must := func(_ Edit, err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(o.Write("a.txt", "A\n"))
	must(o.Delete("b.txt"))
	must(o.Rename("c.txt", "moved/c.txt"))
	must(o.Write("moved/c.txt", "C\n"))
	must(o.Delete("name"))
	must(o.Write("name/x.txt", "x\n"))
	must(o.Write("new/er/d.txt", "d\n"))
	must(o.Write("z.txt", "Z\n"))
	return o.ChangeSet().Files
}

func checkWhole(t *testing.T, dir string, want map[string]string, changed string) {
	t.Helper()
	want = maps.Clone(want)
	restored := want["b.txt"] != ""
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			inside := false
			for name := range want {
				inside = inside || strings.HasPrefix(name, filepath.ToSlash(rel)+"/")
			}
			if !inside {
				t.Errorf("a folder %s stayed", rel)
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, ok := want[filepath.ToSlash(rel)]
		if rel != changed && (!ok || text != string(data)) {
			t.Errorf("%s has %q, want %q", rel, data, text)
		}
		if info, err := e.Info(); err != nil || restored && rel != "z.txt" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", rel, info.Mode(), err)
		}
		delete(want, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
