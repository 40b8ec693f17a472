package lsptest

import (
	"sync"
	"time"
)

// Clock is a clock that stands still until it is advanced. Its methods Now and
// After take the place of the server's clock.
type Clock struct {
	mu     sync.Mutex
	woken  *sync.Cond
	at     time.Time
	timers map[int]timer
	last   int
}

// timer calls f at a time.
type timer struct {
	at time.Time
	f  func()
}

// NewClock returns a clock without timers.
func NewClock() *Clock {
	c := &Clock{at: time.Unix(1e9, 0), timers: make(map[int]timer)}
	c.woken = sync.NewCond(&c.mu)
	return c
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// After calls f as soon as the clock has been advanced by d. stop removes the
// timer and reports whether it was still there.
func (c *Clock) After(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id := c.last
	c.timers[id] = timer{c.at.Add(d), f}
	c.woken.Broadcast()
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, there := c.timers[id]
		delete(c.timers, id)
		c.woken.Broadcast()
		return there
	}
}

// Await waits until there is a timer for d from now.
func (c *Clock) Await(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for _, t := range c.timers {
			if t.at.Equal(c.at.Add(d)) {
				return
			}
		}
		c.woken.Wait()
	}
}

// Timers returns how many timers there are.
func (c *Clock) Timers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// Advance lets time pass and calls what is due, on this goroutine.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	c.at = c.at.Add(d)
	var due []func()
	for id, t := range c.timers {
		if !t.at.After(c.at) {
			due = append(due, t.f)
			delete(c.timers, id)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}
