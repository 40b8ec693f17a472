package workspace

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// checkKept refuses to take away, from a repository of git that the user has, a part
// that makes it one or that git runs: see gitdir.go.
func (w *Workspace) checkKept(at place) error {
	for _, s := range at.above() {
		var p gitParts
		if p.add(s.rest); (p != gitParts{} || runs(s.rest)) && w.users(s.in).complete() {
			return &PathError{Path: at.key, Reason: w.called(s.in) + " is a git repository, and this is a part of it", Advice: "leave the file where it is"}
		}
	}
	return nil
}

// Kept returns which of the files that are to be removed or renamed may not be, and why:
// they are parts of a git repository that the user has.
func (w *Workspace) Kept(paths []string) map[string]error {
	kept := map[string]error{}
	for _, p := range paths {
		at, err := w.locateName(p)
		if err == nil {
			err = w.checkKept(at)
		}
		if err != nil {
			kept[p] = err
		}
	}
	return kept
}

// BroughtBack returns which of the files that an undo would write may not be, and why: they
// would complete a repository of git, or say what git runs in one, and parts of it have come
// since the time at which all that is brought back was the user's. A repository that was
// whole then comes back whole.
func (w *Workspace) BroughtBack(paths []string, since time.Time) map[string]error {
	refused := map[string]error{}
	var files []place
	added := map[folderOf]gitParts{}
	for _, p := range paths {
		at, err := w.locateWrite(p)
		if err != nil {
			refused[p] = err
			continue
		}
		at.asked = p
		files = append(files, at)
		for _, s := range at.above() {
			parts := added[s.in]
			parts.add(s.rest)
			added[s.in] = parts
		}
	}
	for _, at := range files {
		for _, s := range at.above() {
			var own gitParts
			own.add(s.rest)
			has := w.users(s.in)
			completes := own != (gitParts{}) && !has.complete()
			if !completes && !runs(s.rest) || !has.with(added[s.in]).complete() {
				continue
			}
			if newer := w.newer(s.in, since, files); newer != "" {
				refused[at.asked] = &PathError{Path: at.asked,
					Reason: fmt.Sprintf("%s would be a git repository with it, and git runs what %s says, which came after this task began", w.called(s.in), newer),
					Advice: "undo the task that wrote it, or move it away, then undo again; until then nothing of this file is lost, the task keeps it"}
			}
		}
	}
	return refused
}

// newer names what git takes, in a folder, for a part of a repository or runs there, and what
// came after a time; empty if there is none, or nothing that git runs. What is brought back,
// which is in files, is as old as it was.
func (w *Workspace) newer(d folderOf, since time.Time, files []place) string {
	newest, ran := "", false
	back := func(rel string) bool {
		return slices.ContainsFunc(files, func(at place) bool { return at.folder == d.folder && at.rel == rel })
	}
	for _, at := range files {
		for _, s := range at.above() {
			ran = ran || s.in == d && runs(s.rest)
		}
	}
	_ = fs.WalkDir(d.folder.root.FS(), d.rel, func(p string, e fs.DirEntry, err error) error {
		rest := p
		if d.rel != "." {
			rest = strings.TrimPrefix(strings.TrimPrefix(p, d.rel), "/")
		}
		if rest == "." || rest == "" {
			return nil
		}
		top := !strings.Contains(rest, "/")
		name := fold(path.Base(p))
		var parts gitParts
		if parts.add(rest); top && (err == nil && e.IsDir() || err == nil && e.Type()&fs.ModeSymlink != 0) {
			parts.add(rest + "/x")
		}
		counts := runs(rest) && (err != nil || !e.IsDir())
		ran = ran || counts
		if (counts || top && parts != gitParts{}) && !back(p) {
			info, failed := fs.FileInfo(nil), err
			if err == nil {
				info, failed = e.Info()
			}
			if failed != nil || e.Type()&fs.ModeSymlink != 0 || !info.ModTime().Before(since) {
				newest = w.key(d.folder, p)
			}
		}
		if err == nil && e.IsDir() && top && name != "hooks" && name != "info" {
			return fs.SkipDir
		}
		if err != nil && e != nil && e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if !ran {
		return ""
	}
	return newest
}
