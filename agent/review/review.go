package review

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/count"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Review is the result of a task as the user decides about it, and beside it the work of the
// features that failed.
type Review struct {
	Task  record.Task
	State record.Phase
	Files []File // of the result
	Kept  []Kept
	// Triable says that a resume tries again what failed.
	Triable bool
	// Untested says of each feature that nothing has tested why.
	Untested []string
	// Interrupted is what a crash left of the last acceptance or undo.
	Interrupted *record.Interrupted
	Notes       []record.HunkNote // of the user, which were not sent back yet
	// Before are the files of what was accepted before the task was tried again: an undo takes that back, too.
	Before []string
	// Theirs says that the result goes over lines that the user wrote while the task worked; "" where it does not.
	Theirs string
}

// File is one file of the change set. A file that is created, deleted or
// renamed, or is not text, is decided as a whole: it has one entry in Hunks.
type File struct {
	Change workspace.Change
	Hunks  []record.HunkState
	Obeyed permit.Obeyed // by programs, on their own: accepted by its name only
	Kept   string        // the id of the kept work that it is of; "" for the result
	Unfit  string        // of kept work: why what is open of it does not fit the user's file now
	// Unsaved says that what was accepted of it stands in the editor, which has not saved it, see [Review.LookAt].
	Unsaved bool
	// Unmade are the hunks that were accepted and that the file no longer holds: they are open again.
	Unmade []int
}

// LookAt compares the accepted files with what the user's files hold now. A file that the editor has not saved is Unsaved, and
// not called written. Accepted hunks in whose place the file has again what they replaced are Unmade, and open: the user has
// undone the change in the editor, or the editor ended before it saved its text.
func (rev *Review) LookAt(p *record.State, w *workspace.Workspace) {
	for i := range rev.Files {
		f := &rev.Files[i]
		if !slices.Contains(f.Hunks, record.HunkAccepted) {
			continue
		}
		if f.Whole() {
			if a, ok := p.Review.Applied[f.Change.Path]; ok && unmade(a, w) {
				f.Unmade = []int{0}
			}
		} else if now, err := w.Read(f.Change.Path); err == nil {
			f.Unmade = f.takenOut(now.Text)
		}
		for _, h := range f.Unmade {
			f.Hunks[h] = record.HunkOpen
		}
		f.Unsaved = slices.Contains(f.Hunks, record.HunkAccepted) && w.Unsaved(f.Change.Path)
	}
}

// takenOut are the accepted hunks that a text of the file does not hold: those that a merge brings into it anew, and of which
// no line is there. A merge alone does not tell: where the same lines fit at two neighbouring places, it makes them twice. A hunk
// whose lines were changed since does not merge, and counts as held.
func (f File) takenOut(now string) (list []int) {
	with := f.base()
	if now == with {
		return nil
	}
	for h, state := range f.Hunks {
		if state != record.HunkAccepted {
			continue
		}
		without := f.Change.Select(func(i int) bool { return i != h && f.Hunks[i] == record.HunkAccepted })
		if again, conflicts := workspace.Merge(without, now, with); len(conflicts) == 0 && again != now && lacks(now, without, with) {
			list = append(list, h)
		}
	}
	return list
}

// lacks reports whether a text has no line that a change brought, and all that it took away, of those that are in a text once
// only. Of a change of other lines alone, it cannot be told.
func lacks(now, without, with string) bool {
	has, had, got := lineCounts(now), lineCounts(without), lineCounts(with)
	told := false
	for l, n := range got {
		if n == 1 && had[l] == 0 {
			if told = true; has[l] > 0 {
				return false
			}
		}
	}
	for l, n := range had {
		if n == 1 && got[l] == 0 {
			if told = true; has[l] == 0 {
				return false
			}
		}
	}
	return told
}

// lineCounts counts how often a text has each line with a letter or digit.
func lineCounts(text string) map[string]int {
	counts := map[string]int{}
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); strings.ContainsFunc(l, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			counts[l]++
		}
	}
	return counts
}

// unmade reports whether a file holds what it held before it was changed so.
func unmade(a record.AppliedTo, w *workspace.Workspace) bool {
	if a.Op == workspace.Rename || a.Before.Hash == a.After.Hash {
		return false
	}
	now, err := w.Bytes(a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return a.Before.Hash == ""
	}
	return err == nil && now.Hash == a.Before.Hash
}

