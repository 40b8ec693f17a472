package agent

import (
	"context"
	"fmt"
	"time"

	"caselsp/agent/record"
	"caselsp/sandbox"
)

// more returns the policy under which the command, which has ended for want of
// memory or time, may run once again; nil where its result stands. A second try
// is the last one: what needs four times as much is not about to fit.
func (r *run) more() *sandbox.Policy {
	c := r.state.Pending
	if c.Tries > 1 || c.Role == record.RoleTars || c.AnswerAgain != nil && c.AnswerAgain.Text == record.Deny {
		return nil
	}
	p := r.a.Policy
	switch c.Result.Result.Status {
	case sandbox.OutOfMemory:
		p.Memory *= 2
	case sandbox.TimedOut:
		if r.state.NoMoreTime[record.CommandOf(c.Args)] || r.hangs() {
			return nil // the user has refused to wait longer for this one, or more time did not help
		}
		p.Time *= 2
	default:
		return nil
	}
	return &p
}

// hangs reports whether a run of the tests that was stopped for its time is to be taken for one that
// never ends: it had written nothing for half of that or more, or it is a run beside the tests
// themselves, which is not worth waiting twice.
func (r *run) hangs() bool {
	c := r.state.Pending
	if !r.testsRun() {
		return false
	}
	return c.Before || c.Bare || 2*c.Result.Result.Quiet >= r.a.Policy.Time
}

// hungNote tells people why a run of the tests is not tried longer.
func (r *run) hungNote() string {
	c := r.state.Pending
	if c.Result == nil || c.Tries > 1 || c.Result.Result.Status != sandbox.TimedOut || 2*c.Result.Result.Quiet < r.a.Policy.Time || !r.testsRun() {
		return ""
	}
	return fmt.Sprintf(" after %s, and had written nothing for the last %s: it seems to hang and is not tried longer (sandbox.time is the limit)", r.a.Policy.Time, c.Result.Result.Quiet.Round(time.Second))
}

// secondTry runs a command once again, on the tree that it had before, with more
// than it had.
func (r *run) secondTry(ctx context.Context, line string, more sandbox.Policy) error {
	if err := r.inTime(); err != nil {
		return err
	}
	engine, err := r.a.Sandbox(ctx)
	if err != nil {
		return err
	}
	if _, may, err := r.heed(r.may().Again(line, more, engine)); !may {
		return err
	}
	if engine == nil {
		return r.commandEnded(ctx, line) // switched off meanwhile
	}
	cmd, err := r.commandOn(ctx, line, more)
	if err != nil {
		return r.commandEnded(ctx, line)
	}
	if cmd.Layer, _, err = r.dependencies(ctx, engine, cmd, true); err != nil {
		return err
	}
	if err := r.chooseTree(ctx, &cmd); err != nil {
		return r.commandEnded(ctx, line)
	}
	return r.execute(ctx, engine, cmd)
}

// tryNote tells people, on the line of the result, that it is a second try's.
func (r *run) tryNote() string {
	c := r.state.Pending
	switch {
	case c.Tries < 2:
		return ""
	case c.First == sandbox.OutOfMemory:
		return fmt.Sprintf(", the second time with %d MiB", 2*r.a.Policy.Memory>>20)
	}
	return fmt.Sprintf(", the second time within %s", 2*r.a.Policy.Time)
}

// firstTry tells the model of the first try, where the result is that of the second.
func (r *run) firstTry() string {
	c := r.state.Pending
	switch {
	case c.AnswerAgain != nil && c.AnswerAgain.Text == record.Deny && c.AnswerAgain.Reason != "":
		return "The user does not want it to run again with more: " + c.AnswerAgain.Reason + "\n"
	case c.Tries > 1 && c.First == sandbox.OutOfMemory:
		return fmt.Sprintf("It ran out of %d MiB of memory and was run once again with twice that.\n", r.a.Policy.Memory>>20)
	case c.Tries > 1:
		return fmt.Sprintf("It was not done after %s and was run once again with twice that.\n", r.a.Policy.Time)
	}
	return ""
}
