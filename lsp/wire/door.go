package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"caselsp/store/peer"
)

// The limits for clients that have not authenticated yet.
const (
	// patience is how long a client may take from connecting to the end of its
	// initialize. An editor sends it at once.
	patience = 10 * time.Second
	// penalty is how long the answer to a wrong token takes.
	penalty = time.Second
	// maxWaiting is how many such clients there may be. Then the oldest has to go:
	// a client that says nothing must not keep the true one out.
	maxWaiting = 128
	// maxGreeting is the largest initialize in bytes. Those of editors have 10 to 50 kB.
	maxGreeting = 1 << 20
	// acceptPause is how long a listener rests that the system gives no connection,
	// because too many files are open.
	acceptPause = 100 * time.Millisecond
)

// tokenMember is the member of initializationOptions that holds the token.
const tokenMember = "token"

// errToken is what a client is told that gives no token or a wrong one.
var errToken = errors.New("initializationOptions.token is missing or wrong: the server printed it when it started")

// door stands between a listener and the server: a connection passes when its first
// message is an initialize that proves whose client it is. Until then nothing is
// answered, nothing is logged of what was said, and no part of the server exists.
type door struct {
	*Listener
	admitted chan net.Conn

	mu      sync.Mutex
	waiting []net.Conn // oldest first
	closed  bool
}

// receive lets connections wait until ctx ends or the listener is closed.
func (d *door) receive(ctx context.Context) {
	for {
		conn, err := d.l.Accept()
		switch {
		case err == nil && d.enter(conn):
			go d.examine(ctx, conn)
		case err == nil, errors.Is(err, net.ErrClosed):
			return
		default:
			select {
			case <-time.After(acceptPause):
			case <-ctx.Done():
				return
			}
		}
	}
}

// enter takes a connection in, and reports whether the door is open.
func (d *door) enter(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		conn.Close()
		return false
	}
	if len(d.waiting) == maxWaiting {
		d.waiting[0].Close()
		d.waiting = slices.Delete(d.waiting, 0, 1)
	}
	d.waiting = append(d.waiting, conn)
	return true
}

// leave forgets a connection.
func (d *door) leave(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = slices.DeleteFunc(d.waiting, func(c net.Conn) bool { return c == conn })
}

// close ends the waiting, of the listener and of all who have not been admitted.
func (d *door) close() {
	d.l.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, conn := range d.waiting {
		conn.Close()
	}
}

// examine admits one connection or closes it.
func (d *door) examine(ctx context.Context, conn net.Conn) {
	defer d.leave(conn)
	greeted, err := d.greet(ctx, conn)
	if err == nil {
		d.leave(conn) // before it is handed over: close would close it
		select {
		case d.admitted <- greeted:
			return
		case <-ctx.Done():
		}
	}
	conn.Close()
	if err != nil && ctx.Err() == nil && d.Refused != nil {
		d.Refused(err)
	}
}

// greet reads the first message and returns the connection of a client that has
// proved to be the user's, with that message still to be read, without the token.
func (d *door) greet(ctx context.Context, conn net.Conn) (net.Conn, error) {
	if d.token == "" {
		if err := peer.Same(conn); err != nil {
			return nil, err
		}
	}
	if err := conn.SetDeadline(time.Now().Add(d.patience)); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(conn, maxHeader)
	body, err := readGreeting(in)
	if err != nil {
		return nil, err
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return nil, fmt.Errorf("a message that cannot be read: %w", err)
	}
	req, ok := msg.(*jsonrpc2.Call)
	if !ok || req.Method() != protocol.MethodInitialize || badID(req.ID()) != nil {
		return nil, errors.New("its first message is not initialize")
	}
	params, token := withoutToken(req.Params())
	if d.token != "" && !equal(token, d.token) {
		d.deny(ctx, conn, req.ID())
		return nil, errToken
	}
	body, err = jsonrpc2.EncodeMessage(jsonrpc2.NewCall(req.ID(), req.Method(), jsonrpc2.RawMessage(params)))
	if err != nil {
		return nil, err
	}
	first := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	return greeted{conn, io.MultiReader(bytes.NewReader([]byte(first)), in)}, conn.SetDeadline(time.Time{})
}

// greeted is a connection whose first message was read and is read again.
type greeted struct {
	net.Conn
	in io.Reader
}

// Read implements io.Reader.
func (g greeted) Read(p []byte) (int, error) { return g.in.Read(p) }

// readGreeting reads the frame of a first message.
func readGreeting(in *bufio.Reader) ([]byte, error) {
	length, err := header(in, maxGreeting)
	if err != nil {
		return nil, err
	}
	// The memory grows with what arrives, not with what is announced.
	body, err := io.ReadAll(io.LimitReader(in, int64(length)))
	if err == nil && len(body) < length {
		err = io.ErrUnexpectedEOF
	}
	return body, err
}

// deny answers a wrong token, late, so that guesses take time.
func (d *door) deny(ctx context.Context, conn net.Conn, id jsonrpc2.ID) {
	select {
	case <-time.After(d.penalty):
	case <-ctx.Done():
		return
	}
	body, err := jsonrpc2.EncodeMessage(jsonrpc2.NewResponse(id, nil, jsonrpc2.NewError(requestFailed, errToken.Error())))
	if err == nil {
		fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
}

// equal compares two texts in a time that depends on neither of them.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// withoutToken takes the token out of the params of initialize: they are kept,
// traced and read as settings, and the token belongs in none of these.
func withoutToken(params []byte) (rest []byte, token string) {
	members, options := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members["initializationOptions"], &options) != nil {
		return params, ""
	}
	raw, ok := options[tokenMember]
	if !ok {
		return params, ""
	}
	_ = json.Unmarshal(raw, &token) // what is no text is a wrong token
	delete(options, tokenMember)
	members["initializationOptions"], _ = json.Marshal(options) // what was read can be written
	rest, _ = json.Marshal(members)
	return rest, token
}
