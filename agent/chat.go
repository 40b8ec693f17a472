package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/count"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// A thread is a conversation about the workspace. It is a run like a task's, over a journal of its
// own, in the phase Answering: the model is offered the reading actions, ANSWER and HAND_OVER only,
// so no action needs an approval. When the user agrees to what was proposed, the thread
// is handed over: to an ordinary task, with plan, approvals and review.

// DefaultThread is the thread that is meant where none is named.
const DefaultThread = "main"

// Message is what the user says in a thread.
type Message struct {
	Thread string // its name; "": DefaultThread
	Text   string
	Focus  *record.Focus // the place in the editor that it is about; nil for none
	// Kept is the number under which it is in the store, see [Agent.Keep]; 0: it is not yet.
	Kept int64
}

// Check refuses a message that cannot be answered, or a name that no thread can have.
func (m Message) Check() error {
	if strings.TrimSpace(m.Text) == "" {
		return errors.New("the message is empty: write a question")
	}
	return errors.Join(record.CheckThread(m.thread()), record.CheckSaid(m.Text))
}

func (m Message) thread() string {
	if m.Thread == "" {
		return DefaultThread
	}
	return m.Thread
}

// Chat says something in a thread, which it begins where there is none of the name, and yields what
// happens until it is answered, handed over, paused or stopped, as [Agent.Run] does. Where the thread
// is answering, the message waits for its turn. A thread that was interrupted goes on with the message. Where it ends in a [record.HandedOver], the task is
// there to be run: [Agent.Handed].
func (a *Agent) Chat(ctx context.Context, m Message) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		m, err := a.Keep(m)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer a.unkeep(ctx, m)
		id, left := record.ThreadID(m.thread()), false
		release, err := a.inTurn(ctx, id, func() {
			left = !yield(Event{Doing: fmt.Sprintf("The thread %s is answering another message. Yours is next.", m.thread())}, nil)
		})
		if err != nil {
			if !left {
				yield(Event{}, err)
			}
			return
		}
		defer release()
		if !left {
			a.drive(ctx, id, yield, func(r *run) error { return r.hears(ctx, m) })
		}
	}
}

// hears begins a thread or goes on with it, and records the message.
func (r *run) hears(ctx context.Context, m Message) error {
	p, err := r.a.load(r.id)
	switch {
	case errors.Is(err, ErrNoTask):
		err = r.begin(ctx, record.Task{ID: r.id, Text: m.Text, Typed: m.Text, Thread: m.thread()})
	case err == nil:
		r.state = p
		r.a.adoptAuthored()
		if err = errors.Join(r.conceal(ctx), r.a.adopt(r.id)); err == nil {
			err = r.settle()
		}
	}
	if err != nil {
		return err
	}
	if b, recorded := r.a.outside.message(); recorded {
		return r.record(b)
	}
	list, err := r.a.leftBehind(r.id)
	if err == nil {
		err = r.learnWindow(ctx)
	}
	if err != nil {
		return err
	}
	for _, said := range append(list, m) {
		b, err := r.naming(ctx, said)
		if err != nil {
			return err
		}
		b.Tasks, b.Context = r.handedSince(), r.context()
		if err := r.recordKept(said.Kept, b); err != nil {
			return err
		}
	}
	return nil
}

// handedSince says what became of the task that the thread was handed over to last, where the
// model does not know it yet.
func (r *run) handedSince() string {
	n := len(r.state.Thread.Exchanges)
	if n == 0 || r.state.Thread.Exchanges[n-1].Handed == nil {
		return ""
	}
	id := r.state.Thread.Exchanges[n-1].Handed.Task
	st, err := r.a.Status(id)
	if errors.Is(err, ErrPruned) {
		return fmt.Sprintf("The task %s that this thread was handed over to has ended.", id)
	}
	if err != nil {
		return fmt.Sprintf("The task %s that this thread was handed over to has not begun.", id)
	}
	text := fmt.Sprintf("The task %s that this thread was handed over to is in the state %q.", id, st.State)
	if p, err := r.a.load(id); err == nil {
		text += p.Review.Taken()
	}
	return text
}

