package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/review"

	"go.lsp.dev/protocol"
)

// nothing is why a command has nothing to do. That is no error: editors show those in red, as a failure of the
// server. The user is told, and the answer is null.
type nothing struct{ why string }

// Error implements error.
func (n nothing) Error() string { return n.why }

// nothingTo makes a [nothing].
func nothingTo(form string, args ...any) error { return nothing{fmt.Sprintf(form, args...)} }

// answered is the answer of a command: where it has nothing to do, the user is told that and it is null.
func (s *server) answered(result any, err error) (any, error) {
	var idle nothing
	if errors.As(err, &idle) || errors.Is(err, review.ErrDecided) || errors.Is(err, review.ErrNoReview) || errors.Is(err, record.ErrEmptyTask) {
		s.ed.showMessage(protocol.MessageTypeInfo, sentence(err.Error()))
		return nil, nil
	}
	return result, err
}

// several are tasks of which a command is for one.
type several struct {
	what  string // a verb
	tasks []record.Status
}

// Error implements error.
func (s several) Error() string {
	var names []string
	for _, st := range s.tasks {
		names = append(names, fmt.Sprintf("%s (%s)", st.Task.ID, title(st.Task)))
	}
	return fmt.Sprintf("there are %d tasks to %s: name one of %s", len(s.tasks), s.what, strings.Join(names, ", "))
}

// maxChoices is how many tasks a prompt offers: a notification has no room for more.
const maxChoices = 5

// choose has the user choose one of several tasks, where the editor shows a prompt beside the text, and runs f for
// it; elsewhere it says how to name one.
func (s *server) choose(c *call, of several, f func(id string) error) (any, error) {
	if !s.ed.client.AsksBeside {
		return nil, nothing{of.Error()}
	}
	tasks := of.tasks[max(0, len(of.tasks)-maxChoices):]
	s.ed.later(c, func() {}, func(ctx context.Context) error {
		titles := []string{chooseLater}
		for _, st := range tasks {
			titles = append(titles, fmt.Sprintf("%s (%s)", cut(title(st.Task), maxBrief), st.Task.ID))
		}
		chosen, ok := s.ed.ask(ctx, capital(fmt.Sprintf("which task to %s? There are %d.", of.what, len(of.tasks))), titles...)
		if !ok || chosen == 0 {
			return nil
		}
		return f(tasks[chosen-1].Task.ID)
	})
	return nil, nil
}
