package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"caselsp/store/lazyregexp"
)

// Op is what happens to a file.
type Op string

// The operations on files.
const (
	Create Op = "create"
	Modify Op = "modify"
	Delete Op = "delete"
	Rename Op = "rename"
)

// Edit is what one call changed in an overlay. Before and After are what was
// staged for the file: nil where nothing was.
type Edit struct {
	Op     Op      `json:"op"`
	Path   string  `json:"path"`
	From   string  `json:"from,omitempty"`
	Before *Staged `json:"before,omitempty"`
	After  *Staged `json:"after,omitempty"`

	old, new *Content
}

// Diff returns what the edit did to what the overlay shows, as a unified diff.
// It is empty where the edit changed nothing.
func (e Edit) Diff() string {
	if e.From == "" && same(e.old, e.new) {
		return ""
	}
	return changeOf(e.Path, e.From, e.old, e.new).Unified()
}

// Write stages a text for a file, new or existing. An existing file keeps its
// encoding and its mode; line endings are the caller's business. A text that is
// what the user sees anyway un-stages the file. Besides the errors of Read it
// fails with an *Unencodable where the file's encoding cannot hold the text.
func (o *Overlay) Write(path, text string) (Edit, error) {
	at, err := o.w.locateWrite(path)
	if err != nil {
		return Edit{}, err
	}
	if len(text) > MaxText {
		return Edit{}, &TooLarge{at.key, int64(len(text)), MaxText}
	}
	return o.stage(at, func(v view) (*Content, error) {
		enc, mode := Encoding{Charset: UTF8}, newFileMode
		for _, c := range []*Content{v.base, v.now()} {
			if c == nil {
				continue
			}
			mode = c.Mode
			old, found, err := c.decode(at.key)
			if err != nil && c == v.now() {
				return nil, err
			}
			if err == nil && found.evident(old) {
				enc = found
			}
		}
		data, err := enc.encodeExact(withoutSecondMark(text, enc))
		if wrong, ok := err.(*Unencodable); ok {
			wrong.Path = at.key
		}
		if err != nil {
			return nil, err
		}
		return NewContent(data, mode), nil
	})
}

// withoutSecondMark drops a byte-order mark that a text brings along for a file
// that has its own.
func withoutSecondMark(text string, enc Encoding) string {
	if enc.BOM {
		return strings.TrimPrefix(text, string(bom))
	}
	return text
}

// WriteBytes stages the bytes of a file, which need not be text. Of mode only
// the executable bit counts for a file that exists: a copy of a tree does not
// keep the others. A mode of 0 keeps what there is.
func (o *Overlay) WriteBytes(path string, data []byte, mode fs.FileMode) (Edit, error) {
	at, err := o.w.locateWrite(path)
	if err != nil {
		return Edit{}, err
	}
	if len(data) > MaxContent {
		return Edit{}, &TooLarge{at.key, int64(len(data)), MaxContent}
	}
	return o.stage(at, func(v view) (*Content, error) {
		kept := newFileMode
		for _, c := range []*Content{v.base, v.now()} {
			if c != nil {
				kept = c.Mode
			}
		}
		if mode != 0 {
			kept = withExecutable(kept, executable(mode))
		}
		return NewContent(data, kept), nil
	})
}

// Delete stages that a file is gone. A file that only the overlay has is
// forgotten. A path that is a link is refused.
func (o *Overlay) Delete(path string) (Edit, error) {
	at, err := o.w.locateName(path)
	if err != nil {
		return Edit{}, err
	}
	return o.stage(at, func(v view) (*Content, error) {
		if v.now() == nil {
			return nil, fmt.Errorf("%s: %w", at.key, fs.ErrNotExist)
		}
		if v.base != nil {
			return nil, o.w.checkKept(at)
		}
		return nil, nil
	})
}

// stage puts what change returns at a place. When the user typed while change
// was at work, it is asked again with what there is then.
func (o *Overlay) stage(at place, change func(view) (*Content, error)) (Edit, error) {
	for {
		v, err := o.look(at)
		if err != nil {
			return Edit{}, err
		}
		next, err := change(v)
		if err == nil && next != nil {
			err = o.checkPlanted(at)
		}
		if err == nil && next != nil && v.now() == nil {
			err = errors.Join(checkName(at, v), o.checkFree(at))
		}
		if err != nil {
			return Edit{}, err
		}
		if e, ok := o.commit(at, v, next); ok {
			return e, nil
		}
	}
}

func (o *Overlay) commit(at place, v view, next *Content) (Edit, bool) {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	if !o.current(at, v) {
		return Edit{}, false
	}
	e := Edit{Op: opOf(v.now(), next), Path: at.key, Before: o.export(at.key), old: v.now(), new: next}
	from := ""
	if v.slot != nil {
		from = v.slot.from
	}
	o.put(at.key, v.base, next, from)
	e.After = o.export(at.key)
	return e, true
}