// answering asks for the answer to the latest message.
func (r *run) answering(ctx context.Context) error {
	if r.state.Exchanges >= maxPlanningTurns {
		return &pauseError{fmt.Sprintf("TARS looked around for %d turns and gave no answer: ask again, or ask for less at once", maxPlanningTurns)}
	}
	shown, told, recorded := r.a.outside.shown()
	if told {
		return r.record(shown)
	}
	if !recorded {
		if opened, err := r.open("plan.open.md", r.planOpening(ctx)); opened || err != nil {
			return err
		}
		if told, err := r.tellChanges(); told || err != nil {
			return err
		}
	}
	return r.converse(ctx, record.RoleTars, threadVerbs, (*prompter).chatPrompt)
}

// onlyReads is what a model is told further that wants to act in a thread; "" elsewhere.
func (r *run) onlyReads(verb string, err error) string {
	if r.state.Phase != record.Answering || !errors.Is(err, action.ErrUnknown) || action.EffectOf(verb) == "" {
		return ""
	}
	return fmt.Sprintf(". A thread only reads: say with %s what you would do, and ask the user whether to do it", action.AnswerName)
}

func (p *prompter) chatPrompt() ([]llm.Message, error) {
	return p.conversation("chat.system.md", "chat.user.md")
}

// handOver hands the thread over to a task, where the user has agreed to one.
func (r *run) handOver(args action.HandOver) error {
	if why := r.state.Unagreed(); why != "" {
		return r.refuse(fmt.Sprintf("Nothing was handed over: %s Say with %s what you would do, and ask the user to answer \"yes, do it\".", why, action.AnswerName))
	}
	return r.record(r.handed(args.Task))
}

