package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/store"
)

// A conversation with the process that owns the store: a terminal says something in a thread while an
// editor's server works on the folder. The owner answers, since a thread has one writer, and the
// terminal is told every event and asked every question, as if it had answered itself. What a
// thread is handed over to runs where it can be followed and reviewed: in the editor where the
// owner serves one, else in the terminal as soon as the owner has ended.

// The conversations that can be asked for.
const (
	doSay      = "say"
	doHandOver = "hand over"
)

func (a ownerAsk) converses() bool { return a.Do == doSay || a.Do == doHandOver }

// ownerEvent is an event of the agent, for another process.
type ownerEvent struct {
	Seq    int64           `json:"seq,omitempty"`
	Time   time.Time       `json:"time,omitzero"`
	Kind   string          `json:"kind,omitempty"` // "": it has no body
	Body   json.RawMessage `json:"body,omitempty"`
	Status record.Status   `json:"status,omitzero"`
	Text   string          `json:"text,omitempty"`
	Doing  string          `json:"doing,omitempty"`
}

func newOwnerEvent(e agent.Event) (*ownerEvent, error) {
	if e.Body == nil {
		return &ownerEvent{Text: e.Text, Doing: e.Doing}, nil
	}
	body, err := json.Marshal(e.Body)
	return &ownerEvent{Seq: e.Seq, Time: e.Time, Kind: record.KindOf(e.Body), Body: body, Status: e.Status}, err
}

func (o *ownerEvent) event() (e agent.Event, err error) {
	e = agent.Event{Seq: o.Seq, Time: o.Time, Status: o.Status, Text: o.Text, Doing: o.Doing}
	if o.Kind != "" {
		e.Body, err = record.Decode(o.Kind, o.Body)
	}
	return e, err
}

// ownerQuestion is a question to the user at the terminal, with what is not recorded of it.
type ownerQuestion struct {
	Question record.Question `json:"question"`
	Notice   string          `json:"notice,omitempty"`
	Unsure   bool            `json:"unsure,omitempty"`
}

// ownerHears is what the terminal says to the owner: the answer to a question.
type ownerHears struct {
	Answer    record.Answer `json:"answer"`
	Sure      bool          `json:"sure,omitempty"`
	Undecided bool          `json:"undecided,omitempty"`
}

// ownerHanded says what a thread was handed over to.
type ownerHanded struct {
	Task  string `json:"task"`
	Owner int    `json:"owner"`           // its process
	Begun bool   `json:"begun,omitempty"` // in the editor that the owner serves
}

// askerKey is the key of a context's exchange: of the process that is asked what the work needs to know.
type askerKey struct{}

// asking is a user whose questions go to the terminal that has asked for the work, where one has.
type asking struct{ agent.User }

// askingFor is nil where there is no user: a replay has its own.
func askingFor(user agent.User) agent.User {
	if user == nil {
		return nil
	}
	return asking{user}
}

// Ask implements agent.User.
func (u asking) Ask(ctx context.Context, q record.Question) (record.Answer, error) {
	x, ok := ctx.Value(askerKey{}).(*store.Exchange)
	if !ok {
		return u.User.Ask(ctx, q)
	}
	if err := x.Tell(ownerSaid{Question: &ownerQuestion{Question: q, Notice: q.Notice, Unsure: q.Unsure}}); err != nil {
		return record.Answer{}, agent.ErrUndecided
	}
	var said ownerHears
	if err := x.Hear(ctx, &said); err != nil {
		return record.Answer{}, err
	}
	if said.Undecided {
		return record.Answer{}, agent.ErrUndecided
	}
	said.Answer.Sure = said.Sure
	return said.Answer, nil
}

// converse carries a conversation on for another process.
func (e *engine) converse(ctx context.Context, x *store.Exchange, ask ownerAsk) (*ownerHanded, error) {
	if ask.Do == doHandOver {
		task, err := e.agent.HandOver(ask.Task)
		if err != nil {
			return nil, err
		}
		return e.handed(ask.Task, task), nil
	}
	ctx = context.WithValue(ctx, askerKey{}, x)
	var last record.Status
	for event, err := range e.agent.Chat(ctx, agent.Message{Thread: ask.Task, Text: ask.Text}) {
		if err != nil {
			return nil, err
		}
		last = event.Status
		told, err := newOwnerEvent(event)
		if err != nil {
			return nil, err
		}
		if x.Tell(ownerSaid{Event: told}) != nil {
			break // the terminal has gone
		}
	}
	if task, ok := e.agent.Handed(ask.Task); ok && last.State == record.Idle && last.Reply == "" {
		return e.handed(ask.Task, task), nil
	}
	return nil, nil
}

// handed begins a task in the editor, where this process serves one.
func (e *engine) handed(thread string, task record.Task) *ownerHanded {
	h := &ownerHanded{Task: task.ID, Owner: os.Getpid(), Begun: e.begin != nil}
	if h.Begun {
		e.begin(thread, task)
	}
	return h
}

// conversation is one with the owner, as the terminal follows it.
type conversation struct {
	w      *wiring
	user   agent.User // at the terminal
	handed *ownerHanded
}

// events asks the owner and yields what happens, as [agent.Agent.Chat] does. Once it has ended, the conversation
// knows what the thread was handed over to.
func (c *conversation) events(ctx context.Context, ask ownerAsk) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		left := errors.New("the consumer has left")
		err := c.w.exchange(ctx, ask, func(raw json.RawMessage) (any, bool, error) {
			var said ownerSaid
			if err := json.Unmarshal(raw, &said); err != nil {
				return nil, true, err
			}
			switch {
			case said.Event != nil:
				event, err := said.Event.event()
				if err == nil && !yield(event, nil) {
					err = left
				}
				return nil, false, err
			case said.Question != nil:
				q := said.Question.Question
				q.Notice, q.Unsure = said.Question.Notice, said.Question.Unsure
				return c.answer(ctx, q), false, nil
			}
			c.handed = said.Handed
			return nil, true, said.err()
		})
		if err != nil && !errors.Is(err, left) {
			yield(agent.Event{}, err)
		}
	}
}

// answer asks the user at the terminal.
func (c *conversation) answer(ctx context.Context, q record.Question) ownerHears {
	a, err := c.user.Ask(ctx, q)
	return ownerHears{Answer: a, Sure: a.Sure, Undecided: err != nil}
}
