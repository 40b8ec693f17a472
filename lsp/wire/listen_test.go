package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// network returns the network of a listener.
func network(l *Listener) string { return l.l.Addr().Network() }

// dial connects to a listener.
func dial(t *testing.T, l *Listener) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), network(l), l.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// listen opens a listener that is not patient, and serves its client.
func listen(t *testing.T, address string, patience time.Duration, refused func(error), prepare func(*Conn)) (l *Listener, code chan int) {
	t.Helper()
	l, err := Listen(t.Context(), address, os.Remove)
	if err != nil {
		t.Fatal(err)
	}
	l.patience, l.penalty, l.Refused = patience, time.Millisecond, refused
	code = make(chan int, 1)
	go func() {
		rwc, err := l.Accept(t.Context())
		if err != nil {
			code <- -1
			return
		}
		conn := New(t.Context(), Options{Remote: true})
		if prepare != nil {
			prepare(conn)
		}
		n, _ := conn.Serve(rwc)
		code <- n
	}()
	return l, code
}

// options are the initializationOptions with a token.
func options(token string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"token": %q, "model": {"name": "m"}}`, token))
}

// serves expects that the listener serves the true client, and no second one.
func serves(t *testing.T, l *Listener, code chan int, o lsptest.Options) {
	t.Helper()
	if l.Token() != "" {
		o.InitializationOptions = options(l.Token())
	}
	o.Root = t.TempDir()
	e := lsptest.Connect(dial(t, l), o)
	if _, err := e.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second, err := new(net.Dialer).DialContext(t.Context(), network(l), l.Address()); err == nil {
		second.Close()
		t.Errorf("%s: a second client was let in", l.Address())
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := <-code; n != 0 {
		t.Errorf("%s: exit code %d", l.Address(), n)
	}
}

func TestListen(t *testing.T) {
	dir := t.TempDir()
	for _, address := range []string{"localhost:0", ":0", "127.0.0.1:0", "[::1]:0", "unix:" + filepath.Join(dir, "a"), filepath.Join(dir, "b.sock")} {
		if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
			l.Close()
		} else if strings.HasPrefix(address, "[") {
			continue // a machine without IPv6
		}
		l, code := listen(t, address, patience, nil, nil)
		if (l.Token() == "") != (network(l) == "unix") {
			t.Errorf("%s: the token is %q", address, l.Token())
		}
		serves(t, l, code, lsptest.Options{})
	}
}

func TestListenRefuses(t *testing.T) {
	dir := t.TempDir()
	open, shared := filepath.Join(dir, "open"), filepath.Join(dir, "shared", "own")
	taken := filepath.Join(dir, "taken")
	for _, name := range []string{open, shared} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(open, 0o770), os.Chmod(filepath.Dir(shared), 0o777)); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(t.Context(), taken, os.Remove)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for address, want := range map[string]string{
		"0.0.0.0:0": "open to other machines", "example.org:80": "open to other machines", "nonsense": "neither host:port", "7777": "neither host:port",
		"localhost:99999": "invalid port", taken: "the file exists", filepath.Join(taken, "x"): "is not a folder", filepath.Join(dir, "none", "x"): "no such file",
		filepath.Join(open, "x"): "other users may change the folder", filepath.Join(shared, "x"): "in which the socket's folder lies",
	} {
		if _, err := Listen(t.Context(), address, os.Remove); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Accept(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("accepted %v", err)
	}
}

// TestListenStale listens where a killed server has left its socket. A socket at which somebody
// listens, and anything that is no socket, stays.
func TestListenStale(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(path string) error
		ok    bool
	}{
		"a killed server's": {func(path string) error {
			l, err := net.Listen("unix", path)
			if err != nil {
				return err
			}
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			return l.Close()
		}, true},
		"another server's": {func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		}, false},
		"a file":   {func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) }, false},
		"a folder": {func(path string) error { return os.Mkdir(path, 0o700) }, false},
		"a link":   {func(path string) error { return os.Symlink(path+"-elsewhere", path) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s")
			if err := c.leave(path); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			l, err := Listen(t.Context(), path, os.Remove)
			if !c.ok {
				if now, gone := os.Lstat(path); err == nil || !strings.Contains(err.Error(), "the file exists") || gone != nil || !os.SameFile(before, now) {
					t.Errorf("listening: %v; the file: %v", err, gone)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			conn, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			conn.Close()
			l.Close()
			if _, err := os.Lstat(path); err == nil {
				t.Error("the socket is still there")
			}
		})
	}
}

// TestListenLink names a socket's folder through a link: of the user's own it leads to the
// folder, and the socket is made there; one of another user may lead elsewhere at any time.
func TestListenLink(t *testing.T) {
	dir := t.TempDir()
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Symlink(folder, link)); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(t.Context(), filepath.Join(link, "s"), os.Remove)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil || l.Address() != filepath.Join(resolved, "s") {
		t.Errorf("listens at %s, not in %s (%v)", l.Address(), resolved, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// need skips a test that takes another user than the one who runs it, where that cannot be made.
func need(t *testing.T, user string) {
	t.Helper()
	if user == "root" && os.Geteuid() != 0 {
		t.Skip("needs root: only root can give a file to another user")
	}
}

// TestListenForeignLink refuses a folder that is reached through another user's link.
func TestListenForeignLink(t *testing.T) {
	need(t, "root")
	dir := t.TempDir()
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Symlink(folder, link), os.Lchown(link, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(t.Context(), filepath.Join(link, "s"), os.Remove); err == nil || !strings.Contains(err.Error(), "other users may change "+link) {
		t.Errorf("another user's link: %v", err)
	}
}

// framed returns a message with its header.
func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// initialize is one with the given initializationOptions.
func initialize(options string) string {
	return framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":` + options + `}}`)
}

