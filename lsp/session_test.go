package lsp

import (
	"context"
	"errors"
	"net"
	"testing"

	"caselsp/lsp/lsptest"
	"caselsp/lsp/wire"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"
)

// session is a server and an editor that are connected.
type session struct {
	*lsptest.Editor
	t   testing.TB
	srv *server

	ended chan struct{} // the server has ended
	code  int
	err   error
}

// connect starts a server, as prepare leaves it, and an editor that has not
// said anything yet.
func connect(t testing.TB, o lsptest.Options, prepare func(*server)) *session {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	near, far := net.Pipe()
	s := &session{t: t, srv: newServer(t.Context(), Options{Version: "test"}), ended: make(chan struct{})}
	if prepare != nil {
		prepare(s.srv)
	}
	go func() {
		defer close(s.ended)
		s.code, s.err = s.srv.ed.Serve(near)
	}()
	s.Editor = lsptest.Connect(far, o)
	t.Cleanup(func() {
		s.Hangup()
		<-s.ended
	})
	return s
}

// begin is connect and the handshake.
func begin(t testing.TB, o lsptest.Options, prepare func(*server)) *session {
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

// expect fails the test where the expectations are not met.
func (s *session) expect(list ...lsptest.Expectation) {
	s.t.Helper()
	s.must(s.Expect(s.t.Context(), list...))
}

// uri returns the URI of a file of the editor.
func (s *session) uri(path string) uri.URI { return uri.File(s.Abs(path)) }

// settle waits until the server has taken in all that was sent before.
func (s *session) settle() {
	s.t.Helper()
	err := s.Request(s.t.Context(), "test/nothing", nil, nil)
	if codeOf(err) != jsonrpc2.MethodNotFound {
		s.t.Fatalf("the server does not answer: %v", err)
	}
}

// codeOf returns the code of a server's error, 0 where it has none.
func codeOf(err error) jsonrpc2.Code {
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return 0
}

// freeze gives a server a clock that stands still.
func freeze(s *server) *lsptest.Clock {
	clock := lsptest.NewClock()
	s.ed.Clock = wire.Clock{Now: clock.Now, After: clock.After}
	return clock
}

// onTest adds a request without params to a server.
func onTest(s *server, name string, f func(ctx context.Context, c *call) (string, error)) {
	onRequest(s.docs, name, func(ctx context.Context, c *call, _ *struct{}) (string, error) { return f(ctx, c) })
}
