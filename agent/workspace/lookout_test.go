package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// wantedByName wants what is called kept…, and small files that are called data….
func wantedByName(key string) Want {
	switch name := path.Base(key); {
	case strings.HasPrefix(name, "kept"):
		return Want{Most: 64, Kept: true}
	case strings.HasPrefix(name, "data"):
		return Want{Most: 32}
	}
	return Want{}
}

// lookoutSteps are what happens in a workspace, line by line, and what a look after it
// finds:
//
//	write PATH TEXT, remove PATH, link PATH TARGET, same PATH TARGET (a hard link),
//	open PATH TEXT (in the editor), close PATH, age PATH (a folder, as if it had not
//	changed for an hour)
//	look PATH=TEXT... (what is new or has changed)
//	alias PATH..., apart PATH... (other names of kept files, or not)
const lookoutSteps = `
look data.csv=a kept=b sub/deep/kept.env=c
look
write kept bb
look kept=bb
write sub/deep/data.yml d
write other/kept e
look other/kept=e sub/deep/data.yml=d
remove other/kept
look
write other/kept ee
look other/kept=ee
write data.csv a-text-that-is-larger-than-what-is-read
write kept a-text-that-is-larger-than-what-is-read
look kept=a-text-that-is-larger-than-what-is-read
write node_modules/kept f
write venv/pyvenv.cfg x
write venv/kept f
write .git/config g
write README f
look .git/config=g
age sub/deep
look
write sub/deep/kept.env in-place
age sub/deep
look sub/deep/kept.env=in-place
write sub/deep/kept.new unseen
age sub/deep
look
link kept.link README
link data.link plain
write plain p
same twin kept
same other-data data.csv
look README=f plain=p
alias README twin
apart plain other-data data.csv kept
open data.new typed
open kept typed
open README typed
open main.go typed
look README=typed data.new=typed kept=typed
look
open kept more
look kept=more
close kept
look
`

// TestLookout looks after each change of a workspace.
func TestLookout(t *testing.T) {
	w, dir := open(t, map[string]string{"kept": "b", "data.csv": "a", "main.go": "x", "sub/deep/kept.env": "c", "sub/main.go": "x"})
	l := w.NewLookout(wantedByName)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	version := int32(0)
	for n, line := range strings.Split(strings.TrimSpace(lookoutSteps), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		name, text, _ := strings.Cut(rest, " ")
		full := filepath.Join(dir, filepath.FromSlash(name))
		switch verb {
		case "write":
			must(os.MkdirAll(filepath.Dir(full), 0o755))
			must(os.WriteFile(full, []byte(text), 0o600))
		case "remove":
			must(os.Remove(full))
		case "link":
			must(os.Symlink(text, full))
		case "same":
			must(os.Link(filepath.Join(dir, text), full))
		case "age":
			old := time.Unix(1_700_000_000, 0)
			must(os.Chtimes(full, old, old))
		case "open":
			version++
			w.OpenBuffer(name, text, version)
		case "close":
			w.CloseBuffer(name)
		case "look":
			found, err := l.Look(t.Context())
			must(err)
			got := []string{}
			for _, f := range found {
				got = append(got, f.Path+"="+f.Text)
			}
			if want := strings.Fields(rest); !slices.Equal(got, want) {
				t.Errorf("step %d: the look found %q, not %q", n, got, want)
			}
		case "alias", "apart":
			for _, name := range strings.Fields(rest) {
				if l.Alias(name) != (verb == "alias") {
					t.Errorf("step %d: %s is another name of a kept file: %t", n, name, verb != "alias")
				}
			}
		default:
			t.Fatalf("%q is no step", line)
		}
	}
}

// TestLookoutLimits finds kept files beyond any number of data files, and stops when the
// context ends.
func TestLookoutLimits(t *testing.T) {
	files := map[string]string{"deep/er/kept": "k"}
	for i := range maxWatched + 50 {
		files[fmt.Sprintf("d%d/data%d", i%40, i)] = "d"
	}
	w, _ := open(t, files)
	l := w.NewLookout(wantedByName)
	ended, end := context.WithCancel(t.Context())
	end()
	if found, err := l.Look(ended); err == nil || found != nil {
		t.Errorf("a look that was ended found %d files (%v)", len(found), err)
	}
	found, err := l.Look(t.Context())
	if err != nil || len(found) != maxWatched+1 {
		t.Errorf("%d files were found (%v)", len(found), err)
	}
	if !slices.ContainsFunc(found, func(s Sighted) bool { return s.Path == "deep/er/kept" }) {
		t.Error("the kept file was not found")
	}
	if again, err := l.Look(t.Context()); err != nil || len(again) > 0 {
		t.Errorf("%d files were found again (%v)", len(again), err)
	}
}
