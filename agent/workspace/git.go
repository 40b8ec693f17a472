package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

const (
	// noGit is the answer for a folder without git, which is a workspace too.
	noGit = "not a git repository"

	maxStatusLines = 1000      // a status that is longer tells a model no more than its beginning
	maxGitDiff     = 512 << 10 // bytes: larger than any context has room for
)

// repo is the git repository that a folder lies in.
type repo struct {
	*git.Repository
	folder *folder
	prefix string // from the top of the repository to the folder: "" or ending in a slash
}

// openGit returns a folder's repository, nil where it has none.
func (f *folder) openGit() (*repo, error) {
	r, err := git.PlainOpenWithOptions(f.real, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the git repository of %s: %w", f.Dir, err)
	}
	tree, err := r.Worktree()
	if err != nil {
		return nil, fmt.Errorf("opening the git work tree of %s: %w", f.Dir, err)
	}
	prefix := ""
	if rel, err := filepath.Rel(realPath(tree.Filesystem.Root()), f.real); err == nil && rel != "." {
		prefix = filepath.ToSlash(rel) + "/"
	}
	return &repo{r, f, prefix}, nil
}

// GitStatus returns what git would say of the files on disk, in the form of "git
// status --porcelain --branch". A folder without git is told as such, not as an
// error.
func (w *Workspace) GitStatus(ctx context.Context) (string, error) {
	return await(ctx, func() (string, error) {
		var out []string
		for _, f := range w.folders {
			lines, err := w.gitStatus(ctx, f)
			if err != nil {
				return "", err
			}
			out = append(out, lines...)
		}
		if n := len(out) - maxStatusLines; n > 0 {
			out = append(out[:maxStatusLines], fmt.Sprintf("… and %d more lines", n))
		}
		return strings.Join(out, "\n") + "\n", nil
	})
}

func (w *Workspace) gitStatus(ctx context.Context, f *folder) ([]string, error) {
	of := w.label(f)
	r, err := f.openGit()
	if err != nil {
		return nil, err
	}
	if r == nil {
		return []string{of + noGit}, nil
	}
	status, err := r.status()
	if err != nil {
		return nil, err
	}
	known, err := w.unignored(ctx)
	if err != nil {
		return nil, err
	}
	lines := []string{"## " + of + r.branch()}
	for _, name := range slices.Sorted(maps.Keys(status)) {
		s := status[name]
		rel, inside := strings.CutPrefix(name, r.prefix)
		key := w.key(f, rel)
		clean := s.Worktree == git.Unmodified && s.Staging == git.Unmodified
		if !inside || clean || s.Worktree == git.Untracked && !known[key] {
			continue
		}
		lines = append(lines, fmt.Sprintf("%c%c %s", s.Staging, s.Worktree, key))
	}
	return lines, nil
}

// label names a folder where there are several.
func (w *Workspace) label(f *folder) string {
	if len(w.folders) == 1 {
		return ""
	}
	return f.Name + ": "
}

func (r *repo) status() (git.Status, error) {
	tree, err := r.Worktree()
	if err != nil {
		return nil, fmt.Errorf("reading the git status of %s: %w", r.folder.Dir, err)
	}
	status, err := tree.Status()
	if err != nil {
		return nil, fmt.Errorf("reading the git status of %s: %w", r.folder.Dir, err)
	}
	return status, nil
}

// branch names what HEAD is.
func (r *repo) branch() string {
	head, err := r.Reference(plumbing.HEAD, false)
	switch {
	case err != nil:
		return "HEAD cannot be read"
	case head.Type() == plumbing.SymbolicReference:
		if _, err := r.Head(); err != nil {
			return "no commits yet on " + head.Target().Short()
		}
		return head.Target().Short()
	}
	return "HEAD detached at " + head.Hash().String()[:7]
}

// unignored returns the files that a walk lists: go-git takes some ignored files
// for untracked ones, see parseRules, and a virtual environment is no news.
func (w *Workspace) unignored(ctx context.Context) (map[string]bool, error) {
	files, _, err := (&Overlay{w: w}).walk(ctx, true)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(files))
	for _, f := range files {
		if !f.dir {
			known[f.key] = true
		}
	}
	return known, nil
}

// GitDiff returns how what the user sees differs from the last commit, as a
// unified diff: of one file, or of every tracked one where path is empty. A file
// that was never committed is one that is created. Of the files that hides names,
// if it is not nil, only a diff that is asked for by path is given. A folder without git is told as
// such, not as an error.
func (w *Workspace) GitDiff(ctx context.Context, path string, hides func(path string) bool) (string, error) {
	return await(ctx, func() (string, error) {
		if path != "" {
			at, err := w.locate(path)
			if err != nil {
				return "", err
			}
			return w.gitDiff(ctx, at.folder, []place{at}, nil)
		}
		var out strings.Builder
		for _, f := range w.folders {
			text, err := w.gitDiff(ctx, f, nil, hides)
			if err != nil {
				return "", err
			}
			out.WriteString(text)
		}
		return cutDiff(out.String()), nil
	})
}

