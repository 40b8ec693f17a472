package lsp

import (
	"context"
	"errors"
	"sync"
	"time"

	"caselsp/agent"
)

// standingWait is how long code actions wait for the store to be read anew: Neovim waits for them for a second.
const standingWait = 300 * time.Millisecond

// Stands tells what stands in the store of the client's folders: what waits for the user, whichever process has worked on it.
type Stands struct {
	// Read reads the store without keeping it. An *[Owned] says that another process has it open.
	Read func(dirs []string) ([]agent.Standing, error)
	// Stamp is another text when the store has changed since; it is cheap.
	Stamp func(dirs []string) string
}

// standing keeps what is known of tasks in step with the store, which other servers and terminals have written. While
// the engine is open, this process owns the store, and hears of everything itself.
type standing struct {
	stands   *Stands // nil: what others did is not looked up
	ed       *editor
	folders  *folders
	engines  *engines
	attached *attached
	tasks    *tasks
	reviews  *reviews

	reading sync.Mutex // held while the store is read

	mu      sync.Mutex
	pending chan struct{} // closed when the reading that code actions have begun has ended; nil: none is under way
	list    []agent.Standing
	known   bool // it was read
	with    *agent.Agent
	stamp   string
}

// inStep reports whether what is known is what the store holds, and with whom and at which stamp it would be read now.
func (l *standing) inStep() (ok bool, with *agent.Agent, stamp string) {
	dirs := l.folders.dirs()
	if l.stands == nil || len(dirs) == 0 || l.attached.now() != nil {
		return true, nil, ""
	}
	if with = l.engines.agent(); with == nil {
		stamp = l.stands.Stamp(dirs)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known && l.with == with && l.stamp == stamp, with, stamp
}

// sync reads the store, if it is not as it was, and returns what stood there when it was read last.
func (l *standing) sync() ([]agent.Standing, error) {
	l.reading.Lock()
	defer l.reading.Unlock()
	ok, with, stamp := l.inStep()
	if !ok {
		began := time.Now() // by the store's clock
		list, err := l.engines.standing(l.folders.dirs(), l.stands.Read)
		if owned := (*Owned)(nil); errors.As(err, &owned) {
			return nil, err
		}
		if err != nil {
			l.ed.Log.Info("what waits cannot be read, or not all of it", "error", err)
		}
		l.mu.Lock()
		l.list, l.known, l.with, l.stamp = list, true, with, stamp
		l.mu.Unlock()
		l.reviews.recall(list, l.tasks.stand(list, began))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.list, nil
}

// soon brings what is known up to date for a request that cannot wait for long: where that takes longer, it is there for the next one.
func (l *standing) soon(ctx context.Context) {
	if ok, _, _ := l.inStep(); ok {
		return
	}
	late := make(chan struct{})
	defer l.ed.Clock.After(standingWait, func() { close(late) })()
	select {
	case <-l.begin():
	case <-late:
	case <-ctx.Done():
	}
}

// begin begins to read the store, unless that is under way already; the channel is closed when it is read.
func (l *standing) begin() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil {
		return l.pending
	}
	done := make(chan struct{})
	l.pending = done
	l.ed.Go("reading what waits", func(context.Context) error {
		_, err := l.sync()
		l.mu.Lock()
		l.pending = nil
		l.mu.Unlock()
		close(done)
		if owned := (*Owned)(nil); errors.As(err, &owned) {
			l.attached.await(l.folders.dirs(), owned)
			return nil
		}
		return err
	})
	return done
}
