package lsp

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

// requestFailed is LSP 3.17's code for a request that was understood and could
// not be carried out; its message is shown to the user.
const requestFailed jsonrpc2.Code = -32803

const (
	// maxRequests is how many requests run at once; an editor has a dozen under
	// way when the user types fast, more are a client in a loop.
	maxRequests = 512

	// answerGap is the pause between an answer and the first call to the client
	// that follows from it: lsp-mode 10 loses a message that arrives in the same
	// chunk as the response it waits for.
	answerGap = 250 * time.Millisecond
)

// handle is the library's handler: every message of the client comes by here,
// on the read loop.
func (s *server) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		s.notification(req)
		return nil, nil
	}
	return s.request(ctx, req)
}

// notification runs one to its end. Unknown ones are ignored, as the protocol
// wants it for those of other versions.
func (s *server) notification(req *jsonrpc2.Request) {
	m, ok := s.methods[req.Method()]
	if !s.life.hears(req.Method()) || !ok || m.notify == nil {
		return
	}
	_, err := s.guard(req.Method(), func() (any, error) { return nil, m.notify(req.Params()) })
	if err != nil {
		s.log.Warn("a notification was not understood", "method", string([]byte(req.Method())), "error", err)
	}
}

// request answers one. Up to Async it runs on the read loop and req borrows the
// loop's buffer; after it, req is owned and the next message is being read.
func (s *server) request(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	start := s.clock.now()
	c := &call{ID: req.ID(), docs: s.docs.snapshot()}
	var todo rest
	own, done, err := s.begin(req.ID())
	if err == nil {
		defer done()
		todo, err = s.arrive(c, req)
	}
	// The library recycles ctx; what runs from here on uses own, which is derived
	// from the root. Async is called in any case, so that no answer is written on
	// the read loop: a client that writes before it reads would stop both.
	jsonrpc2.Async(ctx)
	var result any
	if err == nil {
		result, err = s.guard(req.Method(), func() (any, error) { return todo(own) })
		err = answerError(own, err)
	}
	s.traceRequest(req, start, err)
	for _, f := range c.late {
		s.clock.after(answerGap, func() { s.spawn("work after "+req.Method(), f) })
	}
	return result, err
}

// begin registers a request and gives it its own context.
func (s *server) begin(id jsonrpc2.ID) (context.Context, func(), error) {
	if !s.work.enter() {
		return nil, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is ending")
	}
	ctx, done, err := s.requests.begin(s.ctx, id)
	if err != nil {
		s.work.leave()
		return nil, nil, err
	}
	return ctx, func() { done(); s.work.leave() }, nil
}

// arrive finds the method and runs its first part.
func (s *server) arrive(c *call, req *jsonrpc2.Request) (rest, error) {
	if err := s.life.admits(req.Method()); err != nil {
		return nil, err
	}
	m, ok := s.methods[req.Method()]
	if !ok || m.arrive == nil {
		return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, fmt.Sprintf("%s is not supported by %s", req.Method(), Name))
	}
	var todo rest
	_, err := s.guard(req.Method(), func() (_ any, err error) {
		todo, err = m.arrive(c, req)
		return nil, err
	})
	return todo, err
}

// guard runs f; a panic becomes an error of f alone (SPEC row R5).
func (s *server) guard(what string, f func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			what = string([]byte(what)) // it may borrow the read buffer
			s.log.Error("panic", "in", what, "value", fmt.Sprint(p), "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.NewError(jsonrpc2.InternalError, fmt.Sprintf("%s failed inside %s; its log says where", what, Name))
		}
	}()
	return f()
}

// answerError gives an error the code that the client understands: the library
// would send code 0 for all that has none.
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

// requests are those under way, by id, so that they can be cancelled.
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

// cancel ends the context of a request; of one that is unknown, nothing.
func (r *requests) cancel(id jsonrpc2.ID) {
	r.mu.Lock()
	cancel := r.byID[id]
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
