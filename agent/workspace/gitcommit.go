package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/gitattributes"
	gitindex "github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// CommitFile is a file that a commit changes: what the file held before the change and what it holds after it; nil where there is
// none.
type CommitFile struct {
	Path          string
	Before, After *Content
}

// Commit is a commit that was made in one repository.
type Commit struct {
	Hash, Branch string
	Files        []string // in it
	Ignored      []string // left out of it, because git ignores them
}

// Uncommittable says why nothing was committed. It is no failure: the files are as they were accepted.
type Uncommittable struct{ Reason string }

// Error implements error.
func (u *Uncommittable) Error() string { return u.Reason }

func uncommittable(form string, args ...any) error { return &Uncommittable{fmt.Sprintf(form, args...)} }

// CommitFiles commits exactly these changes onto the branch that is checked out, in the repository of each folder. It
// runs no hook and no program of git, takes only the accepted contents (a buffer need not be saved), and leaves what else the
// user has staged as it is. It refuses, with an *[Uncommittable], wherever a commit would hold more than the changes, or be another
// one than the user's git would make.
func (w *Workspace) CommitFiles(ctx context.Context, files []CommitFile, message string, at time.Time) ([]Commit, error) {
	by := map[*folder][]CommitFile{}
	for _, f := range files {
		place, err := w.locate(f.Path)
		if err != nil {
			return nil, err
		}
		by[place.folder] = append(by[place.folder], f)
	}
	known, err := w.unignored(ctx)
	if err != nil {
		return nil, err
	}
	var made []Commit
	for _, f := range w.folders {
		if by[f] == nil {
			continue
		}
		r, err := f.openGit()
		if err != nil {
			return made, err
		}
		if r == nil {
			return made, uncommittable("%s is no git repository", f.Dir)
		}
		c := committing{repo: r, w: w, files: map[string]CommitFile{}}
		for _, file := range by[f] {
			c.add(file, known[file.Path])
		}
		if err := c.commit(message, at); err != nil {
			return made, err
		}
		if c.made.Hash != "" {
			made = append(made, c.made)
		}
	}
	return made, nil
}

// committing is a commit in one repository.
type committing struct {
	*repo
	w     *Workspace
	files map[string]CommitFile // by the path in the repository
	made  Commit
}

// add takes in a file, unless git ignores it.
func (c *committing) add(f CommitFile, known bool) {
	if f.Before == nil && !known {
		c.made.Ignored = append(c.made.Ignored, f.Path)
		return
	}
	at, err := c.w.locate(f.Path)
	if err == nil {
		c.files[path.Join(c.prefix, at.rel)] = f
		c.made.Files = append(c.made.Files, f.Path)
	}
}

