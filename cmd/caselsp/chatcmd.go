package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"text/tabwriter"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/cmd/caselsp/screen"

	"github.com/spf13/cobra"
)

var listThreads = reads("threads", func(_ context.Context, e *engine, s *seat, asJSON bool) error {
	return e.threads(s.out, asJSON)
})

var showThread = reads("thread", func(_ context.Context, e *engine, s *seat, name string) error {
	text, _, err := e.agent.ThreadText(name)
	fmt.Fprint(s.out, clean(text))
	return err
})

var deleteThread = reads("forget", func(_ context.Context, e *engine, s *seat, name string) error {
	err := e.agent.Forget(name)
	if err == nil {
		fmt.Fprintf(s.out, "the thread %s is deleted\n", name)
	}
	return err
})

func chatCommand(w *wiring) *cobra.Command {
	a := chatArgs{}
	var show, forget string
	var list bool
	cmd := &cobra.Command{
		Use:   "chat [--thread NAME] [TEXT...]",
		Short: "Ask about the code of a folder, in a thread that is remembered; agree to a proposal to have it done",
		Long: `Answers a question about the code in a folder and remembers the conversation. Nothing is changed and no
command runs; the limits of a task hold for each message. Without a text, on a terminal, it asks for messages until Ctrl+D,
or until ` + "`exit`, `quit` or `:q`" + `. Alt+Enter, Ctrl+J, or a backslash at the end of a line continue a message on the next
line; what is pasted is one message. Up and Down go back to earlier messages. Ctrl+C stops an answer or a task, and the chat goes on.

@path, @path:10-20, @folder/ and @symbol in a message are shown to the model with it; names that
cannot be found are listed. Answers go to standard output, all else to standard error.

When you agree to what an answer proposes ("yes, do it"), or with --do, the conversation becomes the text of a
task, which is planned, carried out and reviewed as with ` + "`caselsp run`" + `.

Where an editor or another terminal works on the folder, its process answers, with its own settings; messages
in one thread are answered in their order.`,
		Example: `  caselsp chat "where is the rate limit set?"
  caselsp chat "and what does @RateLimiter.reset do?"
  caselsp chat "yes, do it"
  caselsp chat --thread release --show release`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, ctx := cmp.Or(show, forget), cmd.Context()
			switch {
			case list:
				return listThreads.run(ctx, w, a.JSON)
			case name != "" && len(args) > 0:
				return usage(errors.New("--show and --delete take no message"))
			case show != "":
				return showThread.run(ctx, w, show)
			case forget != "":
				return deleteThread.run(ctx, w, forget)
			}
			a.Text = strings.Join(args, " ")
			return a.open(ctx, w)
		},
	}
	cmd.Flags().StringVar(&a.Thread, "thread", agent.DefaultThread, "the thread")
	cmd.Flags().BoolVar(&list, "list", false, "list the threads")
	cmd.Flags().StringVar(&show, "show", "", "show all of a thread")
	cmd.Flags().StringVar(&forget, "delete", "", "delete a thread")
	cmd.Flags().BoolVar(&a.Do, "do", false, "have a task do what the last answer of the thread proposes")
	cmd.MarkFlagsMutuallyExclusive("list", "show", "delete", "do")
	a.add(cmd)
	return cmd
}

// chatArgs are a message in a thread, or what is left of one that another process has taken.
type chatArgs struct {
	taskFlags
	Thread string
	Text   string `json:",omitempty"`
	Do     bool   `json:",omitempty"` // no message: the thread is handed over
	Heard  bool   `json:",omitempty"` // the message is recorded, by a process that has ended
	Kept   int64  `json:",omitempty"` // the number under which the message is in the store
	Later  bool   `json:",omitempty"` // not the first message of this command
	Loop   bool   `json:",omitempty"` // the command goes on with another message
}

const doSay = "say"

var sayInThread = works(doSay, func(ctx context.Context, e *engine, s *seat, a chatArgs) error {
	ctx = a.asked(ctx, s)
	if !a.Later {
		e.tellProblems(s)
	}
	if a.Do {
		task, err := e.agent.HandOver(a.Thread)
		if err != nil {
			return err
		}
		return a.begin(ctx, e, s, task)
	}
	return a.say(ctx, e, s)
})

// beforeThread says what stands open in a thread that a person goes on with, and gives the messages before.
type beforeThread struct {
	Open string   // what has no answer yet, and how it gets one; "" where nothing is open
	Said []string // by the person, the newest last
}

