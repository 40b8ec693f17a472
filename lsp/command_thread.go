package lsp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A thread is shown as a document, which is written anew with each answer.

// doAsk says something in a thread: with a text, or with what stands in a prompt document. Without
// either, such a document is opened.
func (k *taskCommands) doAsk(c *call, a arguments) (any, error) {
	m := agent.Message{Text: a.text(argText.Name)}
	m.Thread, _ = a.field(argThread.Name)
	u, placed := a.uri()
	if placed && m.Text == "" {
		if p, text, err := written(c.docs, u); err == nil && p.Kind == forThread {
			m.Text, m.Thread, m.Focus = text, p.Thread, k.refocused(c.docs, p.Focus)
			return k.asked(c, m)
		}
	}
	if placed {
		m.Focus = k.around(c.docs, u, a)
	}
	if m.Text != "" {
		return k.asked(c, m)
	}
	if m.Thread != "" {
		if err := record.CheckThread(m.Thread); err != nil {
			return nil, err
		}
	}
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	k.ed.later(c, release, func(ctx context.Context) error { return k.papers.openAsk(ctx, e, m) })
	return nil, nil
}

// around is the place that a message is about: a selection, or, without a range, the whole file.
func (k *taskCommands) around(docs snapshot, u uri.URI, a arguments) *record.Focus {
	r, ranged := a.rangeOf()
	f := k.focus(docs, u, r)
	if f != nil && !ranged {
		f.FromLine, f.ToLine, f.Text = 0, 0, ""
	}
	return f
}

// asked says something in a thread and answers with the id of its journal.
func (k *taskCommands) asked(c *call, m agent.Message) (any, error) {
	id, err := k.tasks.ask(c, m)
	if err != nil {
		return nil, err
	}
	return started{id}, nil
}

// threadLine is a thread in the answer of caselsp.thread without a thread.
type threadLine struct {
	Thread   string `json:"thread"`
	State    string `json:"state"`
	Messages int    `json:"messages"`
}

// doThread lists the threads, shows one, hands it over to a task or deletes it.
func (k *taskCommands) doThread(c *call, a arguments) (any, error) {
	name := a.text(argThread.Name)
	named := name != ""
	do, drop := a.flag(argDo.Name), a.flag(argDelete.Name)
	if (do || drop) && !named || do && drop {
		return nil, fmt.Errorf("%s needs a thread and at most one of do and delete, such as {\"thread\": \"main\", \"do\": true}", cmdThread)
	}
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	switch {
	case do:
		defer release()
		task, err := e.Agent.HandOver(name)
		if err != nil {
			return nil, err
		}
		return k.started(c, task)
	case drop:
		defer release()
		if err := e.Agent.Forget(name); err != nil {
			return nil, err
		}
		k.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Deleted: the thread %s.", name))
		return nil, nil
	case named:
		text, latest, err := e.Agent.ThreadText(name)
		if err != nil {
			release()
			return nil, err
		}
		k.ed.later(c, release, func(ctx context.Context) error {
			u, err := k.papers.put(ctx, e, agent.ThreadDocument(name), text)
			if err != nil {
				return err
			}
			return k.papers.showMessage(ctx, u, text, latest, k.ed.showDocument)
		})
		return nil, nil
	}
	return k.listThreads(c, e, release)
}

// shownBelow is how many lines below the head of a message are to be seen: some editors scroll no further
// than to the line that they are given.
const shownBelow = 12

// showMessage shows a thread's document at the message that begins on a line. A place that is not in the text that the
// editor has is an error there: where it is not known to have this text, it opens the document first.
func (l *papers) showMessage(ctx context.Context, u uri.URI, text string, line int, show func(context.Context, uri.URI, *protocol.Range) error) error {
	has := func(d *document) bool { return d != nil && d.Text == agent.Visible(text) }
	if !has(l.docs.get(u)) {
		if err := show(ctx, u, nil); err != nil || line < shownBelow {
			return err
		}
		waits, cancel := context.WithCancel(ctx)
		defer cancel()
		defer l.ed.Clock.After(arriveTime, cancel)()
		l.docs.await(waits, u, has)
		if !has(l.docs.get(u)) {
			return nil
		}
	}
	last := strings.Count(strings.TrimRight(text, "\n"), "\n")
	at := protocol.Position{Line: uint32(min(line+shownBelow, last))}
	return show(ctx, u, &protocol.Range{Start: at, End: at})
}

