package main

import (
	"caselsp/agent"
	"caselsp/agent/record"
)

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
