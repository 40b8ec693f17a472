package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/docker/docker/client"
)

// sshSettings reaches an engine through ssh as the docker command does: each
// connection is a process of ssh that runs `docker system dial-stdio` over there.
// Docker's own module for this lost: it is part of the command's module, with all
// that the command needs.
func sshSettings(host string) ([]client.Opt, error) {
	args, err := sshArguments(host)
	if err != nil {
		return nil, &Unavailable{Engine: "docker", Reason: "the Docker host " + host + " cannot be used: " + err.Error(), Err: err,
			Advice: "Write it as ssh://user@host or ssh://user@host:port; `docker context ls` shows the contexts"}
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialCommand(ctx, host, "ssh", args...)
	}
	return []client.Opt{client.WithHost("http://docker.invalid"), client.WithDialContext(dial)}, nil
}

// sshArguments are ssh's for an address. It never asks for a password: it has no
// terminal.
func sshArguments(host string) ([]string, error) {
	u, err := url.Parse(host)
	if err != nil {
		return nil, err
	}
	args := []string{"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"}
	if name := u.User.Username(); name != "" {
		args = append(args, "-l", name)
	}
	if port := u.Port(); port != "" {
		args = append(args, "-p", port)
	}
	_, secret := u.User.Password()
	switch {
	case u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-"):
		return nil, errors.New("it names no host")
	case secret:
		return nil, errors.New("it holds a password, and ssh takes none from an address")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("it has more than a user, a host, a port and a path")
	}
	args = append(args, "--", u.Hostname(), "docker")
	if u.Path != "" && u.Path != "/" { // of the socket; the far shell reads it
		args = append(args, "--host", quote("unix://"+u.Path))
	}
	return append(args, "system", "dial-stdio"), nil
}

// errSSH begins what ssh itself says.
var errSSH = errors.New("ssh")

// commandConn is a connection through the standard input and output of a
// process, which ends with it.
type commandConn struct {
	in, out *os.File // ours: what it reads, what it writes
	process *exec.Cmd
	said    *tail
	host    string
	spoke   atomic.Bool // something came over it
	wait    func()      // for its end
	once    sync.Once
}

// dialCommand starts a process to talk through. It does not end with ctx, which
// is about the dialing alone.
func dialCommand(ctx context.Context, host, name string, args ...string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourIn.Close())
	}
	c := &commandConn{in: ourIn, out: ourOut, process: exec.Command(name, args...), said: &tail{}, host: host}
	c.process.Stdin, c.process.Stdout, c.process.Stderr = theirIn, theirOut, c.said
	err = c.process.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	c.wait = sync.OnceFunc(func() { _ = c.process.Wait() }) // how it ended is no news
	return c, nil
}

// Read implements net.Conn. Where the process ends in silence, the reason is what
// it said to people.
func (c *commandConn) Read(p []byte) (int, error) {
	n, err := c.out.Read(p)
	if n > 0 {
		c.spoke.Store(true)
	}
	if n == 0 && err == io.EOF {
		return 0, c.reason(err)
	}
	return n, err
}

// Write implements net.Conn. The process may have ended before it was told anything.
func (c *commandConn) Write(p []byte) (int, error) {
	n, err := c.in.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		return n, c.reason(err)
	}
	return n, err
}

// partingTime is how long a process that has closed its output may take to say why.
const partingTime = 2 * time.Second

// reason is why a connection is over over which nothing ever came.
func (c *commandConn) reason(err error) error {
	if !c.spoke.Load() {
		defer time.AfterFunc(partingTime, func() { _ = c.process.Process.Kill() }).Stop()
		c.wait() // what it said is complete then
	}
	if text := c.said.text(); text != "" {
		return fmt.Errorf("%w to %s: %s", errSSH, c.host, text)
	}
	return err
}

// CloseWrite ends what the far side reads.
func (c *commandConn) CloseWrite() error { return c.in.Close() }

// Close implements net.Conn. The process is given no time: nothing that it could
// still do is wanted.
func (c *commandConn) Close() error {
	c.once.Do(func() {
		c.in.Close()
		_ = c.process.Process.Kill() // it may have ended
		c.out.Close()
		c.wait()
	})
	return nil
}

// LocalAddr implements net.Conn.
func (c *commandConn) LocalAddr() net.Addr { return processAddr("here") }

// RemoteAddr implements net.Conn.
func (c *commandConn) RemoteAddr() net.Addr { return processAddr(c.host) }

// SetDeadline implements net.Conn.
func (c *commandConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *commandConn) SetReadDeadline(t time.Time) error { return c.out.SetReadDeadline(t) }

// SetWriteDeadline implements net.Conn.
func (c *commandConn) SetWriteDeadline(t time.Time) error { return c.in.SetWriteDeadline(t) }

// processAddr is the address of one end of a process's pipes.
type processAddr string

func (a processAddr) Network() string { return "ssh" }
func (a processAddr) String() string  { return string(a) }

// tailLimit is more than ssh says of any failure.
const tailLimit = 2 << 10

// tail keeps the end of what a process says to people.
type tail struct {
	mu   sync.Mutex
	last []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	t.last = bytes.Clone(t.last[max(0, len(t.last)-tailLimit):])
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.last)), " ")
}
