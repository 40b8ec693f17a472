package agent

import (
	"errors"
	"fmt"
	"slices"

	"caselsp/agent/record"
)

// maxInbox is how many messages wait for a running task, at most: it takes them at each step.
const maxInbox = 20

// Tell says something to a task that is under way, or that can be resumed: its models are told
// before the next step. It is the user's word, like the task.
func (a *Agent) Tell(id, text string) error {
	if err := record.CheckNote(text); err != nil {
		return err
	}
	a.mu.Lock()
	busy, deaf := a.busy[id], a.deaf[id]
	full := len(a.inbox[id]) >= maxInbox
	if busy && !full && !deaf {
		if a.inbox == nil {
			a.inbox = map[string][]string{}
		}
		a.inbox[id] = append(a.inbox[id], text)
	}
	a.mu.Unlock()
	switch {
	case deaf:
		return fmt.Errorf("task %s is just ending its work: say it again in a moment", id)
	case busy && full:
		return fmt.Errorf("%d messages wait for the task already: it takes them with its next step", maxInbox)
	case busy:
		return nil
	}
	release, err := a.acquire(id)
	if errors.Is(err, ErrBusy) { // since
		return a.Tell(id, text)
	} else if err != nil {
		return err
	}
	defer release()
	p, err := a.load(id)
	if err != nil {
		return err
	}
	if p.Phase.Ended() || p.Phase == record.Review {
		return fmt.Errorf("task %s is over (%s): start another one that goes on from it, with `caselsp run --follow=%[1]s`", id, p.Phase)
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	return r.tell(text)
}

// tell records what the user said, with its place.
func (r *run) tell(text string) error {
	p := r.state
	late := p.Phase.Ended() || p.Phase == record.Review
	return r.record(record.Told{Text: text, Late: late, Replies: p.Replies, Deeds: p.Deeds, Unread: p.Answer != nil})
}

// listen takes in what the user has said since the last step.
func (r *run) listen() error {
	r.a.mu.Lock()
	said := r.a.inbox[r.id]
	delete(r.a.inbox, r.id)
	r.a.mu.Unlock()
	for _, text := range slices.Concat(r.a.outside.told(r.state), said) {
		if err := r.tell(text); err != nil {
			return err
		}
	}
	return nil
}

// hearLate records what was said when it was too late for a step.
func (r *run) hearLate() {
	r.a.mu.Lock()
	if r.a.deaf == nil {
		r.a.deaf = map[string]bool{}
	}
	r.a.deaf[r.id] = true
	r.a.mu.Unlock()
	if err := r.listen(); err != nil {
		r.fail(err)
	}
}

// unheard reports whether the user has said something after CASE had finished the feature,
// so that there is another round for it.
func (r *run) unheard() bool {
	f := r.state.Feature()
	if !r.state.Unheard || f == nil || f.Ended || f.Round >= r.a.Limits.Rounds {
		return false
	}
	switch r.state.Phase {
	case record.Testing, record.Reflecting, record.Verifying:
		return true
	}
	return false
}
