package llm

import (
	"fmt"
	"strings"
	"time"
)

// Kind sorts the errors of models by what can be done about them.
type Kind string

// The kinds of model errors.
const (
	RateLimited Kind = "rate limited" // retry after a pause
	TimedOut    Kind = "timed out"    // retry
	ServerError Kind = "server error" // retry
	Unreachable Kind = "unreachable"  // retry, then it is an outage
	Incomplete  Kind = "incomplete"   // the stream was cut or the answer had no choice: retry
	Unreadable  Kind = "unreadable"   // the body was not what the protocol says: retry
	BadKey      Kind = "bad key"      // never retried: the user must act
	BadRequest  Kind = "bad request"  // never retried: the request or the setting is wrong
	NoKey       Kind = "no key"       // nothing was sent: the user must act
	Diverged    Kind = "diverged"     // a replay was asked something that the recording does not hold
)

// Error says why a model gave no answer. Advice is for the user: what to do next.
type Error struct {
	Kind   Kind
	Status int           // the HTTP status; 0 where there was none
	After  time.Duration // the pause the server asked for (Retry-After); 0 where it asked for none
	Detail string        // what the server or the network said
	Advice string
	Err    error // the cause; may be nil
	// AtLimit says that the answer was cut at the request's own MaxTokens, not at a limit of
	// the model or its settings.
	AtLimit bool
	// Usage is what the tries cost, as far as that is known.
	Usage Usage
}

// Error implements error.
func (e *Error) Error() string {
	s := "model " + string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Advice != "" {
		s = strings.TrimRight(s, ". ") + ". " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may be answered if it is sent again.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case RateLimited, TimedOut, ServerError, Unreachable, Incomplete, Unreadable:
		return true
	}
	return false
}

// Unsent says that a request was given up between two tries: no try was under way, so that nothing was used
// but what is known.
type Unsent struct {
	Usage Usage // of the tries before
	Err   error // why, such as context.Canceled
}

// Error implements error.
func (u *Unsent) Error() string { return u.Err.Error() }

// Unwrap returns the cause.
func (u *Unsent) Unwrap() error { return u.Err }
