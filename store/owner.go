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

	"caselsp/store/peer"
)

// The owner of a workspace's store serves other processes of the same user over a socket in the
// state directory, which only this user may enter. A request and its answer are one JSON value
// each, and what is told before the answer, or said after the request, are others; what they mean
// is the caller's business.

const (
	socketFile = "owner.sock"
	// maxAsked bounds each value that either side sends, in bytes: the message of a thread, or one write of a
	// command, such as a record of an export with a file in it.
	maxAsked = 64 << 20
	// askTime is how long a request may take, and how long each side waits for the other to take
	// what it sends: the doctor asks servers and engines. A request that has been told
	// something may take longer: its process sees that it is worked on.
	askTime = time.Minute
	// leaveTime is how long a request that is stopped may take to end: a task writes down where it is.
	leaveTime = 10 * time.Second
)

// ErrOwnerLeft says that the process that owned the store has ended, or gives the store up, before
// it had answered: whoever asked can open the store now.
var ErrOwnerLeft = errors.New("the process that owned the store has left before it answered")

// ErrNoOwner says that no process serves the store of a workspace: nobody owns it, or the owner serves nobody.
var ErrNoOwner = errors.New("no process serves the store")

// Exchange is a request of another process, as long as it is not answered.
type Exchange struct {
	Request json.RawMessage

	conn    net.Conn
	limit   *time.Timer // ends a request that nothing is told of
	said    chan json.RawMessage
	telling sync.Mutex
}

// Tell sends a value before the answer. An error says that the process that asked has gone. It may be
// called by several goroutines.
func (x *Exchange) Tell(v any) error {
	x.telling.Lock()
	defer x.telling.Unlock()
	x.limit.Stop()
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
func (x *Exchange) listen(ctx context.Context, from *values, cancel context.CancelCauseFunc) {
	for {
		var raw json.RawMessage
		if from.next(&raw) != nil {
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
// context of a request ends when its process leaves. An answer that is nil is not sent: the other process
// sees that this one has left, as [ErrOwnerLeft].
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
	if samePeer(c) != nil {
		return // the permissions say the same; they can be changed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &Exchange{conn: c, said: make(chan json.RawMessage)}
	x.limit = time.AfterFunc(askTime, func() { cancel(context.DeadlineExceeded) })
	defer x.limit.Stop()
	defer context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Now()) })() // who asks nothing is not waited for
	from := newValues(c)
	if err := from.next(&x.Request); err != nil {
		return // the other end has gone, or is not ours
	}
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel(nil)
	listening.Go(func() { x.listen(ctx, from, cancel) })
	said := answer(ctx, x)
	if said == nil {
		return
	}
	x.telling.Lock()
	defer x.telling.Unlock()
	_ = c.SetWriteDeadline(time.Now().Add(askTime))
	_ = json.NewEncoder(c).Encode(said)
}

// AskOwner asks the process that owns the store of a workspace. told is called with each value that
// comes back, up to the answer, of which it says that it is the last. What say sends goes to the owner. When ctx
// ends, stop is said to the owner, which has a few seconds to end with an answer. The error is a *[Locked] where the owner does not take the request, a *[Silent] where it does not
// answer in time, [ErrNoOwner] where no process serves the store, and [ErrOwnerLeft] where it leaves before the answer.
func AskOwner(ctx context.Context, o Options, request, stop any, told func(raw json.RawMessage, say func(v any) error) (last bool, err error)) error {
	root, err := stateDir(o.StateDir)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "workspaces", o.Workspace)
	locked := &Locked{Path: filepath.Join(dir, databaseFile), PID: readOwner(dir)}
	path, release, err := socketPath(dir)
	if err != nil {
		return ErrNoOwner
	}
	defer release()
	c, err := net.DialTimeout("unix", path, ownerWait)
	if err != nil {
		return ErrNoOwner
	}
	defer c.Close()
	if err := samePeer(c); err != nil {
		return fmt.Errorf("%w; what serves it is not asked: %w", locked, err)
	}
	var sending sync.Mutex
	to, from := json.NewEncoder(c), newValues(c)
	say := func(v any) error {
		sending.Lock()
		defer sending.Unlock()
		return to.Encode(v)
	}
	_ = c.SetDeadline(time.Now().Add(askTime))
	if err := say(request); err != nil {
		return locked
	}
	defer context.AfterFunc(ctx, func() {
		_ = say(stop)
		_ = c.SetReadDeadline(time.Now().Add(leaveTime))
	})()
	for heard := false; ; heard = true {
		var raw json.RawMessage
		switch err := from.next(&raw); {
		case errors.Is(err, os.ErrDeadlineExceeded): // also after ctx has ended: it was not stopped
			return &Silent{PID: locked.PID}
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !heard:
			return fmt.Errorf("%w: %w", ErrOwnerLeft, locked)
		case err != nil:
			return ErrOwnerLeft
		}
		if last, err := told(raw, say); last || err != nil {
			return err
		}
		if ctx.Err() == nil {
			_ = c.SetDeadline(time.Time{}) // it is worked on
		}
	}
}

// values are the JSON values that come over a connection, each of a bounded size.
type values struct {
	left *io.LimitedReader
	from *json.Decoder
}

func newValues(c net.Conn) *values {
	left := &io.LimitedReader{R: c}
	return &values{left, json.NewDecoder(bufio.NewReader(left))}
}

// next waits for a value.
func (v *values) next(raw *json.RawMessage) error {
	v.left.N = maxAsked
	return v.from.Decode(raw)
}

// samePeer returns an error unless the process at the other end of a socket runs as this user. Where the system does not tell, the
// permissions of the state directory are what keeps others away.
func samePeer(conn net.Conn) error {
	if err := peer.Same(conn); peer.Known || !errors.Is(err, errors.ErrUnsupported) {
		return err
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
	path, err := databaseOf(o)
	if err == nil {
		_, err = os.Stat(path)
	}
	return err == nil
}

// databaseOf is the path of a workspace's database.
func databaseOf(o Options) (string, error) {
	root, err := stateDir(o.StateDir)
	return filepath.Join(root, "workspaces", o.Workspace, databaseFile), err
}

// Stamp is another text when something has been written into the store of a workspace since; "" where there is no
// store. It takes no lock: whoever has read the store finds out by it, often and at little cost, whether to read it again.
// It is made of bbolt's two meta pages, one of which each transaction writes. The time of the file
// would not do: two writes can have the same.
func Stamp(o Options) string {
	path, err := databaseOf(o)
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	meta, err := io.ReadAll(io.LimitReader(file, 2*int64(os.Getpagesize())))
	if err != nil {
		return ""
	}
	return Hash(meta)
}