// listThreads opens the list of the threads, and answers with it.
func (k *taskCommands) listThreads(c *call, e *Engine, release func()) (any, error) {
	all, err := e.Agent.Threads()
	if len(all) == 0 && err != nil {
		release()
		return nil, err
	}
	list := []threadLine{}
	var b strings.Builder
	b.WriteString("# Threads of this workspace\n\n")
	for _, t := range all {
		list = append(list, threadLine{t.Name, string(t.State), t.Messages})
		fmt.Fprintf(&b, "* **%s** %s, %s, %s: %s\n", t.Name, t.Changed.Local().Format("2006-01-02 15:04"), t.Standing(), count.Of(t.Messages, "message"), title(record.Task{Text: t.First}))
	}
	if len(all) == 0 {
		fmt.Fprintf(&b, "None yet. %s begins one.\n", cmdAsk)
	}
	if err != nil {
		fmt.Fprintf(&b, "\nNot readable: %v\n", err)
	}
	k.ed.later(c, release, func(ctx context.Context) error { return k.papers.openDocument(ctx, e, "threads.md", b.String()) })
	return list, nil
}

// maxQueued is how many messages may wait in one thread: a user who goes on writing finds out that nothing is
// answered.
const maxQueued = 20

// ask says something in a thread; the work begins when the answer is out. Where the thread is answering, the message
// waits for its turn.
func (l *tasks) ask(c *call, m agent.Message) (string, error) {
	if m.Thread == "" {
		m.Thread = agent.DefaultThread
	}
	if err := m.Check(); err != nil {
		return "", err
	}
	id := record.ThreadID(m.Thread)
	if waits, err := l.enqueue(id, m); waits || err != nil {
		return id, err
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return "", err
	}
	err = l.workOn(c, e, release, record.Task{ID: id}, func(ctx context.Context) iter.Seq2[agent.Event, error] { return e.Agent.Chat(ctx, m) })
	if errors.Is(err, agent.ErrBusy) { // since
		return l.ask(c, m)
	}
	return id, err
}

// enqueue has a message wait where the thread is answering.
func (l *tasks) enqueue(id string, m agent.Message) (waits bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.running[id] == nil:
		return false, nil
	case len(l.queued[id]) >= maxQueued:
		return false, fmt.Errorf("%d messages wait in the thread %s already: wait for an answer, or stop it with %s", maxQueued, m.Thread, cmdStop)
	}
	if a := l.engines.agent(); a != nil { // it answers the one before
		if m, err = a.Keep(m); err != nil {
			return false, err
		}
	}
	l.queued[id] = append(l.queued[id], m)
	l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("The thread %s is answering another message. Yours is next.", m.Thread))
	return true, nil
}

// waits reports whether a message waits for its turn in a thread.
func (l *tasks) waits(id, text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.queued[id], func(m agent.Message) bool { return m.Text == text })
}

// dequeue says the message in a thread that has waited longest, where one does.
func (l *tasks) dequeue(id string) {
	l.mu.Lock()
	list := l.queued[id]
	if len(list) == 0 {
		l.mu.Unlock()
		return
	}
	l.queued[id] = list[1:]
	l.mu.Unlock()
	l.ed.Go("a message", func(context.Context) error {
		_, err := l.ask(nil, list[0])
		if err != nil {
			l.ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
		}
		return nil
	})
}

// spoken tells how a message in a thread ended: with the answer, or with a task, which begins.
func (l *tasks) spoken(ctx context.Context, e *Engine, last record.Status) {
	name := last.Task.Thread
	if last.Reply == "" {
		if task, ok := e.Agent.Handed(name); ok {
			l.handed(fmt.Sprintf("The thread %s is", name), task)
		}
		return
	}
	how := fmt.Sprintf(" The command %s shows all of it.", cmdThread)
	if text, latest, err := e.Agent.ThreadText(name); err == nil {
		u, err := l.papers.put(ctx, e, agent.ThreadDocument(name), text)
		if err == nil && l.papers.showMessage(ctx, u, text, latest, l.ed.showAside) == nil {
			how = ""
		}
	}
	l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Answered in the thread %s: %s.%s", name, cut(last.Reply.String(), maxReason), how))
}

// missing tells which names of a message were not found, when it is asked.
func (l *tasks) missing(list []string) {
	if len(list) > 0 {
		l.ed.showMessage(protocol.MessageTypeWarning, "Not shown to the model: "+cut(strings.Join(list, "; "), maxReason))
	}
}
