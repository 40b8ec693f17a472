package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Each test of this file is about one trap of the libraries: first that it is
// there (the day it is not, our own way around it can go), then that the server
// does not fall into it.

// library starts a connection with a handler, as the library's documentation
// does, and returns the other end.
func library(t *testing.T, h jsonrpc2.Handler) (jsonrpc2.Conn, *lsptest.Editor) {
	t.Helper()
	near, far := net.Pipe()
	conn := jsonrpc2.NewConn(jsonrpc2.NewStream(near), jsonrpc2.WithCodec(codec{}))
	conn.Go(t.Context(), h)
	e := lsptest.Connect(far, lsptest.Options{Ceiling: 10 * time.Second})
	t.Cleanup(func() {
		e.Hangup()
		near.Close()
	})
	return conn, e
}

// none is the params of messages that have none.
var none = struct{}{}

func TestTrapNotificationsAreReordered(t *testing.T) {
	// In the stock wiring the second notification runs while the first does: here
	// the first waits for it, and would wait forever if they ran in order.
	second := make(chan struct{})
	_, e := library(t, protocol.Handlers(func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == "second" {
			close(second)
		}
		<-second
		return nil, nil
	}))
	e.Notify("first", none)
	go e.Notify("second", none)
	select {
	case <-second:
	case <-time.After(5 * time.Second):
		t.Error("the library runs notifications in order now")
	}

	var got []int
	s := begin(t, lsptest.Options{}, func(c *Conn) {
		OnNotification(c, "test/count", func(n *int) error { got = append(got, *n); return nil })
	})
	for i := range 1000 {
		s.must(s.Notify("test/count", i))
	}
	s.settle()
	for i, n := range got {
		if i != n {
			t.Fatalf("notification %d came as number %d", n, i)
		}
	}
	if len(got) != 1000 {
		t.Errorf("%d notifications of 1000 arrived", len(got))
	}
}

func TestTrapErrorOfNotificationClosesConnection(t *testing.T) {
	conn, e := library(t, func(context.Context, *jsonrpc2.Request) (any, error) { return nil, jsonrpc2.ErrMethodNotFound })
	e.Notify("unknown", none)
	<-conn.Done()

	s := begin(t, lsptest.Options{Hostile: lsptest.Hostile{Noise: true}}, func(c *Conn) {
		OnNotification(c, "test/fail", func(*struct{}) error { return errors.New("failed") })
		OnNotification(c, "test/panic", func(*struct{}) error { panic("at the disco") })
		OnNotification(c, "test/wait", func(*struct{}) error { return nil })
		OnNotification(c, protocol.MethodTextDocumentDidOpen, func(*protocol.DidOpenTextDocumentParams) error { return nil })
	})
	for _, method := range []string{"unknown", "$/unknown", "test/fail", "test/panic", protocol.MethodTextDocumentDidOpen} {
		s.must(s.Notify(method, []int{1}))
		s.must(s.Notify(method, none))
	}
	s.must(s.Notify("test/wait", nil))
	s.settle()
	s.expect(lsptest.Logged("failed"), lsptest.Logged("at the disco"), lsptest.Logged("params cannot be read"))
}

// traceKey is the key of a value that a handler might put into its context.
type traceKey struct{}

func TestTrapContextOfSynchronousHandlerCrashes(t *testing.T) {
	// The second handler looks at the context of the first, on the same goroutine:
	// it is either its own by now, or dead.
	var kept context.Context
	recycled := make(chan bool, 2)
	_, e := library(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == "first" {
			kept = ctx
			return nil, nil
		}
		defer func() { recycled <- recover() != nil || ctx == kept }()
		// One that could be cancelled would crash on a goroutine of its own, where
		// nothing can recover.
		context.WithValue(kept, traceKey{}, "value").Value(none)
		return nil, nil
	})
	e.Notify("first", none)
	e.Notify("second", none)
	if !<-recycled {
		t.Error("the library does not recycle the contexts of requests any more")
	}

	ours := make(chan context.Context, 2)
	s := begin(t, lsptest.Options{}, func(c *Conn) {
		onTest(c, "test/keep", func(ctx context.Context, call *Call) (string, error) {
			ours <- ctx
			call.AfterAnswer(func(ctx context.Context) error { ours <- ctx; return nil })
			return "", nil
		})
	})
	s.must(s.Request(t.Context(), "test/keep", nil, nil))
	during, later := <-ours, <-ours
	<-during.Done()
	if during.Value("other"); !errors.Is(during.Err(), context.Canceled) {
		t.Errorf("the context of an answered request: %v", during.Err())
	}
	if later.Err() != nil {
		t.Errorf("the context of the work after a request ended with it: %v", later.Err())
	}
}

