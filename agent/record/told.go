package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
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
}

func (Told) kind() string { return "told" }

// Notes are what the user said while the task was under way.
type Notes struct {
	Notes   []string
	Replies int  // answers of models
	Deeds   int  // outcomes of actions
	Unheard bool // CASE was not told the latest: it had finished the feature by then
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

// Here reports whether a recorded message was told at this place of the task.
func (p *State) Here(b Told) bool {
	return !b.Late && b.Replies == p.Replies && b.Deeds == p.Deeds && b.Unread == (p.Answer != nil)
}

// applyTold folds what the user said: whoever is asked next is told, and calls that were made
// without knowing it are not run.
func (p *State) applyTold(b Told) {
	if b.Late {
		return
	}
	p.Notes.Notes = append(p.Notes.Notes, b.Text)
	p.UserTexts = append(p.UserTexts, b.Text)
	const reason = "the user has said something since."
	if p.Answer != nil && p.Pending == nil {
		call, beside := p.call()
		p.Turns = append(p.Turns, Turn{Batch: p.batch, Call: call, Reply: beside, Said: action.Said{Text: "Not run: " + reason}, Unrun: true})
	}
	if p.Pending == nil {
		p.unrun(reason)
	}
	turn := noteTurn(b.Text)
	p.Turns = append(p.Turns, turn)
	phase := p.Phase
	if !phase.Works() {
		phase = p.Before
	}
	if f := p.Feature(); f != nil && !f.Ended && phase != Planning && phase != Coding {
		t := f.threads[Coding]
		t.talk.Turns = append(slices.Clip(t.talk.Turns), turn)
		f.keep(Coding, t)
		p.Unheard = true
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
