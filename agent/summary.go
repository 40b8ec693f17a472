package agent

import (
	"fmt"
	"strings"
	"time"

	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// Summary is how a task went, in a few lines for people.
type Summary struct {
	Lines []string // what it took, how its tests went
	// Said is what the models say of the features that are done, where that is more than a line:
	// a line of a run has room for no more.
	Said []SaidOf
}

// SaidOf is what a model says of a feature.
type SaidOf struct {
	Feature string // its number and its id; "" in a task in one loop
	Words   quote.Words
}

// Summary returns how a task went, by its journal.
func (a *Agent) Summary(id string) (Summary, error) {
	p, err := a.load(id)
	if err != nil {
		return Summary{}, err
	}
	calls := "1 model call"
	if p.Calls != 1 {
		calls = fmt.Sprintf("%d model calls", p.Calls)
	}
	var s Summary
	s.Lines = append(s.Lines, fmt.Sprintf("it took %s: %s, %s", p.Changed.Sub(p.Started).Round(time.Second), calls, usageText(p)))
	s.Lines = append(s.Lines, "type of the task: "+p.Class().String())
	if before := p.AcceptedBefore(); len(before) > 0 {
		s.Lines = append(s.Lines, "accepted before: "+strings.Join(before, ", "))
	}
	for i := range p.Features {
		f := &p.Features[i]
		name := ""
		if len(p.Features) > 1 {
			name = fmt.Sprintf("feature %d (%s)", i+1, record.FirstLine(f.ID))
		}
		if f.Tests != "" {
			s.Lines = append(s.Lines, strings.TrimSpace(name+" tests: "+f.Tests))
		}
		if said := strings.TrimSpace(f.Said()); f.OK && said != record.FirstLine(said) {
			s.Said = append(s.Said, SaidOf{name, quote.Words(said)})
		}
	}
	return s, nil
}
