package record

import (
	"maps"
	"reflect"
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/quote"
)

// Retried says that the user has the features tried again that failed or were not begun.
type Retried struct {
	// Staged is what of the result the user has not decided about, on their files as they
	// are now: what they accepted is in these, what they rejected is gone.
	Staged Staged `json:"staged"`
	Said   string `json:"said,omitempty"` // by the user, about how to try
}

// TakenUp says that the kept work of a feature is staged again, where the feature begins anew.
type TakenUp struct {
	Feature int    `json:"feature"`
	Staged  Staged `json:"staged"`
	// Left are the files of kept work that do not fit what is there now, by the work's id:
	// they stay kept.
	Left map[string][]string `json:"left,omitempty"`
	// What the model is told, as action.Said has it.
	Text  string `json:"text"`
	Quote string `json:"quote,omitempty"`
	More  string `json:"more,omitempty"`
}

func (Retried) kind() string { return "retried" }
func (TakenUp) kind() string { return "taken_up" }

// Again is what is known of a feature from when it failed before.
type Again struct {
	Reason  string      // ours
	Words   quote.Words // and what a model says of it
	Failure string      // what its last failed test said
	Said    string      // by the user, about how to try again
	Taken   bool        // its kept work is staged again
	// Notes are those of the user which it is to do, of a feature that a result's notes became.
	Notes    []HunkNote
	Standing []string // what was decided then of files that are decided in part
}

// Triable reports whether there is something of a task that was worked off to try again:
// features that failed or were not begun. A task that was rejected is over.
func (p *State) Triable() bool {
	switch p.Phase {
	case Review, Succeeded, Failed:
		return p.Reply == "" && slices.ContainsFunc(p.Features, func(f Feature) bool { return !f.OK })
	}
	return false
}

// retry folds that a task is tried again.
func (p *State) retry(b Retried) {
	for i, f := range p.Features {
		if f.OK {
			continue
		}
		again := &Again{Reason: f.Reason, Words: f.Words, Failure: f.Failure, Said: b.Said}
		switch {
		case f.Attempt == 0 && f.Again != nil: // to be tried again already
			again = f.Again
		case f.Again != nil && f.Again.Notes != nil:
			again.Notes, again.Standing = f.Again.Notes, f.Again.Standing
		case f.Attempt == 0:
			again.Reason, again.Words = "", "" // it was not begun
		}
		p.Features[i] = Feature{Feature: f.Feature, PartOf: f.PartOf, Again: again}
	}
	if b.Said != "" {
		p.UserTexts = append(p.UserTexts, b.Said)
	}
	p.stage(b.Staged)
	p.Report, p.Open = nil, nil
	p.conversation = conversation{}
	p.Before = Planning
	p.Review.closeResult()
}

// takeUp folds that the kept work of a feature is staged again.
func (p *State) takeUp(b TakenUp) {
	f := &p.Features[b.Feature]
	p.stage(b.Staged)
	f.Good, f.Again.Taken = b.Staged, true
	p.Turns = append(p.Turns, Turn{Said: b.Said()})
	var kept []KeptWork
	for _, k := range p.Kept {
		if k.Feature != f.ID {
			kept = append(kept, k)
		} else if left := b.Left[k.ID]; len(left) > 0 {
			k.Only = left
			kept = append(kept, k)
		}
	}
	p.Kept = kept
}

// Said is what the model is told.
func (b TakenUp) Said() action.Said {
	return FilesShown{Text: b.Text, Quote: b.Quote, More: b.More}.Said()
}

// closeResult begins another result: what was decided about the one before is no part of it.
// What was accepted of that can still be undone.
func (r *ReviewState) closeResult() {
	for h := range r.Decided {
		if h.Kept == "" {
			delete(r.Decided, h)
		}
	}
	r.Notes = nil
	r.earlier = map[string]AppliedTo{}
	for path, a := range r.Applied {
		r.earlier[path] = a
	}
}

// Earlier is what was accepted of a file in an earlier result of the task.
func (r *ReviewState) Earlier(path string) (e AppliedTo, some bool) {
	e, some = r.earlier[path]
	return e, some
}

// reopen puts what was accepted of an earlier result, and is taken back, into the present one,
// so that the user can decide about it again.
func (p *State) reopen(undone map[string]AppliedTo) {
	for _, path := range slices.Sorted(maps.Keys(undone)) {
		e, ok := p.Review.earlier[path]
		if !ok || p.Review.Applied[path].Path != "" {
			continue
		}
		delete(p.Review.earlier, path)
		s := StagedFile{Path: path, From: e.From, Base: e.Before.orNone(), Now: e.After.orNone()}
		at := slices.IndexFunc(p.Staged.Files, func(f StagedFile) bool { return f.Path == path })
		if at >= 0 {
			s.Now = p.Staged.Files[at].Now
			if base := undone[path].Reopens; base != nil {
				s.Base = base
			}
			p.Staged.Files = slices.Delete(slices.Clone(p.Staged.Files), at, at+1)
		}
		if !reflect.DeepEqual(s.Base, s.Now) {
			p.Staged.Files = append(slices.Clip(p.Staged.Files), s)
		}
	}
}

// orNone is nil for a reference whose empty hash means that there was no file.
func (ref FileRef) orNone() *FileRef {
	if ref.Hash == "" {
		return nil
	}
	return &ref
}
