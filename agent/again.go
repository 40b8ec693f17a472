package agent

import (
	"context"
	"fmt"

	"caselsp/sandbox"
)

// more returns the policy under which the command, which has ended for want of
// memory or time, may run once again; nil where its result stands. A second try
// is the last one: what needs four times as much is not about to fit.
func (r *run) more() *sandbox.Policy {
	c := r.p.pending
	if c.tries > 1 || c.Role == roleTars || c.answerAgain != nil && c.answerAgain.Text == Deny {
		return nil
	}
	p := r.a.Policy
	switch c.result.Result.Status {
	case sandbox.OutOfMemory:
		p.Memory *= 2
	case sandbox.TimedOut:
		if r.p.hasty[commandOf(c.Args)] {
			return nil // the user has refused to wait longer for this one
		}
		p.Time *= 2
	default:
		return nil
	}
	return &p
}

// secondTry runs a command once again, on the tree that it had before, with more
// than it had. Twice the memory is taken unasked up to a limit; more time never
// is, because a command that does not end is most often one that never will.
func (r *run) secondTry(ctx context.Context, line string, more sandbox.Policy) error {
	c := r.p.pending
	engine, err := r.a.Sandbox(ctx)
	if err != nil {
		return err
	}
	ask := more.Memory > max(r.a.RetryMemory, r.a.Policy.Memory) || more.Time > r.a.Policy.Time
	if r.a.asked != nil {
		ask = r.a.asked()
	}
	if c.answerAgain == nil && ask {
		why := fmt.Sprintf("it ran out of its %d MiB of memory; twice that is more than a command gets unasked", r.a.Policy.Memory>>20)
		if more.Time > r.a.Policy.Time {
			why = fmt.Sprintf("it was not done after %s and was ended; it may need longer, or never end", r.a.Policy.Time)
		}
		return r.question(Question{Kind: Approval, Text: "A command may run once again with more", Command: line, Why: why, Where: where(engine, more)})
	}
	if engine == nil {
		return r.commandEnded(line) // switched off meanwhile
	}
	cmd, err := r.commandOn(ctx, line, more)
	if err != nil {
		return r.commandEnded(line)
	}
	if cmd.Layer, _, err = r.dependencies(ctx, engine, cmd, true); err != nil {
		return err
	}
	return r.execute(ctx, engine, cmd)
}

// applyAgain folds the answer to whether a command may run once again.
func (p *progress) applyAgain(a Answer) {
	c := p.pending
	c.answerAgain = &a
	if a.Text == Deny && c.first == sandbox.TimedOut {
		if p.hasty == nil {
			p.hasty = map[string]bool{}
		}
		p.hasty[commandOf(c.Args)] = true
	}
}

// tryNote tells people, on the line of the result, that it is a second try's.
func (r *run) tryNote() string {
	c := r.p.pending
	switch {
	case c.tries < 2:
		return ""
	case c.first == sandbox.OutOfMemory:
		return fmt.Sprintf(", the second time with %d MiB", 2*r.a.Policy.Memory>>20)
	}
	return fmt.Sprintf(", the second time within %s", 2*r.a.Policy.Time)
}

// firstTry tells the model of the first try, where the result is that of the second.
func (r *run) firstTry() string {
	c := r.p.pending
	switch {
	case c.answerAgain != nil && c.answerAgain.Text == Deny && c.answerAgain.Reason != "":
		return "The user does not want it to run again with more: " + c.answerAgain.Reason + "\n"
	case c.tries > 1 && c.first == sandbox.OutOfMemory:
		return fmt.Sprintf("It ran out of %d MiB of memory and was run once again with twice that.\n", r.a.Policy.Memory>>20)
	case c.tries > 1:
		return fmt.Sprintf("It was not done after %s and was run once again with twice that.\n", r.a.Policy.Time)
	}
	return ""
}
