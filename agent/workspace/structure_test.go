package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
