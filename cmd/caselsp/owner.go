package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"caselsp/cmd/caselsp/screen"
	"caselsp/store"
)

// The process that owns a workspace's store does the verbs of others. What the verb writes and reads goes over
// the socket: at the other end stands the seat.

// ownerAsk is what another process asks the owner for.
type ownerAsk struct {
	Do   string          `json:"do"` // the name of a verb
	Args json.RawMessage `json:"args,omitempty"`
	Seat seatLooks       `json:"seat,omitzero"`
	Set  []string        `json:"set,omitempty"` // what --set has there
}

// seatLooks say what the streams of a seat are.
type seatLooks struct {
	Typed bool        `json:"typed,omitempty"` // its lines are typed by a person
	Out   streamLooks `json:"out,omitzero"`
	Err   streamLooks `json:"err,omitzero"`
}

type streamLooks struct {
	TTY   bool `json:"tty,omitempty"`
	Color bool `json:"color,omitempty"`
	Asked bool `json:"asked,omitempty"`
}

// ownerSaid is what comes back: what is to be done at the seat, and in the end how the command ends.
type ownerSaid struct {
	Out  []byte         `json:"out,omitempty"`  // write it
	Err  []byte         `json:"err,omitempty"`  // write it to standard error
	Live *liveSaid      `json:"live,omitempty"` // show it
	Keys string         `json:"keys,omitempty"` // read a line, flush, hide or show what is typed
	Ask  *screen.Prompt `json:"ask,omitempty"`  // read the next line behind it, until the keys are asked
	Then *ownerAsk      `json:"then,omitempty"` // what is to be done where the owner leaves

	Ended bool   `json:"ended,omitempty"`
	Error string `json:"error,omitempty"`
	Code  int    `json:"code,omitempty"`
}

// liveSaid is a live view for an output of a seat.
type liveSaid struct {
	Err  bool      `json:"err,omitempty"`  // on standard error
	View *liveView `json:"view,omitempty"` // nil takes it away
}

// What is done with the keys of a seat.
const (
	lineAsked = "read"
	lineFlush = "flush"
	lineHide  = "hide"
	lineShow  = "show"
	lineDone  = "asked" // the prompt is over
)

// ownerHears is what the other process says: a line that was asked for, or that the user stops it.
type ownerHears struct {
	Line string `json:"line,omitempty"`
	End  bool   `json:"end,omitempty"` // of its input
	Stop bool   `json:"stop,omitempty"`
}

// serveOthers does the verbs of other processes, as long as the engine is open.
func (e *engine) serveOthers() error {
	stop, err := e.store.Serve(e.attend)
	if err == nil {
		e.closers = append(e.closers, closing(stop))
	}
	return err
}

// closing is a function as an io.Closer.
type closing func() error

// Close implements io.Closer.
func (f closing) Close() error { return f() }

// attend does one verb for another process.
func (e *engine) attend(leaves context.Context, x *store.Exchange) any {
	var ask ownerAsk
	if err := json.Unmarshal(x.Request, &ask); err != nil {
		return ownerSaid{Ended: true, Error: err.Error(), Code: exitUsage}
	}
	ctx, stop := context.WithCancel(leaves)
	defer stop()
	k := &farKeys{x: x, leaves: leaves, lines: make(chan ownerHears, 1)}
	go k.hear(stop)
	err := e.doFor(ctx, k, ask)
	if err != nil && leaves.Err() != nil {
		return nil // another process goes on with it
	}
	said := ownerSaid{Ended: true}
	said.Code, said.Error = ending(ctx, err)
	return said
}

