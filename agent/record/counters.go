package record

import "fmt"

// How a task counts, in whatever a person or a model is told: steps from 1 in each round; rounds
// and rollbacks from 1 in each feature, over all its attempts; the first try is attempt 1. The
// journal numbers the steps of a feature in a row ([ActionChosen]); nobody is told these numbers.

// StepName names a step of a feature, wherever it is spoken of.
func StepName(round, step int) string {
	if round > 1 {
		return fmt.Sprintf("round %d, step %d", round, step)
	}
	return fmt.Sprintf("step %d", step)
}

// StepName names the step that is worked on; "" where none is.
func (s Status) StepName() string {
	if s.Step == 0 {
		return ""
	}
	return StepName(s.Round, s.Step)
}

// Place is the feature and the round that are worked on, with the attempt from the second on; ""
// where none are. A task in one loop has one feature only, which is not counted.
func (s Status) Place() string {
	text, sep := "", ""
	add := func(format string, args ...any) {
		text, sep = text+sep+fmt.Sprintf(format, args...), ", "
	}
	if s.Features == 0 || s.Feature == 0 {
		return ""
	}
	if !s.Task.Single {
		add("feature %d of %d", s.Feature, s.Features)
	}
	if s.Attempt > 1 {
		add("attempt %d", s.Attempt)
	}
	if s.Round > 1 || s.Round > 0 && !s.Task.Single {
		add("round %d of %d", s.Round, s.Rounds)
	}
	return text
}

// counted is a step by its place in a feature.
type counted struct{ round, step int }

// count numbers a step that begins in its round, beside its running number in the feature.
func (f *Feature) count(running, step int) counted {
	if f.steps == nil {
		f.steps = map[counted]int{}
	}
	at := counted{f.Round, step}
	f.steps[at] = running
	return at
}

// StepAt returns the running number of a step of the feature; round 0 is the present one.
func (f *Feature) StepAt(round, step int) (running int, ok bool) {
	if round == 0 {
		round = f.Round
	}
	running, ok = f.steps[counted{round, step}]
	return running, ok
}

// name names the step that is pending; "" of what is none.
func (c *Pending) name() string {
	if c.Step == 0 {
		return ""
	}
	return StepName(c.at.round, c.at.step)
}

func (d Deed) name() string { return StepName(d.Round, d.Step) }
