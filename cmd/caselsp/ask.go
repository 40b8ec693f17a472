package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"
)

// console asks the agent's questions on a terminal.
type console struct {
	in  *lineReader
	out io.Writer
	yes bool // approve without asking: --yes
}

// lineReader reads lines in a goroutine of its own, so that a read can be abandoned
// when the context ends; the line then goes to the next caller.
type lineReader struct{ lines chan string }

func newLineReader(in io.Reader) *lineReader {
	r := &lineReader{lines: make(chan string)}
	go func() {
		defer close(r.lines)
		s := bufio.NewScanner(in)
		for s.Scan() {
			r.lines <- s.Text()
		}
	}()
	return r
}

// read returns the next line; false at the end of input.
func (r *lineReader) read(ctx context.Context) (string, bool, error) {
	select {
	case <-ctx.Done():
		return "", false, ctx.Err()
	case line, ok := <-r.lines:
		return strings.TrimSpace(line), ok, nil
	}
}

// Ask implements agent.User. The end of input leaves a question undecided.
func (c *console) Ask(ctx context.Context, q record.Question) (record.Answer, error) {
	if c.yes && q.Flagged() {
		return record.Answer{Text: record.Approve, By: "--yes"}, nil
	}
	for {
		line, ok, err := c.ask(ctx, q)
		if err != nil {
			return record.Answer{}, err
		}
		if !ok {
			return record.Answer{}, agent.ErrUndecided
		}
		a := c.answer(q, line)
		a.By = "terminal"
		err = q.Check(a)
		if err == nil {
			return a, nil
		}
		fmt.Fprintf(c.out, "%s\n", clean(err.Error()))
	}
}

// ask shows a question and reads a line; a secret is read without showing it.
func (c *console) ask(ctx context.Context, q record.Question) (string, bool, error) {
	if q.Kind() == record.KindSecret {
		return c.in.readMasked(ctx, c.out, fmt.Sprintf("\n%s\n  why:     %s\nits value (not shown), or n = reject > ", clean(q.Text), clean(q.Why)))
	}
	c.prompt(q)
	return c.in.read(ctx)
}

func (c *console) prompt(q record.Question) {
	fmt.Fprintf(c.out, "\n%s\n", clean(q.Text))
	switch about := q.Subject.(type) {
	case record.Guarded, record.Finding:
		offer := about.(record.Approvable).Offer()
		fmt.Fprintf(c.out, "  what:    %s\n  why:     %s\ny = allow%s, n = reject, n REASON = reject and say why > ", clean(offer.What), clean(q.Why), always(offer))
	case record.Approvable:
		offer := about.Offer()
		// A line of the command must not pass for one of ours.
		fmt.Fprintf(c.out, "  command: %s\n  where:   %s\n", strings.ReplaceAll(clean(offer.What), "\n", "\n           "), clean(offer.Where))
		if len(offer.Touches) > 0 {
			fmt.Fprintf(c.out, "  touches: it %s\n", strings.Join(offer.Touches, ", "))
		}
		fmt.Fprintf(c.out, "  why:     %s\n", clean(q.Why))
		fmt.Fprintf(c.out, "y = allow once%s, n = reject, n REASON = reject and say why > ", always(offer))
	case record.Trust:
		fmt.Fprintf(c.out, "%s\ny = trust it and everything below it, n = only read > ", clean(q.Why))
	case record.Limit:
		fmt.Fprintf(c.out, "%s\ny = go on, n = stop here > ", clean(q.Why))
	case record.Input:
		for i, choice := range about.Choices {
			fmt.Fprintf(c.out, "  %d. %s\n", i+1, clean(choice))
		}
		fmt.Fprint(c.out, "> ")
	}
}

// always is the choice to allow something from now on, "" where it is not offered.
func always(o record.Offer) string {
	if o.Always == "" {
		return ""
	}
	return fmt.Sprintf(", a = always allow exactly this command here: %s", clean(o.Always))
}

// answer interprets what was typed: letters for an approval, a number or free text
// for a question with choices.
func (c *console) answer(q record.Question, line string) record.Answer {
	if about, ok := q.Subject.(record.Input); ok {
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(about.Choices) {
			return record.Answer{Text: about.Choices[n-1]}
		}
		return record.Answer{Text: line}
	}
	if q.Kind() == record.KindSecret {
		if line == "n" {
			line = record.Deny
		}
		return record.Answer{Text: line}
	}
	word, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(word) {
	case "y", "yes":
		return record.Answer{Text: record.Approve}
	case "a", "always":
		return record.Answer{Text: record.ApproveAlways}
	case "n", "no":
		return record.Answer{Text: record.Deny, Reason: strings.TrimSpace(rest)}
	}
	return record.Answer{Text: line}
}
