package workspace

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnifiedByGit: git makes of the files before what the overlay holds.
func TestUnifiedByGit(t *testing.T) {
	git := need(t, "git")
	before := map[string]string{
		"a b.txt": numbered(60, nil), "none.txt": "x", "crlf.txt": "1\r\n2\n3\rx\r\n4", "gone.txt": "g\n", "gone empty": "",
		"old.txt": numbered(30, nil), "moved.txt": "same\n", "run.sh": "#!/bin/sh\n", "ä\"q.txt": "q\n", "full.txt": "a\nb\n", "first.txt": "",
	}
	w, dir := open(t, before)
	o := w.NewOverlay()
	write := func(path, text string) {
		if _, err := o.Write(path, text); err != nil {
			t.Fatal(err)
		}
	}
	write("a b.txt", numbered(60, map[int]string{0: "first", 7: "", 8: "x\ny", 30: "z", 59: "end"}))
	write("none.txt", "x\ny")
	write("crlf.txt", "1\r\n2\r\n3\rx\r\n4\r\n")
	write("new/dir/file.txt", "n")
	write("new empty", "")
	write("ä\"q.txt", "Q\n")
	write("full.txt", "")
	write("first.txt", "now\n")
	for _, path := range []string{"gone.txt", "gone empty"} {
		if _, err := o.Delete(path); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"old.txt": "sub/renamed.txt", "moved.txt": "moved 2.txt"} {
		if _, err := o.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	write("sub/renamed.txt", numbered(30, map[int]string{15: "x"}))
	if _, err := o.WriteBytes("run.sh", []byte("#!/bin/sh\nexit\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	for name, text := range before {
		put(t, copied, name, text)
	}
	put(t, copied, ".patch", setText(o.ChangeSet()))
	run(t, copied, git, "apply", ".patch")
	if info, err := os.Stat(filepath.Join(copied, "run.sh")); err != nil || !executable(info.Mode()) {
		t.Errorf("run.sh: %v, %v", info.Mode(), err)
	}
	apply(t, Disk(w), editsOf(o.ChangeSet())...)
	got := tree(t, copied)
	delete(got, ".patch")
	if want := tree(t, dir); !maps.Equal(got, want) {
		t.Errorf("git made %q\n  Disk made %q", got, want)
	}
}

// repoFixture makes a repository with a commit and every kind of change.
func repoFixture(t *testing.T) string {
	git := need(t, "git")
	dir := t.TempDir()
	for _, name := range []string{"same.txt", "changed.txt", "gone.txt", "added later.txt", "both.txt", "sub/in.txt"} {
		put(t, dir, name, name+"\n")
	}
	put(t, dir, ".gitignore", "ignored/\n*\n!*/\n!*.txt\n!.gitignore\n")
	run(t, dir, git, "init", "-q", "-b", "main")
	run(t, dir, git, "add", ".")
	run(t, dir, git, "rm", "-q", "--cached", "added later.txt")
	run(t, dir, git, "commit", "-q", "-m", "first")
	put(t, dir, "changed.txt", "changed\n")
	put(t, dir, "both.txt", "staged\n")
	run(t, dir, git, "add", "added later.txt", "both.txt")
	put(t, dir, "both.txt", "and changed\n")
	put(t, dir, "sub/in.txt", "in\n")
	put(t, dir, "untracked.txt", "u\n")
	put(t, dir, "ignored/x.txt", "i\n")
	put(t, dir, "sub/ignored.bin", "i\n")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestGitStatus(t *testing.T) {
	dir := repoFixture(t)
	status := func(dirs ...string) string {
		w, err := Open(dirs...)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		text, err := w.GitStatus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	want := run(t, dir, "git", "-c", "core.quotePath=false", "status", "--porcelain", "--branch", "--untracked-files=all")
	want = strings.ReplaceAll(want, `"`, "") // git quotes blanks
	if got := sorted(status(dir)); got != sorted(want) {
		t.Errorf("got\n%s\nwant\n%s", got, sorted(want))
	}
	if got, want := status(filepath.Join(dir, "sub")), "## main\n M in.txt\n"; got != want {
		t.Errorf("of a folder: got %q, want %q", got, want)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	run(t, dir, "git", "worktree", "add", "-q", "-b", "side", linked)
	put(t, linked, "same.txt", "other\n")
	if got, want := status(linked), "## side\n M same.txt\n"; got != want {
		t.Errorf("of a linked work tree: got %q, want %q", got, want)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	put(t, fresh, "a.txt", "a\n")
	if got, want := status(fresh), "not a git repository\n"; got != want {
		t.Errorf("without git: got %q, want %q", got, want)
	}
	run(t, fresh, "git", "init", "-q", "-b", "main")
	if got, want := status(fresh, linked), "## fresh: no commits yet on main\n?? fresh/a.txt\n## linked: side\n M linked/same.txt\n"; got != want {
		t.Errorf("of two folders: got %q, want %q", got, want)
	}
	w, _ := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.GitStatus(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func sorted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	set := make(map[string]string)
	for _, line := range lines {
		set[line[3:]] = line
	}
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(set)) {
		out.WriteString(set[key] + "\n")
	}
	return out.String()
}

func TestGitDiff(t *testing.T) {
	dir := repoFixture(t)
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	all := func() string {
		text, err := w.GitDiff(t.Context(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	want := run(t, dir, "git", "-c", "core.quotePath=false", "diff", "HEAD", "--no-renames")
	if got := withoutIndex(all()); got != withoutIndex(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.OpenBuffer("same.txt", "typed\n", 1)
	w.OpenBuffer("ignored/x.txt", "typed\n", 1)
	if got := all(); !strings.Contains(got, "+typed") || strings.Contains(got, "ignored") {
		t.Errorf("with unsaved text: got\n%s", got)
	}
	for path, want := range map[string]string{
		"same.txt":      "-same.txt\n+typed\n",
		"sub/in.txt":    "-sub/in.txt\n+in\n",
		"untracked.txt": "--- /dev/null\n+++ b/untracked.txt\n@@ -0,0 +1 @@\n+u\n",
	} {
		if got, err := w.GitDiff(t.Context(), path, nil); err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %q, %v; want %q at its end", path, got, err, want)
		}
	}
	_, err = w.GitDiff(t.Context(), "../x", nil)
	checkRefused(t, "GitDiff", "../x", `".."`, err)
	plain, _ := open(t, map[string]string{"a.txt": "a\n"})
	if got, err := plain.GitDiff(t.Context(), "", nil); got != "not a git repository\n" || err != nil {
		t.Errorf("without git: got %q, %v", got, err)
	}
}

// withoutIndex takes away the lines with git's own hashes and the names of
// functions after "@@".
func withoutIndex(diff string) string {
	var out strings.Builder
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, "index ") {
			out.WriteString(line)
		}
	}
	return out.String()
}
