package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// Listener waits for a client at an address.
type Listener struct{ l net.Listener }

// Listen opens an address: host:port of this machine, or the path of a Unix
// socket. Anyone who connects can run commands as the user. So connections are
// only accepted from this machine: the host must be empty, localhost or a
// loopback address, and only the user may open the socket's file.
func Listen(ctx context.Context, address string) (*Listener, error) {
	var config net.ListenConfig
	if path, ok := socketPath(address); ok {
		l, err := config.Listen(ctx, "unix", path)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("the socket %s exists: another server may be listening there; if not, delete the file", path)
		} else if err != nil {
			return nil, fmt.Errorf("listening at the socket %s: %w", path, err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, errors.Join(fmt.Errorf("making the socket private: %w", err), l.Close())
		}
		return &Listener{l}, nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q is neither host:port nor the path of a socket: %w", address, err)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("the address %q is open to other machines, and anyone who connects can run commands: use localhost, and a tunnel if the editor runs on another machine", address)
	}
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", address, err)
	}
	return &Listener{l}, nil
}

// socketPath returns the path of a Unix socket. An address is one if it begins
// with "unix:" or contains a path separator.
func socketPath(address string) (string, bool) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return path, true
	}
	return address, strings.ContainsRune(address, filepath.Separator) || strings.Contains(address, "/")
}

// Address returns the address of the listener. For port 0 it has the port that
// the system chose.
func (l *Listener) Address() string { return l.l.Addr().String() }

// Close stops waiting.
func (l *Listener) Close() error { return l.l.Close() }

// Accept returns the first client that connects. A process serves one client:
// then the listener is closed, so that a second client is refused at once instead
// of waiting for an answer that never comes.
func (l *Listener) Accept(ctx context.Context) (io.ReadWriteCloser, error) {
	defer l.l.Close()
	stop := context.AfterFunc(ctx, func() { l.l.Close() })
	defer stop()
	conn, err := l.l.Accept()
	if err == nil && ctx.Err() != nil {
		conn.Close()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, fmt.Errorf("waiting for a client: %w", err)
	}
	return conn, nil
}