func TestTrapCallFromSynchronousHandlerDeadlocks(t *testing.T) {
	var conn jsonrpc2.Conn
	connected := make(chan struct{})
	result := make(chan error, 1)
	conn, e := library(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		<-connected
		ctx, cancel := context.WithTimeout(jsonrpc2.DetachContext(ctx), 50*time.Millisecond)
		defer cancel()
		_, err := conn.Call(ctx, protocol.MethodWorkspaceDiagnosticRefresh, nil, nil)
		result <- err
		return nil, nil
	})
	close(connected)
	e.Notify("call", none)
	if err := <-result; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call from a synchronous handler was answered: %v", err)
	}

	s := begin(t, lsptest.Options{}, func(c *Conn) {
		onTest(c, "test/call", func(ctx context.Context, _ *Call) (string, error) {
			_, err := Request[jsonrpc2.RawMessage](ctx, c, time.Minute, protocol.MethodWorkspaceDiagnosticRefresh, nil)
			return "called", err
		})
	})
	var got string
	s.must(s.Request(t.Context(), "test/call", nil, &got))
	if got != "called" || len(s.State().Refreshed) != 1 {
		t.Errorf("got %q after %q", got, s.State().Refreshed)
	}
}

// TestRequestSeesItsMoment shows that what a request looks at on the read loop is
// as it was when the request was sent, even when later messages are handled first.
func TestRequestSeesItsMoment(t *testing.T) {
	count := 0
	arrived, goOn := make(chan struct{}), make(chan struct{})
	s := begin(t, lsptest.Options{}, func(c *Conn) {
		OnNotification(c, "test/count", func(*struct{}) error { count++; return nil })
		OnRequest(c, "test/see", func() int { return count }, func(_ context.Context, _ *Call, seen int, _ *struct{}) (int, error) {
			close(arrived)
			<-goOn
			return seen, nil
		})
	})
	s.must(s.Notify("test/count", nil))
	sent, err := s.Send("test/see", nil)
	s.must(err)
	<-arrived
	s.must(s.Notify("test/count", nil))
	s.settle()
	close(goOn)
	var got int
	s.must(sent.Wait(t.Context(), &got))
	if got != 1 {
		t.Errorf("the request sees %d, want 1", got)
	}
}

func TestTrapEndOfInputCancelsNothing(t *testing.T) {
	started, libraryEnded := make(chan struct{}), make(chan error, 1)
	release := make(chan struct{})
	_, e := library(t, func(ctx context.Context, _ *jsonrpc2.Request) (any, error) {
		jsonrpc2.Async(ctx)
		close(started)
		<-release
		libraryEnded <- ctx.Err()
		return nil, ctx.Err()
	})
	go e.Request(t.Context(), "work", nil, nil)
	<-started
	e.Hangup()
	e.Expect(t.Context(), lsptest.Ended())
	close(release)
	if err := <-libraryEnded; err != nil {
		t.Errorf("the library cancels handlers now: %v", err)
	}

	for name, end := range map[string]func(*session){
		"the connection": func(s *session) { s.Hangup() },
		"exit":           func(s *session) { s.Notify(protocol.MethodExit, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			working, cancelled := make(chan struct{}), make(chan error, 2)
			s := begin(t, lsptest.Options{}, func(c *Conn) {
				onTest(c, "test/work", func(ctx context.Context, call *Call) (string, error) {
					c.Go("background", func(ctx context.Context) error {
						<-ctx.Done()
						cancelled <- ctx.Err()
						return nil
					})
					close(working)
					<-ctx.Done()
					cancelled <- ctx.Err()
					return "", ctx.Err()
				})
			})
			go s.Request(t.Context(), "test/work", nil, nil)
			<-working
			end(s)
			<-s.ended
			for range 2 {
				if err := <-cancelled; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
			if s.code != 1 || s.err != nil {
				t.Errorf("ended with code %d, %v", s.code, s.err)
			}
		})
	}
}

func TestTrapCancelledRequestHasCodeZero(t *testing.T) {
	work := func(started chan struct{}) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			close(started)
			<-ctx.Done()
			return fmt.Errorf("reading the plan: %w", ctx.Err())
		}
	}
	cancel := func(e *lsptest.Editor, method string, started chan struct{}) error {
		ctx, stop := context.WithCancel(t.Context())
		go func() { <-started; stop() }()
		return e.Request(ctx, method, nil, nil)
	}
	started := make(chan struct{})
	_, e := library(t, protocol.Handlers(func(ctx context.Context, _ *jsonrpc2.Request) (any, error) { return nil, work(started)(ctx) }))
	if err := cancel(e, "work", started); err == nil || codeOf(err) != 0 {
		t.Errorf("the library maps cancelled requests now: %v", err)
	}

	started = make(chan struct{})
	s := begin(t, lsptest.Options{}, func(c *Conn) {
		onTest(c, "test/work", func(ctx context.Context, _ *Call) (string, error) { return "", work(started)(ctx) })
		onTest(c, "test/fail", func(context.Context, *Call) (string, error) { return "", errors.New("no such task: 7") })
		onTest(c, "test/panic", func(context.Context, *Call) (string, error) { panic("lost") })
		onTest(c, "test/code", func(context.Context, *Call) (string, error) {
			return "", fmt.Errorf("with context: %w", protocol.ErrContentModified)
		})
	})
	for method, want := range map[string]jsonrpc2.Code{
		"test/fail": requestFailed, "test/panic": jsonrpc2.InternalError, "test/code": protocol.CodeContentModified,
	} {
		if err := s.Request(t.Context(), method, nil, nil); codeOf(err) != want {
			t.Errorf("%s: %v with code %d, want %d", method, err, codeOf(err), want)
		}
	}
	if err := cancel(s.Editor, "test/work", started); codeOf(err) != protocol.CodeRequestCancelled {
		t.Errorf("cancelled: %v with code %d", err, codeOf(err))
	}
}

