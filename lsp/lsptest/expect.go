package lsptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
)

// Verdict is what an expectation says of a state.
type Verdict int

// The verdicts. Unmeetable is what makes failing tests fast: a test waits
// exactly as long as it can still succeed.
const (
	Unmet      Verdict = iota // not yet
	Met                       // for good
	Unmeetable                // nothing that can still come will meet it
)

// Expectation is something that is to come true of the state. Check must only
// read.
type Expectation struct {
	What  string
	Check func(s *State) Verdict
}

// Expect waits until all expectations are met at once. It returns an error with
// the log of what was received when one is unmeetable, the connection ended
// before, ctx ended, or the server said nothing for as long as the ceiling of the options: one that goes on telling what it
// does is slow, because the machine is busy, and not stuck.
func (e *Editor) Expect(ctx context.Context, list ...Expectation) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(e.opts.Ceiling, func() { cancel(fmt.Errorf("the server said nothing for %v", e.opts.Ceiling)) })
	defer silent.Stop()
	defer context.AfterFunc(ctx, func() { e.record(func(*State) {}) })()
	e.mu.Lock()
	defer e.mu.Unlock()
	for heard := e.state.heard; ; {
		if e.state.heard > heard {
			heard = e.state.heard
			silent.Reset(e.opts.Ceiling)
		}
		failed, verdict := judge(&e.state, list)
		var why error
		switch {
		case verdict == Met:
			return nil
		case verdict == Unmeetable:
			why = errors.New("it cannot come true any more")
		case e.state.Ended:
			why = errors.New("the connection has ended")
		case ctx.Err() != nil:
			why = context.Cause(ctx)
		default:
			e.changed.Wait()
			continue
		}
		return fmt.Errorf("expected %s: %w; received:\n%s", failed, why, strings.Join(e.state.received, "\n"))
	}
}

// judge returns the worst verdict and what it is about.
func judge(s *State, list []Expectation) (what string, worst Verdict) {
	worst = Met
	for _, x := range list {
		switch v := x.Check(s); {
		case v == Unmeetable:
			return x.What, v
		case v == Unmet:
			what, worst = x.What, v
		}
	}
	return what, worst
}

// met turns a truth into a verdict that may still change.
func met(ok bool) Verdict {
	if ok {
		return Met
	}
	return Unmet
}

// AnyOf is met when one of the expectations is.
func AnyOf(list ...Expectation) Expectation {
	var names []string
	for _, x := range list {
		names = append(names, x.What)
	}
	return Expectation{"any of: " + strings.Join(names, "; "), func(s *State) Verdict {
		best := Unmeetable
		for _, x := range list {
			switch x.Check(s) {
			case Met:
				return Met
			case Unmet:
				best = Unmet
			}
		}
		return best
	}}
}

// ShownMessage expects a message to the user that contains text.
func ShownMessage(text string) Expectation {
	return Expectation{fmt.Sprintf("a message with %q", text), func(s *State) Verdict {
		return met(slices.ContainsFunc(s.Messages, func(m Message) bool { return strings.Contains(m.Text, text) }))
	}}
}

// Logged expects a line in the log that contains text.
func Logged(text string) Expectation {
	return Expectation{fmt.Sprintf("a log line with %q", text), func(s *State) Verdict {
		return met(slices.ContainsFunc(s.Logs, func(m Message) bool { return strings.Contains(m.Text, text) }))
	}}
}

// Asked expects a question to the user that contains text.
func Asked(text string) Expectation {
	return Expectation{fmt.Sprintf("a question with %q", text), func(s *State) Verdict {
		return met(slices.ContainsFunc(s.Questions, func(q Question) bool { return strings.Contains(q.Text, text) }))
	}}
}

// Withdrawn expects that the server takes back a question that contains text.
func Withdrawn(text string) Expectation {
	return Expectation{fmt.Sprintf("the question with %q withdrawn", text), func(s *State) Verdict {
		return met(slices.ContainsFunc(s.Questions, func(q Question) bool { return strings.Contains(q.Text, text) && q.Withdrawn }))
	}}
}