func opOf(before, after *Content) Op {
	switch {
	case before == nil:
		return Create
	case after == nil:
		return Delete
	}
	return Modify
}

// Rename stages that a file has another path; edits that are staged for it go
// with it. The error is or wraps fs.ErrNotExist, fs.ErrExist where there is a
// file at the new path, or what Write and Delete fail with.
func (o *Overlay) Rename(from, to string) (Edit, error) {
	src, err := o.w.locateName(from)
	if err != nil {
		return Edit{}, err
	}
	dst, err := o.w.locateName(to)
	if err != nil {
		return Edit{}, err
	}
	for {
		was, err := o.look(src)
		if err == nil && was.now() == nil {
			err = fmt.Errorf("%s: %w", src.key, fs.ErrNotExist)
		}
		if err == nil && was.base != nil {
			err = o.w.checkKept(src)
		}
		if err != nil {
			return Edit{}, err
		}
		target, err := o.lookTarget(src, dst)
		if err == nil {
			err = o.checkPlanted(dst)
		}
		if err == nil && target.now() == nil {
			err = errors.Join(checkName(dst, target), o.checkFree(dst))
		} else if err == nil {
			err = fmt.Errorf("%s: %w; choose another name, or delete that file first", dst.key, fs.ErrExist)
		}
		if err != nil {
			return Edit{}, err
		}
		if e, ok := o.commitRename(src, dst, was, target); ok {
			return e, nil
		}
	}
}

// lookTarget is look, except that the file itself under a name of other case is
// no file that is in the way.
func (o *Overlay) lookTarget(src, dst place) (view, error) {
	v, err := o.look(dst)
	if v.slot == nil && v.buffer == nil && src.key != dst.key && strings.EqualFold(src.key, dst.key) && sameFile(src, dst) {
		return view{}, nil
	}
	return v, err
}

func (o *Overlay) commitRename(src, dst place, was, target view) (Edit, bool) {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	if !o.current(src, was) || !o.current(dst, target) {
		return Edit{}, false
	}
	moved := was.now()
	e := Edit{Op: Rename, Path: dst.key, From: src.key, Before: o.export(src.key), old: moved, new: moved}
	origin := ""
	if was.base != nil {
		origin = src.key
	} else if was.slot != nil {
		origin = was.slot.from
	}
	// The new path first: while the old one has its file, a slot that came from the
	// same origin keeps it.
	delete(o.slots, src.key)
	if was.base != nil {
		o.slots[src.key] = &slot{base: was.base}
	}
	o.put(dst.key, target.base, moved, origin)
	e.After = o.export(dst.key)
	return e, true
}

// checkName refuses a new file whose name does not show as what it is. The user's own
// files may have such names.
func checkName(at place, v view) error {
	r, ok := misleading(at.key)
	switch {
	case v.base != nil:
		return nil
	case ok:
		return &PathError{Path: at.key, Reason: fmt.Sprintf("it holds an invisible or misleading character (%U)", r), Advice: adviceRename}
	case paddedName.MatchString(at.key):
		return &PathError{Path: at.key, Reason: "it is padded with blanks, which can hide a part of it", Advice: adviceRename}
	}
	return nil
}

// paddedName finds names that begin or end with a blank or have three of them in a row.
var paddedName = lazyregexp.New(`(^|/) | (/|$)|   `)

// misleading returns the first character of a name that does not show as what it is: marks
// that turn the direction of text, characters without width, blanks but the usual one.
func misleading(name string) (rune, bool) {
	for _, r := range name {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800' {
			return r, true
		}
	}
	return 0, false
}

// checkFree refuses a new file where its path needs a folder that is a file, or
// is itself a folder.
func (o *Overlay) checkFree(at place) error {
	for dir := path.Dir(at.rel); dir != "."; dir = path.Dir(dir) {
		parent := place{folder: at.folder, rel: dir, key: o.w.key(at.folder, dir)}
		v := o.glance(parent)
		inWay := v.buffer != nil
		if v.slot != nil {
			inWay = v.slot.now != nil
		} else if info, err := at.folder.root.Lstat(dir); err == nil && !info.IsDir() {
			inWay = true
		}
		if inWay {
			return &PathError{Path: at.key, Reason: parent.key + " is a file, not a folder", Advice: adviceRename, Err: fs.ErrExist}
		}
	}
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	inside := at.key + "/"
	for key, s := range o.slots {
		if s.now != nil && strings.HasPrefix(key, inside) {
			return &PathError{Path: at.key, Reason: "it is the folder of " + key, Advice: adviceRename, Err: fs.ErrExist}
		}
	}
	for key := range o.w.buffers {
		if strings.HasPrefix(key, inside) {
			return &PathError{Path: at.key, Reason: "it is the folder of " + key, Advice: adviceRename, Err: fs.ErrExist}
		}
	}
	return nil
}
