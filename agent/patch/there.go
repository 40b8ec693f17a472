package patch

import "slices"

// Before returns the text that a file had before all of the edit was made in it. It is certain:
// the edit, made in that text, gives the file's text again. ok is false where it is not there as
// a whole, or where that cannot be told.
func (f *File) Before(after string) (before string, ok bool) {
	switch {
	case f.Op == Delete:
		return "", false
	case f.Op == Create:
	case len(f.Hunks) == 0: // another mode, or a rename: the text is the same
		return after, true
	default:
		back := File{Op: Modify, Path: f.Path, Hunks: reversed(f.Hunks)}
		var err error
		if before, _, err = back.Apply(after); err != nil {
			return "", false
		}
	}
	again, _, err := f.Apply(before)
	return before, err == nil && again == after
}

// reversed returns the hunks that take the others back.
func reversed(hunks []Hunk) []Hunk {
	list := make([]Hunk, len(hunks))
	moved := 0 // by so many lines what comes before moves a hunk
	for i, h := range hunks {
		r := Hunk{Line: h.Line, Section: h.Section, Anchors: h.Anchors, AtEnd: h.AtEnd, OldOpen: h.NewOpen, NewOpen: h.OldOpen, Lines: slices.Clone(h.Lines)}
		if h.Line > 0 {
			r.Line = max(1, h.Line+moved)
		}
		moved += len(h.New()) - len(h.Old())
		for k, l := range r.Lines {
			switch l.Kind {
			case Added:
				r.Lines[k].Kind = Removed
			case Removed:
				r.Lines[k].Kind = Added
			}
		}
		list[i] = r
	}
	return list
}
