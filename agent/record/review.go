package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/workspace"
)

// HunkState is what the user decided about one hunk.
type HunkState string

// The states of a hunk under review.
const (
	HunkOpen     HunkState = "open"
	HunkAccepted HunkState = "accepted"
	HunkRejected HunkState = "rejected"
)

// ReviewState is the fold of the review's records.
type ReviewState struct {
	Decided  map[HunkID]HunkState
	Applied  map[string]AppliedTo // by path: before the first application, after the last
	Applying *Applying            // an intent without an outcome
	// Touched are the files of Applying that were touched, true where they are known to have
	// arrived; nil where nothing was recorded about that.
	Touched map[string]bool
	// Unsure are the files, as if they had arrived, of which that could not be seen after a crash. Their hunks are open.
	Unsure map[string]AppliedTo
	// Interrupted is what a crash left of the last intent, nil where none interrupted it.
	Interrupted *Interrupted
	earlier     map[string]AppliedTo // by path: what was accepted before the task was tried again
	// Notes are the user's on this result that were not sent back yet, in the order in which they were written.
	Notes   []HunkNote
	Commits []Committed // of what was accepted
}

// Interrupted is an intent that a crash interrupted.
type Interrupted struct {
	Undo        bool
	Reached, Of int // files
}

func (r *ReviewState) apply(body Body) {
	if r.Decided == nil {
		r.Decided, r.Applied, r.Unsure = map[HunkID]HunkState{}, map[string]AppliedTo{}, map[string]AppliedTo{}
	}
	switch b := body.(type) {
	case Applying:
		r.Applying, r.Touched, r.Interrupted = &b, nil, nil
	case Decided:
		r.Interrupted = nil
		for _, h := range b.Hunks {
			delete(r.Unsure, h.Path)
			if b.Open {
				delete(r.Decided, h)
			} else {
				r.Decided[h] = HunkRejected
			}
		}
	case Applied:
		if r.Applying != nil {
			r.applied(b)
		}
	}
}

// applied folds what became of files of the intent.
func (r *ReviewState) applied(b Applied) {
	if r.Touched == nil && b.Goes {
		r.Touched = map[string]bool{}
	}
	reached := len(b.Partly)
	for _, result := range b.Results {
		if !result.OK {
			continue
		}
		reached++
		r.arrived(result.Path, b.Undo)
		if b.Goes {
			r.Touched[result.Path] = true
		}
	}
	for _, part := range b.Partly {
		r.arrivedPartly(part)
	}
	if b.Goes {
		for _, path := range b.Next {
			r.Touched[path] = false
		}
		return
	}
	for _, e := range r.Applying.Edits {
		if r.Touched[e.Path] {
			reached++
		}
		if slices.Contains(b.Unsure, e.Path) && !b.Undo { // an undo may be tried again in any case
			r.Unsure[e.Path] = e
		}
	}
	if b.Settled {
		r.Interrupted = &Interrupted{Undo: b.Undo, Reached: reached, Of: len(r.Applying.Edits)}
	}
	r.Applying, r.Touched = nil, nil
}

// undone are the edits by which an outcome takes files back, by the paths under which they were changed.
func (r *ReviewState) undone(body Body) (files map[string]AppliedTo) {
	b, ok := body.(Applied)
	if !ok || !b.Undo || r.Applying == nil {
		return nil
	}
	for _, e := range r.Applying.Edits {
		if slices.ContainsFunc(b.Results, func(a workspace.Applied) bool { return a.OK && a.Path == e.Path }) {
			if files == nil {
				files = map[string]AppliedTo{}
			}
			files[cmp.Or(e.From, e.Path)] = e
		}
	}
	return files
}

// arrived folds one file that was changed as intended.
func (r *ReviewState) arrived(path string, undo bool) {
	for _, e := range r.Applying.Edits {
		if e.Path != path {
			continue
		}
		if undo {
			origin := path
			if e.From != "" {
				origin = e.From
			}
			delete(r.Applied, origin)
			delete(r.Unsure, origin)
			for h := range r.Decided {
				if h.Path == origin {
					delete(r.Decided, h)
				}
			}
			return
		}
		delete(r.Unsure, path)
		r.compose(e)
		for _, h := range r.Applying.Hunks {
			if h.Path == path {
				r.Decided[h] = HunkAccepted
			}
		}
	}
}

// compose notes what was done to a file, with what was done to it before: an undo takes
// back both.
func (r *ReviewState) compose(e AppliedTo) {
	if e.Alone != nil {
		e.After, e.Alone = *e.Alone, nil
	}
	if first, again := r.Applied[e.Path]; again {
		e.Before, e.Op, e.From, e.Makes = first.Before, first.Op, first.From, append(e.Makes, first.Makes...)
		if e.Without != nil {
			e.Before, e.Without = *e.Without, nil
		}
	}
	if first, again := r.Applied[e.From]; again && e.Op == workspace.Rename { // changed, then renamed
		delete(r.Applied, e.From)
		e.Makes = append(e.Makes, first.Makes...)
		if e.Before = first.Before; first.Op == workspace.Create {
			e.Op, e.From = workspace.Create, ""
		} else {
			e.From = first.Before.Path
		}
	}
	switch {
	case e.Op == workspace.Rename:
	case e.Before.Hash == "" && e.After.Hash == "": // created, then deleted
		delete(r.Applied, e.Path)
		return
	case e.After.Hash == "":
		e.Op = workspace.Delete
	case e.Op == workspace.Delete: // and created again
		e.Op = workspace.Modify
	}
	r.Applied[e.Path] = e
}

// arrivedPartly folds one file that some hunks came into.
func (r *ReviewState) arrivedPartly(part Partly) {
	for _, e := range r.Applying.Edits {
		if e.Path != part.Path {
			continue
		}
		e.After, e.Alone = part.After, nil
		r.compose(e)
		for _, h := range r.Applying.Hunks {
			if h.Path == part.Path && slices.Contains(part.Hunks, h.Hunk) {
				r.Decided[h] = HunkAccepted
			}
		}
	}
}

// Taken says in sentences which files of a result the user has accepted changes of, and of which rejected them; "" where
// nothing was decided.
func (r *ReviewState) Taken() (text string) {
	files := map[HunkState]map[string]bool{HunkAccepted: {}, HunkRejected: {}}
	for h, state := range r.Decided {
		if files[state] != nil {
			files[state][h.Path] = true
		}
	}
	for _, part := range []struct {
		state HunkState
		said  string
	}{{HunkAccepted, " The user has accepted its changes of %s."}, {HunkRejected, " The user has rejected changes of %s."}} {
		if names := slices.Sorted(maps.Keys(files[part.state])); len(names) > 0 {
			more := ""
			if n := len(names) - mostTaken; n > 0 {
				names, more = names[:mostTaken], fmt.Sprintf(" and %d more", n)
			}
			text += fmt.Sprintf(part.said, strings.Join(names, ", ")+more)
		}
	}
	return text
}

// mostTaken is how many files a sentence names.
const mostTaken = 20

// AcceptedBefore are the files of which changes were accepted before the task was tried again, and can still be undone, sorted.
func (p *State) AcceptedBefore() (names []string) {
	for path := range p.Review.earlier {
		if p.Review.Applied[path].Path != "" {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return names
}
