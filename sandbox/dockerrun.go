package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/pkg/stdcopy"
)

const (
	// drainTime is how long output may still come after a command has ended.
	// The engine itself closes it after two seconds, because a child in the
	// background may hold it open for ever.
	drainTime = 5 * time.Second

	// lookTime bounds the look at a sandbox whose command failed.
	lookTime = 10 * time.Second

	// lookLimit is more than the look ever prints.
	lookLimit = 64 << 10
)

// run runs the command and returns what it said and changed.
func (b *box) run(ctx context.Context, cmd Command) (*Result, error) {
	var way *bridge
	if len(cmd.Policy.Hosts) > 0 {
		var err error
		if way, err = openBridge(ctx, b.client, b.id, cmd.Policy.Hosts); err != nil {
			return nil, err
		}
		defer way.close()
		cmd.Env = slices.Concat(proxyEnv(), cmd.Env)
	}
	exec, err := b.client.ContainerExecCreate(ctx, b.id, container.ExecOptions{
		User:         fmt.Sprintf("%d:%d", cmd.Policy.User, cmd.Policy.User),
		WorkingDir:   workFolder,
		Env:          cmd.Env,
		AttachStdout: true,
		// One pipe for both streams: two lose the order in which things were said.
		// Where memory is short the command goes first, here and on the host: what
		// fills a tmpfs is small itself, and the container's own process, whose end
		// ends all, would be taken for it.
		Cmd: []string{"/bin/sh", "-c", `echo 1000 > /proc/self/oom_score_adj; exec /bin/sh -c "$1" 2>&1`, "sh", cmd.Line},
	})
	if err != nil {
		return nil, err
	}
	began := time.Now()
	e, err := b.follow(ctx, cmd, exec.ID)
	if err != nil {
		return nil, &startedError{err}
	}
	res := &Result{Took: time.Since(began)}
	if way != nil {
		res.Network = way.close()
	}
	if !e.lost {
		if e.status == Exited && e.code != 0 {
			b.look(ctx, e)
		}
		// A frozen container cannot change what is being read; where an engine
		// cannot freeze (rootless ones), the archive is merely less consistent.
		_ = b.client.ContainerPause(ctx, b.id)
		res.Changes, res.Skipped, err = b.changes(ctx, cmd.Tree)
		if err != nil && b.dead(ctx) {
			e.lose()
		} else if err != nil {
			return nil, &startedError{fmt.Errorf("the changes could not be copied out: %w", err)}
		}
	}
	if e.lost {
		res.Skipped = []string{"the work tree was lost with the sandbox: nothing is known of its changes"}
	}
	res.Status, res.ExitCode = e.status, e.code
	res.Output, res.Cut = e.output.text()
	return res, nil
}

// errLost says that the connection to the engine broke.
var errLost = errors.New("the Docker engine went away")

// ending is how a command ended.
type ending struct {
	status Status
	code   int
	oom    bool // one of its processes was killed for memory
	lost   bool // the container went with it
	output *output
}

// lose settles the ending of a command that took its container with it: the
// kernel, short of memory, killed the container's own process too, or somebody
// outside did.
func (e *ending) lose() {
	e.lost, e.status, e.code = true, Killed, 128+9
	if e.oom {
		e.status = OutOfMemory
	}
}

// follow starts an exec and follows it to its end, to the time limit or to the
// end of ctx. Its output may end before and after its process does, so the
// engine's event counts, and the output's end only where that will never come.
func (b *box) follow(ctx context.Context, cmd Command, id string) (*ending, error) {
	stream, err := b.client.ContainerExecAttach(ctx, id, container.ExecAttachOptions{})
	if err != nil {
		return nil, err
	}
	e := &ending{status: Exited, output: &output{limit: cmd.Policy.Output, live: cmd.Output}}
	drained := make(chan error, 1)
	go func() {
		_, err := stdcopy.StdCopy(e.output, e.output, stream.Reader)
		drained <- err
	}()
	err = b.await(ctx, id, e, drained)
	if err == nil && e.status != TimedOut {
		select {
		case <-drained:
			stream.Close()
			return e, nil
		case <-time.After(drainTime):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	stream.Close()
	<-drained
	return e, err
}

// await waits for the end of an exec and fills in how it was. When it returns,
// something is still to be read from drained.
func (b *box) await(ctx context.Context, id string, e *ending, drained chan error) error {
	limit := time.NewTimer(b.policy.Time)
	defer limit.Stop()
	ended := (<-chan error)(drained)
	for {
		select {
		case m := <-b.events:
			switch m.Action {
			case events.ActionOOM:
				e.oom = true
			case events.ActionDie:
				// The engine now removes it. Or the engine is ending itself, which
				// shows in the next event that does not come.
				e.lost = true
				limit.Reset(closeTime)
			case events.ActionDestroy:
				e.lose()
				return nil
			case events.ActionExecDie:
				if m.Actor.Attributes["execID"] != id {
					continue
				}
				code, err := strconv.Atoi(m.Actor.Attributes["exitCode"])
				e.code = code
				return err
			}
		case err := <-ended:
			// Put back for the caller; from here on only the events can tell.
			drained <- err
			ended = nil
			exec, err := b.client.ContainerExecInspect(ctx, id)
			if err == nil && !exec.Running && !e.lost {
				e.code = exec.ExitCode
				return nil
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

// oomKills finds the kernel's own count, in cgroups of version 2 and 1.
var oomKills = regexp.MustCompile(`(?m)^oom_kill ([1-9]\d*)$`)

// full finds a file system without free blocks or inodes in what stat prints.
var full = regexp.MustCompile(`(?m)^free (0 \d+|\d+ 0)$`)

// look finds out why a command failed: its exit code alone cannot say that a
// child of it ran out of memory or that the disk was full. Where the sandbox is
// too full to look, what the engine said has to do.
func (b *box) look(ctx context.Context, e *ending) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	text := b.script(ctx, "cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null; stat -f -c 'free %a %d' "+workFolder+" /tmp")
	const sizeExceeded = 128 + 25 // SIGXFSZ: the one file was larger than the disk
	switch {
	case e.oom || oomKills.MatchString(text):
		e.status = OutOfMemory
	case full.MatchString(text) || e.code == sizeExceeded:
		e.status = DiskFull
	case e.code > 128 && e.code <= 128+31:
		e.status = Killed
	}
}

// script runs a script of ours in the container and returns what it printed,
// as far as it got. The keeper runs it, whose processes the command cannot touch.
func (b *box) script(ctx context.Context, script string) string {
	exec, err := b.client.ContainerExecCreate(ctx, b.id, container.ExecOptions{
		User: keeper, AttachStdout: true, Cmd: []string{"/bin/sh", "-c", script}})
	if err != nil {
		return ""
	}
	stream, err := b.client.ContainerExecAttach(ctx, exec.ID, container.ExecAttachOptions{})
	if err != nil {
		return ""
	}
	defer stream.Close()
	defer context.AfterFunc(ctx, stream.Close)()
	var text bytes.Buffer
	_, _ = stdcopy.StdCopy(&text, io.Discard, io.LimitReader(stream.Reader, lookLimit))
	return text.String()
}

// dead reports whether the container has ended by itself.
func (b *box) dead(ctx context.Context) bool {
	c, err := b.client.ContainerInspect(ctx, b.id)
	return errdefs.IsNotFound(err) || err == nil && !c.State.Running
}
