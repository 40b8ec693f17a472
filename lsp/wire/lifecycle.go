package wire

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// shutdownTime is how long the work on a shutdown may take; editors kill a
// server that takes longer (Neovim after 3 s at most).
const shutdownTime = 2 * time.Second

// phase is where in its life a connection is.
type phase int

const (
	fresh   phase = iota // before initialize
	alive                // after it
	stopped              // after shutdown
)

// lifecycle holds the phase and says which messages it allows.
type lifecycle struct {
	exited chan struct{} // closed by exit

	mu      sync.Mutex
	phase   phase
	greeted sync.Once // initialized
	left    sync.Once // exit
}

func (l *lifecycle) init() { l.exited = make(chan struct{}) }

// at returns the phase.
func (l *lifecycle) at() phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase
}

// enter goes on to the next phase.
func (l *lifecycle) enter(p phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = p
}

// admits returns the error that a request gets in this phase, or nil.
func (l *lifecycle) admits(method string) error {
	switch p := l.at(); {
	case p == fresh && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "send initialize first")
	case p == alive && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was sent before: start another server for another client")
	case p == stopped:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down: only exit may follow")
	}
	return nil
}

// hears reports whether a notification is handled in this phase.
func (l *lifecycle) hears(method string) bool {
	return method == protocol.MethodExit || l.at() == alive
}

// exitCode is the protocol's: 0 after shutdown.
func (l *lifecycle) exitCode() int {
	if l.at() == stopped {
		return 0
	}
	return 1
}

// lifecycleMethods adds the protocol's own methods.
func (c *Conn) lifecycleMethods() {
	c.methods[protocol.MethodInitialize] = method{arrive: c.initialize}
	c.methods[protocol.MethodShutdown] = method{arrive: c.shutdown}
	OnNotification(c, protocol.MethodInitialized, func(*protocol.InitializedParams) error {
		c.life.greeted.Do(c.initialized)
		return nil
	})
	OnNotification(c, protocol.MethodExit, func(*json.RawMessage) error {
		c.life.left.Do(func() { close(c.life.exited) })
		return nil
	})
	OnNotification(c, protocol.MethodCancelRequest, c.cancelRequest)
	OnNotification(c, protocol.MethodSetTrace, func(p *protocol.SetTraceParams) error {
		c.trace.set(p.Value)
		return nil
	})
}

// initialize reads the client's params on the read loop, so that the messages
// that follow see them, even if the client does not wait for the answer.
func (c *Conn) initialize(_ *Call, req *jsonrpc2.Request) (rest, error) {
	if len(req.Params()) == 0 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "initialize has no params: it needs at least the capabilities")
	}
	own, _ := withoutToken(req.Params()) // clients send it wherever they are configured to
	params, err := decode[protocol.InitializeParams](protocol.MethodInitialize, own)
	if err != nil {
		return nil, err
	}
	answer := func(context.Context) *protocol.InitializeResult { return &protocol.InitializeResult{} }
	if c.Hooks.Initialize != nil {
		answer = c.Hooks.Initialize(params)
	}
	c.trace.set(params.Trace)
	c.life.enter(alive)
	if params.ProcessID != nil && !c.opts.Remote {
		c.watchParent(int(*params.ProcessID))
	}
	return func(ctx context.Context) (any, error) { return answer(ctx), nil }, nil
}

// initialized opens the way to the client: before, it has not read the answer to
// initialize.
func (c *Conn) initialized() {
	c.out.open()
	if c.Hooks.Initialized != nil {
		c.Hooks.Initialized()
	}
}

// shutdown refuses further requests on the read loop, and ends the work beside
// it.
func (c *Conn) shutdown(*Call, *jsonrpc2.Request) (rest, error) {
	c.life.enter(stopped)
	return func(ctx context.Context) (any, error) {
		if c.Hooks.Shutdown != nil {
			ctx, cancel := context.WithTimeout(ctx, shutdownTime)
			defer cancel()
			c.Hooks.Shutdown(ctx)
		}
		return nil, nil
	}, nil
}

// cancelRequest reads the id itself: the protocol package decodes ids into 32
// bits and refuses the larger ids of some clients.
func (c *Conn) cancelRequest(raw *json.RawMessage) error {
	var params struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(*raw, &params); err != nil {
		return err
	}
	var number int64
	var text string
	if err := json.Unmarshal(params.ID, &number); err == nil {
		c.requests.cancel(jsonrpc2.NewNumberID(number))
		return nil
	}
	if err := json.Unmarshal(params.ID, &text); err != nil {
		return err
	}
	c.requests.cancel(jsonrpc2.NewStringID(text))
	return nil
}
