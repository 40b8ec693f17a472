package main

import (
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
)

// terminal is plain output above a live view.
type terminal struct {
	plain
	view liveView
	sent time.Time                  // when the view was shown last
	live func(*liveView)            // shows the view; nil takes it away
	asks func(record.Question) bool // whether a prompt shows a question
}

func newTerminal(out stream, asks func(record.Question) bool) *terminal {
	return &terminal{plain: plain{out: out, color: out.color}, live: out.live, asks: asks, view: liveView{Begun: time.Now()}}
}

func (t *terminal) show(e agent.Event) {
	if e.Body == nil {
		t.passing(e)
		return
	}
	switch b := e.Body.(type) {
	case record.Asked: // the prompt shows it
		if !t.asks(b.Question) {
			t.plain.show(e)
		}
	case record.StateChanged:
		if !b.To.Works() {
			b.Reason = "" // the last line of the command says it
		}
		e.Body = b
		t.plain.show(e)
	default:
		t.plain.show(e)
	}
	t.view.take(e)
	if !e.Status.State.Works() { // a question or the end: the view would be in the way
		t.live(nil)
		return
	}
	t.tell()
}

// passing shows what no record tells: the pieces of an answer, and what takes long.
func (t *terminal) passing(e agent.Event) {
	t.view.Writing += len(e.Text)
	if e.Doing != "" {
		t.view.now("", e.Doing, "")
	}
	if e.Doing != "" || time.Since(t.sent) >= tick { // the pieces are many
		t.tell()
	}
}

// tell shows the view as it is now.
func (t *terminal) tell() {
	if t.view.State == "" {
		return
	}
	v := t.view
	t.sent = time.Now()
	t.live(&v)
}

func (t *terminal) close() { t.live(nil) }
