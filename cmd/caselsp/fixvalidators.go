package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"caselsp/agent/fixcheck"
	"caselsp/agent/settings"
)

// workspaceValidators is the folder of a workspace's fix validators, in each of its roots.
const workspaceValidators = ".caselsp/validators"

// userValidators returns the folder of the user's fix validators.
func userValidators() (string, error) {
	dir, err := settings.Folder()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "validators"), nil
}

// validatorFolder is a folder of fix validators as it was read last.
type validatorFolder struct {
	root, below string // below stays inside root, whatever links there are
	origin      fixcheck.Origin
	stamp       [sha256.Size]byte
	list        []fixcheck.Validator
	problems    []error
}

// fixValidators are the fix validators of an engine. They are looked for anew each time, and read where a folder has changed.
type fixValidators struct {
	mu      sync.Mutex
	folders []*validatorFolder
}

// foundValidators are all fix validators that there are, and what is wrong with others.
type foundValidators struct {
	list      []fixcheck.Validator
	problems  []error
	untrusted []string // folders of a workspace that are not looked into
}

// validators returns the fix validators that count: those that are shipped, the user's, and the workspace's where it
// is trusted.
func (e *engine) validators() []fixcheck.Validator { return e.findValidators().list }

// findValidators is validators with what is left out, and why.
func (e *engine) findValidators() (found foundValidators) {
	e.fixValidators.mu.Lock()
	defer e.fixValidators.mu.Unlock()
	var user, workspace []fixcheck.Validator
	if dir, err := userValidators(); err != nil {
		found.problems = append(found.problems, err)
	} else {
		user = e.fixValidators.read(&found, dir, ".", fixcheck.User)
	}
	for _, dir := range e.dirs() {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(workspaceValidators))); err != nil || !info.IsDir() {
			continue
		}
		if untrusted, err := e.trust.Untrusted(dir); err != nil || len(untrusted) > 0 {
			found.untrusted = append(found.untrusted, dir)
			continue
		}
		workspace = append(workspace, e.fixValidators.read(&found, dir, workspaceValidators, fixcheck.Workspace)...)
	}
	list, problems := fixcheck.Join(fixcheck.ShippedValidators(), user, workspace)
	found.list, found.problems = list, append(found.problems, problems...)
	return found
}

// read returns the validators of a folder.
func (v *fixValidators) read(found *foundValidators, root, below string, origin fixcheck.Origin) []fixcheck.Validator {
	i := slices.IndexFunc(v.folders, func(f *validatorFolder) bool { return f.root == root && f.below == below })
	if i < 0 {
		i, v.folders = len(v.folders), append(v.folders, &validatorFolder{root: root, below: below, origin: origin})
	}
	f := v.folders[i]
	f.refresh()
	found.problems = append(found.problems, f.problems...)
	return f.list
}

// refresh reads the folder where it has changed.
func (f *validatorFolder) refresh() {
	top, err := os.OpenRoot(f.root)
	if errors.Is(err, fs.ErrNotExist) {
		f.list, f.problems, f.stamp = nil, nil, [sha256.Size]byte{}
		return
	}
	var fsys fs.FS
	if err == nil {
		defer top.Close()
		fsys, err = fs.Sub(top.FS(), f.below)
	}
	if err != nil {
		f.list, f.problems, f.stamp = nil, []error{err}, [sha256.Size]byte{}
		return
	}
	stamp, whole := stampOf(fsys)
	if whole && stamp == f.stamp {
		return
	}
	list, problems := fixcheck.Load(fsys, f.origin)
	f.stamp, f.list, f.problems = stamp, nil, nil
	for _, v := range list {
		v.Where = filepath.Join(f.root, filepath.FromSlash(f.below), filepath.FromSlash(v.Where))
		f.list = append(f.list, v)
	}
	for _, p := range problems {
		f.problems = append(f.problems, fmt.Errorf("%s: %w", filepath.Join(f.root, filepath.FromSlash(f.below)), p))
	}
}

// maxStamped is how many entries of a folder are looked at for a change. A larger one is read each time.
const maxStamped = 5000

// stampOf is a hash of the names, sizes and times of all that a folder holds; whole is false where that is too much.
func stampOf(fsys fs.FS) (stamp [sha256.Size]byte, whole bool) {
	hash, n := sha256.New(), 0
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if n++; n > maxStamped {
			return fs.SkipAll
		}
		if err != nil {
			fmt.Fprintf(hash, "%q cannot be read\n", name)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%q %v %d %d\n", path.Clean(name), info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return [sha256.Size]byte(hash.Sum(nil)), err == nil && n <= maxStamped
}
