package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
)

// A thread is a conversation with the user: a journal like a task's, in which the user's messages
// and the answers follow each other. It changes no file; it can be handed over to a task.

// ThreadPrefix begins the ids of threads' journals; that of no task begins so.
const ThreadPrefix = "chat-"

// maxThread is the longest name of a thread in bytes: it stands in file names and lists.
const maxThread = 64

// CheckThread refuses a name that no thread can have.
func CheckThread(name string) error {
	switch strange := strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}); {
	case name == "":
		return errors.New("the name of the thread is empty")
	case len(name) > maxThread:
		return fmt.Errorf("the name of the thread has %d bytes; at most %d are taken", len(name), maxThread)
	case strange >= 0:
		return fmt.Errorf("%s cannot be the name of a thread: it has letters, digits, '-', '_' and '.'", quote.Text(name))
	case strings.Trim(name, ".") != name:
		return fmt.Errorf("%s cannot be the name of a thread: it begins or ends with a dot", quote.Text(name))
	}
	return nil
}

// ThreadID is the id of a thread's journal.
func ThreadID(name string) string { return ThreadPrefix + name }

// IsThread reports whether an id is that of a thread's journal.
func IsThread(id string) bool { return strings.HasPrefix(id, ThreadPrefix) }

// begins is the phase in which a task or a thread begins.
func (t Task) begins() Phase {
	if t.Thread != "" {
		return Answering
	}
	return Planning
}

// Message is what the user wrote in a thread, with what it names of the workspace as that was then.
type Message struct {
	Text    string         `json:"text"`
	Quote   string         `json:"quote,omitempty"`   // the files, symbols and lines
	Named   []string       `json:"named,omitempty"`   // what of them is shown, a line each
	Missing []string       `json:"missing,omitempty"` // what is not, and why
	Shown   []action.Shown `json:"shown,omitempty"`
	// Tasks says what became of tasks that the thread was handed over to.
	Tasks string `json:"tasks,omitempty"`
	// Context is the window of the model, in tokens, for a replay: it may change from message to message.
	Context int `json:"context,omitempty"`
}

// HandedOver says that a thread was handed over to a task, which begins next.
type HandedOver struct {
	Task  string `json:"task"`  // its id
	Text  string `json:"text"`  // its text: what was agreed, and what was said before
	Typed string `json:"typed"` // what of the text the user has typed
}

func (Message) kind() string    { return "message" }
func (HandedOver) kind() string { return "handed" }

// Thread is what was said in a thread, in order.
type Thread struct {
	Exchanges []Exchange
	used      llm.Usage     // before the latest message
	worked    time.Duration // the same
}

// Spent is what counts for the budgets: all that a task used, and what a thread did since the latest
// message, for a thread has no end.
func (p *State) Spent() llm.Usage {
	u, before := p.Usage, p.Thread.used
	u.Prompt, u.Cached, u.Completion, u.Cost = u.Prompt-before.Prompt, u.Cached-before.Cached, u.Completion-before.Completion, u.Cost-before.Cost
	return u
}

// TimeSpent is Spent of the time.
func (p *State) TimeSpent() time.Duration { return p.Worked - p.Thread.worked }

// Exchange is a message of the user with what came of it.
type Exchange struct {
	At      time.Time
	Asked   string // "" where the user handed the thread over without a message
	Named   []string
	Missing []string
	Answer  quote.Words
	Handed  *HandedOver
	bare    bool // no text of the workspace came with it
}

// Settled reports whether the latest message has its answer.
func (t Thread) Settled() bool {
	last := t.last()
	return last == nil || last.Answer != "" || last.Handed != nil
}

// Messages is how many messages the user has written.
func (t Thread) Messages() (n int) {
	for _, e := range t.Exchanges {
		if e.Asked != "" {
			n++
		}
	}
	return n
}

// Latest is the latest message; "" for none.
func (t Thread) Latest() string {
	if last := t.last(); last != nil {
		return last.Asked
	}
	return ""
}

func (t Thread) last() *Exchange {
	if len(t.Exchanges) == 0 {
		return nil
	}
	return &t.Exchanges[len(t.Exchanges)-1]
}

// Open are the exchanges since the thread was handed over last, those without an answer included.
func (t Thread) Open() []Exchange {
	for i := len(t.Exchanges) - 1; i >= 0; i-- {
		if t.Exchanges[i].Handed != nil {
			return t.Exchanges[i+1:]
		}
	}
	return t.Exchanges
}

// Answered reports whether something was answered since the thread was handed over last.
func (t Thread) Answered() bool {
	return slices.ContainsFunc(t.Open(), func(e Exchange) bool { return e.Answer != "" })
}

