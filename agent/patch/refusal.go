package patch

import (
	"fmt"
	"strings"
)

// Status says why an edit was refused. The texts are part of the program's
// JSON output.
type Status string

// The reasons for a refusal.
const (
	Ambiguous      Status = "ambiguous"       // the hunk matches more than one place
	NotFound       Status = "not_found"       // it fits nowhere
	AlreadyApplied Status = "already_applied" // the file reads as if the hunk had been applied, or the hunk changes nothing
	Conflict       Status = "conflict"        // two hunks of the patch change the same lines, or the file has others where a hunk removes some
	Malformed      Status = "malformed"       // the text is no edit that can be read with certainty
	EmptySearch    Status = "empty_search"    // the hunk names no line of a file that has some
)

// Error implements error, so that errors.Is finds a status in a refusal.
func (s Status) Error() string { return "the edit is refused: " + string(s) }

// Refusal is the error of this package: nothing was changed, and why. It
// matches its status with errors.Is.
type Refusal struct {
	Status     Status
	Hunk       int    // from 1 within its file; of a Malformed text, the hunk or block being read; 0: not a certain one
	Message    string // for the model: what is wrong, where the nearest place is, what to write instead
	Shown      string // lines of the file and of the patch that show it, untrusted text; "" for none
	Advice     string // what to do, where that comes after the lines
	Candidates []int  // lines of the file, from 1: the places that an Ambiguous hunk fits (at most maxCandidates), or where the hunk is AlreadyApplied

	empty bool // of a Malformed text: no change was seen in it
}

// maxCandidates bounds what a refusal carries: somebody who gets twenty places
// will not choose among them, but add context.
const maxCandidates = 20

// Error implements error.
func (r *Refusal) Error() string {
	if r.Shown == "" {
		return r.Message
	}
	return r.Message + "\n" + r.Shown + r.Advice
}

// Note adds a sentence behind what is said and shown.
func (r *Refusal) Note(text string) {
	switch {
	case r.Shown == "":
		r.Message += text
	case text != "":
		r.Shown = strings.TrimSuffix(r.Shown, "\n") + "\n"
		r.Advice = strings.TrimSpace(r.Advice + text)
	}
}

// Unwrap returns the status.
func (r *Refusal) Unwrap() error { return r.Status }

func malformed(hunk int, format string, args ...any) *Refusal {
	return &Refusal{Status: Malformed, Hunk: hunk, Message: "The edit cannot be read: " + fmt.Sprintf(format, args...)}
}

// unseen is malformed for a text in which no change was seen.
func unseen(format string, args ...any) *Refusal {
	r := malformed(0, format, args...)
	r.empty = true
	return r
}
