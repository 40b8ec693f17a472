package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// tasks are those that this server works on, and the questions that those which
// it worked on have left open.
type tasks struct {
	ed       *editor
	engines  *engines
	indexing *indexing
	papers   *papers
	staged   *stagedFiles
	failing  *failingTests
	reviews  *reviews

	heard []func(e agent.Event) // hear what each task does, in order, on the task's goroutine
	ended []func(task string)   // hear that it is not worked on any more

	mu      sync.Mutex
	running map[string]*task
	queued  map[string][]agent.Message // by thread: what is said in it next
	known   map[string]recentTask      // that were worked on or decided about, or stand in the store
}

// task is one that is worked on.
type task struct {
	id     string
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when work on it has ended

	mu     sync.Mutex
	status record.Status
	act    agent.Doing
}

// Why a task stops; the journal keeps it.
var (
	errStopped = errors.New("stopped by the user")
	errLeaving = errors.New("the editor was closed or reloaded")
)

func (t *task) get() record.Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status
}

// hear takes in what the task does.
func (t *task) hear(e agent.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status = e.Status
	t.act.Beside = e.Doing
	switch b := e.Body.(type) {
	case record.ActionChosen:
		t.act = agent.DoingOf(b)
	case record.ActionDone:
		if !b.OK || t.act.File == "" { // what was denied or refused is not being done, and what has no file says nothing afterwards
			t.act = agent.Doing{}
		}
	case record.StateChanged:
		t.act = agent.Doing{}
	}
}

// doing is what the task does, or did last to a file, in its state and with success.
func (t *task) doing() agent.Doing {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.act
}

func (l *tasks) add(t *task) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[t.id] != nil {
		return fmt.Errorf("%w: %s", agent.ErrBusy, t.id)
	}
	l.running[t.id] = t
	return nil
}

func (l *tasks) get(id string) *task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running[id]
}

// all returns the tasks under way.
func (l *tasks) all() []*task {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*task
	for _, t := range l.running {
		list = append(list, t)
	}
	return list
}

// remove ends a task; last is what it came to.
func (l *tasks) remove(t *task, last record.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, t.id)
	if r, known := l.known[t.id]; known && last.Task.ID != "" { // nobody works on it now, even where it could not write that down
		r.status.Interrupted = r.status.State.Works() || r.status.State == record.Waiting
		l.know(t.id, r)
	}
	close(t.done)
}

// questions returns what is asked, in the tasks under way and those that paused.
func (l *tasks) questions() []record.Question {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []record.Question
	for _, t := range l.running {
		if q := t.get().Open; q != nil {
			list = append(list, *q)
		}
	}
	for id, r := range l.known {
		if q := r.status.Open; q != nil && l.running[id] == nil && r.resumable() {
			list = append(list, *q)
		}
	}
	slices.SortFunc(list, func(a, b record.Question) int { return cmp.Compare(a.Task, b.Task) })
	return list
}

// run starts a task and returns its id at once; the work begins when the answer
// is out (see answerGap).
func (l *tasks) run(c *call, ask record.Task) (string, error) {
	if err := ask.Check(); err != nil {
		return "", err
	}
	e, release, err := l.engines.useAll(l.ed.Context(), func() bool { return len(l.all()) > 0 })
	if err != nil {
		return "", err
	}
	if ask.ID == "" {
		ask.ID = e.Agent.NewID()
	}
	return ask.ID, l.workOn(c, e, release, ask, func(ctx context.Context) iter.Seq2[agent.Event, error] { return e.Agent.Run(ctx, ask) })
}

// handed starts the task that a thread was handed over to.
func (l *tasks) handed(how string, task record.Task) {
	l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("%s handed over to a task: %q", how, title(task)))
	if _, err := l.run(nil, task); err != nil {
		l.ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
	}
}

// resume goes on with a task; said is how what failed of it is to be tried again. c is nil where no request is to be answered first.
func (l *tasks) resume(c *call, id, said string) error {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return err
	}
	return l.workOn(c, e, release, record.Task{ID: id}, func(ctx context.Context) iter.Seq2[agent.Event, error] { return e.Agent.ResumeWith(ctx, id, said) })
}

// workOn follows a run beside everything else, until it ends. It calls release. Of the task, only the id must be known.
func (l *tasks) workOn(c *call, e *Engine, release func(), of record.Task, run func(context.Context) iter.Seq2[agent.Event, error]) error {
	// Not derived from the root: its end is a reason of its own, which the journal keeps.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(l.ed.Context()))
	t := &task{id: of.ID, cancel: cancel, done: make(chan struct{}), status: record.Status{Task: of}}
	if err := l.add(t); err != nil {
		release()
		return err
	}
	follow := func(context.Context) error {
		defer release()
		defer context.AfterFunc(l.ed.Context(), func() { cancel(errLeaving) })()
		l.indexing.stop()
		l.follow(ctx, e, t, run(ctx))
		return nil
	}
	if c != nil {
		c.AfterAnswer(follow)
	} else {
		l.ed.Go("a task", follow)
	}
	return nil
}

