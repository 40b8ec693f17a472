package wire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"caselsp/store/peer"
)

// Stdio joins a process's input and output to a connection. Closing it ends a
// read that is under way; closing a terminal or a pipe does not do that on every
// system. The goroutine that is in that read ends with the process.
func Stdio(in io.Reader, out io.Writer) io.ReadWriteCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return stdio{r, out}
}

type stdio struct {
	*io.PipeReader
	out io.Writer
}

// Write implements io.Writer.
func (s stdio) Write(p []byte) (int, error) { return s.out.Write(p) }

// Listener waits for a client at an address. Whoever is served can run commands as
// the user, so a client must prove that the user started it: at a Unix socket by
// the user that the kernel names for its process, at a port by the token.
type Listener struct {
	// Refused is told of each connection that was refused, and why. It may be called
	// from several goroutines; nil: nobody is told.
	Refused func(why error)

	l     net.Listener
	token string // what a client must give; empty at a Unix socket

	patience time.Duration // how long a client may take until it has authenticated
	penalty  time.Duration // how long the answer to a wrong token takes
}

// Listen opens an address: host:port of this machine, or the path of a Unix
// socket. A host must be empty, localhost or a loopback address. A Unix socket must
// lie in a folder where nobody else can put one in its place. remove takes away the file of one
// that a killed server has left: this package changes no files.
func Listen(ctx context.Context, address string, remove func(path string) error) (*Listener, error) {
	path, host, port, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	l := &Listener{patience: patience, penalty: penalty}
	if path != "" {
		l.l, err = listenUnix(ctx, path, remove)
	} else {
		l.token = rand.Text()
		l.l, err = new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	}
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", address, err)
	}
	return l, nil
}

// parseAddress returns the path of a Unix socket, or the host and the port of this
// machine. An address with a path separator, or with "unix:" before it, is a path.
func parseAddress(address string) (path, host, port string, err error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok && path != "" {
		return path, "", "", nil
	}
	if strings.ContainsRune(address, filepath.Separator) || strings.Contains(address, "/") {
		return address, "", "", nil
	}
	host, port, err = net.SplitHostPort(address)
	switch {
	case err != nil:
		return "", "", "", fmt.Errorf("the address %q is neither host:port nor the path of a socket (write ./NAME for one here): %w", address, err)
	case host == "" || host == "localhost":
		return "", "127.0.0.1", port, nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", "", "", fmt.Errorf("the address %q is open to other machines, and a client can run commands: use localhost, and a tunnel if the editor runs on another machine", address)
	}
	return "", host, port, nil
}

// listenUnix opens a Unix socket that only this user may open. The socket of a server that was
// killed gives way to it.
func listenUnix(ctx context.Context, path string, remove func(string) error) (net.Listener, error) {
	if !peer.Known {
		return nil, errors.New("this system does not tell which user is at the other end of a Unix socket: use localhost:PORT, where a token decides")
	}
	dir, err := privateDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	path = filepath.Join(dir, filepath.Base(path)) // what was looked at: a link may lead elsewhere by now
	unlock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && stale(ctx, path) && remove(path) == nil {
		l, err = new(net.ListenConfig).Listen(ctx, "unix", path)
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, errors.New("the file exists: another server may be listening there; if not, delete it")
	} else if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("making the socket private: %w", err), l.Close())
	}
	return l, nil
}

// Address returns the address of the listener. For port 0 it has the port that
// the system chose.
func (l *Listener) Address() string { return l.l.Addr().String() }

// Token returns what a client must give as initializationOptions.token; it is empty
// where the client's user is known instead.
func (l *Listener) Token() string { return l.token }

// Close stops waiting.
func (l *Listener) Close() error { return l.l.Close() }

// Accept returns the first client that proves to be the user's. All others are
// refused and end nothing. A process serves one client: then the listener is
// closed, so that a further client is refused at once instead of waiting for an
// answer that never comes.
func (l *Listener) Accept(ctx context.Context) (io.ReadWriteCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &door{Listener: l, admitted: make(chan net.Conn)}
	defer d.close()
	closed := make(chan struct{})
	go func() {
		d.receive(ctx)
		close(closed)
	}()
	select {
	case conn := <-d.admitted:
		return conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-closed:
		return nil, net.ErrClosed
	}
}
