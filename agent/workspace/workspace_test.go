package workspace

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// need finds a program that a test compares with.
func need(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), program) {
		t.Fatalf("%s is required here: %v", program, err)
	} else if err != nil {
		t.Skipf("needs %[1]s: install it (Debian: apt-get install %[1]s)", program)
	}
	return file
}

// open makes a folder with files and opens it.
func open(t testing.TB, files map[string]string) (*Workspace, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, dir, name, text)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, target, dir, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// tree reads back every file of a folder, links as "-> target".
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			files[rel] = "-> " + target
			return err
		}
		data, err := os.ReadFile(p)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestPathRefused(t *testing.T) {
	w, dir := open(t, map[string]string{"a.txt": "a", "sub/b.txt": "b", ".git/config": "x"})
	outside := t.TempDir()
	put(t, outside, "secret", "s")
	link(t, outside, dir, "out")
	link(t, "../../../../../../etc", dir, "up")
	link(t, filepath.Join(outside, "secret"), dir, "file")
	link(t, "loop", dir, "loop")
	link(t, "../.git", dir, "sub/innocent")
	link(t, ".", dir, "self")
	link(t, "sub", dir, ".svn")
	const both, write = "read and write", "write"
	for _, tt := range []struct{ path, when, reason string }{
		{"", both, "empty"},
		{".", both, "workspace itself"},
		{"/etc/passwd", both, "absolute"},
		{"C:/x", both, "absolute"},
		{`a\b`, both, "backslash"},
		{"../x", both, `".."`},
		{"sub/../../x", both, `".."`},
		{"sub/../a.txt", both, `".."`},
		{"a\x00b", both, "NUL"},
		{"a\nb", both, "control"},
		{"a\x1b[31m", both, "control"},
		{"a\xff", both, "UTF-8"},
		{"sub/", both, "folder"},
		{"file:///a.txt", both, "URI"},
		{"sub/NUL", both, "device"},
		{"com1.txt", both, "device"},
		{"aux.c", both, "device"},
		{"CON .log", both, "device"},
		{strings.Repeat("a/", 3000) + "b", both, "longer than"},
		{"out/secret", both, "leads out"},
		{"out/new", both, "leads out"},
		{"up/passwd", both, "leads out"},
		{"file", both, "leads out"},
		{"loop", both, "loop"},
		{"self", both, "workspace's own folder"},
		{"sub", both, "is a folder"},
		{"a.txt/x", write, "a.txt is a file"},
		{".git/config", write, "version control"},
		{".git/hooks/pre-commit", write, "version control"},
		{".GIT/config", write, "version control"},
		{"x/.git", write, "version control"},
		{".git./config", write, "version control"},
		{".git::$INDEX_ALLOCATION/config", write, "version control"},
		{"git~1/config", write, "version control"},
		{".g\u200cit/config", write, "version control"},
		{"sub/innocent/config", write, "version control"},
		{"self/.git/config", write, "version control"},
		{".hg/hgrc", write, "version control"},
		{".svn/x", write, "version control"},
	} {
		o := w.NewOverlay()
		_, err := o.Write(tt.path, "x\n")
		checkRefused(t, "write", tt.path, tt.reason, err)
		if tt.when == both {
			_, err = o.Read(tt.path)
			checkRefused(t, "read", tt.path, tt.reason, err)
		}
		if got := o.State().Files; got != nil {
			t.Errorf("%q: staged %v", tt.path, got)
		}
		o.Close()
	}
}

func checkRefused(t *testing.T, what, path, reason string, err error) {
	t.Helper()
	var refused *PathError
	if !errors.As(err, &refused) || !strings.Contains(refused.Reason, reason) || refused.Advice == "" {
		t.Errorf("%s %q: got error %v, want a *PathError with %q and advice", what, path, err, reason)
	}
}

func TestPathAccepted(t *testing.T) {
	w, dir := open(t, map[string]string{"a.txt": "a", "sub/b.txt": "b", "gitlike/.github/x": "g", "console.py": "c", "ü/ñ 1": "u"})
	link(t, "sub", dir, "dir")
	link(t, "dir/b.txt", dir, "chain")
	link(t, filepath.Join(dir, "a.txt"), dir, "absolute")
	link(t, "sub/new.txt", dir, "dangling")
	alias := filepath.Join(t.TempDir(), "alias")
	link(t, dir, filepath.Dir(alias), "alias")
	for _, tt := range []struct{ path, want string }{
		{"a.txt", "a.txt"}, {"./a.txt", "a.txt"}, {"sub//b.txt", "sub/b.txt"},
		{"dir/b.txt", "sub/b.txt"}, {"chain", "sub/b.txt"}, {"absolute", "a.txt"},
		{"gitlike/.github/x", "gitlike/.github/x"}, {"console.py", "console.py"}, {"ü/ñ 1", "ü/ñ 1"},
	} {
		file, err := w.Read(tt.path)
		if err != nil || file.Path != tt.want {
			t.Errorf("Read(%q): got path %q, %v; want %q", tt.path, file.Path, err, tt.want)
		}
		if abs, err := w.Abs(tt.path); err != nil || abs != filepath.Join(dir, filepath.FromSlash(tt.want)) {
			t.Errorf("Abs(%q): got %q, %v", tt.path, abs, err)
		}
		for _, abs := range []string{filepath.Join(dir, tt.path), filepath.Join(alias, tt.path)} {
			if rel, err := w.Rel(abs); err != nil || rel != tt.want {
				t.Errorf("Rel(%q): got %q, %v; want %q", abs, rel, err, tt.want)
			}
		}
	}
	if rel, err := w.Rel(filepath.Join(alias, "dangling")); err != nil || rel != "sub/new.txt" {
		t.Errorf("Rel of a dangling link: got %q, %v", rel, err)
	}
	for _, abs := range []string{"a.txt", filepath.Dir(dir), dir, dir + "-twin/a.txt", filepath.Join(dir, "..", "x"), "/etc/passwd"} {
		_, err := w.Rel(abs)
		checkRefused(t, "Rel", abs, "", err)
	}
	o := w.NewOverlay()
	for _, name := range []string{"chain", "dangling"} {
		_, err := o.Delete(name)
		checkRefused(t, "delete", name, "it is a link", err)
		_, err = o.Rename(name, "x")
		checkRefused(t, "rename", name, "it is a link", err)
	}
}

