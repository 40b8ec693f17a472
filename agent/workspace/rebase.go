package workspace

import (
	"cmp"
	"maps"
	"slices"
)

// Rebase is what the user's changes did to one staged file. A Dropped hunk is an
// edit of the agent's that gave way: Old are the lines that it was made for, at
// OldLine of the text that it was made on, New what they should have become;
// NewLine is where the user's lines stand now. One without lines stands for a
// whole file that is not text. State is what is staged now; where Base and Now are
// equal, nothing is: the user's text says the same, or the edit was dropped.
type Rebase struct {
	Path    string `json:"path"`
	Dropped []Hunk `json:"dropped,omitempty"`
	State   Staged `json:"state"`
}

// Rebased returns what the user's changes did to staged files since it was last
// called, sorted by path.
func (o *Overlay) Rebased() []Rebase {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	var list []Rebase
	for _, key := range slices.Sorted(maps.Keys(o.rebased)) {
		list = append(list, *o.rebased[key])
	}
	clear(o.rebased)
	return list
}

// Moved reports whether Rebased has something to return.
func (o *Overlay) Moved() bool {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	return len(o.rebased) > 0
}

// note keeps for Rebased that the file at key was rebased onto base.
func (o *Overlay) note(key string, base *Content, dropped []Hunk) {
	r := o.rebased[key]
	if r == nil {
		r = &Rebase{Path: key}
		o.rebased[key] = r
	}
	r.Dropped = append(r.Dropped, dropped...)
	r.State = Staged{Path: key, Base: base, Now: base}
	if s := o.export(key); s != nil {
		r.State = *s
	}
}

// rebase makes what is staged at key an edit of another base. The lock is held.
func (o *Overlay) rebase(key string, base *Content) {
	s := o.slots[key]
	if s == nil || same(s.base, base) {
		return
	}
	if to, moved := o.movedFrom(key); moved != nil {
		o.rebaseSource(key, to, base)
		return
	}
	if s.from != "" && base != nil {
		o.rebaseTarget(key, base)
		return
	}
	was := cmp.Or(s.base, s.was)
	if base == nil {
		// The user deleted what the agent changed. The agent's file stays, as a new
		// one: it destroys nothing, and the user decides about it on review.
		o.put(key, nil, s.now, "")
		if gone := o.slots[key]; gone != nil {
			o.slots[key] = &slot{now: gone.now, was: was}
		}
		o.note(key, nil, nil)
		return
	}
	now, dropped := rebaseContent(was, base, s.now)
	o.put(key, base, now, "")
	o.note(key, base, dropped)
}

// rebaseSource is for a change under the old path of a renamed file: it goes
// into the file under its new path.
func (o *Overlay) rebaseSource(key, to string, base *Content) {
	s, moved := o.slots[key], o.slots[to]
	now, dropped := moved.now, []Hunk(nil)
	if base != nil {
		now, dropped = rebaseContent(s.base, base, moved.now)
	}
	o.slots[to] = &slot{now: now, from: key}
	o.put(key, base, nil, "")
	o.note(to, base, dropped)
}

// rebaseTarget is for a file of the user's that appeared at the new path of a
// renamed file. If it is not the renamed file itself, it stands, and the edits
// go back to the old path: a rename without its target would be a deletion that
// that was not asked for.
func (o *Overlay) rebaseTarget(key string, base *Content) {
	s := o.slots[key]
	source := o.slots[s.from]
	now, dropped := rebaseContent(nil, base, s.now)
	o.put(key, base, now, "")
	if len(dropped) > 0 {
		o.put(s.from, source.base, s.now, "")
		o.note(s.from, source.base, nil)
	}
	o.note(key, base, dropped)
}

// rebaseContent merges three states of a file. Base is nil where there was none,
// theirs where the agent deleted it.
func rebaseContent(base, ours, theirs *Content) (*Content, []Hunk) {
	switch {
	case same(ours, theirs) || same(base, theirs):
		return ours, nil
	case same(base, ours):
		return theirs, nil
	case theirs == nil:
		if base.Hash == ours.Hash {
			return nil, nil
		}
		return ours, wholeFile(base, nil)
	}
	now, dropped := mergeBytes(base, ours, theirs)
	on := executable(ours.Mode)
	if theirsOn := executable(theirs.Mode); base == nil || theirsOn != executable(base.Mode) {
		on = theirsOn
	}
	return NewContent(now, withExecutable(ours.Mode, on)), dropped
}

// mergeBytes merges texts, keeping the user's encoding where it can hold the
// result. What is no text is one side's or the other's.
func mergeBytes(base, ours, theirs *Content) ([]byte, []Hunk) {
	switch {
	case ours.Hash == theirs.Hash || base != nil && base.Hash == theirs.Hash:
		return ours.Data, nil
	case base != nil && base.Hash == ours.Hash:
		return theirs.Data, nil
	}
	var texts [3]string
	var encodings []Encoding
	for i, c := range []*Content{ours, base, theirs} {
		text, enc, err := c.decode("")
		if err != nil {
			return ours.Data, []Hunk{{}}
		}
		texts[i] = text
		if enc.evident(text) {
			encodings = append(encodings, enc)
		}
	}
	merge := mergeTyped
	if texts[1] == "" { // two files under one name have no line in common
		merge = mergeTexts
	}
	text, conflicts := merge(texts[1], texts[0], texts[2])
	var dropped []Hunk
	for _, c := range conflicts {
		dropped = append(dropped, Hunk{OldLine: c.baseLine, NewLine: c.Line, Old: c.Base, New: c.Theirs})
	}
	for _, enc := range append(encodings, Encoding{Charset: UTF8}) {
		if data, err := enc.encodeExact(text); err == nil {
			return data, dropped
		}
	}
	return ours.Data, []Hunk{{}}
}

// wholeFile returns the change from one state of a file to another as a hunk.
func wholeFile(before, after *Content) []Hunk {
	old, okOld := before.Text()
	text, okNew := after.Text()
	if !okOld || !okNew || old == text {
		return []Hunk{{}}
	}
	return []Hunk{{OldLine: 1, NewLine: 1, Old: splitLines(old), New: splitLines(text)}}
}