// beforeTyping is a [beforeThread] as JSON, for the name of a thread.
var beforeTyping = reads("before", func(_ context.Context, e *engine, s *seat, name string) error {
	var b beforeThread
	var err error
	if b.Open, b.Said, err = e.agent.Left(name); err != nil {
		return err
	}
	return newEncoder(s.out).Encode(b)
})

// before is what [beforeTyping] says, where it can be read: what cannot is told with the next message.
func (a *chatArgs) before(ctx context.Context, w *wiring, s *seat) (b beforeThread) {
	var out bytes.Buffer
	there := &seat{out: stream{Writer: &out}, err: stream{Writer: io.Discard}, in: newLineReader(noKeys{}, false, io.Discard), then: s.then}
	if beforeTyping.at(ctx, w, there, a.Thread) == nil {
		_ = json.Unmarshal(out.Bytes(), &b)
	}
	return b
}

// open carries on a thread: with one message, or with those that are typed. The store is open only
// while something is said, so that other processes can work on the folder while a person thinks.
func (a *chatArgs) open(ctx context.Context, w *wiring) error {
	s := ownSeat()
	typed := a.Text == "" && !a.Do
	switch {
	case typed && !s.in.tty:
		return usage(errors.New("there is no message: write one behind `caselsp chat`"))
	case a.Do && a.Text != "":
		return usage(errors.New("--do takes no message: it does what the last answer proposes"))
	case !typed && !a.Do:
		if err := (agent.Message{Thread: a.Thread, Text: a.Text}).Check(); err != nil {
			return usage(err)
		}
	}
	if typed {
		return a.loop(ctx, w, s)
	}
	return sayInThread.at(ctx, w, s, *a)
}

// loop takes messages until the end of input.
func (a *chatArgs) loop(ctx context.Context, w *wiring, s *seat) error {
	defer keyboard.keep()()
	left := a.before(ctx, w, s)
	s.in.keys.recall(left.Said)
	for line := range strings.Lines(left.Open) {
		fmt.Fprintln(s.err, "caselsp:", clean(strings.TrimSpace(line)))
	}
	p := screen.Prompt{Text: clean(a.Thread) + "> ", Message: true, Leave: "  Ctrl+C again leaves the chat, and so do Ctrl+D and exit"}
	if s.err.color {
		p.Hint = live.faint.Render(chatHint)
	}
	said := *a
	for said.Loop = true; ; said.Later = true {
		line, more, err := s.in.readBehind(ctx, p)
		if err != nil || !more || leaveWords[strings.ToLower(line)] {
			return err
		}
		if line == "" {
			continue
		}
		said.Text = line
		part, over := signals.within(ctx)
		err = sayInThread.at(part, w, s, said)
		stopped := part.Err() != nil
		over()
		coded := (*exitError)(nil)
		switch {
		case ctx.Err() != nil:
			return err
		case errors.As(err, &coded) && coded.code == codeLeft:
			return nil
		case errors.As(err, &coded) && coded.err == nil: // it was said
		case stopped && errors.Is(err, context.Canceled):
			fmt.Fprintln(s.err, "caselsp: stopped")
		case err != nil:
			fmt.Fprintln(s.err, "caselsp:", clean(err.Error()))
		}
	}
}

// leaveWords are what a person types to leave a chat: no message.
var leaveWords = map[string]bool{"exit": true, "quit": true, ":q": true, ":q!": true, ":quit": true, "/exit": true, "/quit": true}

// codeLeft is none of a process: it says to a chat that the person has typed to leave it while an answer was made.
const codeLeft = -1