// doFor does a verb for the seat whose keys are k.
func (e *engine) doFor(ctx context.Context, k *farKeys, ask ownerAsk) error {
	verb, known := verbs[ask.Do]
	if !known {
		return usage(fmt.Errorf("the process that works on this workspace does not know %q: it is another version of caselsp. Start that one again", ask.Do))
	}
	s := &seat{
		away: true, then: k.then,
		out: k.stream(ask.Seat.Out, func(p []byte) ownerSaid { return ownerSaid{Out: p} }, false),
		err: k.stream(ask.Seat.Err, func(p []byte) ownerSaid { return ownerSaid{Err: p} }, true),
	}
	s.in = newLineReader(k, ask.Seat.Typed, s.err)
	if len(ask.Set) > 0 {
		why := fmt.Sprintf("--set does not count here: process %d has this workspace open, with its own settings", os.Getpid())
		if verb.works {
			return usage(errors.New(why + ". Leave --set away, or close that process (the editor) and try again"))
		}
		fmt.Fprintln(s.err, "caselsp:", why)
	}
	return verb.do(ctx, e, s, ask.Args)
}

// stream is an output of the seat.
func (k *farKeys) stream(looks streamLooks, said func(p []byte) ownerSaid, isErr bool) stream {
	return stream{Writer: farWriter{k, said}, tty: looks.TTY, color: looks.Color, asked: looks.Asked, live: func(v *liveView) {
		k.do(ownerSaid{Live: &liveSaid{isErr, v}})
	}}
}

// farKeys are the keys of a seat in another process, and the rest of what is done there.
type farKeys struct {
	x      *store.Exchange
	leaves context.Context // ends with the exchange: the other process has left, or this one does
	lines  chan ownerHears // those that were asked for: one at most
}

// hear takes what the other process says, to the end of the exchange.
func (k *farKeys) hear(stop func()) {
	for {
		var said ownerHears
		if k.x.Hear(k.leaves, &said) != nil {
			return
		}
		if said.Stop {
			stop()
			continue
		}
		select {
		case k.lines <- said:
		default: // nobody asked for it
		}
	}
}

// do has something done at the seat, unless the exchange is over: what is written then is written again by
// the process that goes on.
func (k *farKeys) do(said ownerSaid) {
	if k.leaves.Err() == nil {
		_ = k.x.Tell(said) // the context tells that the other process has gone
	}
}

// next implements keys.
func (k *farKeys) next() (string, bool) {
	k.do(ownerSaid{Keys: lineAsked})
	select {
	case said := <-k.lines:
		return said.Line, !said.End
	case <-k.leaves.Done():
		return "", false
	}
}

// flush implements keys.
func (k *farKeys) flush() { k.do(ownerSaid{Keys: lineFlush}) }

// hide implements keys.
func (k *farKeys) hide() (show func()) {
	k.do(ownerSaid{Keys: lineHide})
	return func() { k.do(ownerSaid{Keys: lineShow}) }
}

// ask implements keys.
func (k *farKeys) ask(p screen.Prompt) (done func(), asked bool) {
	k.do(ownerSaid{Ask: &p})
	return func() { k.do(ownerSaid{Keys: lineDone}) }, true
}

// recall implements keys: messages are read where the person sits.
func (*farKeys) recall([]string) {}

// then is [seat.then].
func (k *farKeys) then(do string, args any) {
	raw, err := argsOf(args)
	if err != nil { // the other process would do it all again
		k.do(ownerSaid{Err: []byte("caselsp: where this process ends, nobody goes on: " + err.Error() + "\n")})
	}
	_ = k.x.Tell(ownerSaid{Then: &ownerAsk{Do: do, Args: raw}}) // also where this process leaves: the other one goes on by it
}

// farWriter writes at a seat in another process.
type farWriter struct {
	k    *farKeys
	said func(p []byte) ownerSaid
}

// Write implements io.Writer.
func (w farWriter) Write(p []byte) (int, error) {
	w.k.do(w.said(p))
	return len(p), nil
}

// askOwner has the process that owns the store do a verb, at a seat of this process. ask becomes what is
// to be done where that one leaves.
func (w *wiring) askOwner(ctx context.Context, ask *ownerAsk, s *seat) error {
	o, err := w.storeOptions()
	if err != nil {
		return err
	}
	ask.Set = w.set
	return askOwnerOf(ctx, o, ask, s)
}

// quietTime is how long a process that does not answer is waited for without a word: a person begins to wonder then.
const quietTime = 5 * time.Second

