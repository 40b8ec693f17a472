package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// methods is the table of what the server understands, by method.
type methods map[string]method

// method is one entry: a notification or a request.
type method struct {
	// notify runs on the read loop. Its error is logged: returned to the library,
	// it would close the connection.
	notify func(params []byte) error

	// arrive runs on the read loop and returns the rest of the request, which runs
	// beside it. What it reads of req must be cloned.
	arrive func(c *call, req *jsonrpc2.Request) (rest, error)
}

// rest is the part of a request that runs beside the read loop; ctx ends when
// the client cancels the request, or with the connection.
type rest func(ctx context.Context) (any, error)

// call is one request: what it may know of the moment it was sent in.
type call struct {
	ID   jsonrpc2.ID
	docs snapshot
	late []func(ctx context.Context) error
}

// afterAnswer runs f once the answer is out and the client has had time to read
// it (see answerGap), on the root context. It is for work that calls the client.
func (c *call) afterAnswer(f func(ctx context.Context) error) { c.late = append(c.late, f) }

// onNotification adds a notification to the table. f runs on the read loop: it
// must neither call the client nor wait.
func onNotification[P any](m methods, name string, f func(params *P) error) {
	m[name] = method{notify: func(raw []byte) error {
		params, err := decode[P](name, raw)
		if err != nil {
			return err
		}
		return f(params)
	}}
}

// onRequest adds a request to the table. f runs beside the read loop and sees
// the documents through c, as they were when the request was sent.
//
// An error of f goes to the user as it is. ctx.Err() means cancelled.
func onRequest[P, R any](m methods, name string, f func(ctx context.Context, c *call, params *P) (R, error)) {
	m[name] = method{arrive: func(c *call, req *jsonrpc2.Request) (rest, error) {
		return func(ctx context.Context) (any, error) {
			params, err := decode[P](name, req.Params())
			if err != nil {
				return nil, err
			}
			return f(ctx, c, params)
		}, nil
	}}
}

// decode reads the params of a method. No params are like an empty object.
func decode[P any](name string, raw []byte) (*P, error) {
	params := new(P)
	if len(raw) == 0 {
		return params, nil
	}
	if err := (codec{}).Unmarshal(raw, params); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf("%s: the params cannot be read: %v", name, err))
	}
	return params, nil
}
