package workspace

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"caselsp/store/lazyregexp"
)

// What makes a folder a repository of git is in it, not in its name: git takes a folder
// with a file HEAD and the folders objects and refs (or, instead of these, a file
// commondir) for one as soon as somebody stands in it, and runs what its config and its
// hooks name. So no change may complete such a folder, whatever it is called and in
// whatever order its parts come, and no change may touch what git runs in one that the
// user has, as a test's data, nor take a part of it away: whoever brings that back later, as
// an undo does, would complete a folder that was filled meanwhile. The rest of that stays
// editable. What an undo brings back is looked at in gitback.go.

// shortName is what NTFS calls a .git, and a folder whose long name it cannot have again.
var shortName = lazyregexp.New(`^git~[0-9]+$`)

// fold writes a name as file systems compare it: it takes every spelling that some file
// system takes for the same name to one. Other case, dots and blanks at the end, a
// stream after a colon, and the invisible characters that HFS+ drops.
func fold(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	return strings.TrimRight(name, " .")
}

// ownVersionControl reports whether a path goes through the private folder of a
// version control system, whose files name programs that it runs.
func ownVersionControl(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool {
		name = fold(name)
		return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj" || shortName.MatchString(name)
	})
}

// gitParts are the parts that a folder has of a repository.
type gitParts struct{ head, objects, refs, common bool }

// complete reports whether git takes a folder with these parts for a repository. Whether
// HEAD names a branch is not looked at: the next change could make it.
func (p gitParts) complete() bool { return p.head && (p.objects && p.refs || p.common) }

// add counts a file by its path inside the folder.
func (p *gitParts) add(rest string) {
	first, below, _ := strings.Cut(rest, "/")
	switch first = fold(first); {
	case below == "":
		p.head, p.common = p.head || first == "head", p.common || first == "commondir"
	default:
		p.objects, p.refs = p.objects || first == "objects", p.refs || first == "refs"
	}
}

// runs reports whether git runs, in a repository, what a file with this path in it says.
func runs(rest string) bool {
	first, below, _ := strings.Cut(rest, "/")
	switch fold(first) {
	case "config", "config.worktree", "commondir", "gitdir":
		return below == ""
	case "hooks":
		return true
	case "info":
		return fold(below) == "attributes"
	}
	return false
}

// folderOf is a folder inside a folder of the workspace; rel is "." for that itself.
type folderOf struct {
	folder *folder
	rel    string
}

// step is a folder that a file lies in, and the file's path in it.
type step struct {
	in   folderOf
	rest string
}

// above returns the folders that a file lies in, the innermost first.
func (at place) above() []step {
	var list []step
	dir, rest := at.rel, ""
	for dir != "." {
		rest = path.Join(path.Base(dir), rest)
		dir = path.Dir(dir)
		list = append(list, step{folderOf{at.folder, dir}, rest})
	}
	return list
}

// mayMatter reports whether a path can be a part of a repository, or what git runs in one.
func (at place) mayMatter() bool {
	return slices.ContainsFunc(at.above(), func(s step) bool {
		var p gitParts
		p.add(s.rest)
		return p != (gitParts{}) || runs(s.rest)
	})
}

// users returns the parts that a folder has as the user sees it. A link counts as what
// it may lead to.
func (w *Workspace) users(d folderOf) gitParts {
	var p gitParts
	entries, _ := fs.ReadDir(d.folder.root.FS(), d.rel) // what is not there, or cannot be read, has no parts that git could read
	for _, e := range entries {
		if !e.IsDir() {
			p.add(e.Name())
		}
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			p.add(e.Name() + "/x")
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.buffers {
		for _, s := range b.above() {
			if s.in == d {
				p.add(s.rest)
			}
		}
	}
	return p
}

// planted says for each of several new or changed files why it may not be written, nil
// where it may: together with others, and with what the user has, they would make a
// repository of git, or change what git runs in one.
func (w *Workspace) planted(files, others []place) []error {
	added := map[folderOf]gitParts{}
	for _, at := range slices.Concat(files, others) {
		for _, s := range at.above() {
			p := added[s.in]
			p.add(s.rest)
			added[s.in] = p
		}
	}
	has := map[folderOf]gitParts{} // of the user's own, as far as it matters
	users := func(d folderOf) gitParts {
		p, known := has[d]
		if !known {
			p = w.users(d)
			has[d] = p
		}
		return p
	}
	errs := make([]error, len(files))
	for i, at := range files {
		for _, s := range at.above() {
			d := s.in
			switch now := added[d]; {
			case now != (gitParts{}) && !users(d).complete() && now.with(users(d)).complete():
				errs[i] = &PathError{Path: at.asked, Reason: w.called(d) + " would become a git repository, and git runs what its config names", Advice: "leave out HEAD, objects or refs: a test can make the repository when it runs"}
			case runs(s.rest) && users(d).complete():
				errs[i] = &PathError{Path: at.asked, Reason: w.called(d) + " is a git repository, and git runs what this file says", Advice: "leave the file as it is"}
			}
		}
	}
	return errs
}

// with are the parts of both.
func (p gitParts) with(q gitParts) gitParts {
	return gitParts{p.head || q.head, p.objects || q.objects, p.refs || q.refs, p.common || q.common}
}

// called names a folder for a message.
func (w *Workspace) called(d folderOf) string {
	if d.rel == "." {
		return fmt.Sprintf("the folder %s", d.folder.Name)
	}
	return w.key(d.folder, d.rel)
}

// checkPlanted refuses a file of the overlay that would complete a repository of git with
// what is staged and what the user has, or would change what git runs in one.
func (o *Overlay) checkPlanted(at place) error {
	if !at.mayMatter() {
		return nil
	}
	return o.w.planted([]place{at}, o.staged())[0]
}

// staged are the places of the files that are staged and not deleted.
func (o *Overlay) staged() []place {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	var list []place
	for key, s := range o.slots {
		if f, rel, err := o.w.split(key); err == nil && s.now != nil {
			list = append(list, place{folder: f, rel: rel, key: key, asked: key})
		}
	}
	return list
}

// Planted returns which of the files that are to be staged together may not be, and why: a
// command can bring all parts of a repository at once.
func (o *Overlay) Planted(paths []string) map[string]error { return o.w.refused(paths, o.staged()) }

// Planted returns which of the files that are to be written together may not be, and why:
// they would make a git repository with what the user has, or change what git runs in one.
func (w *Workspace) Planted(paths []string) map[string]error { return w.refused(paths, nil) }

func (w *Workspace) refused(paths []string, others []place) map[string]error {
	refused := map[string]error{}
	var files []place
	for _, p := range paths {
		at, err := w.locateWrite(p)
		if err != nil {
			refused[p] = err
			continue
		}
		at.asked = p
		files = append(files, at)
	}
	for i, err := range w.planted(files, others) {
		if err != nil {
			refused[files[i].asked] = err
		}
	}
	return refused
}
