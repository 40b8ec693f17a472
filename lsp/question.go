package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// questions are the open ones. The editor is shown one at a time, whatever the
// number of tasks: Helix shows the last first, others one on top of the other.
type questions struct {
	ed      *editor
	engines *engines
	tasks   *tasks
	papers  *papers

	turn chan struct{} // holds a token while a question is shown

	mu   sync.Mutex
	open map[string]*openQuestion // by task
}

// openQuestion is one that a run waits with.
type openQuestion struct {
	record.Question
	answers chan record.Answer // of commands; holds one
}

// The choices of an approval.
const (
	chooseKept   = "It is there now"
	chooseOnce   = "Allow once"
	chooseAlways = "Always allow exactly this here"
	chooseReject = "Reject"
	chooseWhy    = "Reject and say why…"
	chooseWrite  = "Write an answer…"
	chooseTrust  = "Trust this folder"
	chooseRead   = "Only read"
	chooseMore   = "Go on"
	chooseEnough = "Stop here"
)

// yesOrNo are the choices of the questions that have two.
var yesOrNo = map[record.QuestionKind][2]string{
	record.KindTrust: {chooseTrust, chooseRead},
	record.KindLimit: {chooseMore, chooseEnough},
}

// Ask implements agent.User. It returns the first decision of the user: in the
// prompt, by a command, or in the answer document.
func (l *questions) Ask(ctx context.Context, q record.Question) (record.Answer, error) {
	o := l.put(q)
	a, err := l.decide(ctx, o)
	l.drop(o)
	if err != nil {
		select { // a command that came in between counts
		case a := <-o.answers:
			return a, nil
		default:
		}
	}
	return a, err
}

// decide waits for the question's turn, shows it and waits for an answer.
func (l *questions) decide(ctx context.Context, o *openQuestion) (record.Answer, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case a := <-o.answers:
		return a, nil
	case <-ctx.Done():
		return record.Answer{}, ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // takes the prompt off the screen
	prompted := make(chan record.Answer)
	undecided := make(chan struct{})
	l.ed.Go("asking", func(context.Context) error {
		defer close(undecided)
		if a, ok := l.prompt(ctx, o.Question); ok {
			select {
			case prompted <- a:
			case <-ctx.Done():
			}
		}
		return nil
	})
	select {
	case a := <-o.answers:
		return a, nil
	case a := <-prompted:
		return a, nil
	case <-undecided:
		return record.Answer{}, agent.ErrUndecided
	case <-ctx.Done():
		return record.Answer{}, ctx.Err()
	}
}

// prompt shows the question until the user has decided, or dismissed it, or the
// time is over.
func (l *questions) prompt(ctx context.Context, q record.Question) (record.Answer, bool) {
	switch about := q.Subject.(type) {
	case record.Approvable:
		choices := []string{chooseOnce, chooseReject, chooseWhy}
		if about.Offer().Always != "" {
			choices = slices.Insert(choices, 1, chooseAlways)
		}
		chosen, ok := l.ed.ask(ctx, protocol.MessageTypeWarning, questionText(q), choices...)
		if ok && chosen == chooseWhy {
			return record.Answer{}, l.awaitDocument(ctx, q)
		}
		decision := map[string]string{chooseOnce: record.Approve, chooseAlways: record.ApproveAlways, chooseReject: record.Deny}[chosen]
		return record.Answer{Text: decision, By: "prompt"}, ok
	case record.Secret:
		// An answer in a document or in an LSP message would be visible and be stored.
		chosen, ok := l.ed.ask(ctx, protocol.MessageTypeWarning, questionText(q), chooseKept, chooseReject)
		return record.Answer{Text: map[string]string{chooseKept: record.Kept, chooseReject: record.Deny}[chosen], By: "prompt"}, ok
	case record.Trust, record.Limit:
		pair := yesOrNo[q.Kind()]
		chosen, ok := l.ed.ask(ctx, protocol.MessageTypeWarning, questionText(q), pair[0], pair[1])
		return record.Answer{Text: map[string]string{pair[0]: record.Approve, pair[1]: record.Deny}[chosen], By: "prompt"}, ok
	case record.Input:
		if len(about.Choices) == 0 {
			break
		}
		chosen, ok := l.ed.ask(ctx, protocol.MessageTypeInfo, questionText(q), append(slices.Clone(about.Choices), chooseWrite)...)
		if !ok || chosen != chooseWrite {
			return record.Answer{Text: chosen, By: "prompt"}, ok
		}
	}
	return record.Answer{}, l.awaitDocument(ctx, q)
}

