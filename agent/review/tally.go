package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/record"
)

// words are the states of hunks as users read them: what is accepted is in their files, or in the editor's text of
// them (unsaved). "Open" would be read as open in the editor.
var words = map[record.HunkState]string{
	record.HunkOpen: "undecided", record.HunkAccepted: "written", record.HunkRejected: "rejected",
}

// What a file is of which not all is written, rejected or undecided.
const (
	unsaved     = "changed in the editor, not saved yet"
	unsavedPart = "changed in part in the editor, not saved yet"
	decidedPart = "decided in part"
)

// word is the state of a hunk of the file as users read it.
func (f File) word(state record.HunkState) string {
	if state == record.HunkAccepted && f.Unsaved {
		return unsaved
	}
	return words[state]
}

// Standing says how far a file is decided: "written", "rejected" or "undecided", or each of its
// hunks where they differ.
func (f File) Standing() string {
	var parts []string
	for _, state := range []record.HunkState{record.HunkAccepted, record.HunkRejected, record.HunkOpen} {
		var numbers []string
		for h, s := range f.Hunks {
			if s == state {
				numbers = append(numbers, strconv.Itoa(h+1))
			}
		}
		switch {
		case len(numbers) == len(f.Hunks):
			return f.word(state)
		case len(numbers) > 0:
			parts = append(parts, count.Noun(len(numbers), "hunk")+" "+strings.Join(numbers, ", ")+" "+f.word(state))
		}
	}
	return strings.Join(parts, "; ")
}

// Tally says how many of the files are written, rejected and undecided, in words.
func (rev *Review) Tally() string {
	if len(rev.Files) == 0 {
		return strings.TrimSpace("There is no verified result. " + rev.keptTally())
	}
	of := map[string]int{}
	for _, f := range rev.Files {
		word := f.word(f.Hunks[0])
		switch {
		case f.Open() == len(f.Hunks):
		case f.Open() > 0:
			word = decidedPart
		case slices.ContainsFunc(f.Hunks, func(s record.HunkState) bool { return s != f.Hunks[0] }):
			if word = "written in part"; f.Unsaved {
				word = unsavedPart
			}
		}
		of[word]++
	}
	var parts []string
	for _, word := range []string{words[record.HunkAccepted], "written in part", unsaved, unsavedPart, words[record.HunkRejected], decidedPart, words[record.HunkOpen]} {
		switch n := of[word]; n {
		case 0:
		case 1:
			parts = append(parts, "1 is "+word)
		default:
			parts = append(parts, fmt.Sprintf("%d are %s", n, word))
		}
	}
	said := []string{"Of " + count.Of(len(rev.Files), "file") + " " + strings.Join(parts, ", ") + ".", rev.partly(), rev.Undone(), rev.keptTally(), rev.interrupted(), rev.untested(), rev.overTheirs()}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")
}

// partly says that a part of the result, which is all that was written, has not been tested by itself; "" where all was, or
// nothing, or something is open.
func (rev *Review) partly() string {
	of := map[record.HunkState]bool{}
	for _, f := range rev.Files {
		for _, state := range f.Hunks {
			of[state] = true
		}
	}
	if !of[record.HunkAccepted] || !of[record.HunkRejected] || of[record.HunkOpen] || len(rev.Untested) > 0 {
		return ""
	}
	return "What was accepted is a part of what was tested: run the tests."
}

// Undone names what was accepted and is not in the files any longer; "" if all of it is.
func (rev *Review) Undone() string {
	var names []string
	for _, f := range rev.Files {
		switch n := len(f.Unmade); {
		case n == 0:
		case n == len(f.Hunks):
			names = append(names, f.Change.Path)
		case n == 1:
			names = append(names, fmt.Sprintf("hunk %d of %s", f.Unmade[0]+1, f.Change.Path))
		default:
			names = append(names, fmt.Sprintf("%d hunks of %s", n, f.Change.Path))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Accepted, but no longer in the file, and undecided again: " + strings.Join(names, ", ") + "."
}

// interrupted says what a crash left of the last acceptance or undo, "" where none came.
func (rev *Review) interrupted() string {
	i := rev.Interrupted
	switch {
	case i == nil:
		return ""
	case i.Undo:
		return fmt.Sprintf("An undo was interrupted: it reached %d of %s. The same command goes on with it.", i.Reached, count.Of(i.Of, "file"))
	}
	return fmt.Sprintf("An acceptance was interrupted: it reached %d of %s. Accept again to write the others, or undo to take it back.", i.Reached, count.Of(i.Of, "file"))
}

// untested says what nothing has tested, while there is something to decide; else "".
func (rev *Review) untested() string {
	if len(rev.Untested) == 0 || rev.State != record.Review {
		return ""
	}
	return "Untested: " + strings.Join(rev.Untested, "; ") + "."
}

// overTheirs says that the result goes over lines of the user's, while there is something to decide; else "".
func (rev *Review) overTheirs() string {
	if rev.State != record.Review {
		return ""
	}
	return rev.Theirs
}

// OpenFiles counts the files with open hunks.
func (rev *Review) OpenFiles() int {
	n := 0
	for _, f := range rev.Files {
		if f.Open() > 0 {
			n++
		}
	}
	return n
}

// since says which hunks came into a state since before, by file, "" for none.
func (rev *Review) since(before *Review, state record.HunkState) string {
	hunks, files, whole := 0, 0, true
	was := map[record.HunkID]record.HunkState{} // an undo brings files of an earlier try back
	for _, f := range before.All() {
		for h, s := range f.Hunks {
			was[record.HunkID{Path: f.Change.Path, Hunk: h, Kept: f.Kept}] = s
		}
	}
	for _, f := range rev.All() {
		came := 0
		for h, s := range f.Hunks {
			if s == state && was[record.HunkID{Path: f.Change.Path, Hunk: h, Kept: f.Kept}] != state {
				came++
			}
		}
		if came > 0 {
			hunks, files, whole = hunks+came, files+1, whole && came == len(f.Hunks)
		}
	}
	switch {
	case files == 0:
		return ""
	case whole:
		return count.Of(files, "file")
	}
	return count.Of(hunks, "hunk") + " in " + count.Of(files, "file")
}

// Decided says in one line what a decision changed and what it left, from the result before
// and after it.
func Decided(before, after *Review) string {
	var parts []string
	for _, state := range []record.HunkState{record.HunkAccepted, record.HunkRejected, record.HunkOpen} {
		if n := after.since(before, state); n != "" {
			parts = append(parts, map[record.HunkState]string{
				record.HunkAccepted: "accepted: ", record.HunkRejected: "rejected: ", record.HunkOpen: "undecided again: ",
			}[state]+n)
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing was decided"}
	}
	return strings.Join(parts, "; ") + ". " + after.Tally()
}
