package wire

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A step of a life is a message: "!x" is the notification x, "x" a request, "x=n" a
// request that fails with code n, and "EOF" the end of the connection.
func TestLifecycle(t *testing.T) {
	const hello = "initialize"
	for _, tt := range []struct {
		steps string
		code  int
	}{
		{"EOF", 1},
		{"!exit", 1},
		{"initialize !initialized EOF", 1},
		{"initialize !initialized !exit", 1},
		{"initialize !initialized shutdown !exit", 0},
		{"initialize !initialized shutdown EOF", 0},
		{"shutdown=-32002 test/x=-32002 !test/note initialize !test/note !initialized test/x=-32601 shutdown !exit", 0},
		{"initialize initialize=-32600 !initialized initialize=-32600 shutdown !exit", 0},
		{"initialize !initialized shutdown test/x=-32600 shutdown=-32600 initialize=-32600 !test/note !exit", 0},
		{"initialize shutdown !exit", 0},
		{"initialize !initialized !initialized test/x=-32601 shutdown !exit", 0},
	} {
		t.Run(tt.steps, func(t *testing.T) {
			notes := 0
			s := connect(t, lsptest.Options{}, func(c *Conn) {
				OnNotification(c, "test/note", func(*struct{}) error { notes++; return nil })
			})
			for step := range strings.FieldsSeq(tt.steps) {
				method, want, _ := strings.Cut(step, "=")
				if note, ok := strings.CutPrefix(method, "!"); ok {
					s.must(s.Notify(note, none))
					continue
				} else if method == "EOF" {
					s.Hangup()
					continue
				}
				var params any
				if method == hello {
					params = json.RawMessage(lsptest.Modern)
				}
				err := s.Request(t.Context(), method, params, nil)
				if got, _ := json.Marshal(codeOf(err)); want == "" && err != nil || want != "" && string(got) != want {
					t.Fatalf("%s: %v with code %s", step, err, got)
				}
			}
			<-s.ended
			if s.code != tt.code || s.err != nil {
				t.Errorf("exit code %d, %v; want %d", s.code, s.err, tt.code)
			}
			if want := strings.Count(tt.steps, "initialize !test/note"); notes != want {
				t.Errorf("%d notifications counted, want %d: not before initialize, not after shutdown", notes, want)
			}
		})
	}
}

// TestInitializeRefuses shows that bad params leave the server as it was.
func TestInitializeRefuses(t *testing.T) {
	s := connect(t, lsptest.Options{}, nil)
	for _, params := range []any{nil, []int{1}, map[string]string{"capabilities": "all"}} {
		if err := s.Request(t.Context(), protocol.MethodInitialize, params, nil); codeOf(err) != jsonrpc2.InvalidParams {
			t.Errorf("%v: %v", params, err)
		}
	}
	if _, err := s.Initialize(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestShutdownHook(t *testing.T) {
	saved := make(chan bool, 1)
	s := begin(t, lsptest.Options{}, func(c *Conn) {
		c.Hooks.Shutdown = func(ctx context.Context) {
			_, limited := ctx.Deadline()
			saved <- limited
		}
	})
	s.must(s.Shutdown(t.Context()))
	<-s.ended
	if !<-saved || s.code != 0 {
		t.Error("shutdown did not save in a limited time")
	}
}

// TestServeContext shows that the caller's context ends the server.
func TestServeContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ended := make(chan int, 1)
	go func() {
		code, _ := New(ctx, Options{}).Serve(Stdio(r, w))
		ended <- code
	}()
	cancel()
	if code := <-ended; code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestParentIsWatched(t *testing.T) {
	if !processAlive(os.Getpid()) || processAlive(1<<30) {
		t.Fatal("processes are not told apart")
	}
	// The parent of this test dies in name only: the number of a process that has
	// ended takes its place.
	child, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-test.run=^$"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	params, _ := json.Marshal(map[string]any{"processId": child.Pid, "capabilities": map[string]any{}})
	var clock *lsptest.Clock
	s := connect(t, lsptest.Options{}, func(c *Conn) { clock = freeze(c) })
	s.must(s.Request(t.Context(), protocol.MethodInitialize, json.RawMessage(params), nil))
	clock.Await(parentInterval)
	if _, err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	clock.Advance(parentInterval)
	<-s.ended
	if s.code != 1 || s.err != nil {
		t.Errorf("exit code %d, %v", s.code, s.err)
	}
}

// TestForeignParent shows that a process id that is not of this machine ends nothing.
func TestForeignParent(t *testing.T) {
	c := New(t.Context(), Options{})
	clock := freeze(c)
	for _, pid := range []int{0, -1, 1 << 30} {
		c.watchParent(pid)
	}
	if clock.Timers() != 0 || c.ctx.Err() != nil {
		t.Error("a process that is not there is watched")
	}
}
