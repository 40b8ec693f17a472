package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// declared renders what a structure declares.
func declared(t *testing.T, o *Overlay, glob string) string {
	t.Helper()
	files, _, err := o.Structure(t.Context(), glob, func(path string) bool { return path == "hidden.py" })
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		var names []string
		for _, s := range f.Symbols {
			names = append(names, s.Name)
		}
		list = append(list, f.Path+":"+strings.Join(names, ","))
	}
	return strings.Join(list, " ")
}

// TestStructure: the structure is that of what the overlay shows, staged, typed or on disk, and only
// what changed is parsed again.
func TestStructure(t *testing.T) {
	w, dir := open(t, map[string]string{
		"a/same.py": "def one(): pass\n", "b/same.py": "def two(): pass\n", "hidden.py": "def secret(): pass\n", "data.json": "{}",
		"big.py": "def big(): pass\n" + strings.Repeat("x = 1\n", maxIndexedText/6), "binary.py": "\x00\x01", "node_modules/m.js": "function m() {}",
	})
	o := w.NewOverlay()
	check := func(want string) {
		t.Helper()
		if got := declared(t, o, ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("a/same.py:one b/same.py:two")
	parsed := len(w.known.facts)
	check("a/same.py:one b/same.py:two")
	if len(w.known.facts) != parsed {
		t.Errorf("%d texts are known, then %d", parsed, len(w.known.facts))
	}
	w.OpenBuffer("b/same.py", "class Typed: pass\n", 1)
	if _, err := o.Write("new.go", "package new\n\nfunc (s Server) Close() {}\n"); err != nil {
		t.Fatal(err)
	}
	check("a/same.py:one b/same.py:Typed new.go:Close")
	if _, err := o.Delete("a/same.py"); err != nil {
		t.Fatal(err)
	}
	w.CloseBuffer("b/same.py")
	if err := os.WriteFile(filepath.Join(dir, "b", "same.py"), []byte("def three(): pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("b/same.py:three new.go:Close")
	if got := declared(t, o, "*.go"); got != "new.go:Close" {
		t.Errorf("by glob: got %q", got)
	}
}

// TestSymbols: the exact names come first, then those that begin with the text.
func TestSymbols(t *testing.T) {
	w, _ := open(t, map[string]string{"a.py": "def reposted(): pass\ndef postal(): pass\nclass Post: pass\n", "b.js": "function post() {}\n"})
	o := w.NewOverlay()
	for name, want := range map[string][]string{
		"post": {"b.js:post", "a.py:Post", "a.py:postal", "a.py:reposted"}, "Post": {"a.py:Post", "b.js:post", "a.py:postal", "a.py:reposted"}, "none": nil,
	} {
		found, more, err := o.Symbols(t.Context(), name, "", nil)
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprintf("%s:%s", f.Path, f.Name))
		}
		if err != nil || more || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, %v; want %q", name, got, more, err, want)
		}
	}
}

// TestWithin: a list by a pattern that names a folder is that part of the whole list, whatever
// folders were not looked into.
func TestWithin(t *testing.T) {
	w, _ := open(t, map[string]string{
		"a.py": "", "src/a.py": "", "src/deep/b.py": "", "src/deep/er/c.py": "", "srcs/a.py": "", "src/.gitignore": "/no.py\n", "src/no.py": "", "we[i]rd/x.py": "",
	})
	o := w.NewOverlay()
	if _, err := o.Write("src/new/d.py", "x"); err != nil {
		t.Fatal(err)
	}
	all := paths(t, o, "")
	for _, pattern := range []string{"src/", "src/*.py", "src/**", "src/deep/**/*.py", "/src/deep/b.py", "src*/a.py", "s*/**", "{src,srcs}/a.py", `we\[i\]rd/*`, "none/", "src/n*/*"} {
		g, err := parseGlob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return !g.match(p) })
		if got := paths(t, o, pattern); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// shelf keeps facts in memory, as a store does on disk.
type shelf struct {
	mu     sync.Mutex
	values map[string][]byte
	keeps  int // since the last Done
}

func (s *shelf) kept() Kept {
	return Kept{
		Fact: func(key string) []byte { s.mu.Lock(); defer s.mu.Unlock(); return s.values[key] },
		Keep: func(key string, value []byte) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.keeps++
			s.values[key] = value
		},
		Done: func() error { return nil },
	}
}

