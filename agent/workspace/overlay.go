package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Overlay is what one task staged on top of the workspace. It is safe for
// concurrent use; nothing of it reaches the disk.
type Overlay struct {
	w *Workspace

	// Under the workspace's lock.
	slots   map[string]*slot
	rebased map[string]*Rebase
}

// slot is a file that is not as the user sees it. A slot is never changed, only
// replaced, so that its address says whether it is still the same.
//
// A renamed file takes two slots: the old path, where the file is gone, and the
// new path, whose from is the old one. So every question about a single path
// has a single answer, and a rename is what is seen when both are looked at.
type slot struct {
	base *Content // what the user sees; nil: no file
	now  *Content // what is staged; nil: no file
	from string   // the path whose base this file was; only where base is nil
	was  *Content // the base before the user's file vanished, as on another branch of git
}

// Staged is a file of an overlay. Where it was renamed, Base is what the user
// sees under From.
type Staged struct {
	Path string   `json:"path"`
	From string   `json:"from,omitempty"`
	Base *Content `json:"base"` // nil: did not exist
	Now  *Content `json:"now"`  // nil: deleted
}

// State is everything that an overlay has staged, sorted by path. Its bytes are
// not part of its JSON, see [Content].
type State struct {
	Files []Staged `json:"files"`
}

