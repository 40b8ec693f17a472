package record

import (
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/count"
)

// Told says in a line for people what the user's typing did to staged edits.
func (b Rebased) Told() string {
	text := "you changed " + strings.Join(b.Paths, ", ") + "; "
	switch {
	case len(b.Overlaps) > 0:
		return text + GaveWay(b.Overlaps) + "; the other staged edits were moved onto what you typed"
	case b.Dropped != "":
		return text + "staged edits of the same lines gave way to what you typed"
	}
	return text + "the staged edits were moved onto that"
}

// GaveWay says which staged edits gave way to what the user typed, by their places.
func GaveWay(places []string) string {
	return count.Of(len(places), "staged edit") + " of the same lines gave way to what you typed (" + strings.Join(places, ", ") + ")"
}

// applyRebased folds what the user's typing did to staged edits.
func (p *State) applyRebased(b Rebased) {
	p.stage(b.Staged)
	p.GaveWay = append(p.GaveWay, b.Overlaps...)
	note := "The user changed " + strings.Join(b.Paths, ", ") + " in the editor; the staged edits were moved onto that."
	if b.Dropped != "" {
		note += " These staged changes overlapped with what the user typed and were dropped; do them again where they still make sense:\n" + b.Dropped
	}
	p.Turns = append(p.Turns, Turn{Said: action.Said{Text: note}, moved: b.Dropped == ""})
	if f := p.Feature(); b.Dropped != "" && f != nil && (p.Phase != Coding || f.Ended) {
		p.Dropped = note
	}
}
