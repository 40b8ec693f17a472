package agent

import (
	"context"
	"iter"

	"caselsp/agent/record"
)

// A thread is replayed message by message: each as it was recorded, with what it showed of the files
// then and the window of the model, up to the answer or to where the thread was left without one. What the model is
// told of the workspace unasked is as it was recorded, too: a thread goes on for days, and files change.

// said is a message of a recorded thread with what came of it.
type said struct {
	message entry
	handed  *record.HandedOver // what the thread was handed over to after it; nil: nothing
	answers int                // of the model, until the next message
	changes []change
	played  int // answers
}

// change is what the model was told of the workspace, before its answer of a number, from 0.
type change struct {
	before int
	shown  record.FilesShown
}

// saidIn takes a recorded thread apart.
func (rec *Recording) saidIn() (list []said) {
	for _, e := range rec.entries {
		switch {
		case e.Message != nil:
			list = append(list, said{message: e})
		case len(list) == 0:
		case e.Handed != nil:
			list[len(list)-1].handed = e.Handed
		case e.Shown != nil:
			now := &list[len(list)-1]
			now.changes = append(now.changes, change{now.answers, *e.Shown})
		case e.Answer != nil:
			list[len(list)-1].answers++
		}
	}
	return list
}

// errUnanswered is how a message ends in a replay that had no answer in the recording either.
var errUnanswered = &pauseError{"the recording has no answer to this message"}

// Replay runs the recording again, on an agent to whose options the player is attached. It yields what
// [Agent.Run] and [Agent.Chat] do.
func (p *Player) Replay(ctx context.Context, a *Agent) iter.Seq2[Event, error] {
	name := p.rec.Task.Thread
	if name == "" {
		return p.replayTask(ctx, a)
	}
	return func(yield func(Event, error) bool) {
		var last record.Status
		for _, s := range p.rec.saidIn() {
			p.now, p.at, a.Context = &s, s.message.Time, s.message.Message.Context
			for event, err := range a.Chat(ctx, Message{Thread: name, Text: s.message.Message.Text}) {
				if !yield(event, err) || err != nil {
					return
				}
				last = event.Status
			}
			switch {
			case last.State == record.Paused && last.Reason != errUnanswered.reason, ctx.Err() != nil:
				return // it parts from the recording, and says where
			case s.handed != nil && last.Reply != "": // by the user's command
				if _, err := a.HandOver(name); err != nil {
					yield(Event{}, err)
					return
				}
			}
		}
	}
}

// replayTask runs a task again, and each time its result went back with notes, that too.
func (p *Player) replayTask(ctx context.Context, a *Agent) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var last record.Status
		play := func(events iter.Seq2[Event, error]) bool {
			for event, err := range events {
				if !yield(event, err) || err != nil {
					return false
				}
				last = event.Status
			}
			return last.State == record.Review
		}
		if !play(a.Run(ctx, p.rec.Task)) {
			return
		}
		for _, e := range p.rec.entries {
			if e.Returned != nil && !play(a.giveBack(ctx, last.Task.ID, func(r *run) error { return r.noteAgain(*e.Returned) })) {
				return
			}
		}
	}
}

// Ended reports whether the replay of a thread has come to the end of the recording.
func (p *Player) Ended(last record.Status) bool {
	return p.rec.Task.Thread != "" && (last.State == record.Idle || last.Reason == errUnanswered.reason)
}

// message implements outside.
func (p *Player) message() (record.Message, bool) {
	if p.now == nil {
		return record.Message{}, false
	}
	return *p.now.message.Message, true
}

// taskOf implements outside.
func (p *Player) taskOf(a *Agent) string {
	if p.now == nil || p.now.handed == nil {
		return a.NewID()
	}
	return p.now.handed.Task
}

// answered counts an answer of the model to the present message of a thread; false where the recording
// has no more.
func (p *Player) answered() bool {
	if p.now == nil {
		return true
	}
	p.now.played++
	return p.now.played <= p.now.answers
}

// shown implements outside.
func (p *Player) shown() (shown record.FilesShown, told, recorded bool) {
	if p.now == nil {
		return shown, false, false
	}
	if list := p.now.changes; len(list) > 0 && list[0].before == p.now.played {
		p.now.changes = list[1:]
		return list[0].shown, true, true
	}
	return shown, false, true
}
