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

// Price is the higher one of both: which model will answer is not known before.
func (f fallback) Price() (Price, bool) {
	a, knownA := PriceOf(f.first)
	b, knownB := PriceOf(f.second)
	return Price{Prompt: max(a.Prompt, b.Prompt), Completion: max(a.Completion, b.Completion)}, knownA || knownB
}

// Complete implements Model.
func (f fallback) Complete(ctx context.Context, req *Request) (*Response, error) {
	resp, err := f.first.Complete(ctx, req)
	var failed *Error
	if err == nil || !errors.As(err, &failed) || !failed.Retryable() {
		return resp, err
	}
	if stopped := req.Again(failed.Usage); stopped != nil {
		return nil, stopped
	}
	req.Waits(Wait{Failed: failed, Another: true})
	retry := req.Retry
	defer func() { req.Retry = retry }()
	if retry != nil { // the second model knows nothing of what the first one cost
		req.Retry = func(spent Usage) error { return retry(failed.Usage.Add(spent)) }
	}
	resp, second := f.second.Complete(ctx, req)
	if second != nil {
		var again *Error
		if errors.As(second, &again) {
			failed.Usage = failed.Usage.Add(again.Usage)
		}
		var unsent *Unsent
		if errors.As(second, &unsent) {
			failed.Usage = failed.Usage.Add(unsent.Usage)
		}
		return nil, fmt.Errorf("%w; the fallback model: %w", err, second)
	}
	resp.Failed = resp.Failed.Add(failed.Usage)
	return resp, nil
}