// commit makes the commit, and brings the index up to date for its files.
func (c *committing) commit(message string, at time.Time) error {
	store, ok := c.Storer.(*filesystem.Storage)
	if !ok {
		return uncommittable("the repository is not kept in files")
	}
	dir := store.Filesystem().Root()
	author, err := c.author(dir)
	if err != nil {
		return err
	}
	author.When = at
	locked, err := os.OpenFile(filepath.Join(dir, "index.lock"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return uncommittable("another git works on the index (index.lock)")
	} else if err != nil {
		return err
	}
	defer os.Remove(locked.Name())
	defer locked.Close()
	head, parent, err := c.head()
	if err != nil {
		return err
	}
	idx, err := readIndex(filepath.Join(dir, "index"))
	if err != nil {
		return err
	}
	var before *object.Tree
	if parent != nil {
		if before, err = parent.Tree(); err != nil {
			return err
		}
	}
	if err := c.check(before, idx); err != nil || len(c.files) == 0 {
		return err
	}
	return c.write(head, parent, before, idx, locked, dir, &object.Commit{Author: author, Committer: author, Message: message})
}

// write writes the objects, the index and the branch.
func (c *committing) write(head *plumbing.Reference, parent *object.Commit, before *object.Tree, idx *gitindex.Index, locked *os.File, dir string, commit *object.Commit) error {
	blobs := map[string]object.TreeEntry{}
	for name, f := range c.files {
		if f.After == nil {
			blobs[name] = object.TreeEntry{}
			continue
		}
		hash, err := c.store(plumbing.BlobObject, func(o plumbing.EncodedObject) error { return writeTo(o, f.After.Data) })
		if err != nil {
			return err
		}
		mode := filemode.Regular
		if executable(f.After.Mode) {
			mode = filemode.Executable
		}
		blobs[name] = object.TreeEntry{Name: path.Base(name), Mode: mode, Hash: hash}
	}
	tree, err := c.tree(before, blobs)
	if err == nil && tree.IsZero() {
		tree, err = c.storeTree(nil)
	}
	if err != nil {
		return err
	}
	commit.TreeHash = tree
	old := plumbing.ZeroHash
	if parent != nil {
		commit.ParentHashes, old = []plumbing.Hash{parent.Hash}, parent.Hash
	}
	hash, err := c.store(plumbing.CommitObject, func(o plumbing.EncodedObject) error { return commit.Encode(o) })
	if err != nil {
		return err
	}
	restage(idx, blobs)
	if err := gitindex.NewEncoder(locked).Encode(idx); err != nil {
		return err
	}
	if err := errors.Join(locked.Sync(), locked.Close()); err != nil {
		return err
	}
	branch := head.Target()
	var was *plumbing.Reference
	if parent != nil {
		was = plumbing.NewHashReference(branch, old)
	}
	if err := c.Storer.CheckAndSetReference(plumbing.NewHashReference(branch, hash), was); err != nil {
		return fmt.Errorf("the branch %s moved meanwhile: %w", branch.Short(), err)
	}
	c.note(dir, branch, old, hash, commit)
	c.made.Hash, c.made.Branch = hash.String(), branch.Short()
	return os.Rename(locked.Name(), filepath.Join(dir, "index"))
}

// underWay are files in a git directory that tell of work that a commit in between would spoil.
var underWay = map[string]string{
	"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "rebase-merge": "a rebase",
	"rebase-apply": "a rebase", "BISECT_LOG": "a bisect", "sequencer": "a cherry-pick or revert",
}

// author is who commits, by the user's configuration of git. It refuses what this cannot do as git would.
func (c *committing) author(dir string) (object.Signature, error) {
	for name, what := range underWay {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return object.Signature{}, uncommittable("%s is under way in the repository", what)
		}
	}
	cfg, err := c.ConfigScoped(config.SystemScope)
	if err != nil {
		return object.Signature{}, fmt.Errorf("the configuration of git cannot be read: %w", err)
	}
	signs := strings.ToLower(cfg.Raw.Section("commit").Option("gpgsign"))
	name, mail := cfg.User.Name, cfg.User.Email
	if cfg.Author.Name != "" {
		name = cfg.Author.Name
	}
	if cfg.Author.Email != "" {
		mail = cfg.Author.Email
	}
	switch {
	case signs != "" && signs != "false" && signs != "no" && signs != "off" && signs != "0":
		return object.Signature{}, uncommittable("commit.gpgSign is set, and nothing is signed here: commit it with git")
	case name == "" || mail == "":
		return object.Signature{}, uncommittable("user.name and user.email are not set in git's configuration")
	}
	return object.Signature{Name: name, Email: mail}, nil
}

// head is the branch that is checked out, with its commit; nil where it has none yet.
func (c *committing) head() (*plumbing.Reference, *object.Commit, error) {
	head, err := c.Reference(plumbing.HEAD, false)
	if err != nil {
		return nil, nil, err
	}
	if head.Type() != plumbing.SymbolicReference {
		return nil, nil, uncommittable("no branch is checked out (HEAD is detached)")
	}
	ref, err := c.Reference(head.Target(), true)
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return head, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	commit, err := c.CommitObject(ref.Hash())
	return head, commit, err
}

// check refuses files of which the commit or the index holds something else than the change began with. Those that
// the commit has already as they are to be are left out.
func (c *committing) check(before *object.Tree, idx *gitindex.Index) error {
	for name, f := range c.files {
		var has plumbing.Hash
		if before != nil {
			if entry, err := before.FindEntry(name); err == nil {
				has = entry.Hash
			}
		}
		staged := plumbing.ZeroHash
		for _, e := range idx.Entries {
			if e.Name == name {
				if staged = e.Hash; e.Stage != 0 {
					return uncommittable("%s has a conflict in git", f.Path)
				}
			}
		}
		switch {
		case has == blobHash(f.After) && staged == has:
			delete(c.files, name)
		case has != blobHash(f.Before):
			return uncommittable("%s had changes that were not committed before, which would be in the commit", f.Path)
		case staged != has && staged != blobHash(f.After):
			return uncommittable("%s has staged changes of yours", f.Path)
		case f.Before == nil && c.converted(name, f.After.Data):
			return uncommittable("git would store %s in another form (core.autocrlf or .gitattributes)", f.Path)
		}
	}
	return nil
}

// blobHash is the hash of a content in git; zero for none.
func blobHash(content *Content) plumbing.Hash {
	if content == nil {
		return plumbing.ZeroHash
	}
	return plumbing.ComputeHash(plumbing.BlobObject, content.Data)
}

// converted reports whether git may store a new file in another form than it has. Of one that is there, the comparison with the
// commit tells.
func (c *committing) converted(name string, data []byte) bool {
	if bytes.Contains(data, []byte("\r\n")) {
		return true // by text, eol or autocrlf, and whoever has such files can commit them with git
	}
	tree, err := c.Worktree()
	if err != nil {
		return true
	}
	top := osfs.New(tree.Filesystem.Root())
	parts := strings.Split(name, "/")
	var rules []gitattributes.MatchAttribute
	for i := range parts {
		more, err := gitattributes.ReadAttributesFile(top, parts[:i:i], ".gitattributes", i == 0)
		if err != nil {
			return true
		}
		rules = append(rules, more...)
	}
	found, _ := gitattributes.NewMatcher(rules).Match(parts, nil)
	for _, a := range []string{"filter", "working-tree-encoding", "ident"} {
		if rule, ok := found[a]; ok && !rule.IsUnset() && !rule.IsUnspecified() {
			return true
		}
	}
	return false
}

