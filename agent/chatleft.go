package agent

import (
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// Left says what of a thread is open that nobody works on: a message without an answer, messages that were not said yet, or a
// question of the task that it was handed over to; and how each goes on. "" is nothing. said are the user's messages, the
// newest last. A thread that does not exist has neither.
func (a *Agent) Left(thread string) (open string, said []string, err error) {
	id := record.ThreadID(Message{Thread: thread}.thread())
	p, err := a.thread(id)
	if errors.Is(err, ErrNoThread) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	idle := func(phase record.Phase, interrupted bool) bool {
		return interrupted || phase == record.Paused || phase == record.Stopped
	}
	for _, e := range p.Thread.Exchanges {
		if e.Asked != "" {
			said = append(said, e.Asked)
		}
	}
	var parts []string
	if !p.Thread.Settled() && idle(p.Phase, a.interrupted(p)) {
		parts = append(parts, fmt.Sprintf("your message %s has no answer: the thread is %s. Your next message goes with it; or, to have it answered now: caselsp resume %s", quote.Text(p.Thread.Latest()), a.standing(p), id))
	}
	left, err := a.leftBehind(id)
	for _, m := range left {
		parts = append(parts, fmt.Sprintf("your message %s was not said yet: your next message goes with it", quote.Text(m.Text)))
	}
	if h := p.Thread.LastHanded(); h != nil {
		if st, failed := a.Status(h.Task); failed == nil && st.Open != nil && idle(st.State, st.Interrupted) {
			parts = append(parts, fmt.Sprintf("a question of the task %s is unanswered: %s To answer it: caselsp resume %s", h.Task, st.Open.Line(), h.Task))
		}
	}
	return strings.Join(parts, "\n"), said, err
}
