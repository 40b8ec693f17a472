package sandbox

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Limits on containers that wait for their next command.
const (
	// warmRuns and warmAge are after how much a container is replaced. Nothing is
	// known that would pile up in one; what is not known does so no further.
	warmRuns = 200
	warmAge  = time.Hour

	// warmIdle is how long one waits for the next command, holding the work tree
	// in memory: longer than a person reads a question before answering it.
	warmIdle = 10 * time.Minute

	// warmCount is how many wait at once: one for each profile.
	warmCount = 3

	// recycleTime bounds what is done between two runs, which takes a tenth of a
	// second.
	recycleTime = 20 * time.Second
)

// key is what two commands must have in common to run in one container, one
// after the other.
type key struct {
	image  string
	cpus   float64
	memory int64
	pids   int64
	disk   int64
	user   int
	layer  string // that it makes: a container that makes one serves no other command
}

func (d *DockerEngine) keyOf(cmd Command) key {
	p := cmd.Policy
	return key{image: d.imageOf(cmd), cpus: p.CPUs, memory: p.Memory, pids: p.PIDs, disk: p.Disk, user: p.User, layer: cmd.Keep}
}

// pool holds the containers that wait. They are not frozen meanwhile: nothing
// in them runs that could use a processor, since all that a command left was
// killed and the two processes that are ours wait for their input; and a frozen
// one would outlive this process, because what ends it is that it notices.
type pool struct {
	mu      sync.Mutex
	waiting map[key]*waiting
	work    sync.WaitGroup // recycling and removing
	closed  bool
	failed  []error // of removing
}

// waiting is a container that waits, or will soon.
type waiting struct {
	box   *box
	since time.Time
	done  chan struct{} // it has been recycled
	sound bool          // it can be used; valid once done
	idle  *time.Timer
}

func newPool() *pool { return &pool{waiting: make(map[key]*waiting)} }

// take returns a container in which the command can run, or nil.
func (p *pool) take(ctx context.Context, k key, cmd Command) *box {
	p.mu.Lock()
	w := p.waiting[k]
	if w != nil {
		p.drop(k)
	}
	p.mu.Unlock()
	if w == nil {
		return nil
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		p.discard(w)
		return nil
	}
	if !w.sound || !w.box.fits(cmd) {
		p.discard(w)
		return nil
	}
	return w.box
}

// drop takes one out. The caller holds the lock.
func (p *pool) drop(k key) {
	p.waiting[k].idle.Stop()
	delete(p.waiting, k)
}

// fits reports whether the work tree's room, which cannot be changed any more,
// is what the command may have: not less, and not much more.
func (b *box) fits(cmd Command) bool {
	room, disk := b.room-treeRoom(cmd.Tree), cmd.Policy.Disk
	return room >= disk && room <= disk+disk/spare
}

// keep puts a container aside for the next command, and makes it ready for that
// in the background. It reports false for one that has served long enough.
func (p *pool) keep(b *box, k key) bool {
	if b.runs >= warmRuns || time.Since(b.born) >= warmAge {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.waiting[k] != nil { // another run of this kind ended before
		return false
	}
	if len(p.waiting) >= warmCount {
		p.evict()
	}
	w := &waiting{box: b, since: time.Now(), done: make(chan struct{})}
	w.idle = time.AfterFunc(warmIdle, func() { p.expire(k, w) })
	p.waiting[k] = w
	p.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), recycleTime)
		defer cancel()
		w.sound = b.recycle(ctx) == nil
		close(w.done)
	})
	return true
}

// evict removes the one that has waited longest. The caller holds the lock.
func (p *pool) evict() {
	var oldest key
	for k, w := range p.waiting {
		if o := p.waiting[oldest]; o == nil || w.since.Before(o.since) {
			oldest = k
		}
	}
	w := p.waiting[oldest]
	p.drop(oldest)
	p.discard(w)
}

func (p *pool) expire(k key, w *waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[k] == w {
		p.drop(k)
		p.discard(w)
	}
}

// discard removes a container in the background.
func (p *pool) discard(w *waiting) {
	p.work.Go(func() {
		<-w.done
		if err := w.box.close(); err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.failed = append(p.failed, err)
		}
	})
}

// cool removes all that wait and returns when they are gone.
func (p *pool) cool() error {
	p.mu.Lock()
	for k, w := range p.waiting {
		p.drop(k)
		p.discard(w)
	}
	p.mu.Unlock()
	p.work.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	failed := p.failed
	p.failed = nil
	return errors.Join(failed...)
}

func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	return p.cool()
}

// recycle makes a container ready for its next command: nothing of the last one
// runs in it, as the keeper saw; the next runner removes what it left outside of
// the work tree, and the keeper sees that it did.
func (b *box) recycle(ctx context.Context) error {
	if err := b.prepare(ctx, true); err != nil {
		return err
	}
	if err := b.runner.prepared(ctx); err != nil {
		return err
	}
	clean, err := b.clean(ctx)
	if err == nil && !clean {
		err = errors.New("the sandbox is not empty")
	}
	return err
}
