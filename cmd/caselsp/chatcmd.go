package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"text/tabwriter"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/store"

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
task, which is planned, carried out and reviewed as with ` + "`caselsp run`" + `.

Where an editor or another terminal works on the folder, its process answers, with its own settings; messages
in one thread are answered in their order. A task that a thread is handed over to then runs in the editor.`,
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

// chat is a conversation on the command line. The store is open only while something is said, so
// that an editor on the same folder can work while a person thinks.
type chat struct {
	taskFlags
	thread string
	w      *wiring
	in     *lineReader
	told   bool // the problems of the settings are
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
	c.w, c.in = w, newLineReader(os.Stdin)
	switch {
	case do:
		return c.carryOut(ctx, ownerAsk{Do: doHandOver, Task: c.thread})
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

// say says something in the thread and shows the answer.
func (c *chat) say(ctx context.Context, text string) error {
	return c.carryOut(ctx, ownerAsk{Do: doSay, Task: c.thread, Text: text})
}

// maxOwners is how many owners of the store are asked that end before they have answered.
const maxOwners = 5

// carryOut says something in the thread, or hands it over: in this process, or, where another one owns the store, in that
// one. Where that one ends before the answer, another may, with what is recorded.
func (c *chat) carryOut(ctx context.Context, ask ownerAsk) error {
	recorded := false
	for n := 1; ; n++ {
		e, err := c.here()
		if err == nil {
			return errors.Join(c.local(ctx, e, ask, recorded), e.Close())
		}
		if locked := (*store.Locked)(nil); !errors.As(err, &locked) {
			return err
		}
		there := &conversation{w: c.w, user: c.user(c.in)}
		last, said, err := c.show(ctx, there.events(ctx, ask))
		recorded = recorded || said
		locked := (*store.Locked)(nil)
		switch {
		case err == nil && there.handed != nil:
			return c.handedThere(ctx, *there.handed)
		case err == nil:
			return c.answered(last, "")
		case ctx.Err() != nil:
			fmt.Fprintf(os.Stderr, "caselsp: the thread %s is stopped. To go on: write another message\n", clean(c.thread))
			return exitOf(record.Stopped)
		case errors.Is(err, store.ErrOwnerLeft) && n < maxOwners:
			fmt.Fprintln(os.Stderr, "caselsp: the process that answered has ended. This one goes on")
		case n == maxOwners, !errors.Is(err, store.ErrOwnerLeft) && !errors.As(err, &locked):
			return err
		}
	}
}

// here opens the engine in this process.
func (c *chat) here() (*engine, error) {
	e, err := c.w.open([]string{c.w.dir}, nil, c.user(c.in), nil, nil)
	if err == nil && !c.told {
		e.tellProblems()
		c.told = true
	}
	return e, err
}

// local carries on the thread in this process. recorded says that another one has recorded the
// message and ended before it had told the answer. Where the thread is handed over, the task
// runs.
func (c *chat) local(ctx context.Context, e *engine, ask ownerAsk, recorded bool) error {
	if ask.Do == doHandOver {
		task, err := e.agent.HandOver(c.thread)
		if err != nil {
			return err
		}
		return c.run(ctx, e, task)
	}
	events := e.agent.Chat(ctx, agent.Message{Thread: c.thread, Text: ask.Text})
	last, err := record.Status{}, error(nil)
	if recorded {
		if last, err = e.agent.Status(record.ThreadID(c.thread)); err != nil {
			return err
		}
		events = e.agent.Resume(ctx, record.ThreadID(c.thread))
	}
	if last.State != record.Idle {
		last, _, err = c.show(ctx, events)
	}
	if err != nil {
		return err
	}
	if task, ok := e.agent.Handed(c.thread); ok && last.State == record.Idle && last.Reply == "" {
		return c.run(ctx, e, task)
	}
	return c.answered(last, fmt.Sprintf(", or caselsp resume %s%s", e.resumeFlags(), last.Task.ID))
}

// show shows what happens until the answer. recorded says that the message is.
func (c *chat) show(ctx context.Context, events iter.Seq2[agent.Event, error]) (last record.Status, recorded bool, err error) {
	out := os.Stderr
	if c.json {
		out = os.Stdout
	}
	d := newDisplay(out, c.json, c.asks)
	defer d.close()
	for event, err := range events {
		if err != nil {
			return last, recorded, err
		}
		if _, ok := event.Body.(record.Message); ok {
			recorded = true
		}
		if event.Body != nil {
			last = event.Status
		}
		if c.json || !ofAnswer(event.Body) {
			d.show(event)
		}
	}
	return last, recorded, nil
}

// answered shows the answer, or why there is none. goOn is a way to go on beside another message.
func (c *chat) answered(last record.Status, goOn string) error {
	switch {
	case last.State != record.Idle:
		fmt.Fprintf(os.Stderr, "caselsp: the thread %s is %s: %s\n", clean(c.thread), last.State, clean(last.Reason))
		fmt.Fprintf(os.Stderr, "caselsp: to go on: write another message%s\n", goOn)
		return exitOf(last.State)
	case c.json || last.Reply == "":
	case isTerminal(os.Stdout):
		fmt.Print(agent.QuoteLines(last.Reply.Plain(), quoteMark))
	default:
		fmt.Println(clean(strings.TrimSpace(last.Reply.Plain())))
	}
	return nil
}

// handedThere tells of the task that the owner of the store has handed the thread over to, and runs it where it
// has not begun and the owner has ended.
func (c *chat) handedThere(ctx context.Context, h ownerHanded) error {
	if h.Begun {
		fmt.Fprintf(os.Stderr, "caselsp: the thread %s is handed over to the task %s, which runs in the editor that works on this folder (process %d): it asks there and is reviewed there. Here: caselsp history, tell, stop\n", clean(c.thread), h.Task, h.Owner)
		return nil
	}
	e, err := c.here()
	if err == nil {
		return errors.Join(c.local(ctx, e, ownerAsk{Do: doHandOver}, false), e.Close())
	}
	if locked := (*store.Locked)(nil); !errors.As(err, &locked) {
		return err
	}
	fmt.Fprintf(os.Stderr, "caselsp: the thread %s is handed over to the task %s, which has not begun: process %d works on this folder. When that has ended: caselsp chat --thread %[1]s --do\n", clean(c.thread), h.Task, h.Owner)
	return exitOf(record.Paused)
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
func (c *chat) run(ctx context.Context, e *engine, task record.Task) error {
	fmt.Fprintf(os.Stderr, "caselsp: the thread %s is handed over to the task %s\n", clean(c.thread), task.ID)
	return c.follow(ctx, e, c.in, e.agent.Run(ctx, task))
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
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", t.Name, t.State, count.Of(t.Messages, "message"), t.Changed.Local().Format("2006-01-02 15:04"), clean(firstLine(t.First)))
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
	text, _, err := e.agent.ThreadText(name)
	fmt.Fprint(out, clean(text))
	return err
}
