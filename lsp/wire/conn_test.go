package wire

import (
	"context"
	"errors"
	"net"
	"testing"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/jsonrpc2"
)

// session is a connection and the editor at its other end.
type session struct {
	*lsptest.Editor
	t    *testing.T
	conn *Conn

	ended chan struct{} // Serve has returned
	code  int
	err   error
}

// connect starts a connection, as prepare leaves it, and an editor that has not
// said anything yet.
func connect(t *testing.T, o lsptest.Options, prepare func(*Conn)) *session {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	near, far := net.Pipe()
	s := &session{t: t, conn: New(t.Context(), Options{Name: "test"}), ended: make(chan struct{})}
	if prepare != nil {
		prepare(s.conn)
	}
	go func() {
		defer close(s.ended)
		s.code, s.err = s.conn.Serve(near)
	}()
	s.Editor = lsptest.Connect(far, o)
	t.Cleanup(func() {
		s.Hangup()
		<-s.ended
	})
	return s
}

// begin is connect and the handshake.
func begin(t *testing.T, o lsptest.Options, prepare func(*Conn)) *session {
	t.Helper()
	s := connect(t, o, prepare)
	if _, err := s.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// must fails the test on an error.
func (s *session) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// expect fails the test if the expectations are not met.
func (s *session) expect(list ...lsptest.Expectation) {
	s.t.Helper()
	s.must(s.Expect(s.t.Context(), list...))
}

// settle waits until the server has handled all that was sent before.
func (s *session) settle() {
	s.t.Helper()
	err := s.Request(s.t.Context(), "test/nothing", nil, nil)
	if codeOf(err) != jsonrpc2.MethodNotFound {
		s.t.Fatalf("the server does not answer: %v", err)
	}
}

// codeOf returns the code of a server's error, 0 if it has none.
func codeOf(err error) jsonrpc2.Code {
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return 0
}

// freeze gives a connection a clock that stands still.
func freeze(c *Conn) *lsptest.Clock {
	clock := lsptest.NewClock()
	c.Clock = Clock{clock.Now, clock.After}
	return clock
}

// onTest adds a request without params.
func onTest(c *Conn, name string, f func(ctx context.Context, call *Call) (string, error)) {
	OnRequest(c, name, func() struct{} { return struct{}{} }, func(ctx context.Context, call *Call, _ struct{}, _ *struct{}) (string, error) {
		return f(ctx, call)
	})
}