// HandOver hands a thread over by the user's own command: what its last answer proposes is to be
// done. A hand-over whose task has not begun is given again.
func (a *Agent) HandOver(thread string) (record.Task, error) {
	id := record.ThreadID(Message{Thread: thread}.thread())
	release, err := a.acquire(id)
	if err != nil {
		return record.Task{}, err
	}
	defer release()
	p, err := a.thread(id)
	if err != nil {
		return record.Task{}, err
	}
	if task, ok := a.unbegun(p); ok {
		return task, nil
	}
	switch {
	case !p.Thread.Answered():
		return record.Task{}, fmt.Errorf("nothing was answered in the thread %s that could be done: ask first", p.Task.Thread)
	case p.Phase != record.Idle:
		return record.Task{}, fmt.Errorf("the thread %s has no answer to its latest message yet: write a message in it first", p.Task.Thread)
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	if err := r.record(r.handed("Do what the last answer below proposes.")); err != nil {
		return record.Task{}, err
	}
	task, _ := a.unbegun(r.state)
	return task, nil
}

// Handed returns the task that a thread was handed over to and that has not begun; false for none.
func (a *Agent) Handed(thread string) (record.Task, bool) {
	p, err := a.thread(record.ThreadID(Message{Thread: thread}.thread()))
	if err != nil {
		return record.Task{}, false
	}
	return a.unbegun(p)
}

func (a *Agent) unbegun(p *record.State) (record.Task, bool) {
	h := p.Thread.LastHanded()
	if h == nil {
		return record.Task{}, false
	}
	if _, err := a.Status(h.Task); !errors.Is(err, ErrNoTask) {
		return record.Task{}, false
	}
	return record.Task{ID: h.Task, Text: h.Text, Typed: h.Typed}, true
}

// ErrNoThread says that no thread has the name.
var ErrNoThread = errors.New("no such thread (`caselsp chat --list` lists the threads)")

// thread folds the journal of a thread.
func (a *Agent) thread(id string) (*record.State, error) {
	name := strings.TrimPrefix(id, record.ThreadPrefix)
	if err := record.CheckThread(name); err != nil {
		return nil, err
	}
	p, err := a.load(id)
	if errors.Is(err, ErrNoTask) {
		return nil, fmt.Errorf("%w: %s", ErrNoThread, name)
	}
	return p, err
}

// ThreadLine is a thread at a glance.
type ThreadLine struct {
	Name        string       `json:"thread"`
	State       record.Phase `json:"state"`
	Interrupted bool         `json:"interrupted,omitempty"` // nobody answers, although the state says so
	Messages    int          `json:"messages"`
	First       string       `json:"first"` // message
	Changed     time.Time    `json:"changed"`
	Task        string       `json:"task,omitempty"` // to which it was handed over last
	Usage       llm.Usage    `json:"usage"`
}

// Standing is the state in words.
func (l ThreadLine) Standing() string {
	if l.Interrupted {
		return l.State.Interrupted()
	}
	return string(l.State)
}

// Threads returns the workspace's threads in the order in which they were begun. One whose journal
// cannot be read is in the error, which joins them.
func (a *Agent) Threads() (list []ThreadLine, err error) {
	ids, err := a.Store.Tasks()
	if err != nil {
		return nil, err
	}
	var unread []error
	for _, id := range ids {
		if !record.IsThread(id) {
			continue
		}
		p, err := a.load(id)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		line := ThreadLine{Name: p.Task.Thread, State: p.Phase, Interrupted: a.interrupted(p), First: p.Task.Text, Messages: p.Thread.Messages(), Changed: p.Changed, Usage: p.Usage}
		if h := p.Thread.LastHanded(); h != nil {
			line.Task = h.Task
		}
		list = append(list, line)
	}
	return list, errors.Join(unread...)
}

// Conversations returns the status of every thread that can be read.
func (a *Agent) Conversations() (list []record.Status, err error) {
	ids, err := a.Store.Tasks()
	for _, id := range ids {
		if !record.IsThread(id) {
			continue
		}
		if st, failed := a.Status(id); failed == nil { // [Agent.Threads] says which cannot be read
			list = append(list, st)
		}
	}
	return list, err
}

// ThreadDocument is the name of the document that shows a thread.
func ThreadDocument(thread string) string { return "thread-" + thread + ".md" }

// ThreadText is a thread in Markdown: every message and answer, with what was given along. latest is
// the line of the latest message, from 0.
func (a *Agent) ThreadText(thread string) (text string, latest int, err error) {
	p, err := a.thread(record.ThreadID(Message{Thread: thread}.thread()))
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Thread %s\n\n%s, %s, %s.\n", p.Task.Thread, count.Of(p.Thread.Messages(), "message"), count.Of(p.Calls, "model call"), usageText(p))
	for _, e := range p.Thread.Exchanges {
		if e.Asked != "" {
			latest = strings.Count(b.String(), "\n") + 1
		}
		b.WriteString(exchangeText(e))
	}
	left, err := a.leftBehind(p.Task.ID)
	if err != nil {
		return "", 0, err
	}
	for _, m := range left {
		fmt.Fprintf(&b, "\n## Not said yet: the next message goes with it\n\n%s", quote.Lines(m.Text, ""))
	}
	if !p.Thread.Settled() {
		fmt.Fprintf(&b, "\nNo answer yet: the thread is %s.", a.standing(p))
		if a.interrupted(p) {
			b.WriteString(" Another message goes on.")
		} else if why := p.Status(a.Limits.Rounds).Reason; why != "" {
			fmt.Fprintf(&b, " %s. Another message goes on.", Visible(strings.TrimSuffix(why, ".")))
		}
		b.WriteString("\n")
	}
	return b.String(), latest, nil
}

// exchangeText is a message with what came of it.
func exchangeText(e record.Exchange) string {
	var b strings.Builder
	if e.Asked != "" {
		fmt.Fprintf(&b, "\n## %s\n\n%s", e.At.Local().Format("2006-01-02 15:04"), quote.Lines(e.Asked, ""))
	}
	for _, line := range e.Named {
		fmt.Fprintf(&b, "\nShown: %s", Visible(line))
	}
	for _, line := range e.Missing {
		fmt.Fprintf(&b, "\nNot shown: %s", Visible(line))
	}
	if len(e.Named)+len(e.Missing) > 0 {
		b.WriteString("\n")
	}
	if e.Answer != "" {
		b.WriteString("\nThe answer, in the words of the model:\n\n" + quote.Lines(e.Answer.Plain(), "> "))
	}
	if e.Handed != nil {
		fmt.Fprintf(&b, "\nHanded over to the task %s.\n", e.Handed.Task)
	}
	return b.String()
}

// Forget deletes a thread.
func (a *Agent) Forget(thread string) error {
	id := record.ThreadID(Message{Thread: thread}.thread())
	release, err := a.acquire(id)
	if err != nil {
		return err
	}
	defer release()
	if err := record.CheckThread(strings.TrimPrefix(id, record.ThreadPrefix)); err != nil {
		return err
	}
	if err := a.Store.Discard(ThreadDocument(strings.TrimPrefix(id, record.ThreadPrefix))); err != nil {
		return err
	}
	there, err := a.Store.Forget(id)
	if err == nil && !there {
		return fmt.Errorf("%w: %s", ErrNoThread, strings.TrimPrefix(id, record.ThreadPrefix))
	}
	return err
}