// NewOverlay returns an overlay with nothing staged. It follows what the user
// types until it is closed.
func (w *Workspace) NewOverlay() *Overlay {
	o := &Overlay{w: w, slots: make(map[string]*slot), rebased: make(map[string]*Rebase)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overlays = append(w.overlays, o)
	return o
}

// Close ends that the overlay follows the user's typing; what it staged is
// forgotten.
func (o *Overlay) Close() {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	o.w.overlays = slices.DeleteFunc(o.w.overlays, func(x *Overlay) bool { return x == o })
	o.slots = make(map[string]*slot)
}

// view is what an overlay knows of a place at one moment.
type view struct {
	buffer *buffer
	slot   *slot
	base   *Content
}

// now returns what the overlay shows; nil: no file.
func (v view) now() *Content {
	if v.slot != nil {
		return v.slot.now
	}
	return v.base
}

// look finds out what is at a place. Where the user's file is no longer what an
// edit was made on, the edit is rebased first, so that what look returns fits
// together. The disk is read without the lock; when buffer or slot changed
// meanwhile, it looks again.
func (o *Overlay) look(at place) (view, error) {
	for {
		v := o.glance(at)
		base, err := o.w.base(at, v.buffer)
		if v.slot != nil && v.slot.renames(at) {
			base, err = nil, nil
		}
		v.base = base
		if v.slot == nil || err == nil && same(base, v.slot.base) {
			return v, err
		}
		if err != nil {
			v.base = v.slot.base
			return v, err
		}
		o.w.mu.Lock()
		if o.current(at, v) {
			o.rebase(at.key, base)
		}
		o.w.mu.Unlock()
	}
}

func (o *Overlay) glance(at place) view {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	return view{buffer: o.w.buffers[at.key], slot: o.slots[at.key]}
}

// current reports whether buffer and slot are still what v saw. The lock is held.
func (o *Overlay) current(at place, v view) bool {
	return o.w.buffers[at.key] == v.buffer && o.slots[at.key] == v.slot
}

// renames reports whether a slot only changes the case of its file's name, on a
// file system that finds the file under both: what is at the new name is then
// the file itself and no second one.
func (s *slot) renames(at place) bool {
	return s.from != "" && s.from != at.key && strings.EqualFold(s.from, at.key) && sameFile(at, at.sibling(s.from))
}

// sibling returns the place of another key in the same folder of the workspace.
func (p place) sibling(key string) place {
	rel := strings.TrimPrefix(key, strings.TrimSuffix(p.key, p.rel))
	return place{folder: p.folder, rel: rel, key: key, asked: key}
}

func sameFile(a, b place) bool {
	x, errX := a.folder.root.Stat(a.rel)
	y, errY := b.folder.root.Stat(b.rel)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Read returns a file as the agent sees it: staged, else as Workspace.Read.
func (o *Overlay) Read(path string) (File, error) {
	at, err := o.w.locate(path)
	if err != nil {
		return File{}, err
	}
	if o.glance(at).slot == nil {
		return o.w.Read(path)
	}
	v, err := o.look(at)
	if v.slot == nil {
		return o.w.Read(path) // rebased away by look
	}
	if err != nil {
		return File{}, err
	}
	file, err := fileOf(at.key, v.slot.now)
	file.Staged = true
	if v.buffer != nil {
		file.Buffer, file.Version = true, v.buffer.Version
	}
	return file, err
}

// put stages a content at a key, or nothing where it is what the user sees
// anyway. The lock is held.
func (o *Overlay) put(key string, base, now *Content, from string) {
	if base != nil || now == nil {
		from = ""
	}
	if same(base, now) {
		delete(o.slots, key)
	} else {
		o.slots[key] = &slot{base: base, now: now, from: from}
	}
	o.checkRename(key)
}

// checkRename lets a file that came from key be a new one, if there is a file at
// key again.
func (o *Overlay) checkRename(key string) {
	to, moved := o.movedFrom(key)
	if s := o.slots[key]; moved != nil && (s == nil || s.now != nil || s.base == nil) {
		o.slots[to] = &slot{base: moved.base, now: moved.now}
	}
}

// movedFrom returns the slot that came from key, or nil.
func (o *Overlay) movedFrom(key string) (string, *slot) {
	for to, s := range o.slots {
		if s.from == key {
			return to, s
		}
	}
	return "", nil
}

// export returns what is staged at a key as one value, nil where nothing is or
// where the key is the old path of a rename. The lock is held.
func (o *Overlay) export(key string) *Staged {
	s := o.slots[key]
	if s == nil {
		return nil
	}
	if _, moved := o.movedFrom(key); moved != nil {
		return nil
	}
	base := s.base
	if s.from != "" {
		base = o.slots[s.from].base
	}
	return &Staged{Path: key, From: s.from, Base: base, Now: s.now}
}

// State returns everything that is staged.
func (o *Overlay) State() State {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	var state State
	for _, key := range slices.Sorted(maps.Keys(o.slots)) {
		if s := o.export(key); s != nil {
			state.Files = append(state.Files, *s)
		}
	}
	return state
}

// Restore makes the overlay hold exactly a state again, and then rebases it onto
// what the user changed since. A state that was read from JSON needs its bytes
// put back first: if they are not what the hashes say, or if a path is refused,
// an error says so and nothing is changed.
func (o *Overlay) Restore(state State) error {
	slots := make(map[string]*slot)
	for _, s := range state.Files {
		for _, c := range []*Content{s.Base, s.Now} {
			if c != nil && hashOf(c.Data) != c.Hash {
				return fmt.Errorf("restoring %s: its bytes are not those of hash %.12s: fetch the blob first", s.Path, c.Hash)
			}
		}
		if _, err := o.w.locateWrite(s.Path); err != nil {
			return fmt.Errorf("restoring %s: %w", s.Path, err)
		}
		if s.From == "" {
			slots[s.Path] = &slot{base: s.Base, now: s.Now}
			continue
		}
		if _, err := o.w.locateWrite(s.From); err != nil {
			return fmt.Errorf("restoring %s: %w", s.Path, err)
		}
		slots[s.From] = &slot{base: s.Base}
		slots[s.Path] = &slot{now: s.Now, from: s.From}
	}
	o.w.mu.Lock()
	o.slots = slots
	clear(o.rebased) // it is about what was staged before
	o.w.mu.Unlock()
	_ = o.Refresh(context.Background()) // a file that cannot be read keeps its state; the next access says why
	return nil
}

// Refresh looks at the disk under everything that is staged and rebases what
// changed there, as it happens when the user saves in another program or
// switches branches. It is called at the border of two steps. Files that cannot
// be read stay as they were staged and are named in the error.
func (o *Overlay) Refresh(ctx context.Context) error {
	o.w.mu.Lock()
	keys := slices.Sorted(maps.Keys(o.slots))
	o.w.mu.Unlock()
	var errs []error
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		at, err := o.w.locate(key)
		if err == nil && at.key != key {
			// The user made a link of the path: what it leads to is another file.
			err = &PathError{Path: key, Reason: "it has become a link", Advice: "stage the change for " + at.key + " instead"}
		}
		if err == nil {
			_, err = o.look(at)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Bytes returns a file's content as the agent sees it, text or not: staged, else as [Workspace.Bytes].
func (o *Overlay) Bytes(path string) (*Content, error) {
	at, err := o.w.locate(path)
	if err != nil {
		return nil, err
	}
	v, err := o.look(at)
	switch {
	case v.slot == nil:
		return o.w.Bytes(path)
	case err != nil:
		return nil, err
	case v.slot.now == nil:
		return nil, fmt.Errorf("%s: %w", at.key, fs.ErrNotExist)
	}
	return v.slot.now, nil
}