// Open counts the hunks that are still to be decided.
func (f File) Open() int {
	n := 0
	for _, h := range f.Hunks {
		if h == record.HunkOpen {
			n++
		}
	}
	return n
}

// Rejected reports whether nothing of the file is open and some of it is rejected.
func (f File) Rejected() bool {
	return f.Open() == 0 && slices.Contains(f.Hunks, record.HunkRejected)
}

// Whole reports whether the file is decided as a whole.
func (f File) Whole() bool {
	return f.Change.Op != workspace.Modify || f.Change.Binary || len(f.Change.Hunks) == 0
}

// Selection names what a decision is about.
type Selection struct {
	Kept string // the id of kept work; "" for the result
	File string // "" for every file
	Hunk int    // from 0; AllHunks for the whole file
	// Consent names those of every file that programs obey and that the user has accepted
	// by name. A file that is selected alone was.
	Consent permit.Consent
}

// consent is what the user has consented to by selecting it.
func (s Selection) consent() permit.Consent {
	if s.File != "" {
		return permit.Consent{s.File}
	}
	return s.Consent
}

// AllHunks selects every hunk of a file.
const AllHunks = -1

// Outcome is what a decision led to.
type Outcome struct {
	Results []workspace.Applied // of the files that an acceptance or an undo was to change
	State   record.Phase        // of the task afterwards
	Open    int                 // hunks that are still to be decided
	Waiting []File              // of the change set that was decided about: those with open hunks that programs obey
	Kept    bool                // it was about kept work
	Closed  bool                // the task was paused or stopped, and is closed now
	Decided string              // what was decided and what is left, in words
	Commit  string              // what became of committing what was accepted, or of a commit that stays, in words; "" for nothing
	Learnt  string              // what memory keeps of the task now, in words; "" for nothing
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

// Waiting returns the files with open hunks that programs obey, on which the user decides by
// name.
func (rev *Review) Waiting() []File { return waiting(rev.Files) }

func waiting(files []File) []File {
	var list []File
	for _, f := range files {
		if f.Obeyed.Asks() && f.Open() > 0 {
			list = append(list, f)
		}
	}
	return list
}

// Of returns a task's result with what was decided about it so far. obeyed says who obeys
// what a change does.
func Of(p *record.State, blob record.Blobs, obeyed func(workspace.Change) permit.Obeyed) (*Review, error) {
	if p.Report == nil || len(p.Staged.Files)+len(p.Kept) == 0 {
		return nil, fmt.Errorf("%w: %s is %s", ErrNoReview, p.Task.ID, p.Phase)
	}
	rev := &Review{Task: p.Task, State: p.Phase, Triable: p.Triable(), Untested: p.Untested(), Interrupted: p.Review.Interrupted, Notes: p.Review.Notes, Before: p.AcceptedBefore(), Theirs: p.TheirsTold()}
	var err error
	if rev.Files, err = filesOf(p, "", record.Staged{}, p.Staged, blob, obeyed); err != nil {
		return nil, err
	}
	rev.Kept, err = KeptOf(p, blob, obeyed)
	return rev, err
}

// KeptOf returns the kept work of a task, also while it goes on.
func KeptOf(p *record.State, blob record.Blobs, obeyed func(workspace.Change) permit.Obeyed) (list []Kept, err error) {
	for _, k := range p.Kept {
		files, err := filesOf(p, k.ID, k.Before, k.After, blob, obeyed)
		if err != nil {
			return nil, err
		}
		if k.Only != nil {
			files = slices.DeleteFunc(files, func(f File) bool { return !slices.Contains(k.Only, f.Change.Path) })
		}
		list = append(list, Kept{KeptWork: k, Files: files})
	}
	return list, nil
}

// filesOf returns what became of files from one staged state to another, as the user has
// decided about it.
func filesOf(p *record.State, kept string, before, after record.Staged, blob record.Blobs, obeyed func(workspace.Change) permit.Obeyed) (files []File, err error) {
	var states [2]workspace.State
	for i, s := range []record.Staged{before, after} {
		if states[i], err = s.State(blob); err != nil {
			return nil, err
		}
	}
	for _, c := range workspace.Compare(states[0], states[1]).Files {
		f := File{Change: c, Obeyed: obeyed(c), Kept: kept}
		n := len(c.Hunks)
		if f.Whole() {
			n = 1
		}
		for h := range n {
			s := p.Review.Decided[record.HunkID{Path: c.Path, Hunk: h, Kept: kept}]
			if s == "" {
				s = record.HunkOpen
			}
			f.Hunks = append(f.Hunks, s)
		}
		files = append(files, f)
	}
	return files, nil
}

// about returns the hunks of a selection that a decision is about: the open ones. Where none
// is open, to accept a file or hunk by its name is about those rejected before: the user's
// last word counts.
func (rev *Review) about(sel Selection, accept bool) ([]record.HunkID, error) {
	ids, err := rev.in(sel, record.HunkOpen)
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	rejected, err := rev.in(sel, record.HunkRejected)
	if err != nil || accept && sel.File != "" && len(rejected) > 0 {
		return rejected, err
	}
	what := "all of the result is decided"
	if sel.Kept != "" {
		what = "all of the work on " + sel.Kept + " is decided"
	}
	switch {
	case sel.File != "" && len(rejected) > 0:
		what = sel.File + " is rejected already"
	case sel.File != "":
		what = sel.File + " is written already"
		if sel.Hunk != AllHunks {
			what = fmt.Sprintf("hunk %d of %s is written already", sel.Hunk+1, sel.File)
		}
	}
	return nil, fmt.Errorf("%w: %s. %s A rejected file is accepted all the same by its name; an undo takes back all that was decided", ErrDecided, what, rev.Tally())
}

// Decidable says why a decision would change nothing, nil where it would.
func (rev *Review) Decidable(sel Selection, accept bool) error {
	_, err := rev.about(sel, accept)
	return err
}

// ErrDecided says that a decision would change nothing.
var ErrDecided = errors.New("nothing was decided")

// in returns the hunks of a selection that are in a state.
func (rev *Review) in(sel Selection, wanted record.HunkState) ([]record.HunkID, error) {
	var ids []record.HunkID
	known := false
	files, err := rev.filesIn(sel.Kept)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if sel.File != "" && sel.File != f.Change.Path {
			continue
		}
		known = true
		if sel.Hunk >= len(f.Hunks) {
			return nil, fmt.Errorf("%s has %s; there is no hunk %d", f.Change.Path, count.Of(len(f.Hunks), "hunk"), sel.Hunk+1)
		}
		for h, state := range f.Hunks {
			if state == wanted && (sel.File == "" || sel.Hunk == AllHunks || sel.Hunk == h) {
				ids = append(ids, record.HunkID{Path: f.Change.Path, Hunk: h, Kept: f.Kept})
			}
		}
	}
	if !known && sel.File != "" {
		return nil, fmt.Errorf("the task does not change %s", sel.File)
	}
	return ids, nil
}

