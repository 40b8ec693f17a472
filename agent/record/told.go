package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
)

// Told is what the user said to a task that is under way.
type Told struct {
	Text string `json:"text"`
	// Late says that the task was over by then: no model was told.
	Late bool `json:"late,omitempty"`
	// Replies, Deeds and Unread say when that was, so that a replay tells it at the same place: the
	// answers and the outcomes of actions before it, and whether an answer was not looked at yet.
	Replies int  `json:"replies,omitempty"`
	Deeds   int  `json:"deeds,omitempty"`
	Unread  bool `json:"unread,omitempty"`
	// Uses says that the calls which were left of a reply are carried out as far as that does no harm, and Left
	// how many of them were behind the next one. Older versions ran none of them.
	Uses bool `json:"uses,omitempty"`
	Left int  `json:"left,omitempty"`
}

func (Told) kind() string { return "told" }

// Notes are what the user said while the task was under way.
type Notes struct {
	Notes   []string
	Replies int    // answers of models
	Deeds   int    // outcomes of actions
	Unheard string // the latest, where CASE was not told it: it had finished the feature by then
}

// maxNote is the longest message to a running task in bytes: a message, not another task.
const maxNote = 8 << 10

// CheckNote refuses a message that cannot be told.
func CheckNote(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the message is empty: write what the task should know")
	case len(text) > maxNote:
		return fmt.Errorf("the message has %d bytes; at most %d are taken: give what is more as a task of its own", len(text), maxNote)
	}
	return checkText("the message", text)
}

// Place is a place in the course of a task, by which a replay does there what was done there.
type Place struct {
	Replies  int  `json:"replies,omitempty"`  // answers of models
	Deeds    int  `json:"deeds,omitempty"`    // outcomes of actions
	Commands int  `json:"commands,omitempty"` // that were started
	Unread   bool `json:"unread,omitempty"`   // an answer was not looked at yet
	Left     int  `json:"left,omitempty"`     // calls of a reply that were behind the next one
	Returns  int  `json:"returns,omitempty"`  // how often a result went back; older versions did not count
}

// Place returns where the task is.
func (p *State) Place() Place {
	return Place{p.Replies, p.Deeds, p.Commands, p.Answer != nil, len(p.Rest), p.returns}
}

// Is reports whether a place that was recorded is this one.
func (at Place) Is(recorded Place) bool {
	if recorded.Returns == 0 {
		at.Returns = 0
	}
	return at == recorded
}

// Here reports whether a recorded message was told at this place of the task.
func (p *State) Here(b Told) bool {
	return !b.Late && b.Replies == p.Replies && b.Deeds == p.Deeds && b.Unread == (p.Answer != nil) && (!b.Uses || b.Left == len(p.Rest))
}

// saidSince is why a call is held back that was made without knowing what the user has said.
const saidSince = "the user has said something since, which follows. Call it again if it is still right."

// applyTold folds what the user said: whoever is asked next is told. Calls of a reply that was made without
// knowing it are used as far as that does no harm, see [State.HeldBack], and the message stands behind their results.
func (p *State) applyTold(b Told) {
	if b.Late {
		return
	}
	p.UserTexts = append(p.UserTexts, b.Text)
	p.note(b.Text, b.Uses)
}

// note tells what the user said to whoever is asked next, and CASE.
func (p *State) note(text string, uses bool) {
	p.Notes.Notes = append(p.Notes.Notes, text)
	turn, phase := noteTurn(text), p.Phase
	if !phase.Works() {
		phase = p.Before
	}
	if uses && p.uses(phase) {
		p.held = append(slices.Clip(p.held), turn)
	} else {
		p.runNone()
		p.Turns = append(p.Turns, turn)
	}
	if f := p.Feature(); f != nil && !f.Ended && phase != Planning && phase != Coding {
		t := f.threads[Coding]
		t.talk.Turns = append(slices.Clip(t.talk.Turns), turn)
		f.keep(Coding, t)
		p.Unheard = text
	}
}

// hearDenial takes in the words with which the user denied something, so that a model reads them once. What the model itself
// asked for is answered with them. A run of the tests was asked for by no model: CASE hears of it as of anything that the
// user says. All else is told with the outcome of the action that needed it.
func (p *State) hearDenial(q *Question, a Answer) {
	c := p.Pending
	if !a.Tells || c == nil {
		return
	}
	p.UserTexts = append(p.UserTexts, a.Reason)
	what, unread := "what this needs", c.Role == RoleTester && (c.Before || c.Bare)
	switch about := q.Subject.(type) {
	case Input, Secret, Guarded, Finding, Ability:
		return
	case Command:
		if c.Role != RoleTester || c.Result != nil {
			return
		}
		what, unread = "`"+about.Line+"`", true
	case Install:
		what = "the installation of the project's dependencies"
	}
	if unread {
		p.note("I deny "+what+": "+a.Reason, false)
	} else {
		c.Denied = "The user denied " + what + ": " + a.Reason + "\n"
	}
}

// maxAskedShown is how much of a model's question stands beside the answer to it, in bytes: what it is about.
const maxAskedShown = 400

// hearAnswer takes in what the user answered to a model, for all who work on the task later. Who asked is told by
// the result of the action.
func (p *State) hearAnswer(q *Question, a Answer) {
	if a.Heard {
		p.Notes.Notes = append(p.Notes.Notes, "on the model's question "+quote.Text(strings.ToValidUTF8(q.Text[:min(len(q.Text), maxAskedShown)], ""))+": "+a.Text)
	}
}

// uses reports whether the reply that is worked on has calls which are of use after a message of the user. What
// verifies a feature or explains a failure is begun anew for it.
func (p *State) uses(phase Phase) bool {
	calls := len(p.Rest)
	if p.Answer != nil {
		calls += len(p.Answer.ToolCalls)
	}
	return p.Pending == nil && calls > 0 && (phase == Planning || phase == Coding || phase == Extending)
}

// runNone gives every call of the reply that is worked on its result: it was not run.
func (p *State) runNone() {
	const reason = "the user has said something since."
	if p.Pending != nil {
		return
	}
	p.unrunFirst(reason)
	p.unrun(reason)
}

// HeldBack says why a call is not carried out, "" where it is: the user has said something since it was made, and it does more
// than look or edit. An edit can be taken back; what a command does cannot, and that the work is over is not
// true where the user wants something else.
func (p *State) HeldBack(next llm.ToolCall) string {
	if len(p.held) == 0 || looks(next) || action.EffectOf(next.Name) == action.Edits {
		return ""
	}
	return saidSince
}

// tellHeld tells what the user has said since a reply was made, once all of its calls have their results.
func (p *State) tellHeld() {
	if len(p.held) > 0 && p.Pending == nil && p.Answer == nil && len(p.Rest) == 0 {
		p.Turns, p.held = append(p.Turns, p.held...), nil
	}
}

// noteTurn tells what the user said.
func noteTurn(text string) Turn {
	return Turn{told: text, Said: action.Said{Text: "The user says to you, while you work. It counts as the task does, and more where they differ:\n" + text}}
}

// Heard are the messages of the user that were said before the present conversation began: it
// begins with them. Later ones are among its turns.
func (p *State) Heard() []string {
	n := p.notes
	if f := p.Feature(); f != nil && p.Phase == Coding {
		n = f.notes
	}
	return p.Notes.Notes[:n]
}
