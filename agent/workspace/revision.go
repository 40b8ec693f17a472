package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Revision is what a commit has of a workspace's files.
type Revision struct {
	w     *Workspace
	repos []*repo
	trees []*object.Tree
}

// Revision returns the commit that a name such as HEAD~1, main or a hash means,
// in the repository of each folder; one folder at least must have it.
func (w *Workspace) Revision(name string) (*Revision, error) {
	rev := &Revision{w: w}
	var last error
	for _, f := range w.folders {
		r, err := f.openGit()
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		hash, err := r.ResolveRevision(plumbing.Revision(name))
		if err != nil {
			last = err
			continue
		}
		commit, err := r.CommitObject(*hash)
		if err != nil {
			return nil, fmt.Errorf("reading the commit %s: %w", name, err)
		}
		tree, err := commit.Tree()
		if err != nil {
			return nil, fmt.Errorf("reading the files of %s: %w", name, err)
		}
		rev.repos, rev.trees = append(rev.repos, r), append(rev.trees, tree)
	}
	if rev.repos == nil {
		if last == nil {
			last = errors.New(noGit)
		}
		return nil, fmt.Errorf("there is no revision %s here: %w", name, last)
	}
	return rev, nil
}

// Text returns a file's text as the commit has it; false where it has none, or
// no text. A text that is that of now is returned as now, without reading it.
func (r *Revision) Text(file, now string) (string, bool, error) {
	at, err := r.w.locate(file)
	if err != nil {
		return "", false, err
	}
	for i, repo := range r.repos {
		if repo.folder != at.folder {
			continue
		}
		entry, err := r.trees[i].FindEntry(path.Join(repo.prefix, at.rel))
		if err != nil {
			return "", false, nil // it had none
		}
		if entry.Hash == plumbing.ComputeHash(plumbing.BlobObject, []byte(now)) {
			return now, true, nil
		}
		c, err := headContent(r.trees[i], path.Join(repo.prefix, at.rel), file)
		if err != nil || c == nil {
			return "", false, err
		}
		text, ok := c.Text()
		return text, ok, nil
	}
	return "", false, nil
}

// Files returns the paths of the files that the commit has, in the order of its trees.
func (r *Revision) Files(ctx context.Context) ([]string, error) {
	var list []string
	for i, repo := range r.repos {
		err := r.trees[i].Files().ForEach(func(f *object.File) error {
			if rel, ok := strings.CutPrefix(f.Name, repo.prefix); ok {
				list = append(list, r.w.key(repo.folder, rel))
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}
