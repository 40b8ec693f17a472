package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/events"
)

const (
	// drainTime is how long output may still come after a command has ended and
	// nothing of it is left that could hold it open.
	drainTime = 5 * time.Second

	// lingerTime is how long output may still come before the keeper is asked
	// whether a child in the background holds it open.
	lingerTime = 50 * time.Millisecond

	// lookTime bounds the look at a sandbox whose command has ended.
	lookTime = 10 * time.Second

	// lookLimit is more than the look ever prints.
	lookLimit = 64 << 10

	// killTries is how often what a command left running is killed: once is
	// enough, except for what was being started meanwhile.
	killTries = 3
)

// unbegunError marks what went wrong before the command was started, where
// another container may do better.
type unbegunError struct{ err error }

func (e *unbegunError) Error() string { return e.err.Error() }
func (e *unbegunError) Unwrap() error { return e.err }

// run runs the command and returns what it said and changed, and whether the
// container is as it should be: calm, with nothing running in it, and known to
// the last file of its work tree.
func (b *box) run(ctx context.Context, cmd Command) (res *Result, sound bool, err error) {
	next := stamps(cmd.Tree)
	d, ok := b.tree.changed(cmd.Tree, next)
	if !ok {
		return nil, false, &unbegunError{errors.New("the work tree of the run before is too different")}
	}
	var way *bridge
	if len(cmd.Policy.Hosts) > 0 {
		if way, err = openBridge(ctx, b.client, b.id, cmd.Policy.Hosts); err != nil {
			return nil, false, &unbegunError{err}
		}
		defer way.close()
	}
	cmd.Env = slices.Concat(networkEnv(cmd.Policy.Hosts), cmd.Env)
	e, err := b.follow(ctx, cmd, d)
	if err != nil {
		return nil, false, err
	}
	b.tree = view{before: next, began: e.began}
	res = &Result{Took: e.took, Engine: "docker"}
	if way != nil {
		res.Network = way.close()
	}
	sound, err = b.conclude(ctx, cmd, e, res)
	return res, sound, err
}

// conclude fills in how a command ended and what it changed.
func (b *box) conclude(ctx context.Context, cmd Command, e *ending, res *Result) (sound bool, err error) {
	if !e.lost && e.status == Exited && e.code != 0 {
		b.explain(ctx, e)
	}
	if e.calm && e.status == Exited {
		sound, err = b.collect(ctx, cmd, res)
	}
	if err == nil && !sound && !e.lost {
		// A frozen container cannot change what is being read; where an engine
		// cannot freeze (rootless ones), the archive is merely less consistent.
		_ = b.client.ContainerPause(ctx, b.id)
		res.Changes, res.Skipped, err = b.changes(ctx, cmd.Tree)
		if err != nil && b.dead(ctx) {
			e.lose()
			err = nil
		}
	}
	if err != nil {
		return false, &startedError{fmt.Errorf("the changes could not be copied out: %w", err)}
	}
	if e.lost {
		res.Skipped = []string{"the work tree was lost with the sandbox: nothing is known of its changes"}
	}
	res.Status, res.ExitCode = e.status, e.code
	res.Output, res.Cut = e.output.text()
	if res.Status == TimedOut {
		res.Quiet = e.output.quiet(res.Took)
	}
	return sound && !e.oom && e.status == Exited, nil
}

// collect copies out what has changed, where that can be told without copying
// everything: false says that it cannot.
func (b *box) collect(ctx context.Context, cmd Command, res *Result) (bool, error) {
	within, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	var largest int64
	for _, f := range cmd.Tree {
		largest = max(largest, int64(len(f.Data)))
	}
	for _, ask := range []asker{b.ask, b.asUser} { // the keeper may not read what is the user's alone
		err := b.tree.list(within, ask, largest)
		if err != nil {
			continue
		}
		res.Changes, res.Skipped, err = b.tree.collect(within, ask, cmd.Tree)
		if err == nil {
			return true, nil
		}
		if errors.Is(err, errPack) {
			break
		}
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return false, nil
}

// errLost says that the connection to the engine broke.
var errLost = errors.New("the Docker engine went away")

// errOutside says that the engine was told to end the container, which no command
// in it can do: the engine itself does so when it is stopped.
var errOutside = errors.New("Docker was stopped, or somebody ended the sandbox's container")

// ending is how a command ended.
type ending struct {
	status Status
	code   int
	began  float64 // by the container's clock
	took   time.Duration
	oom    bool // one of its processes was killed for memory
	lost   bool // the container went with it
	calm   bool // nothing of it runs any more
	output *output
}

// lose settles the ending of a command that took its container with it: the
// kernel, short of memory, killed the container's own process too, or somebody
// outside did.
func (e *ending) lose() {
	e.lost, e.calm, e.status, e.code = true, false, Killed, 128+9
	if e.oom {
		e.status = OutOfMemory
	}
}

// follow makes the runner the command and follows it to its end, to the time
// limit or to the end of ctx. Its output may end before and after its process
// does, so the engine's event counts, and the output's end only where that will
// never come.
func (b *box) follow(ctx context.Context, cmd Command, d *delta) (*ending, error) {
	r := b.runner
	b.runner = nil
	b.form, _ = pytestCommand(cmd.Line)
	defer r.stream.Close()
	b.runs++
	e := &ending{status: Exited, output: &output{limit: cmd.Policy.Output, live: cmd.Output}}
	if err := b.begin(ctx, r, d, cmd, e.output); err != nil {
		return nil, err
	}
	began := time.Now()
	e.began = r.relay.began
	err := b.await(ctx, r, e, cmd.Policy.Time)
	e.took = time.Since(began)
	if err == nil && e.status != TimedOut && !e.lost {
		err = b.settle(ctx, r, e)
	}
	if err == nil && e.lost {
		b.mourn(ctx, e)
	}
	r.stream.Close()
	<-r.ended
	if err != nil {
		return nil, &startedError{err}
	}
	return e, nil
}

// begin returns when the command has begun.
func (b *box) begin(ctx context.Context, r *runner, d *delta, cmd Command, w io.Writer) error {
	select {
	case <-r.ended:
		return &unbegunError{errors.New("the sandbox ended while it waited for a command")}
	default:
	}
	within, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		r.send(within, d, cmd, w)
	}()
	select {
	case <-r.relay.ready:
	case <-r.ended:
	case <-within.Done():
	}
	select {
	case <-r.relay.ready:
		<-sent
		return nil
	default:
	}
	r.stream.Close()
	<-sent
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, err := b.client.ContainerExecInspect(within, r.exec); err != nil && !errdefs.IsNotFound(err) {
		return &startedError{fmt.Errorf("%w: %w", errLost, err)} // it may have begun meanwhile
	}
	return &unbegunError{errors.New("the work tree could not be copied into the sandbox: " + r.relay.noise())}
}