// TestKeptFacts: the facts of a text that another process kept are not computed again, nor is a file
// read that is on disk as it was; damaged ones are computed again, and a file that changed is read.
func TestKeptFacts(t *testing.T) {
	s := &shelf{values: map[string][]byte{}}
	_, dir := open(t, map[string]string{"a.py": "import os\n\ndef one():\n    \"\"\"First.\"\"\"\n    two()\n", "b.py": "def two(): pass\n"})
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"a.py", "b.py"} {
		if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	structure := func() (list []FileFacts, kept, read int) {
		t.Helper()
		w, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		w.index.clock = later
		w.KeepFacts(s.kept())
		s.keeps = 0
		o := w.NewOverlay()
		if list, _, err = o.Structure(t.Context(), "", nil); err != nil {
			t.Fatal(err)
		}
		kept, read = s.keeps, len(w.index.entries)
		if again, _, _ := o.Structure(t.Context(), "", nil); !reflect.DeepEqual(again, list) || s.keeps != kept {
			t.Errorf("got %v, then %v; %d were kept, then %d", list, again, kept, s.keeps)
		}
		return list, kept, read
	}
	first, kept, _ := structure()
	if kept != 4 {
		t.Errorf("%d values were kept, want those of two texts and two files", kept)
	}
	if second, kept, read := structure(); kept != 0 || read != 0 || !reflect.DeepEqual(first, second) {
		t.Errorf("%d values were kept again, and %d files read; got %+v, want %+v", kept, read, second, first)
	}
	for key := range s.values {
		s.values[key] = []byte("\x05\x02")
	}
	if third, kept, read := structure(); kept != 4 || read != 2 || !reflect.DeepEqual(first, third) {
		t.Errorf("of damaged ones, %d values were kept and %d files read; got %+v", kept, read, third)
	}
	file := filepath.Join(dir, "b.py")
	info, err := os.Stat(file)
	for old := info; err == nil && changedAt(info).Equal(changedAt(old)) && runtime.GOOS == "linux"; {
		err = errors.Join(os.WriteFile(file, []byte("def six(): pass\n"), 0o644), os.Chtimes(file, past, past))
		info, _ = os.Stat(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		return // the disk says nothing of such a change
	}
	if changed, kept, read := structure(); kept != 2 || read != 1 || changed[1].Symbols[0].Name != "six" {
		t.Errorf("of a changed file with its size and time, %d values were kept and %d files read; got %+v", kept, read, changed)
	}
}

// BenchmarkStructure measures the structure of the Go files of this repository, the first time,
// with the facts that another process kept, and when nothing changed.
func BenchmarkStructure(b *testing.B) {
	root, err := filepath.Abs("../..")
	if err != nil {
		b.Fatal(err)
	}
	s := &shelf{values: map[string][]byte{}}
	run := func(name string, prepare func(*Workspace), again bool) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				w, err := Open(root)
				if err != nil {
					b.Fatal(err)
				}
				prepare(w)
				o := w.NewOverlay()
				structure := func() {
					if _, _, err := o.Structure(b.Context(), "*.go", nil); err != nil {
						b.Fatal(err)
					}
				}
				if again {
					structure()
				}
				b.StartTimer()
				structure()
				b.StopTimer()
				o.Close()
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("cold", func(*Workspace) {}, false)
	filled := false
	run("kept", func(w *Workspace) {
		if !filled {
			filled = true
			first, err := Open(root)
			if err != nil {
				b.Fatal(err)
			}
			defer first.Close()
			first.KeepFacts(s.kept())
			if _, _, err := first.NewOverlay().Structure(b.Context(), "*.go", nil); err != nil {
				b.Fatal(err)
			}
		}
		w.KeepFacts(s.kept())
	}, false)
	run("unchanged", func(*Workspace) {}, true)
}
