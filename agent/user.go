package agent

import (
	"context"
	"errors"

	"caselsp/agent/record"
)

// User is whom the agent asks. Ask blocks until the user has decided, ctx ends,
// or it is certain that there will be no answer now.
//
// Silence is no answer: an implementation returns ErrUndecided, never an
// invented choice, when the prompt was closed, timed out or failed. The
// question then stays open and the task pauses.
type User interface {
	Ask(ctx context.Context, q record.Question) (record.Answer, error)
}

// ErrUndecided says that a question was not decided, whether or not it could be shown.
var ErrUndecided = errors.New("the question was not answered")

// Headless is a User without a person: it approves when Yes is set, and
// leaves everything else undecided.
type Headless struct{ Yes bool }

// Ask implements User.
func (h Headless) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	if h.Yes && q.Flagged() {
		return q.FlagAnswer(), nil
	}
	return record.Answer{}, ErrUndecided
}
