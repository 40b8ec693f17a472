package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
)

// terminal is plain output above a status line that is updated.
type terminal struct {
	plain
	mu     sync.Mutex
	status string
	since  time.Time
	typed  int                        // bytes of the model's present answer so far
	line   *os.File                   // where a person types while a task works; nil: nobody does
	asks   func(record.Question) bool // whether a prompt shows a question
	stop   chan struct{}
	ended  sync.WaitGroup
}

// tick is how often the status line is drawn: often enough that the seconds run.
const tick = 500 * time.Millisecond

func newTerminal(out stream, asks func(record.Question) bool) *terminal {
	t := &terminal{plain: plain{out: out, color: out.color}, line: out.typed, asks: asks, since: time.Now(), stop: make(chan struct{})}
	t.ended.Add(1)
	go func() {
		defer t.ended.Done()
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for {
			select {
			case <-t.stop:
				return
			case <-ticker.C:
				t.mu.Lock()
				t.draw()
				t.mu.Unlock()
			}
		}
	}()
	return t
}

func (t *terminal) show(e agent.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Body == nil {
		t.typed += len(e.Text)
		if e.Doing != "" {
			t.status = clean(firstLine(e.Doing))
		}
		return
	}
	t.typed = 0
	t.erase()
	switch b := e.Body.(type) {
	case record.Asked: // the prompt shows it
		if !t.asks(b.Question) {
			t.plain.show(e)
		}
	case record.StateChanged:
		if !b.To.Works() {
			b.Reason = "" // the last line of the command says it
		}
		e.Body = b
		t.plain.show(e)
	default:
		t.plain.show(e)
	}
	t.status = e.Status.String()
	if b, ok := e.Body.(record.CommandStarted); ok {
		t.status = "running " + b.Brief() + " · " + t.status // first: a narrow terminal cuts the end
	}
	t.status += fmt.Sprintf(" · %d tokens", e.Status.Usage.Prompt+e.Status.Usage.Completion)
	if e.Status.Usage.Cost > 0 {
		t.status += fmt.Sprintf(" · $%.3f", e.Status.Usage.Cost)
	}
	if e.Status.State.Works() {
		t.draw()
	} else {
		t.status = "" // a question or the end: the line would be in the way
		t.rest()
	}
}

// rest hands the line back to the terminal, where this process edits it.
func (t *terminal) rest() {
	if t.line != nil {
		keyboard.end()
	}
}

func (t *terminal) draw() {
	if t.status == "" {
		return
	}
	typed := ""
	if t.typed > 0 {
		typed = fmt.Sprintf(" · writing, %d bytes", t.typed)
	}
	text := fmt.Sprintf("%s%s · %s", time.Since(t.since).Round(time.Second), typed, t.status)
	if t.line != nil {
		if keyboard.begin(t.line, text); keyboard.edits() {
			return
		}
	}
	// Without wrapping, what is longer than the line is cut: a second line would stay when this one is erased.
	fmt.Fprintf(t.out, "\r\x1b[K\x1b[?7l%s\x1b[?7h", text)
}

func (t *terminal) erase() {
	if t.line == nil || !keyboard.edits() {
		fmt.Fprint(t.out, "\r\x1b[K")
	}
}

func (t *terminal) close() {
	close(t.stop)
	t.ended.Wait()
	t.rest()
	t.erase()
}
