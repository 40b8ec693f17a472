package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/content"
	"caselsp/agent/count"
)

// Apply makes the changes of one file of a patch in its text and says where each hunk
// landed. A file that does not exist has the text "": a Create starts from it and a
// Delete ends with it. A Delete without hunks removes whatever is there.
//
// All hunks are read against before, whatever their order, but for those that need
// what others write; all are applied or none. Lines are compared without their endings,
// and only lines that change are written. A hunk without old lines needs a file without
// lines, or says that it is at the end. A hunk that changes nothing is passed over,
// unless there is no other. Whether the file ends with a newline changes only where a
// hunk that reaches the end says so ("\ No newline at end of file"). The path says
// whether indentation is the file's business (isSource).
//
// The error is always a *Refusal, and after is then before.
func (f *File) Apply(before string) (after string, report *Report, err error) {
	if r := cmp.Or(f.checkNew(before), f.misplaced()); r != nil {
		return before, nil, r
	}
	if len(f.Hunks) == 0 { // a rename, another mode, an empty new file
		if f.Op == Delete {
			return "", &Report{}, nil
		}
		return before, &Report{}, nil
	}
	after, report, refusal := apply(f.Path, before, f.Hunks)
	if refusal != nil {
		refusal.Note(readAs(f.seen))
		return before, nil, refusal
	}
	report.Notes = append(slices.Clone(f.notes), report.Notes...)
	if s := readAs(f.seen); s != "" {
		report.Notes = append(report.Notes, s[1:])
	}
	if f.Op == Delete && after != "" {
		return before, nil, &Refusal{Status: Conflict, Message: fmt.Sprintf("The edit deletes %s, but %d lines of it are not among those that it removes. "+
			"Read the file again: it is not the one that the edit was made for.", named(f.Path), len(content.Split(after).Lines))}
	}
	return after, report, nil
}

// ordinary are the bits of an ordinary file's mode, as git writes it.
const ordinary = 0o100777

// checkNew refuses what is no file of text, the text of a new file that leaves
// something out, and a new file without lines in the place of one that has some.
func (f *File) checkNew(before string) *Refusal {
	switch {
	case f.Mode&^ordinary != 0:
		return malformed(0, "it makes %s a link or a submodule, or gives it special rights (mode %o). Only files with text can be patched.", named(f.Path), f.Mode)
	case f.Op != Create:
		return nil
	case len(f.Hunks) == 0 && before != "":
		return &Refusal{Status: EmptySearch, Message: fmt.Sprintf("The edit makes %s an empty new file, but there is one with %s.", named(f.Path), count.Of(len(content.Split(before).Lines), "line"))}
	case len(f.Hunks) != 1:
		return nil
	}
	if line, found := content.Placeholder(strings.Join(f.Hunks[0].New(), "\n"), ""); found {
		return malformed(1, "line %d of the new file %s is a placeholder for text that was left out. Write every line.", line, named(f.Path))
	}
	return nil
}

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
