package main

import (
	"context"
	"io"
	"os"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"
)

// seat is where the person or the program is that has given a command. It is at the streams of this
// process, or at those of another one that asks this one, because this one owns the store. What
// carries a command out in the store (see verb.go) knows no other way to say or to read anything.
type seat struct {
	out, err stream
	in       *lineReader
	// then says what is to be done instead of the command where this process ends before it was: a run that
	// has begun is not begun again, but goes on.
	then func(do string, args any)
	away bool // in another process
}

// stream is where a command writes to.
type stream struct {
	io.Writer
	tty   bool // a person watches
	color bool
	asked bool            // questions are asked where it goes: on standard error
	live  func(*liveView) // shows what a task does, below what is written; nil takes it away
}

// streamOf is an output of this process.
func streamOf(f *os.File) stream {
	s := stream{Writer: f, tty: isTerminal(f), color: inColor(f)}
	if s.tty {
		s.Writer, s.live = aboveLine{f}, newLiveHere(f).show
	}
	return s
}

// ownSeat is the one at the streams of this process.
func ownSeat() *seat {
	s := &seat{out: streamOf(os.Stdout), err: streamOf(os.Stderr), in: ownInput(), then: func(string, any) {}}
	s.out.asked, s.err.asked = samePlace(os.Stdout, os.Stderr), true
	return s
}

// samePlace reports whether what is written to two files stands in one text: a terminal, a pipe or a file.
func samePlace(a, b *os.File) bool {
	one, err := a.Stat()
	two, failed := b.Stat()
	return err == nil && failed == nil && os.SameFile(one, two)
}

// ownInput reads the standard input of this process. There is one reader of it: what it has read
// ahead is not lost when another part of a command reads on.
var ownInput = sync.OnceValue(func() *lineReader {
	return newLineReader(keyboard, isTerminal(os.Stdin), aboveLine{os.Stderr})
})

// askedKey is the key of a context's user: of the seat from which the work was begun.
type askedKey struct{}

// asked has the questions of what is done in a context go to a user.
func asked(ctx context.Context, user agent.User) context.Context {
	return context.WithValue(ctx, askedKey{}, user)
}

// asking is a user whose questions go to the seat from which the work was begun, where it was begun
// from one.
type asking struct{ agent.User }

// askingFor is nil where there is no user: a replay has its own.
func askingFor(user agent.User) agent.User {
	if user == nil {
		return nil
	}
	return asking{user}
}

// Ask implements agent.User.
func (u asking) Ask(ctx context.Context, q record.Question) (record.Answer, error) {
	if user, ok := ctx.Value(askedKey{}).(agent.User); ok {
		return user.Ask(ctx, q)
	}
	return u.User.Ask(ctx, q)
}
