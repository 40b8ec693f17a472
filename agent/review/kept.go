package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Kept is the work of a feature that failed: nobody has verified it. An acceptance of all
// leaves it out; the user accepts it by its name, or by that of a file or hunk of it.
type Kept struct {
	record.KeptWork
	Files []File
}

// Open counts the hunks of it that are still to be decided.
func (k Kept) Open() int {
	n := 0
	for _, f := range k.Files {
		n += f.Open()
	}
	return n
}

// OpenKept counts the hunks of kept work that are still to be decided.
func (rev *Review) OpenKept() int {
	n := 0
	for _, k := range rev.Kept {
		n += k.Open()
	}
	return n
}

// Live reports whether something is left on which the user may decide.
func (rev *Review) Live() bool { return rev.State == record.Review || rev.OpenKept() > 0 }

// All returns the files of the result, then those of kept work.
func (rev *Review) All() []File {
	list := slices.Clone(rev.Files)
	for _, k := range rev.Kept {
		list = append(list, k.Files...)
	}
	return list
}

// filesIn returns the files of kept work, or of the result where id is "".
func (rev *Review) filesIn(id string) ([]File, error) {
	if id == "" {
		return rev.Files, nil
	}
	var ids []string
	for _, k := range rev.Kept {
		if k.ID == id {
			return k.Files, nil
		}
		ids = append(ids, k.ID)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no kept work is named %q: the task has none", id)
	}
	return nil, fmt.Errorf("no kept work is named %q: it is one of %s", id, strings.Join(ids, ", "))
}

// WaitingIn returns the files of a selection's change set that wait for the user's word about
// them by name, because programs obey them.
func (rev *Review) WaitingIn(sel Selection) []File {
	files, err := rev.filesIn(sel.Kept)
	if err != nil {
		return nil
	}
	return waiting(files)
}

// Paths are the files that a selection may name.
func (rev *Review) Paths(sel Selection) []string {
	var list []string
	for _, f := range rev.All() {
		if (sel.Kept == "" || f.Kept == sel.Kept) && !slices.Contains(list, f.Change.Path) {
			list = append(list, f.Change.Path)
		}
	}
	return list
}

// ErrSeveral says that a file's name alone does not say which change of it is meant.
var ErrSeveral = errors.New("several features that failed changed it")

// Resolve completes a selection that names a file of kept work, and not which: where the
// result does not change the file and only one kept work does, that is meant.
func (rev *Review) Resolve(sel Selection) (Selection, error) {
	of := func(files []File) bool {
		return slices.ContainsFunc(files, func(f File) bool { return f.Change.Path == sel.File })
	}
	if sel.Kept != "" || sel.File == "" || of(rev.Files) {
		return sel, nil
	}
	var ids []string
	for _, k := range rev.Kept {
		if of(k.Files) {
			ids = append(ids, k.ID)
		}
	}
	switch len(ids) {
	case 0:
		return sel, nil // the decision says that the task does not change it
	case 1:
		sel.Kept = ids[0]
		return sel, nil
	}
	return sel, fmt.Errorf("%s: %w: name one of %s", sel.File, ErrSeveral, strings.Join(ids, ", "))
}

// keptTally says what is left of kept work, "" where nothing is.
func (rev *Review) keptTally() string {
	files, features := 0, 0
	for _, k := range rev.Kept {
		if k.Open() == 0 {
			continue
		}
		features++
		for _, f := range k.Files {
			if f.Open() > 0 {
				files++
			}
		}
	}
	switch {
	case features == 0:
		return ""
	case features == 1:
		return "Kept beside it, not verified: " + count.Of(files, "file") + " of a feature that failed."
	}
	return fmt.Sprintf("Kept beside it, not verified: %s of %d features that failed.", count.Of(files, "file"), features)
}

// state is what was decided about a hunk; a file that is decided as a whole has one decision
// for all its hunks.
func (f File) state(h int) record.HunkState { return f.Hunks[min(h, len(f.Hunks)-1)] }

// Rest returns what a file's change set still has to do to a file in which what was accepted of
// it is: from before to after. Both are the same where all is decided.
func (f File) Rest() (before, after *workspace.Content, err error) {
	before, err = f.Change.Accept(func(h int) bool { return f.state(h) == record.HunkAccepted })
	if err != nil {
		return nil, nil, err
	}
	after, err = f.Change.Accept(func(h int) bool { return f.state(h) != record.HunkRejected })
	return before, after, err
}

// Carried is the result without what is decided: what was accepted is taken for what the
// user has, what was rejected is left out.
func (rev *Review) Carried() (workspace.State, error) {
	var state workspace.State
	for _, f := range rev.Files {
		if f.Open() == 0 {
			continue
		}
		before, after, err := f.Rest()
		if err != nil {
			return state, err
		}
		state.Files = append(state.Files, workspace.Staged{Path: f.Change.Path, From: f.Change.From, Base: before, Now: after})
	}
	return state, nil
}
