package main

import (
	"os"
	"os/signal"
	"sync"
	"time"

	"caselsp/cmd/caselsp/screen"
)

// tick is how often a live view is drawn: often enough that the seconds run.
const tick = 500 * time.Millisecond

// liveHere shows views at a terminal of this process.
type liveHere struct {
	on      screen.Terminal
	compact bool // in one row, without colours

	mu      sync.Mutex
	unwatch func() // nil: nothing is shown
}

func newLiveHere(f *os.File) *liveHere {
	return &liveHere{on: screen.Of(f), compact: !inColor(f)}
}

// show shows a view until the next one; nil takes it away, and hands the line back to the terminal.
func (l *liveHere) show(v *liveView) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v == nil {
		if l.unwatch != nil {
			l.unwatch()
			l.unwatch = nil
			bottom.Hide()
			if !seenBelow.on() {
				keyboard.rest()
			}
		}
		return
	}
	bottom.Show(l.on, func(width, height int, typing bool) screen.Frame {
		if l.compact || width < leastWidth || height < leastHeight {
			return v.compact(width, typing, time.Now())
		}
		return v.full(width, time.Now())
	})
	keyboard.begin()
	if l.unwatch == nil {
		l.unwatch = seenBelow.begin()
	}
}

// seenBelow draws the lower end of this process's terminal again while something is shown there.
var seenBelow = &watch{}

// watch draws what is shown again as time goes by, and when the terminal changes.
type watch struct {
	mu    sync.Mutex
	shown int           // views and prompts
	stop  chan struct{} // closed to end the drawing
	over  sync.WaitGroup
}

// begin counts something that is shown, until the function that it returns is called.
func (w *watch) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown++; w.shown == 1 {
		w.stop = make(chan struct{})
		w.over.Go(func() { w.run(w.stop) })
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.shown--; w.shown == 0 {
			close(w.stop)
			w.over.Wait()
		}
	}
}

// on reports whether something is shown.
func (w *watch) on() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown > 0
}

func (w *watch) run(stop <-chan struct{}) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, changes()...)
	defer signal.Stop(changed)
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			bottom.Redraw()
		case s := <-changed:
			if suspends(s) {
				keyboard.aside(suspend)
			}
			bottom.Redraw()
		}
		keyboard.begin()
	}
}