// settle waits for the rest of the output and ends what the command left
// running, which may never close the output.
func (b *box) settle(ctx context.Context, r *runner, e *ending) error {
	select {
	case <-r.ended:
	case <-time.After(lingerTime):
	}
	within, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	for range killTries {
		c, err := b.look(within)
		if err != nil {
			break // not calm
		}
		e.oom = e.oom || c.oom
		if e.calm = c.left == 0; e.calm {
			break
		}
		b.kill(within)
	}
	select {
	case <-r.ended:
	case <-time.After(drainTime):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// await waits for the end of a command and fills in how it was.
func (b *box) await(ctx context.Context, r *runner, e *ending, within time.Duration) error {
	limit := time.NewTimer(within)
	defer limit.Stop()
	ended := r.ended
	for {
		select {
		case m := <-b.events:
			switch m.Action {
			case events.ActionOOM:
				e.oom = true
			case events.ActionKill:
				return errOutside
			case events.ActionDie:
				// The engine now removes it. Or the engine is ending itself, which
				// shows in the next event that does not come.
				e.lost = true
				limit.Reset(closeTime)
			case events.ActionDestroy:
				e.lose()
				return nil
			case events.ActionExecDie:
				if m.Actor.Attributes["execID"] != r.exec {
					continue
				}
				code, err := strconv.Atoi(m.Actor.Attributes["exitCode"])
				e.code = code
				return err
			}
		case <-ended:
			// From here on only the events can tell.
			ended = nil
			exec, err := b.client.ContainerExecInspect(ctx, r.exec)
			if err == nil && !exec.Running && !e.lost {
				e.code = exec.ExitCode
				return b.outside(ctx, e)
			}
		case err := <-b.failed:
			return fmt.Errorf("%w: %w", errLost, err)
		case <-limit.C:
			if e.lost {
				return errors.New("the sandbox ended and was not removed")
			}
			// Frozen, not killed: what it has written so far is still to be read.
			_ = b.client.ContainerPause(ctx, b.id)
			e.status, e.code = TimedOut, -1
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// outside waits, for a command that a signal ended, for the engine to tell that
// somebody ended the whole container: the command's end can be known first.
func (b *box) outside(ctx context.Context, e *ending) error {
	if e.code <= bySignal {
		return nil
	}
	late := time.NewTimer(mournTime)
	defer late.Stop()
	for {
		select {
		case m := <-b.events:
			switch m.Action {
			case events.ActionKill:
				return errOutside
			case events.ActionOOM:
				e.oom = true
			}
		case <-late.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// bySignal and the number of a signal is the exit code of what that ended.
const bySignal = 128

// mournTime is how much later than a container's end the engine may tell that it
// had been short of memory.
const mournTime = 300 * time.Millisecond

// mourn waits for what the engine still has to tell of a lost container.
func (b *box) mourn(ctx context.Context, e *ending) {
	late := time.NewTimer(mournTime)
	defer late.Stop()
	for !e.oom {
		select {
		case m := <-b.events:
			e.oom = m.Action == events.ActionOOM
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
	e.lose()
}

// explain finds out why a command failed: its exit code alone cannot say that a
// child of it ran out of memory or that the disk was full.
func (b *box) explain(ctx context.Context, e *ending) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	const sizeExceeded = 128 + 25 // SIGXFSZ: the one file was larger than the disk
	switch {
	case e.oom:
		e.status = OutOfMemory
	case e.code == sizeExceeded || e.calm && b.filled(ctx):
		e.status = DiskFull
	case e.code > 128 && e.code <= 128+31:
		e.status = Killed
	}
}

// dead reports whether the container has ended by itself.
func (b *box) dead(ctx context.Context) bool {
	c, err := b.client.ContainerInspect(ctx, b.id)
	return errdefs.IsNotFound(err) || err == nil && !c.State.Running
}