// TestDoorRefuses shows that what is not the user's client is told nothing and ends
// nothing: afterwards, the same server serves the true client.
func TestDoorRefuses(t *testing.T) {
	refused := make(chan error, 100)
	l, code := listen(t, "localhost:0", patience, func(why error) { refused <- why }, nil)
	good := initialize(fmt.Sprintf(`{"token":%q}`, l.Token()))
	list := []struct{ sends, why, answer string }{
		{"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", `begins with "P"`, ""},
		{"POST /a:b HTTP/1.1\r\n" + good, `begins with "P"`, ""},
		{"Host: localhost\r\n" + good, `begins with "H"`, ""},
		{"Content-Length: 5\r\nOrigin: x\r\n", `begins with "O"`, ""},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", `begins with "\x16"`, ""},
		{"\x00\xff\xfe", `begins with "\x00"`, ""},
		{strings.Repeat("A", 1<<20), `begins with "A"`, ""},
		{"Content-Type: " + strings.Repeat("x", maxHeader), "buffer full", ""},
		{strings.Repeat("Content-Type: x\r\n", 9), "fields", ""},
		{fmt.Sprintf("Content-Length: %d\r\n\r\n", maxGreeting+1), "lengths are 0 to", ""},
		{"\r\n", "without Content-Length", ""},
		{framed("{oops"), "cannot be read", ""},
		{framed("[]"), "cannot be read", ""},
		{framed(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`) + good, "not initialize", ""},
		{framed(`{"jsonrpc":"2.0","method":"initialize"}`) + good, "not initialize", ""},
		{framed(`{"jsonrpc":"2.0","method":"exit"}`) + good, "not initialize", ""},
		{framed(`{"jsonrpc":"2.0","id":1,"result":{}}`) + good, "not initialize", ""},
		{framed(`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", maxID) + `i","method":"initialize","params":{}}`), "not initialize", ""},
		{good[:len(good)-1], "unexpected EOF", ""},
		{initialize("null"), "missing or wrong", "missing or wrong"},
		{initialize("{}"), "missing or wrong", "missing or wrong"},
		{initialize(`{"token":""}`), "missing or wrong", "missing or wrong"},
		{initialize(`{"token":["` + l.Token() + `"]}`), "missing or wrong", "missing or wrong"},
		{initialize(`{"Token":"` + l.Token() + `"}`), "missing or wrong", "missing or wrong"},
		{initialize(`{"token":"` + l.Token() + `x"}`), "missing or wrong", "missing or wrong"},
		{initialize(`{"settings":{"token":"` + l.Token() + `"}}`), "missing or wrong", "missing or wrong"},
	}
	for _, tt := range list {
		conn := dial(t, l)
		// The write may fail: the connection is closed at the first wrong byte.
		_, _ = io.WriteString(conn, tt.sends)
		if strings.Contains(tt.why, "EOF") {
			conn.(*net.TCPConn).CloseWrite()
		}
		answer, _ := io.ReadAll(conn) // to the end, or until the connection is reset
		if tt.answer == "" && len(answer) > 0 || !strings.Contains(string(answer), tt.answer) || strings.Contains(string(answer), l.Token()) {
			t.Errorf("%.60q: answered %q", tt.sends, answer)
		}
		if got := (<-refused).Error(); !strings.Contains(got, tt.why) || strings.Contains(got, l.Token()) {
			t.Errorf("%.60q: refused because of %q, want %q", tt.sends, got, tt.why)
		}
	}
	if len(refused) > 0 {
		t.Errorf("refused twice: %v", <-refused)
	}
	serves(t, l, code, lsptest.Options{})
}

// TestDoorCrowd shows that connections which say nothing, or only half of something,
// neither keep the true client out nor stay.
func TestDoorCrowd(t *testing.T) {
	for _, address := range []string{"localhost:0", filepath.Join(t.TempDir(), "s")} {
		l, code := listen(t, address, patience, nil, nil)
		var crowd []net.Conn
		for i := range 3 * maxWaiting {
			conn := dial(t, l)
			io.WriteString(conn, initialize("{}")[:i%40])
			crowd = append(crowd, conn)
		}
		serves(t, l, code, lsptest.Options{})
		for _, conn := range crowd {
			if answer, _ := io.ReadAll(conn); len(answer) > 0 {
				t.Fatalf("%s: answered %q", address, answer)
			}
		}

		l, code = listen(t, address, time.Millisecond, nil, nil)
		silent := dial(t, l)
		if answer, err := io.ReadAll(silent); err != nil || len(answer) > 0 {
			t.Errorf("%s: to silence: %q, %v", address, answer, err)
		}
		l.Close()
		<-code
	}
}

// TestDoorForgetsToken shows that the token is in nothing that the server keeps,
// however it is served, and that the other options arrive.
func TestDoorForgetsToken(t *testing.T) {
	for _, address := range []string{"localhost:0", filepath.Join(t.TempDir(), "s")} {
		var got []byte
		l, code := listen(t, address, patience, nil, func(c *Conn) {
			c.Hooks.Initialize = func(p *protocol.InitializeParams) func(context.Context) *protocol.InitializeResult {
				got, _ = json.Marshal(p)
				return func(context.Context) *protocol.InitializeResult { return &protocol.InitializeResult{} }
			}
		})
		token := l.Token()
		if token == "" {
			token = "GIVENWHERENONEISNEEDED"
		}
		e := lsptest.Connect(dial(t, l), lsptest.Options{Root: t.TempDir(), InitializationOptions: options(token)})
		if _, err := e.Initialize(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := e.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-code
		if strings.Contains(string(got), "token") || strings.Contains(string(got), token) || !strings.Contains(string(got), `"name":"m"`) {
			t.Errorf("%s: the server is told %s", address, got)
		}
	}
}
