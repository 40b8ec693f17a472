package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// paths returns what List shows.
func paths(t testing.TB, o *Overlay, glob string) []string {
	t.Helper()
	entries, more, err := o.List(t.Context(), glob, 0)
	if err != nil || more {
		t.Fatalf("List(%q): more %v, %v", glob, more, err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Path)
	}
	return list
}

// TestIgnore compares the walk with the table of testdata/ignore and with git.
func TestIgnore(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/ignore/rules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	var shown, hidden []string
	for _, f := range archive.Files {
		name, isRule := strings.CutPrefix(f.Name, "rules/")
		if isRule {
			files[name] = string(f.Data)
			if name == "crlf/.gitignore" {
				files[name] = strings.ReplaceAll(string(f.Data), "\n", "\r\n")
			}
			shown = append(shown, name)
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			name := strings.TrimSuffix(line[2:], "\n")
			if files[name] = name; line[0] == '-' {
				hidden = append(hidden, name)
			} else {
				shown = append(shown, name)
			}
		}
	}
	w, dir := open(t, files)
	slices.Sort(shown)
	if got := paths(t, w.NewOverlay(), ""); !slices.Equal(got, shown) {
		t.Errorf("listed %q\n  want %q", got, shown)
	}
	git := need(t, "git")
	run(t, dir, git, "init", "-q")
	check := exec.Command(git, "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin")
	check.Dir = dir
	check.Stdin = strings.NewReader(strings.Join(slices.Concat(shown, hidden), "\x00"))
	out, _ := check.Output() // its code says whether anything is ignored
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(got)
	slices.Sort(hidden)
	if !slices.Equal(got, hidden) {
		t.Errorf("git ignores %q\n      table %q", got, hidden)
	}
}

// run runs a program that the test compares with, without the settings of the
// machine's user.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return string(out)
}

