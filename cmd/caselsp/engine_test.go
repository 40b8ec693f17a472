package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/docker/docker/client"
	"github.com/rogpeppe/go-internal/testscript"
)

// wireKey finds a scenario's way to Docker.
type wireKey struct{}

// dockerWire is a socket that leads to the real engine and that a scenario can
// cut: for caselsp an engine that is stopped looks the same.
type dockerWire struct {
	path string
	stop func()     // cuts it; nil while there is no listener
	own  *ownEngine // where it leads; nil: to the machine's
	seen func()     // what is done when a text was seen; nil: it is cut
}

// dockerWay controls the scenario's way to Docker.
//
//	docker up           leads $DOCKER_HOST to the engine
//	docker down         cuts that, with all that goes through it
//	docker down TEXT    does so when the engine has sent TEXT in one piece, which is no command's line
//	docker deny|allow   takes its rights from the socket, and gives them back
func dockerWay(ts *testscript.TestScript, neg bool, args []string) {
	w := ts.Value(wireKey{}).(*dockerWire)
	switch {
	case neg || len(args) == 0 || len(args) > 2:
		ts.Fatalf("usage: docker up, docker down [TEXT], docker deny, docker allow")
	case args[0] == "up" && len(args) == 1:
		w.up(ts, "")
	case args[0] == "down" && len(args) == 1 && w.stop != nil:
		w.stop()
		w.stop = nil
	case args[0] == "deny" && len(args) == 1:
		ts.Check(os.Chmod(w.path, 0))
	case args[0] == "allow" && len(args) == 1:
		ts.Check(os.Chmod(w.path, 0o600))
	case args[0] == "down" && len(args) == 2:
		w.up(ts, args[1])
	default:
		ts.Fatalf("docker %q makes no sense now", args)
	}
}

// up leads the socket to the engine, until the engine sends a text.
func (w *dockerWire) up(ts *testscript.TestScript, until string) {
	if w.stop != nil {
		w.stop()
	}
	if w.path == "" { // short: the path of a socket has at most some 100 bytes
		dir, err := os.MkdirTemp("", "docker")
		ts.Check(err)
		ts.Defer(func() { os.RemoveAll(dir) })
		w.path = filepath.Join(dir, "s")
	}
	leads := client.FromEnv
	if w.own != nil {
		leads = client.WithHost(w.own.host())
	}
	engine, err := client.NewClientWithOpts(leads)
	ts.Check(err)
	l, err := net.Listen("unix", w.path)
	ts.Check(err)
	ts.Setenv("DOCKER_HOST", "unix://"+w.path)
	ctx, cut := context.WithCancel(context.Background())
	var open sync.WaitGroup
	w.stop = func() {
		l.Close()
		cut()
		open.Wait()
		engine.Close()
	}
	ts.Defer(func() {
		if w.stop != nil {
			w.stop()
			w.stop = nil
		}
	})
	end := sync.OnceFunc(func() { l.Close(); cut() })
	if w.seen != nil {
		end = sync.OnceFunc(w.seen)
	}
	open.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { carry(ctx, near, engine, &watched{text: []byte(until), seen: end}) })
		}
	})
}

// carry joins a connection with the engine until one of them or ctx ends.
func carry(ctx context.Context, near net.Conn, engine *client.Client, w *watched) {
	defer near.Close()
	far, err := engine.Dialer()(ctx)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() { near.Close(); far.Close() })()
	var sides sync.WaitGroup
	side := func(to net.Conn, from io.Reader, into net.Conn) {
		_, _ = io.Copy(to, from) // how it ended shows at the other end
		if half, ok := into.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}
	w.from = far
	sides.Go(func() { side(near, w, near) })
	sides.Go(func() { side(far, near, far) })
	sides.Wait()
}

// watched is what the engine sends, with an eye on a text in it.
type watched struct {
	from io.Reader
	text []byte
	last []byte
	seen func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if len(w.text) > 0 {
		w.last = append(w.last, p[:n]...)
		if bytes.Contains(w.last, w.text) {
			w.seen()
		}
		w.last = bytes.Clone(w.last[max(0, len(w.last)-len(w.text)):])
	}
	return n, err
}