// Opened expects that the server shows a document whose name contains path.
func Opened(path string) Expectation {
	return Expectation{fmt.Sprintf("%q shown", path), func(s *State) Verdict {
		return met(slices.ContainsFunc(s.Shown, func(d Shown) bool { return strings.Contains(d.Path, path) }))
	}}
}

// about reports whether a progress has a text in its title or in what it says: the server's own have the task's title at
// the end of what they say.
func (p Progress) about(text string) bool {
	return strings.Contains(p.Title, text) || slices.ContainsFunc(p.Messages, func(m string) bool { return strings.Contains(m, text) })
}

// Reported expects that a progress with this title says something that contains
// text. It is unmeetable once all such progresses have ended.
func Reported(title, text string) Expectation {
	return Expectation{fmt.Sprintf("progress %q to say %q", title, text), func(s *State) Verdict {
		seen, open := false, false
		for _, p := range s.Progress {
			if !p.about(title) || !p.Begun {
				continue
			}
			if slices.ContainsFunc(p.Messages, func(m string) bool { return strings.Contains(m, text) }) {
				return Met
			}
			seen, open = true, open || !p.Ended
		}
		if seen && !open {
			return Unmeetable
		}
		return Unmet
	}}
}

// Finished expects that a progress with this title ends and that its last words
// contain text; ending with other words makes it unmeetable.
func Finished(title, text string) Expectation {
	return Expectation{fmt.Sprintf("progress %q to end with %q", title, text), func(s *State) Verdict {
		seen, open := false, false
		for _, p := range s.Progress {
			if !p.about(title) || !p.Begun {
				continue
			}
			if p.Ended && strings.Contains(p.Last, text) {
				return Met
			}
			seen, open = true, open || !p.Ended
		}
		if seen && !open {
			return Unmeetable
		}
		return Unmet
	}}
}

// Diagnosed expects that the file's diagnostics hold one whose message contains text.
func Diagnosed(path, text string) Expectation {
	return Expectation{fmt.Sprintf("a diagnostic with %q on %s", text, path), func(s *State) Verdict {
		return met(slices.ContainsFunc(s.Diagnostics[path].List, func(d protocol.Diagnostic) bool {
			return strings.Contains(diagnosticText(d), text)
		}))
	}}
}

// Clean expects that an empty list of diagnostics was sent for the file.
func Clean(path string) Expectation {
	return Expectation{fmt.Sprintf("no diagnostics on %s", path), func(s *State) Verdict {
		p := s.Diagnostics[path]
		return met(p.Times > 0 && len(p.List) == 0)
	}}
}

// diagnosticText returns a diagnostic's message, plain or marked up.
func diagnosticText(d protocol.Diagnostic) string {
	switch m := d.Message.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	}
	return ""
}

// HasText expects that a buffer has exactly this text.
func HasText(path, text string) Expectation {
	return Expectation{fmt.Sprintf("%s to be %q", path, text), func(s *State) Verdict {
		b, ok := s.Buffers[path]
		return met(ok && b.Text == text)
	}}
}

// TextHas expects that a buffer has this text in it.
func TextHas(path, text string) Expectation {
	return Expectation{fmt.Sprintf("%s to have %q in it", path, text), func(s *State) Verdict {
		return met(strings.Contains(s.Buffers[path].Text, text))
	}}
}

// Applied expects that n edits have been asked for and answered.
func Applied(n int) Expectation {
	return Expectation{fmt.Sprintf("%d edits", n), func(s *State) Verdict { return met(len(s.Edits) >= n) }}
}

// Ended expects that the server ends the connection.
func Ended() Expectation {
	return Expectation{"the end of the connection", func(s *State) Verdict { return met(s.Ended) }}
}
