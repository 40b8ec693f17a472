package agent

import (
	"errors"
	"fmt"
	"slices"

	"caselsp/agent/record"
	"caselsp/store"
)

// maxInbox is how many messages wait for a running task, at most: it takes them at each step.
const maxInbox = 20

// Tell says something to a task that is under way, or that can be resumed: its models are told
// before the next step. It is the user's word, like the task.
func (a *Agent) Tell(id, text string) error {
	if err := record.CheckNote(text); err != nil {
		return err
	}
	if busy, err := a.keepTold(id, text); busy || err != nil {
		return err
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
	return r.say(text)
}

// keepTold keeps what is said to a task that has a writer, which takes it before its next step. It is on the disk
// before the user is told that it is heard.
func (a *Agent) keepTold(id, text string) (busy bool, err error) {
	a.mu.Lock() // held until it is kept: a writer that takes no more of it must not have ended meanwhile
	defer a.mu.Unlock()
	switch {
	case a.deaf[id]:
		return true, fmt.Errorf("task %s is just ending its work: say it again in a moment", id)
	case !a.busy[id]:
		return false, nil
	}
	journal := a.Store.Journal(id)
	list, said, err := keptFor(journal)
	list = slices.DeleteFunc(list, func(k store.Waiting) bool { return said[k.Number].Told == "" })
	if err != nil {
		return true, err
	} else if len(list) >= maxInbox {
		return true, fmt.Errorf("%d messages wait for the task already: it takes them with its next step", maxInbox)
	}
	_, err = journal.Keep(keptMessage{Told: text})
	return true, err
}

// tell records what the user said, with its place; kept is its number where it was kept until now. uses says that the reply
// in flight is used, which older recordings did not.
func (r *run) tell(kept int64, text string, uses bool) error {
	p := r.state
	late := p.Phase.Ended() || p.Phase == record.Review
	return r.recordKept(kept, record.Told{
		Text: text, Late: late, Replies: p.Replies, Deeds: p.Deeds, Unread: p.Answer != nil, Uses: uses, Left: len(p.Rest),
	})
}

// say takes in what the user says while nobody works on the task, behind what was said before it.
func (r *run) say(text string) error {
	if err := r.listen(); err != nil {
		return err
	}
	if r.midAction() {
		_, err := r.journal.Keep(keptMessage{Told: text})
		return err
	}
	return r.tell(0, text, true)
}

// midAction reports whether an action is under way: what is said meanwhile waits for its end, for a place that a replay
// has, too.
func (r *run) midAction() bool { return r.state.Pending != nil && !r.state.Phase.Ended() }

// listen takes in what the user has said since the last step.
func (r *run) listen() error {
	if r.midAction() {
		return nil
	}
	for _, b := range r.a.outside.told(r.state) {
		if err := r.tell(0, b.Text, b.Uses); err != nil {
			return err
		}
	}
	list, said, err := keptFor(r.journal)
	for _, k := range list {
		if text := said[k.Number].Told; text != "" && err == nil { // others are messages, see [run.hears]
			err = r.tell(k.Number, text, true)
		}
	}
	return err
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
	if r.state.Unheard == "" || f == nil || f.Ended || f.Round >= r.a.Limits.Rounds {
		return false
	}
	switch r.state.Phase {
	case record.Testing, record.Reflecting, record.Verifying:
		return true
	}
	return false
}
