// Package lsp is the only package that knows the Language Server Protocol: it
// turns messages into calls of the agent and what the agent yields into
// messages. It hides the connection (framing, order, cancellation, time-outs),
// the three position encodings, and what each client can and cannot do.
//
// It never edits a file behind the editor's back, never lets a client hang the
// agent (each call to the client has a time-out, each notification goes through
// a bounded queue), and never trusts a client's word where it can look.
//
// The tour, from the wire upwards: stream frames messages, methods is the table
// of what is understood, dispatch runs one entry of it, lifecycle is the
// protocol's own entries, sync and document hold what is open in the editor,
// client is what the editor can do, calls and outbox are the way back to it.
// What is built on top adds entries to the table and sets [server.hooks].
//
// # Order
//
// One goroutine at a time is the read loop. Notifications run on it, in the
// order of the wire; so does the part of a request that must see the documents
// as they were when it was sent ([snapshot]). Everything else of a request runs
// beside the loop. Nothing on the loop waits for the client: it would wait for
// an answer that only the loop can read.
package lsp

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"caselsp/agent"
	setting "caselsp/agent/settings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Name is what the server calls itself, and the section of its settings in the
// client's configuration.
const Name = "caselsp"

// Options says how a client is served. The zero value works.
type Options struct {
	Version string       // told to the client; may be empty
	Log     slog.Handler // gets every record, beside the client, which gets those of level info and above; may be nil

	// Backend carries out tasks. A server without one checks documents only.
	Backend Backend

	// Trust says which folders are trusted; nil: all of them.
	Trust *agent.Trust

	// Validators returns how the documents in the client's folders are judged; nil:
	// each alone, by all rules as they are.
	Validators func(dirs []string, layers []setting.Layer) (*Validators, error)

	// Docs returns the file and the line, from 1, where a validator's rule is
	// documented; 0 for nowhere. It may be nil.
	Docs func(rule string) (file string, line int)

	// Remote says that the client may run on another machine, where its process
	// id means nothing: the end of the connection is then the only sign of its end.
	Remote bool
}

// The waits of the server's end.
const (
	// drainTime is how long the end waits for requests that were cancelled: they
	// only have to notice.
	drainTime = 2 * time.Second
	// flushTime is how long the end waits for notifications that are queued: a
	// client that still reads takes a fraction of it, one that does not is gone.
	flushTime = time.Second
)

// Serve talks to one client until it says exit, its process ends, the
// connection ends, or ctx does. The exit code is the protocol's: 0 after
// shutdown, else 1. The error says what broke the connection; an ordinary end,
// ordered or not, is none. Serve closes rwc.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) (exitCode int, err error) {
	s := newServer(ctx, o)
	s.install()
	return s.serve(rwc)
}

// server is one connection and all that belongs to it.
type server struct {
	opts  Options
	clock clock
	log   *slog.Logger
	hooks hooks

	ctx    context.Context // the root: ends when the connection or the client does
	cancel context.CancelFunc
	work   group // background work and requests

	conn     jsonrpc2.Conn
	out      *outbox
	methods  methods
	requests requests

	life     lifecycle
	client   client // written by initialize, before anything reads it
	docs     documents
	folders  folders
	settings configuration
	progress progresses
	trace    trace

	features
}

// hooks are what is built on top of the connection. Each may be nil.
type hooks struct {
	// capabilities adds to what initialize answers.
	capabilities func(*protocol.ServerCapabilities)

	// open runs before the answer to initialize leaves, beside the read loop. Its
	// error is shown to the user; the server goes on.
	open func(ctx context.Context) error

	// greeted runs beside the read loop once the client may be spoken to.
	greeted func()

	// changed and closed run on the read loop, in the order of the wire: a
	// document was opened or changed, or closed. They must not wait.
	changed func(*document)
	closed  func(*document)

	// saved runs on the read loop: the document is on disk as it is here.
	saved func(*document)

	// roots runs beside the read loop after the client changed its folders.
	roots func(ctx context.Context, all []Root) error

	// configure runs beside the read loop, with every layer of settings the client
	// gave, weakest first, each time that one changed. Its error names the settings
	// that are wrong, one a line, and is shown to the user.
	configure func(ctx context.Context, layers []layer) error

	// shutdown runs before the answer to shutdown leaves; ctx ends after shutdownTime.
	shutdown func(ctx context.Context)

	// end runs when the connection has ended and the work on it too, or when that
	// did not end in time.
	end func()
}

// clock is the time; tests have their own.
type clock struct {
	now   func() time.Time
	after func(time.Duration, func()) (stop func() bool)
}

// newServer returns a server that serves nothing yet; the methods of the
// protocol itself are in its table.
func newServer(ctx context.Context, o Options) *server {
	s := &server{opts: o, out: newOutbox()}
	s.clock = clock{time.Now, func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.log = newLog(s)
	s.docs.init()
	s.life.init()
	s.methods = make(methods)
	s.lifecycleMethods()
	s.syncMethods()
	s.folderMethods()
	s.configurationMethods()
	s.progressMethods()
	return s
}

// serve runs the connection to its end.
func (s *server) serve(rwc io.ReadWriteCloser) (int, error) {
	st := newStream(rwc, s.cancel)
	s.conn = jsonrpc2.NewConn(st, jsonrpc2.WithCodec(codec{}))
	s.out.start(s.conn)
	// The connection's own context never ends: a response is not written on an
	// ended one, and a request that was cancelled still deserves its answer.
	s.conn.Go(context.WithoutCancel(s.ctx), s.handle)
	select {
	case <-s.life.exited:
	case <-s.ctx.Done():
	}
	s.cancel()
	if !within(drainTime, s.work.close) {
		s.log.Warn("some requests did not end in time")
	}
	if s.hooks.end != nil {
		s.hooks.end()
	}
	s.out.close(flushTime)
	// Close waits for the read loop, which may sit in a read that nothing can
	// interrupt; the reader's own end is not the server's business.
	within(flushTime, func() { s.conn.Close() })
	rwc.Close()
	return s.life.exitCode(), st.failure()
}

// spawn runs f beside the read loop, on the root context, behind a panic barrier.
func (s *server) spawn(what string, f func(ctx context.Context) error) {
	if !s.work.enter() {
		return
	}
	go func() {
		defer s.work.leave()
		_, err := s.guard(what, func() (any, error) { return nil, f(s.ctx) })
		if err != nil && s.ctx.Err() == nil {
			s.log.Error(what+" failed", "error", err)
		}
	}()
}

// group counts work under way. Unlike a sync.WaitGroup it can be closed while
// work still wants to begin.
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
