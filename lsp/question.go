package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// questions are the open ones. The editor is shown one at a time, whatever the
// number of tasks: others would lie one on top of the other.
type questions struct {
	ed      *editor
	docs    *documents
	engines *engines
	tasks   *tasks
	papers  *papers

	turn     chan struct{}                   // holds a token while a question is shown
	readTime func(text string) time.Duration // agent.ReadTime, but in tests

	mu   sync.Mutex
	open map[string]*openQuestion // by task
	kept map[string]keptAnswer    // by task: to be taken when its run asks, or after it has ended
}

// keptAnswer is one that came while a run neither waited for it nor had ended.
type keptAnswer struct {
	question string
	record.Answer
}

// openQuestion is one that a run waits with.
type openQuestion struct {
	record.Question
	read    time.Time          // before this nobody can have read it
	answers chan record.Answer // holds one
	unsure  bool               // the answer before looked like a secret and was held back
}

const (
	// waitTime is how long a run waits for an answer before the task pauses with its question
	// open: long enough for a meeting or a meal. A task that waits keeps the workspace's store to
	// this process; one that has paused is answered and goes on in the same way.
	waitTime = time.Hour
	// turnTime is how long a question that nobody clicks keeps others from being shown.
	turnTime = 10 * time.Minute
)

// Ask implements agent.User. It returns the first decision of the user, however it comes:
// in the prompt, by a command, a code action or a lens, or in the answer document. A question
// that the user dismisses or puts off stays open, and the run waits with it.
func (l *questions) Ask(ctx context.Context, q record.Question) (record.Answer, error) {
	o := l.put(q)
	defer l.drop(o)
	shown, cancel := context.WithCancel(ctx)
	defer cancel()
	l.ed.Go("asking", func(context.Context) error { l.show(shown, o); return nil })
	waited := make(chan struct{})
	defer l.ed.Clock.After(waitTime, func() { close(waited) })()
	select {
	case a := <-o.answers:
		return a, nil
	case <-waited:
	case <-ctx.Done():
	}
	l.drop(o)
	select { // one that came in between counts
	case a := <-o.answers:
		return a, nil
	default:
	}
	if ctx.Err() != nil {
		return record.Answer{}, ctx.Err()
	}
	return record.Answer{}, agent.ErrUndecided
}

// show puts a question before the user: in an editor that shows it beside the text as a
// prompt, in its turn and not while the user types, everywhere else as a message that says
// how to answer. ctx ends when the question is decided.
func (l *questions) show(ctx context.Context, o *openQuestion) {
	l.ed.lensesChanged()
	if l.ed.client.Events && !l.ed.client.AsksBeside {
		return // a plugin, which has heard of it, and shows what is open from the data
	}
	if !l.ed.client.AsksBeside {
		l.docs.rest(ctx) // a message is not read while typing, and gone with the next key
		if ctx.Err() == nil {
			l.tell(o.Question)
		}
		return
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return
	}
	if !l.docs.rest(ctx) {
		if ctx.Err() == nil {
			l.tell(o.Question)
		}
		return
	}
	// What was put on the screen stays there until it is clicked, also when the question has
	// been decided elsewhere: VS Code takes no question back.
	clicked := make(chan struct{})
	l.ed.Go("asking", func(ctx context.Context) error {
		defer close(clicked)
		return l.prompt(ctx, o)
	})
	turn := make(chan struct{})
	defer l.ed.Clock.After(turnTime, func() { close(turn) })()
	select {
	case <-clicked:
	case <-turn:
	case <-ctx.Done():
	}
}

// prompt shows a question with its choices and carries out the one that is clicked.
func (l *questions) prompt(ctx context.Context, o *openQuestion) error {
	choices := append([]choice{{title: chooseLater}}, choicesOf(o.Question)...)
	var titles []string
	for _, c := range choices {
		titles = append(titles, c.title)
	}
	l.shown(o)
	chosen, ok := l.ed.ask(ctx, questionText(o.Question), titles...)
	late := !l.isOpen(o) && !l.waits(o.Question)
	switch {
	case ctx.Err() != nil:
		return nil
	case ok && chosen > 0 && late:
		l.ed.showMessage(protocol.MessageTypeWarning, fmt.Sprintf("That question is not open any more, so %q has changed nothing: %s", choices[chosen].title, subjectOf(o.Question)))
		return nil
	case late:
		return nil
	case ok && chosen > 0 && l.early(o):
		l.ed.Log.Warn("a question was answered faster than it can be read: left open", "question", o.ID)
	case ok && choices[chosen].opens:
		if err := l.papers.openAnswer(ctx, o.Question); err != nil {
			l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("%s Or answer with the command %s.", sentence(err.Error()), choices[chosen].id))
		}
		return nil
	case ok && chosen > 0:
		a := choices[chosen].answer
		a.By = "prompt"
		if err := l.answer(nil, o.Question, a); err != nil {
			l.ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
		}
		return nil
	}
	l.tell(o.Question)
	return nil
}

// tell shows a question as a message that needs no answer.
func (l *questions) tell(q record.Question) {
	l.ed.showMessage(protocol.MessageTypeWarning, l.ed.client.asked(q))
}