func TestOpen(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{"x/api", "y/api", "y/web", "y/api-2", "y/web/inner"} {
		put(t, filepath.Join(base, dir), "f.txt", dir)
	}
	link(t, "y/web", base, "again")
	at := func(names ...string) []string {
		var dirs []string
		for _, n := range names {
			dirs = append(dirs, filepath.Join(base, n))
		}
		return dirs
	}
	for _, tt := range []struct {
		dirs  []string
		names string
		err   string
	}{
		{nil, "", "needs a folder"},
		{at("none"), "", "does not exist"},
		{at("x/api/f.txt"), "", "not a folder"},
		{at("y/web", "y/web/inner"), "", "lies inside"},
		{at("y/web"), "web", ""},
		{at("y/web", "again"), "web", ""},
		{at("y/api", "x/api", "y/api-2"), "api-3 api api-2", ""},
		{at("x/api", "y/api-2", "y/api"), "api api-2 api-3", ""},
	} {
		w, err := Open(tt.dirs...)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Open(%q): got error %v, want %q", tt.dirs, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("Open(%q): %v", tt.dirs, err)
			continue
		}
		var names []string
		for _, r := range w.Roots() {
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != tt.names {
			t.Errorf("Open(%q): got names %q, want %q", tt.dirs, got, tt.names)
		}
		w.Close()
	}
	a, _ := Open(at("x/api", "y/web")...)
	b, _ := Open(at("again", "x/api")...)
	c, _ := Open(at("x/api")...)
	if a.ID() != b.ID() || a.ID() == c.ID() || len(a.ID()) != 32 {
		t.Errorf("IDs: %s, %s must be equal, %s another", a.ID(), b.ID(), c.ID())
	}
}

func TestSeveralFolders(t *testing.T) {
	base := t.TempDir()
	put(t, base, "x/api/a.py", "x = 1\n")
	put(t, base, "y/web/a.py", "y = 1\n")
	w, err := Open(filepath.Join(base, "x/api"), filepath.Join(base, "y/web"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := w.NewOverlay()
	if rel, err := w.Rel(filepath.Join(base, "y/web/a.py")); rel != "web/a.py" || err != nil {
		t.Errorf("Rel: got %q, %v", rel, err)
	}
	if _, err := o.Rename("api/a.py", "web/b.py"); err != nil {
		t.Error(err)
	}
	entries, _, err := o.List(t.Context(), "*.py", 0)
	for i := range entries {
		if entries[i].Modified.IsZero() != entries[i].Staged {
			t.Errorf("%s: modified %v", entries[i].Path, entries[i].Modified)
		}
		entries[i].Modified = time.Time{}
	}
	if got, want := entries, []Entry{{Path: "web/a.py", Size: 6}, {Path: "web/b.py", Size: 6, Staged: true}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("List: got %v, %v; want %v", got, err, want)
	}
	for _, p := range []string{"a.py", "other/a.py", "web"} {
		_, err := o.Read(p)
		checkRefused(t, "read", p, "several folders", err)
	}
	apply(t, Disk(w), editsOf(o.ChangeSet())...)
	want := map[string]string{"y/web/a.py": "y = 1\n", "y/web/b.py": "x = 1\n"}
	if got := tree(t, base); !maps.Equal(got, want) {
		t.Errorf("disk: got %q, want %q", got, want)
	}
}

func TestReadRefuses(t *testing.T) {
	w, dir := open(t, map[string]string{"bin": "a\x00b\x01", "big": "x"})
	if err := os.Truncate(filepath.Join(dir, "big"), 50<<20); err != nil {
		t.Fatal(err)
	}
	o := w.NewOverlay()
	var large *TooLarge
	if _, err := o.Read("big"); !errors.As(err, &large) || large.Size != 50<<20 || large.Limit != MaxText {
		t.Errorf("a file of 50 MiB: got %v", err)
	}
	if _, err := o.Write("big", "x"); !errors.As(err, &large) {
		t.Errorf("writing over 50 MiB: got %v", err)
	}
	if _, err := o.Write("new", strings.Repeat("x", MaxText+1)); !errors.As(err, &large) {
		t.Errorf("writing more than MaxText: got %v", err)
	}
	var binary *NotText
	if _, err := o.Read("bin"); !errors.As(err, &binary) || binary.Path != "bin" || binary.Reason == "" {
		t.Errorf("a binary file: got %v", err)
	}
	if _, err := o.Write("bin", "x"); !errors.As(err, &binary) {
		t.Errorf("writing text over a binary file: got %v", err)
	}
	if _, err := o.Read("none"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none") {
		t.Errorf("a file that is not there: got %v", err)
	}
	if _, err := o.Read("bin/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file under a file: got %v", err)
	}
}
