package review

import (
	"errors"
	"fmt"
	"slices"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Review is the result of a task as the user decides about it.
type Review struct {
	Task  record.Task
	State record.Phase
	Files []File
}

// File is one file of the change set. A file that is created, deleted or
// renamed, or is not text, is decided as a whole: it has one entry in Hunks.
type File struct {
	Change workspace.Change
	Hunks  []record.HunkState
}

// Whole reports whether the file is decided as a whole.
func (f File) Whole() bool {
	return f.Change.Op != workspace.Modify || f.Change.Binary || len(f.Change.Hunks) == 0
}

// Selection names what a decision is about.
type Selection struct {
	File string // "" for every file
	Hunk int    // from 0; AllHunks for the whole file
}

// AllHunks selects every hunk of a file.
const AllHunks = -1

// Outcome is what a decision led to.
type Outcome struct {
	Results []workspace.Applied // of the files that an acceptance or an undo was to change
	State   record.Phase        // of the task afterwards
	Open    int                 // hunks that are still to be decided
}

// Failed returns what did not arrive.
func (o Outcome) Failed() []workspace.Applied {
	var failed []workspace.Applied
	for _, r := range o.Results {
		if !r.OK {
			failed = append(failed, r)
		}
	}
	return failed
}

// ErrNoReview says that a task has nothing to review.
var ErrNoReview = errors.New("the task has no result to review")

// Of returns a task's result with what was decided about it so far.
func Of(p *record.State, blob record.Blobs) (*Review, error) {
	if p.Report == nil || len(p.Staged.Files) == 0 {
		return nil, fmt.Errorf("%w: %s is %s", ErrNoReview, p.Task.ID, p.Phase)
	}
	state, err := p.Staged.State(blob)
	if err != nil {
		return nil, err
	}
	rev := &Review{Task: p.Task, State: p.Phase}
	for _, c := range workspace.Compare(workspace.State{}, state).Files {
		f := File{Change: c}
		n := len(c.Hunks)
		if f.Whole() {
			n = 1
		}
		for h := range n {
			s := p.Review.Decided[record.HunkID{Path: c.Path, Hunk: h}]
			if s == "" {
				s = record.HunkOpen
			}
			f.Hunks = append(f.Hunks, s)
		}
		rev.Files = append(rev.Files, f)
	}
	return rev, nil
}

// open returns the open hunks of a selection.
func (rev *Review) open(sel Selection) ([]record.HunkID, error) {
	var ids []record.HunkID
	known := false
	for _, f := range rev.Files {
		if sel.File != "" && sel.File != f.Change.Path {
			continue
		}
		known = true
		if sel.Hunk >= len(f.Hunks) {
			return nil, fmt.Errorf("%s has %d hunks; there is no hunk %d", f.Change.Path, len(f.Hunks), sel.Hunk+1)
		}
		for h, state := range f.Hunks {
			if state == record.HunkOpen && (sel.File == "" || sel.Hunk == AllHunks || sel.Hunk == h) {
				ids = append(ids, record.HunkID{Path: f.Change.Path, Hunk: h})
			}
		}
	}
	if !known {
		return nil, fmt.Errorf("the task does not change %s", sel.File)
	}
	return ids, nil
}

// paths returns the files that hunks are of, with the old paths of renamed ones.
func (rev *Review) paths(hunks []record.HunkID) []string {
	var paths []string
	for _, f := range rev.Files {
		if slices.ContainsFunc(hunks, func(h record.HunkID) bool { return h.Path == f.Change.Path }) {
			paths = append(paths, f.Change.Path)
			if f.Change.From != "" {
				paths = append(paths, f.Change.From)
			}
		}
	}
	return paths
}

// openHunks counts what is still to be decided.
func (rev *Review) openHunks() int {
	ids, err := rev.open(Selection{Hunk: AllHunks})
	if err != nil {
		return 0
	}
	return len(ids)
}
