package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/lsp/wire"
)

// doApprove, doApproveTask, doApproveAlways and doDeny decide about a command.
func (l *questions) doApprove(c *call, a arguments) (any, error) {
	return l.settle(c, a, record.KindApproval, record.Answer{Text: record.Approve})
}

func (l *questions) doApproveTask(c *call, a arguments) (any, error) {
	return l.settle(c, a, record.KindApproval, record.Answer{Text: record.ApproveTask})
}

func (l *questions) doApproveAlways(c *call, a arguments) (any, error) {
	return l.settle(c, a, record.KindApproval, record.Answer{Text: record.ApproveAlways})
}

// doDeny refuses a command, with the reason of a document where one is named; why
// opens such a document.
func (l *questions) doDeny(c *call, a arguments) (any, error) {
	if a.flag("why") {
		return l.openAnswer(c, a, record.KindApproval)
	}
	if err := a.fromPaper(c.docs, "reason"); err != nil {
		return nil, err
	}
	return l.settle(c, a, record.KindApproval, record.Answer{Text: record.Deny})
}

// openAnswer opens a document for an answer, or for the reason of a denial.
func (l *questions) openAnswer(c *call, a arguments, kind record.QuestionKind) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	q, err := l.find(e, &a, kind, false)
	if err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error { return l.papers.openAnswer(ctx, q) })
	return started{q.Task}, nil
}

// doAnswer answers a question with words, or with those of an answer document; write
// opens such a document.
func (l *questions) doAnswer(c *call, a arguments) (any, error) {
	if a.flag("write") {
		return l.openAnswer(c, a, record.KindInput)
	}
	if err := l.notOfProject(a); err != nil {
		return nil, err
	}
	if err := a.fromPaper(c.docs, "text"); err != nil {
		return nil, err
	}
	done, err := l.settle(c, a, record.KindInput, record.Answer{Sure: a.flag("sure")})
	var held *agent.HeldBack
	if !errors.As(err, &held) || held.Sure {
		return done, err
	}
	how := "give it again with sure: true"
	if u, ok := a.uri(); ok {
		l.papers.doubt(u)
		how = fmt.Sprintf("run the code action %q", sendAnyway)
		l.ed.lensesChanged()
	}
	return nil, fmt.Errorf("%w. If it is no secret, %s", err, how)
}

// notOfProject refuses an answer in a document of the project: whoever wrote that, it need not
// be the user, and what they answer is their word.
func (l *questions) notOfProject(a arguments) error {
	u, ok := a.uri()
	if !ok {
		return nil
	}
	_, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return err
	}
	defer release()
	if _, project := l.engines.path(u); project {
		return fmt.Errorf("%s is a file of the project: write the answer into the document that %s opens", readable(u), cmdQuestions)
	}
	return nil
}

// fromPaper takes task, question and, as the field of a name, what the user wrote
// out of the document that the arguments name, if they name one.
func (a arguments) fromPaper(docs snapshot, name string) error {
	u, ok := a.uri()
	if !ok {
		return nil
	}
	p, text, err := written(docs, u)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"task": p.Task, "question": p.Question, name: text} {
		a.fields[name] = json.RawMessage(wire.Encode(value))
	}
	return nil
}

// settle finds the question and answers it.
func (l *questions) settle(c *call, a arguments, kind record.QuestionKind, answer record.Answer) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	q, err := l.find(e, &a, kind, answer.Text == record.Deny)
	if err != nil {
		return nil, err
	}
	if _, named := a.field("question"); !named && kind == record.KindApproval && answer.Text != record.Deny && l.fresh(q) {
		return nil, fmt.Errorf("a question has just come, about %s: read it, then answer", subjectOf(q))
	}
	switch {
	case kind == record.KindInput:
		answer.Text = a.text("text")
	case answer.Text == record.Deny:
		answer.Reason = a.text("reason")
	case q.Kind() == record.KindSecret && answer.Text == record.Approve:
		answer.Text = record.Kept
	}
	if err := l.answer(c, q, answer); err != nil {
		return nil, err
	}
	return started{q.Task}, nil
}

// find finds the open question of a kind that the arguments name, or the
// only one. What is approved is also whether a task may go on, or that a secret is
// in the keyring now; what is denied also trust. Leading words that name the task or
// the question do so, and are taken away; the rest is the text or the reason.
func (l *questions) find(e *Engine, a *arguments, kind record.QuestionKind, deny bool) (record.Question, error) {
	none := record.Question{}
	all, err := l.all(e)
	if err != nil {
		return none, err
	}
	task, _ := a.field("task")
	question, _ := a.field("question")
	for len(a.words) > 0 && slices.ContainsFunc(all, func(q record.Question) bool { return a.words[0] == q.Task || a.words[0] == q.ID }) {
		if isTaskID(a.words[0]) {
			task = a.words[0]
		} else {
			question = a.words[0]
		}
		a.words = a.words[1:]
	}
	all = slices.DeleteFunc(all, func(q record.Question) bool {
		fits := q.Kind() == kind || kind == record.KindApproval && (q.Kind() == record.KindLimit || q.Kind() == record.KindSecret) || deny && q.Kind() == record.KindTrust
		return !fits || task != "" && q.Task != task || question != "" && q.ID != question
	})
	switch {
	case len(all) == 0:
		return none, nothingTo("no such question is open: %s lists those that are", cmdQuestions)
	case len(all) > 1:
		return none, nothingTo("%d questions are open: name the task, as %s lists them", len(all), cmdStatus)
	}
	return all[0], nil
}