func TestList(t *testing.T) {
	w, dir := open(t, map[string]string{
		"a.py": "a", "b.txt": "b", "sub/c.py": "c", "sub.d/e.py": "e", "bad\\name": "x", "gone.py": "g",
		"node_modules/m.js": "m", "sub/__pycache__/c.pyc": "p", "build/out": "o", "x/env/pyvenv.cfg": "v", "x/env/lib.py": "l",
		".git/config": "g", ".env": "e", "keep/build/x": "k", "keep/.gitignore": "!build/\n", ".caselsp-temp": "t",
		"sub/#c.py#": "c", "sub/.#c.py": "c", "sub/c.py~": "c", "sub/.c.py.swp": "c",
	})
	link(t, "sub", dir, "linkdir")
	link(t, "a.py", dir, "linkfile.py")
	o := w.NewOverlay()
	for path, text := range map[string]string{"build/staged.py": "s", "sub/new.py": "n"} {
		if _, err := o.Write(path, text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.Delete("gone.py"); err != nil {
		t.Fatal(err)
	}
	w.OpenBuffer("unsaved.py", "u", 1)
	w.OpenBuffer("node_modules/m.js", "typed", 1)
	for _, tt := range []struct {
		glob string
		want []string
	}{
		{"", []string{".env", "a.py", "b.txt", "build/staged.py", "keep/.gitignore", "keep/build/x", "sub.d/e.py", "sub/c.py", "sub/new.py", "unsaved.py"}},
		{"*.py", []string{"a.py", "build/staged.py", "sub.d/e.py", "sub/c.py", "sub/new.py", "unsaved.py"}},
		{"/*.py", []string{"a.py", "unsaved.py"}},
		{"sub/*", []string{"sub/c.py", "sub/new.py"}},
		{"sub/", []string{"sub/c.py", "sub/new.py"}},
		{"**/c.py", []string{"sub/c.py"}},
		{"sub*/**/*.{py,js}", []string{"sub.d/e.py", "sub/c.py", "sub/new.py"}},
		{"[!ab]*.py", []string{"sub.d/e.py", "sub/c.py", "sub/new.py", "unsaved.py", "build/staged.py"}},
		{"?.{py,txt}", []string{"a.py", "b.txt", "sub.d/e.py", "sub/c.py"}},
		{"/sub/c.py", []string{"sub/c.py"}},
		{"sub/{c,new}.py", []string{"sub/c.py", "sub/new.py"}},
		{"{sub/c,a}.py", []string{"a.py", "sub/c.py"}},
		{"/build/staged.py", []string{"build/staged.py"}},
		{"none", nil},
	} {
		slices.Sort(tt.want)
		if got := paths(t, o, tt.glob); !slices.Equal(got, tt.want) {
			t.Errorf("List(%q): got %q, want %q", tt.glob, got, tt.want)
		}
	}
	if entries, more, err := o.List(t.Context(), "", 2); len(entries) != 2 || !more || err != nil {
		t.Errorf("with a limit: got %v, %v, %v", entries, more, err)
	}
	for _, bad := range []string{"[", "{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}"} {
		if _, _, err := o.List(t.Context(), bad, 0); err == nil {
			t.Errorf("List(%q): no error", bad)
		}
	}
	// The rules are those that the user sees, too.
	w.OpenBuffer(".gitignore", "*.py\n", 1)
	if got, want := paths(t, o, "*.py"), []string{"build/staged.py", "sub/new.py", "unsaved.py"}; !slices.Equal(got, want) {
		t.Errorf("with an unsaved .gitignore: got %q, want %q", got, want)
	}
	tree, err := o.Tree(t.Context(), 1<<20)
	got := make(map[string]string)
	for _, f := range tree {
		got[f.Path] = string(f.Data) + f.Link
	}
	want := map[string]string{"linkdir": "sub", ".env": "e", ".gitignore": "*.py\n", "b.txt": "b", "build/staged.py": "s", "keep/.gitignore": "!build/\n", "keep/build/x": "k", "sub/new.py": "n", "unsaved.py": "u"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("Tree: got %q, %v; want %q", got, err, want)
	}
	if _, err := o.Tree(t.Context(), 10); !errors.Is(err, ErrTreeTooLarge) {
		t.Errorf("Tree above its limit: got %v", err)
	}
}

// TestTreeLinks: links keep their text, and bring what they lead to as the task sees it. What leads out is left out.
func TestTreeLinks(t *testing.T) {
	w, dir := open(t, map[string]string{"conf/real.py": "r", "conf/gone.py": "g"})
	link(t, "conf/real.py", dir, "settings.py")
	link(t, "../settings.py", dir, "conf/chain.py")
	link(t, filepath.Join(dir, "conf/real.py"), dir, "rooted.py")
	link(t, "conf", dir, "folder")
	link(t, "conf/gone.py", dir, "gone.py")
	for name, out := range map[string]string{"out": "/etc/hostname", "outside": "/etc", "up": "..", "circle": "circle", "nowhere": "nothing"} {
		link(t, out, dir, name)
	}
	o := w.NewOverlay()
	if _, err := o.Write("settings.py", "staged"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Delete("conf/gone.py"); err != nil {
		t.Fatal(err)
	}
	tree, err := o.Tree(t.Context(), 1<<20)
	var got []string
	for _, f := range tree {
		got = append(got, fmt.Sprintf("%s %s %v %s %q", f.Path, f.Origin, f.Mode, f.Data, strings.ReplaceAll(f.Link, dir, "DIR")))
	}
	want := []string{`conf/chain.py conf/real.py -rw-r--r-- staged "../settings.py"`, `conf/real.py conf/real.py -rw-r--r-- staged ""`,
		`folder conf d---------  "conf"`, `rooted.py conf/real.py -rw-r--r-- staged "DIR/conf/real.py"`, `settings.py conf/real.py -rw-r--r-- staged "conf/real.py"`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}

func TestManifest(t *testing.T) {
	w, dir := open(t, map[string]string{"a.py": "a", "b.py": "b"})
	o := w.NewOverlay()
	first, err := o.Manifest(t.Context(), 10)
	if err != nil || len(first) != 2 || first["a.py"] != was("a")[:16] {
		t.Errorf("got %v, %v", first, err)
	}
	put(t, dir, "b.py", "c")
	second, _ := o.Manifest(t.Context(), 10)
	if first["a.py"] != second["a.py"] || first["b.py"] == second["b.py"] {
		t.Errorf("after a change: %v, then %v", first, second)
	}
	if many, err := o.Manifest(t.Context(), 1); many != nil || err != nil {
		t.Errorf("above the limit: got %v, %v", many, err)
	}
}

func TestSearch(t *testing.T) {
	w, dir := open(t, map[string]string{
		"a.py": "import os\r\nOS = 1\r\n", "b.txt": "os.path", "sub/c.py": "x\ny = (os)\n",
		"bin": "os\x00", "wide.txt": "\xff\xfeo\x00s\x00", "node_modules/m.js": "os", "long.txt": strings.Repeat("ä", 400) + "os",
	})
	o := w.NewOverlay()
	if _, err := o.Write("new.py", "os again\n"); err != nil {
		t.Fatal(err)
	}
	w.OpenBuffer("b.txt", "no longer", 1)
	for _, tt := range []struct {
		q    Query
		want string
	}{
		{Query{Pattern: "os"}, "a.py:1 long.txt:1 new.py:1 sub/c.py:2 wide.txt:1"},
		{Query{Pattern: "os", IgnoreCase: true, Glob: "*.py"}, "a.py:1 a.py:2 new.py:1 sub/c.py:2"},
		{Query{Pattern: "(os)"}, "sub/c.py:2"},
		{Query{Pattern: "^(import )?os", Regexp: true}, "a.py:1 new.py:1 wide.txt:1"},
		{Query{Pattern: `os$`, Regexp: true, Glob: "*.py"}, "a.py:1"},
		{Query{Pattern: `1\z`, Regexp: true, Glob: "*.py"}, "a.py:2"},
		{Query{Pattern: "os", Limit: 2}, "a.py:1 long.txt:1 more"},
		{Query{Pattern: "nothing"}, ""},
	} {
		matches, more, err := o.Search(t.Context(), tt.q)
		var got []string
		for _, m := range matches {
			got = append(got, fmt.Sprintf("%s:%d", m.Path, m.Line))
			if strings.HasSuffix(m.Text, "\r") || len(m.Text) > maxMatchText+len("…") {
				t.Errorf("%+v: text %q", tt.q, m.Text)
			}
		}
		if more {
			got = append(got, "more")
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%+v: got %q, %v; want %q", tt.q, got, err, tt.want)
		}
	}
	found, _, err := o.Search(t.Context(), Query{Pattern: "OS =", Context: 3})
	if err != nil || len(found) != 1 || !slices.Equal(found[0].Before, []string{"import os"}) || len(found[0].After) != 0 {
		t.Errorf("with context: %+v, %v", found, err)
	}
	large := bytes.Repeat([]byte("os\n"), MaxText/3+1)
	for name, data := range map[string][]byte{"big.log": large, "big.bin": append([]byte{0}, large...)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var passed []string
	_, _, err = o.Search(t.Context(), Query{Pattern: "os", TooLarge: func(path string, _ int64) { passed = append(passed, path) }})
	if err != nil || !slices.Equal(passed, []string{"big.log"}) {
		t.Errorf("too large: %q, %v", passed, err)
	}
	for _, q := range []Query{{}, {Pattern: "(", Regexp: true}, {Pattern: "x", Glob: "["}} {
		if _, _, err := o.Search(t.Context(), q); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}

// TestPartOfRepository: a folder inside a repository obeys the rules above it,
// unless they are against the folder itself.
func TestPartOfRepository(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/info/exclude": "*.private\n", ".gitignore": "*.secret\n/part/only\n/hidden/\n",
		"part/a.secret": "", "part/a.private": "", "part/only": "", "part/a.py": "", "part/sub/only": "",
		"hidden/a.secret": "", "hidden/a.py": "",
	} {
		put(t, dir, name, text)
	}
	for folder, want := range map[string][]string{"part": {"a.py", "sub/only"}, "hidden": {"a.py", "a.secret"}} {
		w, err := Open(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		if got := paths(t, w.NewOverlay(), ""); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", folder, got, want)
		}
		w.Close()
	}
}

func BenchmarkList10000(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		for j := range 100 {
			put(b, dir, fmt.Sprintf("pkg%d/file%d.py", i, j), "x = 1\n")
		}
	}
	put(b, dir, ".gitignore", "*.log\n*.pyc\n/dist\n.env\n")
	w, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	o := w.NewOverlay()
	for b.Loop() {
		if entries, _, err := o.List(b.Context(), "**/*.py", 0); len(entries) != 10_000 || err != nil {
			b.Fatal(len(entries), err)
		}
	}
}

func BenchmarkOpenBufferStaged(b *testing.B) {
	base := numbered(5000, nil)
	w, _ := open(b, map[string]string{"a.txt": base})
	o := w.NewOverlay()
	if _, err := o.Write("a.txt", numbered(5000, map[int]string{10: "x", 2000: "y", 4990: "z"})); err != nil {
		b.Fatal(err)
	}
	typed := []string{numbered(5000, map[int]string{3000: "t"}), numbered(5000, map[int]string{3000: "ty"})}
	n := 0
	for b.Loop() {
		w.OpenBuffer("a.txt", typed[n%2], int32(n))
		n++
	}
	if got := stateText(o.State()); got != "modify a.txt\n" {
		b.Fatalf("got %q", got)
	}
}

// TestAtOnce lists files in a moment: what comes later is not in it, and is in the next.
func TestAtOnce(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.py", "a = 1\n")
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := w.NewOverlay()
	defer o.Close()
	count := func(ctx context.Context, o *Overlay, glob string) int {
		t.Helper()
		list, _, err := o.List(ctx, glob, 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	moment := AtOnce(t.Context())
	if n := count(moment, o, ""); n != 1 {
		t.Errorf("%d files", n)
	}
	put(t, dir, "b.py", "b = 1\n")
	if n := count(moment, o, ""); n != 1 {
		t.Errorf("a file that came later is listed in the moment: %d", n)
	}
	other := w.NewOverlay()
	defer other.Close()
	for what, n := range map[string]int{"some files": count(moment, o, "*.py"), "another overlay": count(moment, other, ""), "the next moment": count(AtOnce(t.Context()), o, ""), "now": count(t.Context(), o, "")} {
		if n != 2 {
			t.Errorf("%s: %d files are listed", what, n)
		}
	}
}