// readIndex reads the index. It refuses one that would lose something when it is written again: marks such as
// assume-unchanged, or forms of it that are not known here.
func readIndex(file string) (*gitindex.Index, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &gitindex.Index{Version: 2}, nil
	}
	if err != nil {
		return nil, err
	}
	idx := &gitindex.Index{}
	if err := gitindex.NewDecoder(bytes.NewReader(raw)).Decode(idx); err != nil {
		return nil, uncommittable("the index of git has a form that is not known here: %s", err)
	}
	var again bytes.Buffer
	if err := gitindex.NewEncoder(&again).Encode(idx); err != nil || again.Len() < sumSize || !bytes.HasPrefix(raw, again.Bytes()[:again.Len()-sumSize]) {
		return nil, uncommittable("the index of git has marks that are not known here")
	}
	return idx, nil
}

// sumSize is the length of the checksum at the end of an index.
const sumSize = 20

// restage has the index hold what was committed. Times and size are left zero: git looks at the file again.
func restage(idx *gitindex.Index, blobs map[string]object.TreeEntry) {
	var kept []*gitindex.Entry
	for _, e := range idx.Entries {
		if _, changed := blobs[e.Name]; !changed {
			kept = append(kept, e)
		}
	}
	for name, b := range blobs {
		if !b.Hash.IsZero() {
			kept = append(kept, &gitindex.Entry{Name: name, Mode: b.Mode, Hash: b.Hash})
		}
	}
	idx.Entries = kept
}

// note writes the reflogs, where git keeps them: `git reflog` then knows the way back.
func (c *committing) note(dir string, branch plumbing.ReferenceName, old, now plumbing.Hash, commit *object.Commit) {
	subject, _, _ := strings.Cut(commit.Message, "\n")
	by := commit.Committer
	line := fmt.Sprintf("%s %s %s <%s> %d %s\tcommit: %s\n", old, now, by.Name, by.Email, by.When.Unix(), by.When.Format("-0700"), subject)
	for _, name := range []string{"HEAD", string(branch)} {
		f, err := os.OpenFile(filepath.Join(dir, "logs", filepath.FromSlash(name)), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil { // else git keeps none here
			_, _ = io.WriteString(f, line)
			_ = f.Close()
		}
	}
}

// tree writes a folder with changed files, by their paths below it; an empty entry deletes one. A folder that becomes empty is none.
func (c *committing) tree(base *object.Tree, changed map[string]object.TreeEntry) (plumbing.Hash, error) {
	entries := map[string]object.TreeEntry{}
	if base != nil {
		for _, e := range base.Entries {
			entries[e.Name] = e
		}
	}
	below := map[string]map[string]object.TreeEntry{}
	for name, e := range changed {
		dir, rest, deeper := strings.Cut(name, "/")
		switch {
		case deeper && below[dir] == nil:
			below[dir] = map[string]object.TreeEntry{rest: e}
		case deeper:
			below[dir][rest] = e
		case e.Hash.IsZero():
			delete(entries, name)
		default:
			entries[name] = e
		}
	}
	for dir, files := range below {
		var sub *object.Tree
		if e, ok := entries[dir]; ok && e.Mode == filemode.Dir {
			var err error
			if sub, err = c.TreeObject(e.Hash); err != nil {
				return plumbing.ZeroHash, err
			}
		}
		hash, err := c.tree(sub, files)
		if err != nil {
			return hash, err
		}
		if delete(entries, dir); !hash.IsZero() {
			entries[dir] = object.TreeEntry{Name: dir, Mode: filemode.Dir, Hash: hash}
		}
	}
	if len(entries) == 0 {
		return plumbing.ZeroHash, nil
	}
	return c.storeTree(entries)
}

// storeTree writes one folder.
func (c *committing) storeTree(entries map[string]object.TreeEntry) (plumbing.Hash, error) {
	tree := &object.Tree{}
	for _, e := range entries {
		tree.Entries = append(tree.Entries, e)
	}
	sort.Sort(object.TreeEntrySorter(tree.Entries))
	return c.store(plumbing.TreeObject, func(o plumbing.EncodedObject) error { return tree.Encode(o) })
}

// store writes an object.
func (c *committing) store(kind plumbing.ObjectType, fill func(plumbing.EncodedObject) error) (plumbing.Hash, error) {
	o := c.Storer.NewEncodedObject()
	o.SetType(kind)
	if err := fill(o); err != nil {
		return plumbing.ZeroHash, err
	}
	return c.Storer.SetEncodedObject(o)
}

// writeTo fills an object.
func writeTo(o plumbing.EncodedObject, data []byte) error {
	out, err := o.Writer()
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}
