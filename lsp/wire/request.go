package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// ErrTimeout is the error of a client that did not answer in time.
var ErrTimeout = errors.New("the client did not answer in time")

// Request sends the client a request and returns its answer, or an error: the
// client's own, ErrTimeout, or that of ctx or of the connection. A client that
// stopped reading holds up a goroutine until the connection ends, never the
// caller. It must not be called on the read loop, which would have to read the
// answer.
func Request[R any](ctx context.Context, c *Conn, limit time.Duration, method string, params any) (R, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(c.ctx.Err()) })()
	defer c.Clock.After(limit, func() { cancel(ErrTimeout) })()
	type answer struct {
		result R
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		var id jsonrpc2.ID
		id, a.err = c.rpc.Call(ctx, method, params, &a.result)
		if ctx.Err() != nil && id.IsValid() {
			c.withdraw(id)
		}
		answers <- a
	}()
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		a.err = context.Cause(ctx)
	}
	if a.err != nil {
		if cause := context.Cause(ctx); cause != nil {
			a.err = cause
		}
		var none R
		return none, fmt.Errorf("%s: %w", method, a.err)
	}
	return a.result, nil
}

// withdraw tells the client that a request need not be answered any more, so
// that it can take the question off the screen.
func (c *Conn) withdraw(id jsonrpc2.ID) {
	if number, ok := id.Number(); ok {
		c.Notify(protocol.MethodCancelRequest, &protocol.CancelParams{ID: protocol.Integer(number)})
	}
}
