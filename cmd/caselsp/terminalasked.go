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
	p.line("  question %s: %s", q.ID, q.Line())
	if about, ok := q.Subject.(record.Approvable); ok {
		for _, gets := range about.Offer().Gets(agent.Quote) {
			p.line("    %s", gets)
		}
	}
}
