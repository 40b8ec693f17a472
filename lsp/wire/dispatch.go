package wire

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// requestFailed is the code of LSP 3.17 for a request that was understood and
// could not be carried out; its message is shown to the user.
const requestFailed jsonrpc2.Code = -32803

const (
	// maxRequests is how many requests run at once. An editor has a dozen under way
	// when the user types fast; this many come from a client in a loop.
	maxRequests = 512

	// answerGap is the pause between an answer and the first request to the client
	// that follows from it: lsp-mode 10 loses a message that arrives in the same
	// chunk as the response it waits for.
	answerGap = 250 * time.Millisecond
)

// handle is the library's handler: it gets every message of the client, on the
// read loop.
func (c *Conn) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		c.notification(req)
		return nil, nil
	}
	return c.request(ctx, req)
}

// notification runs one to its end. Unknown ones are ignored: they may belong to
// another version of the protocol.
func (c *Conn) notification(req *jsonrpc2.Request) {
	m, ok := c.methods[req.Method()]
	if !c.life.hears(req.Method()) || !ok || m.notify == nil {
		return
	}
	err := c.Guard(req.Method(), func() error { return m.notify(req.Params()) })
	if err != nil {
		c.Log.Warn("a notification was not understood", "method", string([]byte(req.Method())), "error", err)
	}
}

// request answers one. Up to Async it runs on the read loop and req uses the
// loop's buffer; after Async, req has its own memory and the next message is read.
func (c *Conn) request(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	start := c.Clock.Now()
	call := &Call{}
	var todo rest
	own, done, err := c.begin(req.ID())
	if err == nil {
		defer done()
		todo, err = c.arrive(call, req)
	}
	// The library reuses ctx; from here on the request uses own, which is derived
	// from the root. Async is called in every case, so that no answer is written on
	// the read loop: a client that writes before it reads would block both sides.
	jsonrpc2.Async(ctx)
	var result any
	if err == nil {
		err = answerError(own, c.Guard(req.Method(), func() (err error) {
			result, err = todo(own)
			return err
		}))
	}
	c.traceRequest(req, start, err)
	for _, f := range call.late {
		c.Clock.After(answerGap, func() { c.Go("work after "+req.Method(), f) })
	}
	return result, err
}

// begin registers a request and gives it a context of its own.
func (c *Conn) begin(id jsonrpc2.ID) (context.Context, func(), error) {
	if !c.work.enter() {
		return nil, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is ending")
	}
	ctx, done, err := c.requests.begin(c.ctx, id)
	if err != nil {
		c.work.leave()
		return nil, nil, err
	}
	return ctx, func() { done(); c.work.leave() }, nil
}

// arrive finds the method and runs its first part.
func (c *Conn) arrive(call *Call, req *jsonrpc2.Request) (rest, error) {
	if err := c.life.admits(req.Method()); err != nil {
		return nil, err
	}
	m, ok := c.methods[req.Method()]
	if !ok || m.arrive == nil {
		return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, fmt.Sprintf("%.100s is not supported by %s", req.Method(), c.opts.Name))
	}
	var todo rest
	err := c.Guard(req.Method(), func() (err error) {
		todo, err = m.arrive(call, req)
		return err
	})
	return todo, err
}

// Guard runs f and turns a panic into an error: one request that panics must not
// end the server.
func (c *Conn) Guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			what = string([]byte(what)) // it may use the read buffer
			c.Log.Error("panic", "in", what, "value", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = jsonrpc2.NewError(jsonrpc2.InternalError, fmt.Sprintf("%s failed inside %s; its log says where", what, c.opts.Name))
		}
	}()
	return f()
}

// answerError gives an error a code that the client understands: the library
// sends code 0 for an error without one.
func answerError(ctx context.Context, err error) error {
	var coded *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err())):
		return jsonrpc2.NewError(protocol.CodeRequestCancelled, "cancelled")
	case errors.As(err, &coded) && coded.Code != 0:
		return err
	}
	return jsonrpc2.NewError(requestFailed, err.Error())
}

// requests are those under way, by id, so that the client can cancel them.
type requests struct {
	mu   sync.Mutex
	byID map[jsonrpc2.ID]context.CancelFunc
}

// begin gives a request its own context, derived from root.
func (r *requests) begin(root context.Context, id jsonrpc2.ID) (context.Context, func(), error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[id] != nil {
		return nil, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "a request with this id is under way")
	}
	if len(r.byID) >= maxRequests {
		return nil, nil, jsonrpc2.NewError(requestFailed, fmt.Sprintf("%d requests are under way: wait for some of them", maxRequests))
	}
	if r.byID == nil {
		r.byID = make(map[jsonrpc2.ID]context.CancelFunc)
	}
	ctx, cancel := context.WithCancel(root)
	r.byID[id] = cancel
	return ctx, func() {
		cancel()
		r.mu.Lock()
		delete(r.byID, id)
		r.mu.Unlock()
	}, nil
}

// cancel ends the context of a request. An unknown id is ignored.
func (r *requests) cancel(id jsonrpc2.ID) {
	r.mu.Lock()
	cancel := r.byID[id]
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
