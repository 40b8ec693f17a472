package agent

import (
	"fmt"
	"sync/atomic"
	"time"
)

// aside is work that goes on beside the loop: an installation, or linters while the model thinks. Only
// the loop may tell the faces, so they are told what it does while the loop waits for it.
type aside struct {
	doing atomic.Pointer[doing]
	said  chan string
	done  chan struct{}
	err   error
}

// doing is what an aside does at present, and since when.
type doing struct {
	what  string
	began time.Time
}

const (
	// tellEvery is how often the faces are told how long something has taken.
	tellEvery = 5 * time.Second
	// maxSaid is how many lines of progress wait to be shown.
	maxSaid = 64
)

// aside begins work, named for the log. A panic in it is its error.
func (r *run) aside(name string, work func(a *aside) error) *aside {
	a := &aside{said: make(chan string, maxSaid), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		defer func() {
			if p := recover(); p != nil {
				a.err = r.panicked(name, p)
			}
		}()
		a.err = work(a)
	}()
	return a
}

// begins says which part of the work begins.
func (a *aside) begins(what string) {
	a.doing.Store(&doing{what, time.Now()})
	a.says(what)
}

// says passes a line on.
func (a *aside) says(line string) {
	select {
	case a.said <- line:
	default: // it is only shown
	}
}

// await waits for the end of an aside. What was said before is over; of that, the faces are shown what
// still goes on.
func (r *run) await(a *aside) error {
	for range len(a.said) {
		<-a.said
	}
	select {
	case <-a.done:
		return a.err
	default:
	}
	shown := ""
	show := func(line string) {
		if line != shown {
			shown = line
			r.progress(line)
		}
	}
	if now := a.doing.Load(); now != nil {
		show(now.what)
	}
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case line := <-a.said:
			show(line)
		case <-tick.C:
			if now := a.doing.Load(); now != nil {
				show(fmt.Sprintf("%s, %s", time.Since(now.began).Round(time.Second), now.what))
			}
		case <-a.done:
			for range len(a.said) {
				show(<-a.said)
			}
			return a.err
		}
	}
}

// progress tells the faces what is done that no record tells of.
func (r *run) progress(line string) {
	r.emit(Event{Doing: line, Status: r.state.Status(r.a.Limits.Rounds)})
}