// say says something in the thread and shows the answer; then what a person has typed meanwhile, message by message. That is
// kept at once, so that it is not lost with the process or with an answer that does not come: then it is said with the next
// message of the thread.
func (a *chatArgs) say(ctx context.Context, e *engine, s *seat) error {
	var mu sync.Mutex
	var waiting []agent.Message
	leaves := false
	listen := func() {
		if s.in.tty {
			s.in.tell(func(text string) {
				if a.Loop && leaveWords[strings.ToLower(strings.TrimSpace(text))] {
					mu.Lock()
					leaves = true
					mu.Unlock()
					fmt.Fprintln(s.err, "  noted: the chat ends after the answer")
					return
				}
				m, err := e.agent.Keep(agent.Message{Thread: a.Thread, Text: text})
				if err != nil {
					fmt.Fprintln(s.err, "caselsp:", clean(err.Error()))
					return
				}
				mu.Lock()
				waiting = append(waiting, m)
				mu.Unlock()
				fmt.Fprintln(s.err, "  noted, asked next:", clean(firstLine(text)))
			})
		}
	}
	listen()
	defer s.in.tell(nil)
	for {
		err := a.sayOne(ctx, e, s)
		mu.Lock()
		left, leave := waiting, leaves
		if err == nil && len(left) > 0 {
			waiting = left[1:]
		}
		mu.Unlock()
		if err != nil {
			e.agent.Leave(left)
		}
		if err != nil && len(left) > 0 {
			fmt.Fprintf(s.err, "caselsp: %s that you have typed is kept, and said with your next message in the thread\n", count.Of(len(left), "message"))
		}
		if len(left) == 0 && leave && ctx.Err() == nil {
			return &exitError{code: codeLeft}
		}
		if err != nil || len(left) == 0 {
			return err
		}
		m := left[0]
		name := clean(a.Thread) + "> "
		fmt.Fprintf(s.err, "%s%s\n", name, strings.ReplaceAll(clean(strings.TrimSpace(m.Text)), "\n", "\n"+strings.Repeat(" ", len(name))))
		a.Text, a.Kept, a.Heard, a.Later = m.Text, m.Kept, false, true
		listen() // a task of the thread has listened for itself
	}
}

// sayOne says one message. Where the thread is handed over, the task runs.
func (a *chatArgs) sayOne(ctx context.Context, e *engine, s *seat) (err error) {
	m := agent.Message{Thread: a.Thread, Text: a.Text, Kept: a.Kept}
	if a.Heard = a.Heard || a.Kept != 0 && !e.agent.Keeps(m); !a.Heard { // it was said with a message of another process
		if m, err = e.agent.Keep(m); err != nil {
			return err
		}
		kept := *a
		kept.Kept = m.Kept
		s.then(doSay, kept)
	}
	events := e.agent.Chat(ctx, m)
	last := record.Status{}
	if a.Heard {
		if last, err = e.agent.Status(record.ThreadID(a.Thread)); err != nil {
			return err
		}
		events = e.agent.Resume(ctx, record.ThreadID(a.Thread))
	}
	if last.State != record.Idle {
		if last, err = a.show(s, events); err != nil {
			return err
		}
	}
	if task, ok := e.agent.Handed(a.Thread); ok && last.State == record.Idle && last.Reply == "" {
		return a.begin(ctx, e, s, task)
	}
	return a.answered(e, s, last)
}

// show shows what happens until the answer.
func (a *chatArgs) show(s *seat, events iter.Seq2[agent.Event, error]) (last record.Status, err error) {
	out := s.err
	if a.JSON {
		out = s.out
	}
	d := newDisplay(out, a.JSON, a.asks)
	defer d.close()
	for event, err := range events {
		if err != nil {
			return last, err
		}
		if _, ok := event.Body.(record.Message); ok {
			heard := *a
			heard.Heard = true
			s.then(doSay, heard)
		}
		if event.Body != nil {
			last = event.Status
		}
		if a.JSON || !ofAnswer(event.Body) {
			d.show(event)
		}
	}
	return last, nil
}

// answered shows the answer, or why there is none.
func (a *chatArgs) answered(e *engine, s *seat, last record.Status) error {
	switch {
	case last.State != record.Idle:
		fmt.Fprintf(s.err, "caselsp: the thread %s is %s: %s\n", clean(a.Thread), last.State, clean(last.Reason))
		fmt.Fprintf(s.err, "caselsp: to go on: write another message, or caselsp resume %s%s\n", e.resumeFlags(), last.Task.ID)
		return exitOf(last.State)
	case a.JSON || last.Reply == "":
	case s.out.tty:
		fmt.Fprint(s.out, agent.QuoteLines(last.Reply.Plain(), quoteMark))
	default:
		fmt.Fprintln(s.out, clean(strings.TrimSpace(last.Reply.Plain())))
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

// begin carries out the task that the thread was handed over to.
func (a *chatArgs) begin(ctx context.Context, e *engine, s *seat, task record.Task) error {
	fmt.Fprintf(s.err, "caselsp: the thread %s is handed over to the task %s\n", clean(a.Thread), task.ID)
	return a.follow(ctx, e, s, e.agent.Run(ctx, task))
}

// threads lists the threads of the workspace.
func (e *engine) threads(out io.Writer, asJSON bool) error {
	lines, err := e.agent.Threads()
	if asJSON {
		enc := newEncoder(out)
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
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", t.Name, t.Standing(), count.Of(t.Messages, "message"), t.Changed.Local().Format("2006-01-02 15:04"), clean(firstLine(t.First)))
	}
	return errors.Join(table.Flush(), err)
}
