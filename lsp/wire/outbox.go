package wire

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// The limits of the outbox.
const (
	// maxLogs is how many log messages wait for a client that reads slowly: what a
	// busy task logs in a minute. Then the oldest are dropped.
	maxLogs = 1000
	// maxNotes is how many notifications of any kind wait. A client this far behind
	// does not read at all; dropping the oldest bounds the memory.
	maxNotes = 10000
)

// outbox sends notifications in order, from a goroutine of its own: posting one
// never waits for the client, on the read loop neither.
type outbox struct {
	name   string        // of the server
	wake   chan struct{} // holds one token: the queue is not empty
	opened chan struct{} // closed when the client may be sent notifications
	quit   chan struct{} // closed when only what is queued is still sent
	done   chan struct{} // closed when the sender has ended

	mu      sync.Mutex
	queue   []note
	logs    int // of the queue
	dropped int // log messages since the last that was sent
}

// note is a notification that waits.
type note struct {
	method string
	params any
	log    bool // may be dropped
}

func newOutbox(name string) *outbox {
	return &outbox{name: name, wake: make(chan struct{}, 1), opened: make(chan struct{}), quit: make(chan struct{})}
}

// start begins to send on conn as soon as the outbox is open.
func (o *outbox) start(conn jsonrpc2.Conn) {
	o.done = make(chan struct{})
	go func() {
		defer close(o.done)
		select {
		case <-o.opened:
		case <-o.quit:
			return // nothing may be sent before initialized
		}
		for {
			n, ok := o.next()
			if !ok {
				select {
				case <-o.wake:
					continue
				case <-o.quit:
					return
				}
			}
			if conn.Notify(context.Background(), n.method, n.params) != nil {
				return // the connection has ended; Serve reports that
			}
		}
	}()
}

// open lets notifications out. It must be called at most once.
func (o *outbox) open() { close(o.opened) }

// post queues a notification.
func (o *outbox) post(n note) {
	o.mu.Lock()
	if n.log && o.logs >= maxLogs || len(o.queue) >= maxNotes {
		o.dropOldest()
	}
	o.queue = append(o.queue, n)
	if n.log {
		o.logs++
	}
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// dropOldest drops the oldest log message, or the oldest note if there is none.
func (o *outbox) dropOldest() {
	i := max(0, slices.IndexFunc(o.queue, func(n note) bool { return n.log }))
	if o.queue[i].log {
		o.logs--
	}
	o.queue = slices.Delete(o.queue, i, i+1)
	o.dropped++
}

// next takes the first note off the queue. A note about dropped messages comes
// first.
func (o *outbox) next() (note, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dropped > 0 {
		text := fmt.Sprintf("%d messages were dropped here: the client reads slower than %s writes", o.dropped, o.name)
		o.dropped = 0
		return note{method: protocol.MethodWindowLogMessage, params: &protocol.LogMessageParams{Type: protocol.MessageTypeWarning, Message: text}}, true
	}
	if len(o.queue) == 0 {
		return note{}, false
	}
	n := o.queue[0]
	o.queue[0] = note{} // not kept alive by the array
	o.queue = o.queue[1:]
	if n.log {
		o.logs--
	}
	return n, true
}

// close sends what is queued, for at most limit, and ends.
func (o *outbox) close(limit time.Duration) {
	close(o.quit)
	within(limit, func() { <-o.done })
}