func TestTrapIdsBeyond32Bits(t *testing.T) {
	var p protocol.CancelParams
	if err := protocol.Unmarshal([]byte(`{"id":9007199254740991}`), &p); err == nil {
		t.Error("the library takes large ids now")
	}
	for _, id := range []string{`9007199254740991`, `"a name"`} {
		started, ended := make(chan struct{}), make(chan struct{})
		s := begin(t, lsptest.Options{}, func(c *Conn) {
			onTest(c, "test/work", func(ctx context.Context, _ *Call) (string, error) {
				close(started)
				<-ctx.Done()
				close(ended)
				return "", ctx.Err()
			})
		})
		s.must(s.SendRaw(`{"jsonrpc":"2.0","id":` + id + `,"method":"test/work"}`))
		<-started
		s.must(s.SendRaw(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`))
		<-ended
	}
}

func TestTrapUnreadableMessageClosesConnection(t *testing.T) {
	conn, e := library(t, func(context.Context, *jsonrpc2.Request) (any, error) { return nil, nil })
	e.SendRaw("{oops")
	<-conn.Done()

	s := begin(t, lsptest.Options{}, nil)
	for _, body := range []string{"{oops", "", "[]", `{"jsonrpc":"1.0","id":1,"method":"x"}`, "\xff"} {
		s.must(s.SendRaw(body))
	}
	for _, id := range []string{`"` + strings.Repeat("i", maxID+1) + `"`, "\"\xff\"", "\"a\x1b[31m\"", `"\u001b[31m"`, `"\u0085"`, "{}", "[1]", "1.5", "true"} {
		s.must(s.SendRaw(`{"jsonrpc":"2.0","id":` + id + `,"method":"test/nothing"}`)) // answered with no id
	}
	s.settle()
	s.expect(lsptest.Expectation{What: "complaints", Check: func(s *lsptest.State) lsptest.Verdict {
		if len(s.Complaints) < 5+9 {
			return lsptest.Unmet
		}
		return lsptest.Met
	}})
	for s.SendRaw("{oops") == nil {
		// Until the server has had enough and hangs up.
	}
	<-s.ended
	if s.err == nil || s.code != 1 {
		t.Errorf("ended with code %d, %v", s.code, s.err)
	}
}

// TestStreamRefuses shows what ends a connection with an error that says why.
func TestStreamRefuses(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"Content-Length: 2\r\n\r\n{", "ended before its 2 bytes"},
		{"Content-Length: 999999999999\r\n\r\n", "lengths are 0 to"},
		{"Content-Length: -1\r\n\r\n", "lengths are 0 to"},
		{"Content-Length: two\r\n\r\n", "lengths are 0 to"},
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", `begins with "G"`},
		{"Host: x\r\nContent-Length: 2\r\n\r\n{}", "is this a language client?"},
		{"Content-Length: 2\r\nPOST /a:b HTTP/1.1\r\n\r\n{}", "is this a language client?"},
		{"\x16\x03\x01\x02\x00", `begins with "\x16"`},
		{strings.Repeat("Content-A: b\r\n", 20) + "\r\n", "more than 8 fields"},
		{"Content-A\r\n\r\n", "has no colon"},
		{"Content-Type: x\r\n\r\n", "without Content-Length"},
		{"Content-Le", "unexpected EOF"},
		{"Content-" + strings.Repeat("x", 2*maxHeader), "buffer full"},
	} {
		code, err := New(t.Context(), Options{}).Serve(Stdio(strings.NewReader(tt.in), io.Discard))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if code != 1 || (tt.want == "") != (err == nil) || !strings.Contains(got, tt.want) {
			t.Errorf("%.30q: code %d, %q; want %q", tt.in, code, got, tt.want)
		}
	}
}

// TestRequestsRunBesideEachOther shows that a slow request holds up nothing.
func TestRequestsRunBesideEachOther(t *testing.T) {
	release := make(chan struct{})
	s := begin(t, lsptest.Options{}, func(c *Conn) {
		onTest(c, "test/slow", func(context.Context, *Call) (string, error) { <-release; return "slow", nil })
	})
	var slow sync.WaitGroup
	for range 20 {
		slow.Go(func() { s.Request(t.Context(), "test/slow", nil, nil) })
	}
	s.settle()
	close(release)
	slow.Wait()
}