// awaitDocument opens a document for the answer, or for the reason of a refusal,
// and waits for it; the answer itself comes by the command of the document's
// action. It reports false.
func (l *questions) awaitDocument(ctx context.Context, q record.Question) bool {
	if err := l.papers.openAnswer(ctx, q); err != nil {
		id := cmdAnswer
		if q.Kind() == record.KindApproval {
			id = cmdDeny
		}
		l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("%s Or answer with the command %s.", sentence(err.Error()), id))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer l.ed.Clock.After(questionTime, cancel)()
	<-ctx.Done()
	return false
}

// questionText is what the user reads; ask makes all of it visible.
func questionText(q record.Question) string {
	text := q.Text
	if !strings.HasPrefix(text, "CASE ") {
		text = "CASE: " + text
	}
	var offer record.Offer
	switch about := q.Subject.(type) {
	case record.Secret:
		return fmt.Sprintf("%s.\nRun `caselsp secret set %s` in a terminal, which asks for it and keeps it in your keyring.", text, about.Name)
	case record.Trust, record.Limit:
		return text + "\n" + q.Why
	case record.Input:
		return text
	case record.Approvable:
		offer = about.Offer()
	}
	// Indented, so that a line of the command does not look like a line of the message.
	text += ": " + strings.ReplaceAll(offer.What, "\n", "\n    ")
	touches := ""
	if len(offer.Touches) > 0 {
		touches = "It " + strings.Join(offer.Touches, ", ")
	}
	for _, more := range []string{offer.Where, touches, q.Why} {
		if more != "" {
			text += "\n" + sentence(more)
		}
	}
	if offer.Always != "" {
		text += "\n" + chooseAlways + ": " + offer.Always
	}
	return text
}

// sentence returns a text that begins with a capital and ends with a stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func (l *questions) put(q record.Question) *openQuestion {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &openQuestion{q, make(chan record.Answer, 1)}
	l.open[q.Task] = o
	return o
}

func (l *questions) drop(o *openQuestion) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[o.Task] == o {
		delete(l.open, o.Task)
	}
}

// deliver hands a command's answer to the run that waits for it, if one does.
func (l *questions) deliver(task, question string, a record.Answer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.open[task]
	if o == nil || o.ID != question {
		return false
	}
	select {
	case o.answers <- a:
	default: // already answered
	}
	return true
}

// answer takes an answer that came by a command. If the run has paused with the
// question, it is resumed.
func (l *questions) answer(c *call, q record.Question, a record.Answer) error {
	a.By = "command"
	if about, ok := q.Subject.(record.Secret); ok && a.Text != record.Deny && a.Text != record.Kept {
		return fmt.Errorf("a secret is not given by a command, which editors show and log: `caselsp secret set %s` asks for it, then %s", about.Name, cmdApprove)
	}
	if err := q.Check(a); err != nil {
		return err
	}
	if l.deliver(q.Task, q.ID, a) {
		return nil
	}
	t := l.tasks.get(q.Task)
	if t == nil {
		return l.answerPaused(l.ed.Context(), c, q, a)
	}
	// The prompt was dismissed a moment ago, and the run is about to pause.
	l.ed.Go("answering", func(ctx context.Context) error {
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
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
	return l.tasks.resume(c, q.Task)
}

// all returns the questions that the commands may answer.
func (l *questions) all(e *Engine) ([]record.Question, error) {
	all, err := e.Agent.History()
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

// actions offers the decisions about the questions that are on the
// screen, or were: some editors show a prompt once and never again.
func (l *questions) actions(_ context.Context, _ snapshot, _ *protocol.CodeActionParams) []protocol.CodeAction {
	var list []protocol.CodeAction
	for _, q := range l.tasks.questions() {
		args := map[string]string{"task": q.Task, "question": q.ID}
		switch about := q.Subject.(type) {
		case record.Approvable:
			offered := about.Offer()
			list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE: allow once: "+brief(offered.What), cmdApprove, args))
			if offered.Always != "" {
				list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE: always allow exactly this here: "+brief(offered.Always), cmdApproveAlways, args))
			}
			list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE: reject: "+brief(offered.What), cmdDeny, args),
				offer(protocol.CodeActionKindQuickFix, "CASE: reject and say why: "+brief(offered.What), cmdDeny, map[string]any{"task": q.Task, "question": q.ID, "why": true}))
		case record.Trust:
			list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE: trust this folder", cmdTrust, map[string]any{}))
		case record.Secret:
			list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE: "+about.Name+" is in the keyring now", cmdApprove, args),
				offer(protocol.CodeActionKindQuickFix, "CASE: do without "+about.Name, cmdDeny, args))
		case record.Limit:
			list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE: let the task go on", cmdApprove, args))
		case record.Input:
			for _, choice := range about.Choices {
				list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE: answer: "+brief(choice), cmdAnswer, map[string]string{"task": q.Task, "question": q.ID, "text": choice}))
			}
		}
	}
	return list
}
