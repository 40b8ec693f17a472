package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"caselsp/agent"
	"caselsp/agent/record"

	"github.com/spf13/cobra"
)

func chatCommand(w *wiring) *cobra.Command {
	c := &chat{}
	var show, forget string
	var list, do bool
	cmd := &cobra.Command{
		Use:   "chat [--thread NAME] [TEXT...]",
		Short: "Ask about the code of a folder, in a thread that is remembered; agree to a proposal to have it done",
		Long: `Answers a question about the code in a folder and remembers the conversation. Nothing is changed and no
command runs; the limits of a task hold for each message. Without a text, on a terminal, it asks for messages until Ctrl-D.

@path, @path:10-20, @folder/ and @symbol in a message are shown to the model with it; names that
cannot be found are listed. Answers go to standard output, all else to standard error.

When you agree to what an answer proposes ("yes, do it"), or with --do, the conversation becomes the text of a
task, which is planned, carried out and reviewed as with ` + "`caselsp run`" + `.`,
		Example: `  caselsp chat "where is the rate limit set?"
  caselsp chat "and what does @RateLimiter.reset do?"
  caselsp chat "yes, do it"
  caselsp chat --thread release --show release`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := cmp.Or(show, forget)
			switch {
			case list:
				return w.anywhere(cmd.Context(), ownerAsk{Do: "threads", JSON: c.json})
			case name != "" && len(args) > 0:
				return usage(errors.New("--show and --delete take no message"))
			case show != "":
				return w.anywhere(cmd.Context(), ownerAsk{Do: "thread", Task: show})
			case forget != "":
				return w.anywhere(cmd.Context(), ownerAsk{Do: "forget", Task: forget})
			}
			return c.open(cmd.Context(), w, strings.Join(args, " "), do)
		},
	}
	cmd.Flags().StringVar(&c.thread, "thread", agent.DefaultThread, "the thread")
	cmd.Flags().BoolVar(&list, "list", false, "list the threads")
	cmd.Flags().StringVar(&show, "show", "", "show all of a thread")
	cmd.Flags().StringVar(&forget, "delete", "", "delete a thread")
	cmd.Flags().BoolVar(&do, "do", false, "have a task do what the last answer of the thread proposes")
	cmd.MarkFlagsMutuallyExclusive("list", "show", "delete", "do")
	c.add(cmd)
	return cmd
}

// chat is a conversation on the command line.
type chat struct {
	taskFlags
	thread string
	e      *engine
	in     *lineReader
}

// open carries on a thread: with one message, or with those that are typed.
func (c *chat) open(ctx context.Context, w *wiring, text string, do bool) error {
	typed := text == "" && !do
	switch {
	case typed && !isTerminal(os.Stdin):
		return usage(errors.New("there is no message: write one behind `caselsp chat`"))
	case do && text != "":
		return usage(errors.New("--do takes no message: it does what the last answer proposes"))
	case !typed && !do:
		if err := (agent.Message{Thread: c.thread, Text: text}).Check(); err != nil {
			return usage(err)
		}
	}
	c.in = newLineReader(os.Stdin)
	e, err := w.open([]string{w.dir}, nil, c.user(c.in), nil, nil)
	if err != nil {
		return err
	}
	defer e.Close()
	e.tellProblems()
	c.e = e
	switch {
	case do:
		task, err := e.agent.HandOver(c.thread)
		if err != nil {
			return err
		}
		return c.run(ctx, task)
	case !typed:
		return c.say(ctx, text)
	}
	return c.loop(ctx)
}

// loop takes messages until the end of input.
func (c *chat) loop(ctx context.Context) error {
	for {
		fmt.Fprintf(os.Stderr, "%s> ", clean(c.thread))
		line, more, err := c.in.read(ctx)
		if err != nil || !more {
			fmt.Fprintln(os.Stderr)
			return err
		}
		if line == "" {
			continue
		}
		err = c.say(ctx, line)
		coded := (*exitError)(nil)
		switch {
		case ctx.Err() != nil:
			return err
		case errors.As(err, &coded) && coded.err == nil: // it was said
		case err != nil:
			fmt.Fprintln(os.Stderr, "caselsp:", clean(err.Error()))
		}
	}
}

// say says something in the thread and shows the answer. Where that hands the thread over, the
// task runs.
func (c *chat) say(ctx context.Context, text string) error {
	out := os.Stderr
	if c.json {
		out = os.Stdout
	}
	d := newDisplay(out, c.json, c.asks)
	var last record.Status
	var failed error
	for event, err := range c.e.agent.Chat(ctx, agent.Message{Thread: c.thread, Text: text}) {
		if err != nil {
			failed = err
			break
		}
		if last = event.Status; c.json || !ofAnswer(event.Body) {
			d.show(event)
		}
	}
	d.close()
	switch {
	case failed != nil:
		return failed
	case last.State != record.Idle:
		fmt.Fprintf(os.Stderr, "caselsp: the thread %s is %s: %s\n", c.thread, last.State, clean(last.Reason))
		fmt.Fprintf(os.Stderr, "caselsp: to go on: write another message, or caselsp resume %s%s\n", c.e.resumeFlags(), last.Task.ID)
		return exitOf(last.State)
	case last.Reply == "":
		if task, ok := c.e.agent.Handed(c.thread); ok {
			return c.run(ctx, task)
		}
	case !c.json && isTerminal(os.Stdout):
		fmt.Print(agent.QuoteLines(last.Reply.Plain(), quoteMark))
	case !c.json:
		fmt.Println(clean(strings.TrimSpace(last.Reply.Plain())))
	}
	return nil
}

// ofAnswer reports whether an event says no more than the message and the answer do.
func ofAnswer(body record.Body) bool {
	switch b := body.(type) {
	case record.TaskGiven, record.Replied:
		return true
	case record.StateChanged:
		return b.To == record.Answering || b.To == record.Idle
	}
	return false
}

// run carries out the task that the thread was handed over to.
func (c *chat) run(ctx context.Context, task record.Task) error {
	fmt.Fprintf(os.Stderr, "caselsp: the thread %s is handed over to the task %s\n", clean(c.thread), task.ID)
	return c.follow(ctx, c.e, c.in, c.e.agent.Run(ctx, task))
}

// threads lists the threads of the workspace.
func (e *engine) threads(out io.Writer, asJSON bool) error {
	lines, err := e.agent.Threads()
	if asJSON {
		enc := json.NewEncoder(out)
		for _, t := range lines {
			if err := enc.Encode(t); err != nil {
				return err
			}
		}
		return err
	}
	if len(lines) == 0 && err == nil {
		_, err := fmt.Fprintln(out, "No threads yet. Begin one: caselsp chat \"...\"")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range lines {
		fmt.Fprintf(table, "%s\t%s\t%d messages\t%s\t%s\n", t.Name, t.State, t.Messages, t.Changed.Format("2006-01-02 15:04"), clean(firstLine(t.First)))
	}
	return errors.Join(table.Flush(), err)
}

// thread prints or deletes a thread.
func (e *engine) thread(out io.Writer, name string, forget bool) error {
	if forget {
		err := e.agent.Forget(name)
		if err == nil {
			fmt.Fprintf(out, "the thread %s is deleted\n", name)
		}
		return err
	}
	text, err := e.agent.ThreadText(name)
	fmt.Fprint(out, clean(text))
	return err
}