// LastHanded is what the thread was handed over to last; nil for nothing.
func (t Thread) LastHanded() *HandedOver {
	for i := len(t.Exchanges) - 1; i >= 0; i-- {
		if h := t.Exchanges[i].Handed; h != nil {
			return h
		}
	}
	return nil
}

// Unagreed says why a model may not hand the thread over now, "" where it may: the user must have seen
// an answer, and agreed to it in a message behind which no text of the workspace was read, so
// that no such text can have asked for it.
func (p *State) Unagreed() string {
	last := p.Thread.last()
	switch {
	case last == nil || !p.Thread.Answered():
		return "nothing was answered yet to which the user could have agreed."
	case !last.bare || p.Free > 0:
		return "files were read since the user's last message."
	case !Agrees(last.Asked):
		return "the user's last message does not plainly agree."
	}
	return ""
}

// maxShortened is how many bytes of a message or an answer are told of a thread's beginning
// once it is shortened.
const maxShortened = 1000

// shortened is a text on one line, with what is left out of it said.
func shortened(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	if len(line) <= maxShortened {
		return line
	}
	kept := strings.ToValidUTF8(line[:maxShortened], "")
	return fmt.Sprintf("%s [%d bytes left out]", kept, len(line)-len(kept))
}

// applySaid folds what the user says in a thread.
func (p *State) applySaid(body Body) {
	switch b := body.(type) {
	case Message:
		p.applyMessage(b)
	case HandedOver:
		p.applyHandedOver(b)
	}
}

// applyMessage folds a message of the user.
func (p *State) applyMessage(b Message) {
	const reason = "the user has written something since."
	if p.Pending == nil {
		p.unrunFirst(reason)
		p.unrun(reason)
	}
	p.Turns = append(slices.Clip(p.Turns), Turn{told: shortened(b.Text), Said: b.Said()})
	for _, s := range b.Shown {
		p.learn(s)
	}
	p.UserTexts = append(p.UserTexts, b.Text)
	p.Reply, p.Free, p.Invalid, p.Exchanges = "", 0, 0, 0
	p.Opened = p.Opened && p.Cut <= p.opening // else that was shortened away
	p.Thread.used, p.Thread.worked = p.Usage, p.Worked
	p.Thread.Exchanges = append(p.Thread.Exchanges, Exchange{At: p.Changed, Asked: b.Text, Named: b.Named, Missing: b.Missing, bare: b.Quote == ""})
}

// Said is what the model is told.
func (b Message) Said() action.Said {
	said := action.Said{Text: "The user writes:\n" + b.Text}
	if b.Tasks != "" {
		said.Text += "\n\n" + b.Tasks
	}
	if b.Quote != "" {
		said.Text += "\n\nWhat the message names:\n"
		said.Mark, said.Quote = action.MarkData, b.Quote
	}
	if len(b.Missing) > 0 {
		said.More = "\n\nNot shown:\n- " + strings.Join(b.Missing, "\n- ")
	}
	return said
}

// applyReplied folds an answer. That of a task ends its conversation; a thread goes on.
func (p *State) applyReplied(b Replied) {
	if p.Task.Thread == "" {
		p.Reply, p.conversation = b.Text, conversation{}
		return
	}
	at := len(p.Turns)
	p.submitted("The user has the answer.")
	p.Turns[at].answer = shortened(b.Text.Plain())
	p.Reply = b.Text
	if last := p.Thread.last(); last != nil {
		last.Answer = b.Text
	}
}

// applyHandedOver folds that the thread was handed over: by a model's call, or by the user's command.
func (p *State) applyHandedOver(b HandedOver) {
	note := fmt.Sprintf("The conversation was handed over to the task %s, which begins now.", b.Task)
	if p.Answer != nil || len(p.Rest) > 0 {
		at := len(p.Turns)
		p.submitted(note)
		p.Turns[at].answer = note
	} else {
		p.Turns = append(slices.Clip(p.Turns), Turn{Said: action.Said{Text: "The user speaks: do it. " + note}})
		p.Thread.Exchanges = append(p.Thread.Exchanges, Exchange{At: p.Changed})
	}
	if last := p.Thread.last(); last != nil {
		last.Handed = &b
	}
}

// SaidLines are the messages and answers among the turns that are told shortened, a line each: in a
// thread they count, and what was read can be read again.
func (t *Talk) SaidLines() []string {
	var lines []string
	for _, turn := range t.Turns[:t.Cut] {
		if turn.told != "" || turn.answer != "" {
			lines = append(lines, turn.Line())
		}
	}
	return lines
}
