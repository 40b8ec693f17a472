package wire

import (
	"context"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// methods are the notifications and requests that the server understands, by
// method.
type methods map[string]method

// method is one entry: a notification or a request.
type method struct {
	// notify runs on the read loop. Its error is logged: returned to the library,
	// it would close the connection.
	notify func(params []byte) error

	// arrive runs on the read loop and returns the rest of the request, which runs
	// beside it. What it reads of req must be cloned.
	arrive func(c *Call, req *jsonrpc2.Request) (rest, error)
}

// rest is the part of a request that runs beside the read loop; ctx ends when
// the client cancels the request, or with the connection.
type rest func(ctx context.Context) (any, error)

// Call is one request of the client.
type Call struct {
	late []func(ctx context.Context) error
}

// AfterAnswer runs f on the root context, when the answer has been sent and the
// client has had time to read it (see answerGap). It is for work that calls the
// client.
func (c *Call) AfterAnswer(f func(ctx context.Context) error) { c.late = append(c.late, f) }

// OnNotification adds a notification to the methods. f runs on the read loop, in
// the order of the wire: it must neither call the client nor wait.
func OnNotification[P any](c *Conn, name string, f func(params *P) error) {
	c.methods[name] = method{notify: func(raw []byte) error {
		params, err := decode[P](name, raw)
		if err != nil {
			return err
		}
		return f(params)
	}}
}

// OnRequest adds a request to the methods. see runs on the read loop: what it
// returns is the state at the moment when the request was sent, however late f
// runs. f runs beside the loop. An error of f goes to the user as it is; one that
// wraps ctx.Err() means cancelled.
func OnRequest[S, P, R any](c *Conn, name string, see func() S, f func(ctx context.Context, call *Call, seen S, params *P) (R, error)) {
	c.methods[name] = method{arrive: func(call *Call, req *jsonrpc2.Request) (rest, error) {
		seen := see()
		return func(ctx context.Context) (any, error) {
			params, err := decode[P](name, req.Params())
			if err != nil {
				return nil, err
			}
			return f(ctx, call, seen, params)
		}, nil
	}}
}

// decode reads the params of a method. No params are like an empty object.
func decode[P any](name string, raw []byte) (*P, error) {
	params := new(P)
	if len(raw) == 0 {
		return params, nil
	}
	if err := Decode(raw, params); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf("%s: the params cannot be read: %v", name, err))
	}
	return params, nil
}
