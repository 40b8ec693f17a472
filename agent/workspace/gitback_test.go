package workspace

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBroughtBack has an undo write files among old ones and among such as came after the
// task began: what would then be a repository of git with anything of the latter that git
// runs is refused, what was one of the user's comes back.
func TestBroughtBack(t *testing.T) {
	for name, c := range map[string]struct{ old, newer, writes, refused string }{
		"filled meanwhile":            {"", "d/config d/objects/x d/refs/x", "d/HEAD a.txt", "d/HEAD"},
		"filled in part":              {"d/config d/objects/x", "d/refs/x", "d/HEAD", "d/HEAD"},
		"config meanwhile":            {"d/objects/x d/refs/x", "d/config", "d/HEAD d/a.txt", "d/HEAD"},
		"hook meanwhile":              {"d/objects/x d/refs/x d/config d/hooks/a", "d/hooks/b", "d/HEAD", "d/HEAD"},
		"attributes meanwhile":        {"d/objects/x d/refs/x d/config", "d/info/attributes", "d/HEAD", "d/HEAD"},
		"the workspace itself":        {"", "config objects/x refs/x", "HEAD", "HEAD"},
		"a work tree":                 {"", "d/commondir", "d/HEAD", "d/HEAD"},
		"another case":                {"", "d/Config d/Objects/x d/refs/x", "d/head", "d/head"},
		"the user's own":              {"d/config d/objects/x d/refs/x d/hooks/x", "d/objects/y/z d/a", "d/HEAD", ""},
		"the user's, with its config": {"d/objects/x d/refs/x", "d/a", "d/HEAD d/config", ""},
		"its config among new parts":  {"d/HEAD", "d/objects/x d/refs/x", "d/config", "d/config"},
		"nothing that runs":           {"", "d/objects/x d/refs/x", "d/HEAD", ""},
		"no repository":               {"", "d/config d/refs/x", "d/HEAD", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			began := time.Now().Add(-time.Hour)
			for i, files := range []string{c.newer, c.old} {
				at := began.Add(time.Minute)
				if i == 1 {
					at = began.Add(-time.Minute)
				}
				for p := range strings.FieldsSeq(files) {
					file := filepath.Join(dir, p)
					if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte("x\n"), 0o644); err != nil {
						t.Fatal(err)
					}
					for ; file != dir; file = filepath.Dir(file) {
						if err := os.Chtimes(file, at, at); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			w, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if got := strings.Join(slices.Sorted(maps.Keys(w.BroughtBack(strings.Fields(c.writes), began))), " "); got != c.refused {
				t.Errorf("refused: %q, want %q", got, c.refused)
			}
		})
	}
}

// TestKept takes files away from a repository that is a test's data, and from ordinary
// folders.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	for p := range strings.FieldsSeq("own.git/HEAD own.git/config own.git/objects/x own.git/refs/x own.git/hooks/x own.git/description plain/HEAD plain/config") {
		put(t, dir, p, "x\n")
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := w.NewOverlay()
	defer o.Close()
	for p, kept := range map[string]bool{
		"own.git/HEAD": true, "own.git/config": true, "own.git/objects/x": true, "own.git/refs/x": true, "own.git/hooks/x": true,
		"own.git/description": false, "plain/HEAD": false, "plain/config": false,
	} {
		_, renamed := o.Rename(p, p+"-away")
		if renamed == nil {
			if _, err := o.Rename(p+"-away", p); err != nil {
				t.Fatal(err)
			}
		}
		_, deleted := o.Delete(p)
		if accepted := w.Kept([]string{p})[p]; (renamed != nil) != kept || (deleted != nil) != kept || (accepted != nil) != kept {
			t.Errorf("%s: renamed %v, deleted %v, accepted %v", p, renamed, deleted, accepted)
		}
	}
}
