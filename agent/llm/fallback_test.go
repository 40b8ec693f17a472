package llm

import (
	"context"
	"errors"
	"testing"
)

// fixed is a model that always gives the same.
type fixed struct {
	text string
	err  error
}

func (f fixed) Complete(context.Context, *Request) (*Response, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &Response{Content: f.text}, nil
}

func TestFallback(t *testing.T) {
	down := &Error{Kind: ServerError}
	for _, c := range []struct {
		name          string
		first, second Model
		want          string
		fails         Kind // of the error; "" for an answer
	}{
		{"the first answers", fixed{text: "one"}, fixed{text: "two"}, "one", ""},
		{"the first is down", fixed{err: down}, fixed{text: "two"}, "two", ""},
		{"what the user must mend is not hidden", fixed{err: &Error{Kind: BadKey}}, fixed{text: "two"}, "", BadKey},
		{"both are down", fixed{err: down}, fixed{err: &Error{Kind: RateLimited}}, "", ServerError},
	} {
		resp, err := Fallback(c.first, c.second).Complete(context.Background(), &Request{})
		var failed *Error
		switch {
		case c.fails == "" && (err != nil || resp.Content != c.want):
			t.Errorf("%s: got %v, %v", c.name, resp, err)
		case c.fails != "" && (!errors.As(err, &failed) || failed.Kind != c.fails):
			t.Errorf("%s: the error is %v, want one of kind %s", c.name, err, c.fails)
		}
	}
}
