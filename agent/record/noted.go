package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
)

// HunkNote is what the user writes about a part of a result.
type HunkNote struct {
	File string `json:"file,omitempty"` // "" for the whole result
	Hunk int    `json:"hunk,omitempty"` // from 1; 0 for the whole file
	Text string `json:"text"`
	// Lines is that part as a unified diff, as it was when the note was written.
	Lines string `json:"lines,omitempty"`
}

// Place names what a note is about, for people and models.
func (n HunkNote) Place() string {
	switch {
	case n.File == "":
		return "the whole result"
	case n.Hunk == 0:
		return n.File
	}
	return fmt.Sprintf("%s, hunk %d", n.File, n.Hunk)
}

// Noted is a note of the user on the result under review, kept until all of them are sent back. It takes the
// place of the one on the same part; an empty text withdraws that.
type Noted struct {
	HunkNote
}

// Returned says that the user sends the result back with all notes, as one correction of the same task: it is
// another feature of it, and another review follows.
type Returned struct {
	Notes []HunkNote `json:"notes"`
	// Staged is what of the result the user has not rejected, on their files as they are now: what they accepted
	// is in these.
	Staged Staged `json:"staged"`
	// Rejected are the hunks that are left out of it.
	Rejected []HunkID `json:"rejected,omitempty"`
	// Standing says of each file that is decided in part how, for the model.
	Standing []string `json:"standing,omitempty"`
}

func (Noted) kind() string    { return "noted" }
func (Returned) kind() string { return "returned" }

// MaxNotes is how many notes a result takes: a review of more is another task.
const MaxNotes = 100

// notesID and notesTitle are those of the feature that a result's notes become.
const (
	notesID    = "notes"
	notesTitle = "Notes on the result"
)

// sameAs reports whether a note is about the same part as another.
func (n HunkNote) sameAs(m HunkNote) bool { return n.File == m.File && n.Hunk == m.Hunk }

// applyReviewed folds what becomes of a result beside decisions.
func (p *State) applyReviewed(body Body) {
	switch b := body.(type) {
	case Retried:
		p.goesBack()
		p.retry(b)
	case TakenUp:
		p.takeUp(b)
	case Noted:
		p.Review.note(b)
	case Returned:
		p.goesBack()
		p.giveBack(b)
	case Committed:
		p.Review.Commits = append(p.Review.Commits, b)
	}
}

// note folds a note.
func (r *ReviewState) note(b Noted) {
	at := slices.IndexFunc(r.Notes, b.sameAs)
	switch {
	case at >= 0 && b.Text == "":
		r.Notes = slices.Delete(slices.Clone(r.Notes), at, at+1)
	case at >= 0:
		r.Notes = slices.Clone(r.Notes)
		r.Notes[at] = b.HunkNote
	case b.Text != "":
		r.Notes = append(slices.Clip(r.Notes), b.HunkNote)
	}
}

// giveBack folds that a result goes back with notes.
func (p *State) giveBack(b Returned) {
	f := Feature{Feature: action.Feature{ID: p.notesID(), Title: notesTitle, Description: notesText(b.Notes)}, Again: &Again{Notes: b.Notes, Standing: b.Standing}}
	for _, n := range b.Notes {
		p.UserTexts = append(p.UserTexts, n.Text)
		if n.File != "" && !slices.Contains(f.Files, n.File) {
			f.Files = append(f.Files, n.File)
		}
	}
	f.Test, f.parts = p.testsOfAll()
	p.Features = append(slices.Clip(p.Features), f)
	p.stage(b.Staged)
	p.Report, p.Open = nil, nil
	p.conversation = conversation{}
	p.Before = Planning
	p.Review.closeResult()
}

// testsOfAll is the command that tests what all features did: the one that each of them named. Where they
// named several, or some named none, each tests a part only: then none is named, so that the project's own is
// looked for and run. parts are all that were named, for a project that has none of its own.
func (p *State) testsOfAll() (line, parts string) {
	var lines []string
	every := true
	for _, done := range p.Features {
		line := cmp.Or(done.Changed.Line, done.Test)
		every = every && line != ""
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if every && len(lines) == 1 {
		return lines[0], ""
	}
	return "", strings.Join(lines, " && ")
}

// notesID is an id that no feature has.
func (p *State) notesID() string {
	id := notesID
	for n := 2; slices.ContainsFunc(p.Features, func(f Feature) bool { return f.ID == id }); n++ {
		id = fmt.Sprintf("%s-%d", notesID, n)
	}
	return id
}

// notesText is what the notes ask for, all in all.
func notesText(notes []HunkNote) string {
	text := "The user has read the result and sends it back with these notes. Do what they ask and change nothing else; where a note and the task differ, the note counts.\n"
	for i, n := range notes {
		text += fmt.Sprintf("%d. On %s: %s\n", i+1, n.Place(), n.Text)
	}
	return text
}
