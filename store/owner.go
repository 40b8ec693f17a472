package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// The owner of a workspace's store serves other processes of the same user over a socket in the
// state directory, which only this user may enter. A request and its answer are one JSON value
// each; what they mean is the caller's business.

const (
	socketFile = "owner.sock"
	// maxAsked bounds a request and an answer in bytes: a history of thousands of tasks.
	maxAsked = 8 << 20
	// askTime is how long a request may take in all: the doctor asks servers and engines.
	askTime = time.Minute
)

// Serve answers requests of other processes until the function that it returns is called. Without
// it, they are told that the store is in use.
func (s *Store) Serve(answer func(ctx context.Context, request json.RawMessage) any) (stop func() error, err error) {
	path, release, err := socketPath(s.dir)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(filepath.Join(s.dir, socketFile)); err != nil && !errors.Is(err, os.ErrNotExist) { // of an owner that was killed
		release()
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(filepath.Join(s.dir, socketFile), 0o600)
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("other processes cannot be served: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var at sync.WaitGroup
	at.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			at.Go(func() { serveOne(ctx, c, answer) })
		}
	})
	return func() error {
		defer release()
		err := l.Close()
		cancel()
		at.Wait() // whoever has asked gets the answer
		return err
	}, nil
}

// serveOne answers one request.
func serveOne(ctx context.Context, c net.Conn, answer func(context.Context, json.RawMessage) any) {
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Now()) })() // who asks nothing is not waited for
	_ = c.SetDeadline(time.Now().Add(askTime))                                   // a connection that fails needs none
	var request json.RawMessage
	if err := json.NewDecoder(io.LimitReader(c, maxAsked)).Decode(&request); err != nil {
		return // the other end has gone, or is not ours
	}
	_ = json.NewEncoder(c).Encode(answer(ctx, request))
}

// AskOwner asks the process that owns the store of a workspace. The error is a *[Locked] where
// that one does not answer.
func AskOwner(o Options, request, answer any) error {
	root, err := stateDir(o.StateDir)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "workspaces", o.Workspace)
	locked := &Locked{Path: filepath.Join(dir, databaseFile), PID: readOwner(dir)}
	path, release, err := socketPath(dir)
	if err != nil {
		return locked
	}
	defer release()
	c, err := net.DialTimeout("unix", path, ownerWait)
	if err != nil {
		return locked
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(askTime))
	if err := json.NewEncoder(c).Encode(request); err != nil {
		return locked
	}
	if err := json.NewDecoder(bufio.NewReader(io.LimitReader(c, maxAsked))).Decode(answer); err != nil {
		return locked
	}
	return nil
}

// socketPath returns how the socket in a directory is named to the system. Names of sockets are
// short, and state directories may be deep: Linux takes the directory by its descriptor.
func socketPath(dir string) (path string, release func(), err error) {
	if runtime.GOOS != "linux" {
		return filepath.Join(dir, socketFile), func() {}, nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), socketFile), func() { _ = d.Close() }, nil
}

// Exists reports whether a workspace has a store already.
func Exists(o Options) bool {
	root, err := stateDir(o.StateDir)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(root, "workspaces", o.Workspace, databaseFile))
	return err == nil
}