// changes returns the changes that hunks are of.
func (rev *Review) changes(hunks []record.HunkID) []workspace.Change {
	var list []workspace.Change
	for _, f := range rev.All() {
		if len(f.hunksIn(hunks)) > 0 {
			list = append(list, f.Change)
		}
	}
	return list
}

// openHunks counts what is still to be decided.
func (rev *Review) openHunks() int {
	ids, err := rev.in(Selection{Hunk: AllHunks}, record.HunkOpen)
	if err != nil {
		return 0
	}
	return len(ids)
}

// Lines is a part of the result as a unified diff: a hunk of a file, from 1, or the whole file where that is 0; "" where no
// file is named.
func (rev *Review) Lines(file string, hunk int) (string, error) {
	if file == "" {
		return "", nil
	}
	for _, f := range rev.Files {
		switch {
		case f.Change.Path != file:
			continue
		case hunk < 0 || hunk > len(f.Hunks):
			return "", fmt.Errorf("%s has %s; there is no hunk %d", file, count.Of(len(f.Hunks), "hunk"), hunk)
		case f.Change.Binary:
			return "", nil
		case hunk == 0 || f.Whole():
			return f.Change.Unified(), nil
		}
		return f.Change.Hunk(hunk - 1), nil
	}
	return "", fmt.Errorf("the result does not change %s", file)
}
