package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// signals are those by which a user stops what this process does.
var signals = &stopSignals{came: make(chan os.Signal, 1)}

// stopSignals stop the work of a process, or the part of it that goes on now. The next signal ends the process at once.
type stopSignals struct {
	came chan os.Signal

	mu   sync.Mutex
	end  context.CancelFunc // of the process's work
	part context.CancelFunc // of a part, after which the process goes on; nil: there is none
}

// begin has signals stop the work of this process.
func (s *stopSignals) begin(end context.CancelFunc) {
	s.end = end
	signal.Notify(s.came, os.Interrupt, syscall.SIGTERM)
	go func() {
		for got := range s.came {
			if stopping.Load() {
				leave(got)
			}
			s.stop(got)
		}
	}()
}

// lastWord is how long the end of this process waits for its last line to be written: a terminal that is held takes none.
const lastWord = 100 * time.Millisecond

// leave ends this process at once, as the signal would have done.
func leave(got os.Signal) {
	signal.Reset()
	written := make(chan struct{})
	go func() {
		defer close(written)
		fmt.Fprintln(os.Stderr, "\ncaselsp: ended at once; what was done is in the journal: caselsp status says how to go on")
	}()
	select {
	case <-written:
	case <-time.After(lastWord):
	}
	if own, err := os.FindProcess(os.Getpid()); err == nil && own.Signal(got) == nil {
		select {} // it comes at once
	}
	os.Exit(exitStopped)
}

// stop stops what goes on.
func (s *stopSignals) stop(got os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stopping.Store(true)
	keyboard.leave()
	bottom.Redraw()
	if got == os.Interrupt && s.part != nil {
		s.part()
		return
	}
	s.end()
}

// within is a context of a part of the work, which Ctrl+C stops alone, until over is called.
func (s *stopSignals) within(ctx context.Context) (part context.Context, over func()) {
	part, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.part = cancel
	s.mu.Unlock()
	return part, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.part = nil
		if part.Err() != nil && ctx.Err() == nil { // the process goes on
			stopping.Store(false)
			keyboard.again()
		}
		cancel()
	}
}