func (l *questions) put(q record.Question) *openQuestion {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &openQuestion{Question: q, answers: make(chan record.Answer, 1)}
	o.read = l.ed.Clock.Now().Add(l.readTime(questionText(q)))
	l.open[q.Task] = o
	if k, ok := l.kept[q.Task]; ok && k.question == q.ID {
		o.answers <- k.Answer
		delete(l.kept, q.Task)
	}
	return o
}

// shown notes that a question is put on the screen now.
func (l *questions) shown(o *openQuestion) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.read = l.ed.Clock.Now().Add(l.readTime(questionText(o.Question)))
}

// early reports whether an answer comes before its question can have been read. From such a
// one on the time runs anew: whoever hits keys goes on hitting them.
func (l *questions) early(o *openQuestion) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.ed.Clock.Now()
	if !now.Before(o.read) {
		return false
	}
	o.read = now.Add(l.readTime(questionText(o.Question)))
	return true
}

func (l *questions) drop(o *openQuestion) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[o.Task] == o {
		delete(l.open, o.Task)
	}
}

// isOpen reports whether a run still waits with a question.
func (l *questions) isOpen(o *openQuestion) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[o.Task] == o && len(o.answers) == 0
}

// waits reports whether a task has paused with a question.
func (l *questions) waits(q record.Question) bool {
	return l.tasks.get(q.Task) == nil && slices.ContainsFunc(l.tasks.questions(), func(open record.Question) bool { return open.Task == q.Task && open.ID == q.ID })
}

// fresh reports whether a question came so lately that an answer to it is early.
func (l *questions) fresh(q record.Question) bool {
	l.mu.Lock()
	o := l.open[q.Task]
	l.mu.Unlock()
	return o != nil && o.ID == q.ID && l.early(o)
}

// doubts reports whether the answer before to a question was held back, and takes note of
// one that is.
func (l *questions) doubts(q record.Question, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.open[q.Task]
	if o == nil || o.ID != q.ID {
		return false
	}
	if held := (*agent.HeldBack)(nil); errors.As(err, &held) {
		o.unsure = true
	}
	return o.unsure
}

// deliver hands an answer to the run that waits for it. A run that does not, because it is
// about to ask or about to pause, has it kept: waits is false then.
func (l *questions) deliver(q record.Question, a record.Answer) (waits bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.open[q.Task]
	if o == nil || o.ID != q.ID {
		l.kept[q.Task] = keptAnswer{q.ID, a}
		return false
	}
	select {
	case o.answers <- a:
	default: // already answered
	}
	return true
}

// takeBack returns the answer to a question that no run has taken.
func (l *questions) takeBack(q record.Question) (record.Answer, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.kept[q.Task]
	if !ok || k.question != q.ID {
		return record.Answer{}, false
	}
	delete(l.kept, q.Task)
	return k.Answer, true
}

// answer takes an answer that came by a command or a click. If the run has paused with the
// question, it is resumed.
func (l *questions) answer(c *call, q record.Question, a record.Answer) error {
	a.By = cmp.Or(a.By, "command")
	if about, ok := q.Subject.(record.Secret); ok && a.Text != record.Deny && a.Text != record.Kept {
		return fmt.Errorf("a secret is not given by a command, which editors show and log: `caselsp secret set %s` asks for it, then %s", about.Name, cmdApprove)
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return err
	}
	defer release()
	q.Unsure = l.doubts(q, nil)
	done := confirmed(q, a)
	a, err = e.Agent.Accept(q, a)
	l.doubts(q, err)
	if err != nil {
		return err
	}
	if a.By == "command" {
		l.ed.confirm(done)
	}
	t := l.tasks.get(q.Task)
	if l.deliver(q, a) {
		return nil
	}
	if t == nil {
		if a, ok := l.takeBack(q); ok {
			return l.answerPaused(l.ed.Context(), c, q, a)
		}
		return nil
	}
	// The prompt was dismissed a moment ago and the run is about to pause, or it was resumed and is about to ask.
	l.ed.Go("answering", func(ctx context.Context) error {
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		a, ok := l.takeBack(q)
		if !ok {
			return nil
		}
		err := l.answerPaused(ctx, nil, q, a)
		if err != nil {
			l.ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
		}
		return err
	})
	return nil
}

// answerPaused records the answer to the question of a paused task and resumes it.
func (l *questions) answerPaused(ctx context.Context, c *call, q record.Question, a record.Answer) error {
	e, release, err := l.engines.use(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := e.Agent.Answer(q.Task, q.ID, a); err != nil {
		return err
	}
	return l.tasks.resume(c, q.Task, "")
}

// all returns the questions that the commands may answer.
func (l *questions) all(e *Engine) ([]record.Question, error) {
	all, err := e.Agent.History()
	if threads, failed := e.Agent.Conversations(); failed == nil {
		all = append(all, threads...)
	}
	var list []record.Question
	for _, st := range all {
		if st.Open != nil {
			list = append(list, *st.Open)
		}
	}
	if len(list) > 0 {
		err = nil // an unreadable journal is reported by the command status
	}
	return list, err
}
