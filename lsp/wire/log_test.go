package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// TestOutboxIsBounded shows what a client that reads too slowly loses: the
// oldest log messages, and their number is told; never what is for the user.
func TestOutboxIsBounded(t *testing.T) {
	s := connect(t, lsptest.Options{}, nil)
	s.conn.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: "for the user"})
	const extra = 25
	for i := range maxLogs + extra {
		s.conn.Log.Info("line", "n", i)
	}
	if _, err := s.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.expect(lsptest.Logged(fmt.Sprintf("line n=%d", maxLogs+extra-1)), lsptest.ShownMessage("for the user"))
	logs := s.State().Logs
	dropped := 0
	fmt.Sscan(logs[0].Text, &dropped)
	// One more where the line about the connection still found the queue full.
	if dropped < extra || dropped > extra+1 || logs[1].Text != fmt.Sprintf("line n=%d", dropped) {
		t.Errorf("%q, %q", logs[0].Text, logs[1].Text)
	}

	o := newOutbox("test")
	for i := range maxNotes + 10 {
		o.post(note{method: fmt.Sprint(i)})
	}
	o.next() // what was dropped
	if n, _ := o.next(); len(o.queue) != maxNotes-1 || n.method != "10" {
		t.Errorf("%d notes wait, the first %q", len(o.queue), n.method)
	}
}

// stuck is a connection whose other end never reads.
type stuck struct{ in, never net.Conn }

func (s stuck) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s stuck) Write(p []byte) (int, error) { return s.never.Write(p) }
func (s stuck) Close() error                { return errors.Join(s.in.Close(), s.never.Close()) }

// TestClientThatNeverReads shows that the read loop, the log, questions and
// progress all go on, and that the server still ends.
func TestClientThatNeverReads(t *testing.T) {
	near, far := net.Pipe()
	never, other := net.Pipe()
	defer other.Close()
	srv := New(t.Context(), Options{})
	clock := freeze(srv)
	const questionTime = time.Minute
	heard := make(chan struct{})
	OnNotification(srv, "test/last", func(*struct{}) error { close(heard); return nil })
	code := make(chan int, 1)
	go func() { n, _ := srv.Serve(stuck{near, never}); code <- n }()
	send := func(method, rest string) {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q%s}`, method, rest)
		fmt.Fprintf(far, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	send("initialize", `,"id":1,"params":{"capabilities":{"window":{"workDoneProgress":true}}}`)
	send("initialized", `,"params":{}`)
	for i := range 100 {
		send("unknown", fmt.Sprintf(`,"id":%d`, i+2))
	}
	send("test/last", "")
	<-heard
	asked := make(chan error, 1)
	go func() {
		_, err := Request[protocol.LSPAny](t.Context(), srv, questionTime, protocol.MethodWindowShowMessageRequest, none)
		asked <- err
	}()
	clock.Await(questionTime)
	clock.Advance(questionTime)
	if err := <-asked; !errors.Is(err, ErrTimeout) {
		t.Errorf("a client that reads nothing answered: %v", err)
	}
	far.Close()
	if n := <-code; n != 1 {
		t.Errorf("exit code %d", n)
	}
}

// TestLog shows records as the client reads them, and that the other handler
// gets all of them.
func TestLog(t *testing.T) {
	var all bytes.Buffer
	srv := New(t.Context(), Options{Log: slog.NewTextHandler(&all, &slog.HandlerOptions{Level: slog.LevelDebug})})
	log := srv.Log
	log.Debug("quiet")
	log.Warn("plain", "n", 1, "text", "two words", "stack", "a\nb")
	log.With("task", 7).WithGroup("step").Error("deep", "n", 3, slog.Group("at", "file", "x.py"), slog.Attr{})
	log.Info(strings.Repeat("é", maxLogLine))
	srv.trace.set(protocol.TraceValueVerbose)
	log.Debug("loud")
	want := []string{
		"2 plain n=1 text=\"two words\"\na\nb",
		"1 deep task=7 step.n=3 step.at.file=x.py",
		"3 " + strings.Repeat("é", maxLogLine/2) + " … (4096 bytes more)",
		"4 loud",
	}
	for _, w := range want {
		n, _ := srv.out.next()
		p, ok := n.params.(*protocol.LogMessageParams)
		if got := fmt.Sprintf("%d %s", p.Type, p.Message); !ok || got != w {
			t.Errorf("got %.80q, want %.80q", got, w)
		}
	}
	for _, part := range []string{"quiet", "loud", "step.at.file=x.py"} {
		if !strings.Contains(all.String(), part) {
			t.Errorf("the other log lacks %q", part)
		}
	}
}

// TestTrace shows $/setTrace at work.
func TestTrace(t *testing.T) {
	s := begin(t, lsptest.Options{}, nil)
	lines := func(level protocol.TraceValue) (string, string) {
		s.must(s.Notify(protocol.MethodSetTrace, &protocol.SetTraceParams{Value: level}))
		s.settle()
		s.conn.Log.Info("end of " + string(level))
		s.expect(lsptest.Logged("end of " + string(level)))
		return strings.Join(s.State().Trace, "\n"), s.Received()
	}
	if trace, _ := lines(protocol.TraceValueOff); trace != "" {
		t.Error(trace)
	}
	trace, all := lines(protocol.TraceValueMessages)
	if !strings.Contains(trace, "test/nothing failed with -32601") || strings.Contains(all, `"verbose"`) {
		t.Error(all)
	}
	if _, all := lines(protocol.TraceValueVerbose); !strings.Contains(all, `"verbose":"test/nothing is not supported`) {
		t.Error(all)
	}
}

// TestLimitOfRequests shows that a client in a loop gets errors, not all memory.
func TestLimitOfRequests(t *testing.T) {
	release := make(chan struct{})
	s := begin(t, lsptest.Options{}, func(c *Conn) {
		onTest(c, "test/slow", func(context.Context, *Call) (string, error) { <-release; return "", nil })
	})
	var sent []*lsptest.Pending
	for range maxRequests + 5 {
		p, err := s.Send("test/slow", nil)
		s.must(err)
		sent = append(sent, p)
	}
	for i := range 5 {
		if err := sent[maxRequests+i].Wait(t.Context(), nil); codeOf(err) != requestFailed {
			t.Errorf("request %d: %v", maxRequests+i, err)
		}
	}
	close(release)
	for _, p := range sent[:maxRequests] {
		s.must(p.Wait(t.Context(), nil))
	}

	// An id that is under way cannot be taken again, one that was answered can.
	var r requests
	id := jsonrpc2.NewStringID("same")
	_, done, err := r.begin(t.Context(), id)
	s.must(err)
	if _, _, err := r.begin(t.Context(), id); codeOf(err) != jsonrpc2.InvalidRequest {
		t.Errorf("the same id again: %v", err)
	}
	done()
	_, _, err = r.begin(t.Context(), id)
	s.must(err)
}
