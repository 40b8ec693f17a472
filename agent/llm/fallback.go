package llm

import (
	"context"
	"errors"
	"fmt"
)

// Fallback returns a model that asks second where first gave no answer and
// trying it again would not help: its server is down or overloaded, which first
// has retried by itself. What the user must fix (a bad key, a bad request) is
// not passed on: the second model would only hide it.
func Fallback(first, second Model) Model { return fallback{first, second} }

type fallback struct{ first, second Model }

// Complete implements Model.
func (f fallback) Complete(ctx context.Context, req *Request) (*Response, error) {
	resp, err := f.first.Complete(ctx, req)
	var failed *Error
	if err == nil || !errors.As(err, &failed) || !failed.Retryable() {
		return resp, err
	}
	resp, second := f.second.Complete(ctx, req)
	if second != nil {
		return nil, fmt.Errorf("%w; the fallback model: %w", err, second)
	}
	return resp, nil
}
