package workspace

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Compare returns what changed between two states of one overlay, sorted by
// path. Between the empty state and another it is all that the other changes.
func Compare(before, after State) ChangeSet {
	was := make(map[string]Staged, len(before.Files))
	for _, s := range before.Files {
		was[s.Path] = s
	}
	changes := make(map[string]Change)
	for _, s := range after.Files {
		old, staged := was[s.Path]
		delete(was, s.Path)
		origin, from := s.Base, s.From
		if staged {
			origin = old.Now
			from = ""
		} else if old, edited := was[from]; edited && from != "" { // changed before, then renamed
			origin = old.Now
			delete(was, from)
		}
		if !same(origin, s.Now) || from != "" {
			changes[s.Path] = changeOf(s.Path, from, origin, s.Now)
		}
	}
	for p, s := range was { // staged before, and no more
		if !same(s.Now, s.Base) {
			changes[p] = changeOf(p, "", s.Now, s.Base)
		}
	}
	var set ChangeSet
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		set.Files = append(set.Files, changes[p])
	}
	return set
}

// Bytes returns a file's content as the user sees it, text or not. The error is,
// or wraps, fs.ErrNotExist, a *PathError, a *TooLarge, or what the disk said.
func (w *Workspace) Bytes(p string) (*Content, error) {
	at, err := w.locate(p)
	if err != nil {
		return nil, err
	}
	c, err := w.base(at, w.buffer(at.key))
	if err == nil && c == nil {
		err = fmt.Errorf("%s: %w", at.key, fs.ErrNotExist)
	}
	return c, err
}

// Ignored reports whether a path would not be listed if a file were there: it
// lies in or is what the ignore rules name, or it is no path of the workspace.
func (o *Overlay) Ignored(p string) bool {
	at, err := o.w.locate(p)
	if err != nil {
		return true
	}
	k := &walker{w: o.w}
	o.w.mu.Lock()
	k.slots, k.buffers = maps.Clone(o.slots), maps.Clone(o.w.buffers)
	o.w.mu.Unlock()
	rules, prefix := at.folder.rulesAbove()
	names := strings.Split(at.rel, "/")
	dir := ""
	for i, name := range names {
		here := strings.TrimSuffix(prefix+dir, "/")
		_, missing := at.folder.root.Lstat(path.Join(dir, ".gitignore"))
		rules = slices.Concat(rules, parseRules(k.ignoreText(at.folder, dir, missing == nil), here))
		full := name
		if here != "" {
			full = here + "/" + name
		}
		isDir := i < len(names)-1
		if ignored(rules, strings.Split(full, "/"), isDir) || slices.Contains(versionControl, name) {
			return true
		}
		dir = path.Join(dir, name)
		if _, err := at.folder.root.Lstat(path.Join(dir, environmentMark)); isDir && err == nil {
			return true
		}
	}
	return false
}

// Hunk returns hunk i of the unified diff with its context, from its "@@" on; a
// change without hunks is its whole diff.
func (c Change) Hunk(i int) string {
	text := c.Unified()
	parts := strings.Split(text, "\n@@ ") // only a hunk's head begins a line so
	if i < 0 || i+1 >= len(parts) {
		return text
	}
	return "@@ " + strings.TrimSuffix(parts[i+1], "\n") + "\n"
}
