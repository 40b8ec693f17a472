package lsp

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
	// busy task says in a minute. Then the oldest go.
	maxLogs = 1000
	// maxNotes is how many notifications of any kind wait. A client this far behind
	// does not read at all; the oldest go here too, rather than all memory.
	maxNotes = 10000
)

// outbox sends notifications in order, from a goroutine of its own: whoever
// posts one, the read loop included, never waits for the client.
type outbox struct {
	wake   chan struct{} // holds one token: something is to do
	opened chan struct{} // closed when the client may be told something
	quit   chan struct{} // closed when no more is sent than what is queued
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

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), opened: make(chan struct{}), quit: make(chan struct{})}
}

// start begins to send on conn, as soon as the outbox is open.
func (o *outbox) start(conn jsonrpc2.Conn) {
	o.done = make(chan struct{})
	go func() {
		defer close(o.done)
		select {
		case <-o.opened:
		case <-o.quit:
			return // nothing may be sent to a client that has not been greeted
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
				return // the connection has ended, and its end is told elsewhere
			}
		}
	}()
}

// open lets notifications out. It must be called once at most.
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

// dropOldest drops the oldest log message, where there is none the oldest note.
func (o *outbox) dropOldest() {
	i := max(0, slices.IndexFunc(o.queue, func(n note) bool { return n.log }))
	if o.queue[i].log {
		o.logs--
	}
	o.queue = slices.Delete(o.queue, i, i+1)
	o.dropped++
}

// next takes the first note off the queue. What was dropped is said first.
func (o *outbox) next() (note, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dropped > 0 {
		text := fmt.Sprintf("%d messages were dropped here: the client reads slower than %s writes", o.dropped, Name)
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
