package main

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// lateLog is the log of a server, which begins before its file can be opened: the
// file lies in the state directory of a workspace, and only while a store is open
// there. What is logged without one goes to the editor alone.
type lateLog struct {
	to   atomic.Pointer[slog.Handler]
	root *lateLog                          // holds to; nil: this one
	with func(h slog.Handler) slog.Handler // what With and WithGroup add to it
}

// open sends what is logged from now on to h.
func (l *lateLog) open(h slog.Handler) { l.to.Store(&h) }

// handler returns where records go now.
func (l *lateLog) handler() slog.Handler {
	root := l
	if l.root != nil {
		root = l.root
	}
	h := root.to.Load()
	switch {
	case h == nil:
		return slog.DiscardHandler
	case l.with != nil:
		return l.with(*h)
	}
	return *h
}

// Enabled implements slog.Handler.
func (l *lateLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.handler().Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (l *lateLog) Handle(ctx context.Context, r slog.Record) error {
	return l.handler().Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *lateLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return l.adding(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (l *lateLog) WithGroup(name string) slog.Handler {
	return l.adding(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (l *lateLog) adding(more func(slog.Handler) slog.Handler) *lateLog {
	next := &lateLog{root: l.root, with: more}
	if l.root == nil {
		next.root = l
	}
	if before := l.with; before != nil {
		next.with = func(h slog.Handler) slog.Handler { return more(before(h)) }
	}
	return next
}
