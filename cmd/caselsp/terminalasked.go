package main

import (
	"caselsp/agent"
	"caselsp/agent/record"
)

// askedOnce is plain output where questions are asked, too: none stands there twice.
type askedOnce struct {
	plain
	asks func(record.Question) bool // whether a prompt shows a question
}

func (d askedOnce) show(e agent.Event) {
	if b, is := e.Body.(record.Asked); !is || !d.asks(b.Question) {
		d.plain.show(e)
	}
}

// asked shows a question.
func (p plain) asked(q record.Question) {
	switch about := q.Subject.(type) {
	case record.Approvable:
		p.line("  question %s: %s %s", q.ID, q.Text, agent.Quote(about.Offer().What))
		for _, gets := range about.Offer().Gets(agent.Quote) {
			p.line("    %s", gets)
		}
	case record.Input:
		p.line("  question %s: %s asks %s", q.ID, about.Who(), agent.Quote(q.Text))
	default:
		p.line("  question %s: %s", q.ID, q.Text)
	}
}
