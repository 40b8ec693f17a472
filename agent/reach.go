package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"caselsp/agent/record"
)

// What another process, or another command of the editor, does to a task while it is worked on:
// it stops it, and answers its question.

// working is a task that has a writer.
type working struct {
	stop   context.CancelCauseFunc
	asked  *record.Question // that waits for an answer now
	answer func(record.Answer)
}

// errStopped is why a task ends that was stopped by its id.
var errStopped = errors.New("stopped by the user")

// begin notes that a task is worked on; the context ends when [Agent.Stop] is called.
func (a *Agent) begin(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.working == nil {
		a.working = map[string]*working{}
	}
	a.working[id] = &working{stop: cancel}
	return ctx, func() {
		cancel(nil)
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.working, id)
	}
}

// Working returns the ids of the tasks that are worked on.
func (a *Agent) Working() (ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id := range a.working {
		ids = append(ids, id)
	}
	return ids
}

// Stop stops a task that is worked on; it can be resumed.
func (a *Agent) Stop(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.working[id]
	if w == nil {
		return fmt.Errorf("task %s is not being worked on", id)
	}
	w.stop(errStopped)
	return nil
}

// askOpenly asks the user, and takes an answer that [Agent.Answer] gives meanwhile instead.
func (r *run) askOpenly(ctx context.Context, q record.Question) (record.Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	given := make(chan record.Answer, 1)
	answer := func(a record.Answer) {
		given <- a
		cancel()
	}
	r.a.setAsked(r.id, &q, answer)
	a, err := r.a.User.Ask(ctx, q)
	r.a.setAsked(r.id, nil, nil)
	select {
	case a = <-given:
		return a, nil
	default:
		return a, err
	}
}

// setAsked notes which question of a task waits for an answer.
func (a *Agent) setAsked(id string, q *record.Question, answer func(record.Answer)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.working[id]; w != nil {
		w.asked, w.answer = q, answer
	}
}

// answerWorking answers the question of a task that is worked on; false where it is not.
func (a *Agent) answerWorking(id, question string, answer record.Answer) (bool, error) {
	a.mu.Lock()
	w := a.working[id]
	if w == nil {
		a.mu.Unlock()
		return false, nil
	}
	q := w.asked
	a.mu.Unlock()
	if q == nil || question != "" && q.ID != question {
		return true, fmt.Errorf("task %s has no open question %s", id, question)
	}
	answer, err := a.Accept(*q, answer)
	if err != nil {
		return true, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w.asked == nil || w.asked.ID != q.ID {
		return true, fmt.Errorf("question %s of task %s was answered meanwhile", q.ID, id)
	}
	w.asked = nil // the first answer counts
	w.answer(answer)
	return true, nil
}

// hearer hears what happens to one task.
type hearer struct{ hear func(Event) }

// Hear has f called with every event of a task as it happens, on the goroutine that works on it, until the
// function that it returns is called.
func (a *Agent) Hear(id string, f func(Event)) (stop func()) {
	h := &hearer{f}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hearers == nil {
		a.hearers = map[string][]*hearer{}
	}
	a.hearers[id] = append(a.hearers[id], h)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.hearers[id] = slices.DeleteFunc(slices.Clone(a.hearers[id]), func(other *hearer) bool { return other == h })
	}
}

func (a *Agent) tellHearers(id string, e Event) {
	a.mu.Lock()
	list := a.hearers[id]
	a.mu.Unlock()
	for _, h := range list {
		h.hear(e)
	}
}
