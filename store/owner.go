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
// each, and what is told before the answer, or said after the request, are others; what they mean
// is the caller's business.

const (
	socketFile = "owner.sock"
	// maxAsked bounds what either side sends in all, in bytes: a history of thousands of tasks.
	maxAsked = 64 << 20
	// askTime is how long a request may take, and how long each side waits for the other to take
	// what it sends: the doctor asks servers and engines. A request that has been told
	// something may take longer: its process sees that it is worked on.
	askTime = time.Minute
)

// ErrOwnerLeft says that the process that owned the store has ended, or gives the store up, before
// it had answered: whoever asked can open the store now.
var ErrOwnerLeft = errors.New("the process that owned the store has left before it answered")

// Exchange is a request of another process, as long as it is not answered.
type Exchange struct {
	Request json.RawMessage

	conn  net.Conn
	limit *time.Timer // ends a request that nothing is told of
	said  chan json.RawMessage
	told  bool
}

// Tell sends a value before the answer. An error says that the process that asked has gone.
func (x *Exchange) Tell(v any) error {
	x.limit.Stop()
	x.told = true
	_ = x.conn.SetWriteDeadline(time.Now().Add(askTime))
	return json.NewEncoder(x.conn).Encode(v)
}

// Hear returns what the process that asked says next.
func (x *Exchange) Hear(ctx context.Context, v any) error {
	select {
	case raw := <-x.said:
		return json.Unmarshal(raw, v)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errAskerLeft ends the context of a request whose process has gone.
var errAskerLeft = errors.New("the terminal that asked has left")

// listen passes on what the process that asked says, until it leaves.
func (x *Exchange) listen(ctx context.Context, from *json.Decoder, cancel context.CancelCauseFunc) {
	for {
		var raw json.RawMessage
		if from.Decode(&raw) != nil {
			cancel(errAskerLeft)
			return
		}
		select {
		case x.said <- raw:
		case <-ctx.Done():
			return
		}
	}
}

// Serve answers requests of other processes until the function that it returns is called, which
// ends those that are not answered yet. Without it, they are told that the store is in use. The
// context of a request ends when its process leaves.
func (s *Store) Serve(answer func(ctx context.Context, x *Exchange) any) (stop func() error, err error) {
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
	ctx, cancel := context.WithCancelCause(context.Background())
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
		cancel(ErrOwnerLeft)
		at.Wait() // what was begun is recorded, and whoever has asked gets the answer
		return err
	}, nil
}

// serveOne answers one request.
func serveOne(ctx context.Context, c net.Conn, answer func(context.Context, *Exchange) any) {
	defer c.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &Exchange{conn: c, said: make(chan json.RawMessage)}
	x.limit = time.AfterFunc(askTime, func() { cancel(context.DeadlineExceeded) })
	defer x.limit.Stop()
	defer context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Now()) })() // who asks nothing is not waited for
	from := json.NewDecoder(bufio.NewReader(io.LimitReader(c, maxAsked)))
	if err := from.Decode(&x.Request); err != nil {
		return // the other end has gone, or is not ours
	}
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel(nil)
	listening.Go(func() { x.listen(ctx, from, cancel) })
	said := answer(ctx, x)
	if x.told && ctx.Err() != nil {
		return // what was under way goes on in another process, which owns the store then
	}
	_ = c.SetWriteDeadline(time.Now().Add(askTime))
	_ = json.NewEncoder(c).Encode(said)
}

// AskOwner asks the process that owns the store of a workspace. told is called with each value that
// comes back, up to the answer, of which it says that it is the last; what it returns else is
// said to the owner, nil for nothing. The request ends with ctx. The error is a *[Locked]
// where the owner does not take the request, and [ErrOwnerLeft] where it leaves before the answer.
func AskOwner(ctx context.Context, o Options, request any, told func(raw json.RawMessage) (say any, last bool, err error)) error {
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
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	to, from := json.NewEncoder(c), json.NewDecoder(bufio.NewReader(io.LimitReader(c, maxAsked)))
	_ = c.SetDeadline(time.Now().Add(askTime))
	if err := to.Encode(request); err != nil {
		return locked
	}
	for heard := false; ; heard = true {
		var raw json.RawMessage
		switch err := from.Decode(&raw); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !heard:
			return locked
		case err != nil:
			return ErrOwnerLeft
		}
		say, last, err := told(raw)
		if last || err != nil {
			return err
		}
		_ = c.SetDeadline(time.Time{}) // it is worked on
		if say == nil {
			continue
		}
		if err := to.Encode(say); err != nil {
			return ErrOwnerLeft
		}
	}
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
