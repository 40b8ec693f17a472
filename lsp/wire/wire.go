// Package wire is one connection to a client that speaks the Language Server
// Protocol. It hides JSON-RPC and the rules that every language server has to
// keep: framing, the order of messages, the life cycle, cancellation, timeouts
// and clients that read slowly or not at all. It knows nothing of what the
// server is for: the methods are registered from outside.
//
// It never edits, never reads a file and never asks the user anything. It never
// waits for the client on the read loop, and never closes the connection because
// of one message that it does not understand.
//
// # The way of a message
//
// From the client to its handler: [stream] reads a frame and decodes the
// message; [Conn.handle] gets it on the read loop. A notification is run to its
// end there, in the order of the wire ([OnNotification]). Of a request only the
// first part runs there: [lifecycle] says whether it is allowed now, it gets an
// id that can be cancelled, and what it must see as it is at this moment is
// looked up ([OnRequest]). The rest runs beside the loop, on a context that ends
// when the client cancels the request or when the connection ends. Work that
// calls the client back begins a moment after the answer ([Call.AfterAnswer]).
//
// To the client: [Conn.Notify] puts a notification into a bounded queue, which
// one goroutine sends in order ([outbox]); [Request] sends a request and waits
// for its answer for a limited time.
//
// # Why not the library's own server
//
// go.lsp.dev/protocol has a ready server. It runs notifications side by side, so
// that changes of a document overtake each other; it closes the connection when
// a notification handler returns an error; it cancels nothing when the input
// ends. Each of these traps has a test in traps_test.go.
package wire

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Options say how a connection behaves. The zero value works.
type Options struct {
	Name string       // the server's name, for error messages
	Log  slog.Handler // gets every record, in addition to the client; may be nil

	// Visible returns a text as the client may show it; nil: the text itself. It is
	// applied to log messages and to the trace.
	Visible func(text string) string

	// Remote says that the client may run on another machine, where its process id
	// means nothing: only the end of the connection then tells that it is gone.
	Remote bool
}

// Hooks are what the life cycle asks of the server. Each may be nil.
type Hooks struct {
	// Initialize runs on the read loop, before any other message is handled. The
	// function that it returns runs beside the loop and makes the answer.
	Initialize func(params *protocol.InitializeParams) (answer func(ctx context.Context) *protocol.InitializeResult)

	// Initialized runs once, on the read loop, when the client may be called.
	Initialized func()

	// Shutdown runs before the answer to shutdown is sent; ctx ends after
	// shutdownTime.
	Shutdown func(ctx context.Context)

	// End runs when the connection has ended and all work with it, or when that
	// work did not end in time.
	End func()
}

// The time limits of the connection's end.
const (
	// drainTime is how long the end waits for requests that were cancelled: they
	// only have to notice.
	drainTime = 2 * time.Second
	// flushTime is how long the end waits for queued notifications: a client that
	// still reads takes a fraction of it, one that does not is gone.
	flushTime = time.Second
)

// Conn is one connection. Methods and hooks are set before Serve.
type Conn struct {
	Hooks Hooks
	Clock Clock        // replaced by tests, before Serve
	Log   *slog.Logger // to the client's log and to Options.Log
	Said  *slog.Logger // to the client's log alone

	opts   Options
	ctx    context.Context // the root: ends when the connection or the client does
	cancel context.CancelFunc
	work   group // background work and requests

	rpc      jsonrpc2.Conn
	out      *outbox
	methods  methods
	requests requests
	life     lifecycle
	trace    trace
}

// Clock is the time; tests have their own.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration, func()) (stop func() bool)
}

// New returns a connection that only knows the methods of the life cycle.
func New(ctx context.Context, o Options) *Conn {
	if o.Visible == nil {
		o.Visible = func(text string) string { return text }
	}
	c := &Conn{opts: o, out: newOutbox(o.Name), methods: make(methods)}
	c.Clock = Clock{time.Now, func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.Log, c.Said = newLog(c), slog.New(clientLog{c: c})
	c.life.init()
	c.lifecycleMethods()
	return c
}

// Serve talks to the client until it says exit, its process ends, the connection
// ends, or the context of New does. The exit code is the protocol's: 0 after
// shutdown, otherwise 1. The error says what broke the connection; it is nil
// when the connection just ended. Serve closes rwc.
func (c *Conn) Serve(rwc io.ReadWriteCloser) (exitCode int, err error) {
	st := newStream(rwc, c.cancel)
	c.rpc = jsonrpc2.NewConn(st, jsonrpc2.WithCodec(codec{}))
	c.out.start(c.rpc)
	// The library's own context never ends: no response is written on a context
	// that has ended, and a cancelled request still needs its answer.
	c.rpc.Go(context.WithoutCancel(c.ctx), c.handle)
	select {
	case <-c.life.exited:
	case <-c.ctx.Done():
	}
	c.cancel()
	if !within(drainTime, c.work.close) {
		c.Log.Warn("some requests did not end in time")
	}
	if c.Hooks.End != nil {
		c.Hooks.End()
	}
	c.out.close(flushTime)
	// Close waits for the read loop, which may be in a read that nothing can
	// interrupt. The server's end does not wait for that.
	within(flushTime, func() { c.rpc.Close() })
	rwc.Close()
	return c.life.exitCode(), st.failure()
}

// Context returns the root context, which ends with the connection.
func (c *Conn) Context() context.Context { return c.ctx }

// Go runs f beside the read loop, on the root context. A panic of f is logged
// and ends f alone. When the connection has ended, f is not run.
func (c *Conn) Go(what string, f func(ctx context.Context) error) {
	if !c.work.enter() {
		return
	}
	go func() {
		defer c.work.leave()
		if err := c.Guard(what, func() error { return f(c.ctx) }); err != nil && c.ctx.Err() == nil {
			c.Log.Error(what+" failed", "error", err)
		}
	}()
}

// Notify queues a notification to the client. It never waits, so it may be
// called anywhere, on the read loop too.
func (c *Conn) Notify(method string, params any) {
	c.out.post(note{method: method, params: params})
}

// group counts the work under way. Unlike a sync.WaitGroup it can be closed
// while other goroutines still try to begin work.
type group struct {
	mu     sync.Mutex
	n      int
	closed bool
	empty  chan struct{}
}

// enter reports whether work may begin; if so, leave must follow.
func (g *group) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.n++
	}
	return !g.closed
}

// leave ends what enter began.
func (g *group) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 && g.closed {
		close(g.empty)
	}
}

// close lets nothing more begin and waits for what has begun.
func (g *group) close() {
	g.mu.Lock()
	g.closed, g.empty = true, make(chan struct{})
	if g.n == 0 {
		close(g.empty)
	}
	g.mu.Unlock()
	<-g.empty
}

// within runs f and reports whether it returned in time.
func within(limit time.Duration, f func()) bool {
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}