// askOwnerOf is askOwner for the store of o.
func askOwnerOf(ctx context.Context, o store.Options, ask *ownerAsk, s *seat) error {
	ask.Seat = seatLooks{Typed: s.in.tty, Out: streamLooks{s.out.tty, s.out.color, s.out.asked}, Err: streamLooks{s.err.tty, s.err.color, s.err.asked}}
	near := &nearSeat{seat: s, ctx: ctx, whole: !verbs[ask.Do].works, next: *ask}
	reads, leave := context.WithCancel(ctx)
	defer leave()
	near.ctx = reads
	defer near.show()
	defer near.asked()
	late := time.AfterFunc(quietTime, func() {
		fmt.Fprintln(s.err, "caselsp: the process that has this workspace open does not answer yet: it is waited for (Ctrl+C ends that)")
	})
	err := store.AskOwner(ctx, o, ask, ownerHears{Stop: true}, func(raw json.RawMessage, say func(any) error) (bool, error) {
		late.Stop()
		return near.told(raw, say)
	})
	late.Stop()
	for _, isErr := range []bool{false, true} { // where the owner has left
		near.live(&liveSaid{Err: isErr})
	}
	*ask = near.next
	return err
}

// nearSeat does at a seat of this process what the owner of the store says.
type nearSeat struct {
	*seat
	ctx    context.Context
	whole  bool // the output is written when it is whole: nothing twice where another process does it again
	held   bytes.Buffer
	next   ownerAsk
	unhide func()
	unask  func()
}

// told does what one value says.
func (n *nearSeat) told(raw json.RawMessage, say func(any) error) (last bool, err error) {
	var said ownerSaid
	if err := json.Unmarshal(raw, &said); err != nil {
		return true, err
	}
	if said.Then != nil {
		n.next = *said.Then
	}
	n.write(said)
	n.live(said.Live)
	if said.Ask != nil {
		n.asked()
		n.unask = n.in.prompt(*said.Ask)
	}
	switch said.Keys {
	case lineAsked:
		go func() {
			line, ok, err := n.line()
			if err == nil {
				_ = say(ownerHears{Line: line, End: !ok})
			}
		}()
	case lineFlush:
		n.in.forget()
	case lineHide:
		n.show()
		n.unhide = n.in.keys.hide()
	case lineShow:
		n.show()
	case lineDone:
		n.asked()
	}
	if !said.Ended {
		return false, nil
	}
	if n.held.Len() > 0 {
		_, err = n.out.Write(n.held.Bytes())
	}
	switch {
	case said.Error != "":
		err = &exitError{said.Code, errors.New(said.Error)}
	case said.Code != exitOK:
		err = &exitError{code: said.Code}
	}
	return true, err
}

// line reads a line that can be sent. Another one is said to be none: it would arrive as other text.
func (n *nearSeat) line() (line string, ok bool, err error) {
	for {
		line, ok, err = n.in.read(n.ctx)
		why := sendable(reflect.ValueOf(line))
		if err != nil || why == nil {
			return line, ok, err
		}
		fmt.Fprintf(n.err, "caselsp: the line was not taken: %v. Write it again\n", why)
	}
}

// write writes what the owner says. A pipe that is closed ends the process by a signal.
func (n *nearSeat) write(said ownerSaid) {
	if n.whole {
		n.held.Write(said.Out)
	} else if len(said.Out) > 0 {
		_, _ = n.out.Write(said.Out)
	}
	if len(said.Err) > 0 {
		_, _ = n.err.Write(said.Err)
	}
}

// live shows what a task does in the other process. Where that one ends, the view is taken away.
func (n *nearSeat) live(said *liveSaid) {
	if said == nil {
		return
	}
	out := n.out
	if said.Err {
		out = n.err
	}
	if out.live != nil {
		out.live(said.View)
	}
}

// asked ends a prompt.
func (n *nearSeat) asked() {
	if n.unask != nil {
		n.unask()
		n.unask = nil
	}
}

// show has what is typed shown again.
func (n *nearSeat) show() {
	if n.unhide != nil {
		n.unhide()
		n.unhide = nil
	}
}