// follow shows a run to its end.
func (l *tasks) follow(ctx context.Context, e *Engine, t *task, events iter.Seq2[agent.Event, error]) {
	var last record.Status
	var failed error
	// Whatever happens below, the task must not stay in the list.
	removed := false
	remove := func() {
		if !removed {
			removed = true
			l.remove(t, last)
			l.staged.unmark(t.id)
			l.failing.ended(t.id, last)
			for _, f := range l.ended {
				f(t.id)
			}
		}
	}
	defer remove()
	var p *progress
	for event, err := range events {
		if err != nil {
			failed = err
			break
		}
		if event.Body == nil {
			t.hear(event)
			switch {
			case event.Doing == "":
			case p != nil:
				p.report(cut(event.Doing, maxTitle), -1)
			default: // it has not begun
				l.ed.showMessage(protocol.MessageTypeInfo, event.Doing)
			}
			continue
		}
		last = event.Status
		t.hear(event)
		text, percent := progressLine(last, t.doing())
		if p == nil {
			p = l.ed.startProgress(ctx, progressTitleOf(last.Task), text, func() { t.cancel(errStopped) })
		}
		p.report(text, percent)
		l.tellEvent(event)
		for _, f := range l.heard {
			f(event)
		}
	}
	remove()
	if p != nil {
		p.end(string(last.State))
	}
	if failed != nil {
		l.ed.Log.Error("a task ended with an error", "task", t.id, "error", failed)
		l.ed.showMessage(protocol.MessageTypeError, fmt.Sprintf("CASE cannot go on: %s", sentence(failed.Error())))
		l.dequeue(t.id)
		return
	}
	l.concluded(ctx, e, last)
	l.dequeue(t.id)
}

// concluded tells the user how a run ended and what they can do now.
func (l *tasks) concluded(ctx context.Context, e *Engine, last record.Status) {
	name := fmt.Sprintf("%q (%s)", title(last.Task), last.Task.ID)
	why := sentence(cut(last.Reason, maxReason))
	resume := cmdResume
	if last.Task.Thread != "" {
		resume = cmdAsk // a message goes on with a thread
	}
	switch last.State {
	case record.Review:
		l.reviews.toReview(ctx, e, last)
	case record.Idle:
		l.spoken(ctx, e, last)
	case record.Succeeded:
		if last.Reply != "" {
			l.toAnswer(ctx, e, last)
			return
		}
		l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Done: %s. %s", name, why))
	case record.Failed:
		if len(last.Kept) > 0 {
			l.reviews.toReview(ctx, e, last)
			return
		}
		l.ed.showMessage(protocol.MessageTypeError, fmt.Sprintf("Failed: %s. %s The command %s shows what was done.", name, why, cmdReport))
	case record.Paused:
		if q := last.Open; q != nil {
			l.ed.showMessage(protocol.MessageTypeWarning, fmt.Sprintf("%s The task %s waits for you.", l.ed.client.asked(*q), name))
			return
		}
		l.ed.showMessage(protocol.MessageTypeWarning, fmt.Sprintf("Paused: %s. %s The command %s goes on with it.", name, why, resume))
	case record.Stopped:
		l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Stopped: %q. %s goes on", cut(title(last.Task), maxBrief), resume))
	}
}

// toAnswer brings the answer to a question to the user: as a document beside the text where the
// editor can show one there.
func (l *tasks) toAnswer(ctx context.Context, e *Engine, last record.Status) {
	how := fmt.Sprintf(" The command %s shows all of it.", cmdReport)
	if text, err := e.Agent.Report(last.Task.ID); err == nil {
		u, err := l.papers.put(ctx, e, reportName(last.Task.ID), text)
		if err == nil && l.ed.showAside(ctx, u, nil) == nil {
			how = ""
		}
	}
	l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Answered: %q: %s.%s", title(last.Task), cut(last.Reply.String(), maxReason), how))
}

// stop stops all tasks and waits until they are recorded.
func (l *tasks) stop(ctx context.Context) {
	for _, t := range l.all() {
		t.cancel(errLeaving)
	}
	for _, t := range l.all() {
		select {
		case <-t.done:
		case <-ctx.Done():
			return
		}
	}
}