// cutDiff keeps the beginning of a diff that is too long, and says so.
func cutDiff(text string) string {
	if len(text) <= maxGitDiff {
		return text
	}
	kept := text[:strings.LastIndexByte(text[:maxGitDiff], '\n')+1]
	return kept + fmt.Sprintf("… and %d more lines; ask for the diff of one file\n", strings.Count(text[len(kept):], "\n"))
}

// gitDiff returns the diff of some files of a folder, or of every tracked one.
func (w *Workspace) gitDiff(ctx context.Context, f *folder, files []place, hides func(string) bool) (string, error) {
	r, err := f.openGit()
	if err != nil {
		return "", err
	}
	if r == nil {
		return w.label(f) + noGit + "\n", nil
	}
	head, err := r.headTree()
	if err != nil {
		return "", err
	}
	one := files != nil
	if !one {
		if files, err = w.changedFiles(r, head); err != nil {
			return "", err
		}
	}
	var out strings.Builder
	for _, at := range files {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if hides != nil && hides(at.key) {
			fmt.Fprintf(&out, "no diff of %s: it may hold secrets\n", at.key)
			continue
		}
		before, err := headContent(head, path.Join(r.prefix, at.rel), at.key)
		var after *Content
		if err == nil {
			after, err = w.base(at, w.buffer(at.key))
		}
		switch {
		case err != nil && one:
			return "", err
		case err != nil:
			fmt.Fprintf(&out, "no diff of %s: %v\n", at.key, err)
		case !same(before, after):
			out.WriteString(changeOf(at.key, "", before, after).Unified())
		}
	}
	return cutDiff(out.String()), nil
}

// changedFiles returns the tracked files that are not as in the last commit, on
// disk or in the editor.
func (w *Workspace) changedFiles(r *repo, head *object.Tree) ([]place, error) {
	status, err := r.status()
	if err != nil {
		return nil, err
	}
	changed := make(map[string]place)
	for name, s := range status {
		rel, inside := strings.CutPrefix(name, r.prefix)
		if inside && s.Worktree != git.Untracked {
			changed[rel] = place{folder: r.folder, rel: rel, key: w.key(r.folder, rel)}
		}
	}
	w.mu.Lock()
	open := slices.Collect(maps.Values(w.buffers))
	w.mu.Unlock()
	for _, b := range open {
		if b.folder == r.folder && head != nil {
			if _, err := head.File(r.prefix + b.rel); err == nil {
				changed[b.rel] = b.place
			}
		}
	}
	var list []place
	for _, rel := range slices.Sorted(maps.Keys(changed)) {
		list = append(list, changed[rel])
	}
	return list, nil
}

// headTree returns the tree of the last commit, nil if there is none.
func (r *repo) headTree() (*object.Tree, error) {
	head, err := r.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading HEAD of %s: %w", r.folder.Dir, err)
	}
	commit, err := r.CommitObject(head.Hash())
	if err != nil {
		return nil, fmt.Errorf("reading the last commit of %s: %w", r.folder.Dir, err)
	}
	return commit.Tree()
}

// headContent returns a file of the last commit; nil: it had none.
func headContent(head *object.Tree, name, key string) (*Content, error) {
	if head == nil {
		return nil, nil
	}
	file, err := head.File(name)
	if errors.Is(err, object.ErrFileNotFound) {
		return nil, nil
	}
	if err == nil && file.Size > MaxContent {
		return nil, &TooLarge{key, file.Size, MaxContent}
	}
	if err == nil && file.Mode == filemode.Symlink {
		return nil, &PathError{Path: key, Reason: "it is a link", Advice: "ask for the file that it leads to"}
	}
	var text string
	if err == nil {
		text, err = file.Contents()
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s from the last commit: %w", key, err)
	}
	mode := newFileMode
	if file.Mode == filemode.Executable {
		mode |= 0o111
	}
	return NewContent([]byte(text), mode), nil
}

// await returns what f returns, or ctx's error as soon as that ends. Go-git cannot
// be interrupted: f then runs to its end unheard, and all that it does is read.
func await(ctx context.Context, f func() (string, error)) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // in a goroutine it would end the program, not the request
				done <- answer{err: fmt.Errorf("git's files could not be read: %v", p)}
			}
		}()
		text, err := f()
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Tracked returns which of some files of the workspace git tracks: what is in a
// repository is shared with all who have it. A folder without git, or whose index
// cannot be read, tracks none.
func (w *Workspace) Tracked(paths []string) map[string]bool {
	tracked := make(map[string]bool)
	for _, f := range w.folders {
		r, err := f.openGit()
		if err != nil || r == nil {
			continue
		}
		index, err := r.Storer.Index()
		if err != nil {
			continue
		}
		for _, entry := range index.Entries {
			rel, inside := strings.CutPrefix(entry.Name, r.prefix)
			if key := w.key(f, rel); inside && slices.Contains(paths, key) {
				tracked[key] = true
			}
		}
	}
	return tracked
}
