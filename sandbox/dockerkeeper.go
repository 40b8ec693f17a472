package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"caselsp/sandbox/inside"
)

const (
	// keeper is the user of the container's own process. The command is another
	// user and so cannot kill it or look into it: the work tree lies in a tmpfs
	// that goes with the container, and a command that kills all it can (kill -9
	// -1) would take its own changes along.
	keeper = "65534:65534"

	// keep is what that process does: it runs the lines that we send until its
	// standard input ends, which it does when this process closes the connection
	// or dies; then the engine removes the container. A resident shell answers in
	// a millisecond or two, an exec takes forty.
	keep = `while IFS= read -r line; do eval "$line"; done`
)

// errSilent says that the keeper did not answer: it has ended, or nothing can be
// started beside it any more.
var errSilent = errors.New("the sandbox's own process does not answer")

// ask runs a script of one line as the keeper, hands what it prints to take, and
// returns its exit code. When ctx ends first, the keeper cannot be asked again.
func (b *box) ask(ctx context.Context, script string, take func(io.Reader) error) (code int, err error) {
	defer context.AfterFunc(ctx, func() { b.said.CloseWithError(ctx.Err()) })()
	if until, ok := ctx.Deadline(); ok {
		_ = b.lease.Conn.SetWriteDeadline(until) // what cannot be set does not hold
	}
	// What a script prints may be anything that the command has made, so its end
	// is marked by something that the command cannot know.
	mark := rand.Text()
	if _, err := fmt.Fprintf(b.lease.Conn, "%s; printf '\\n%%s %%s\\n' %s $?\n", script, mark); err != nil {
		return 0, fmt.Errorf("%w: %w", errSilent, err)
	}
	r := &marked{r: b.answers, mark: []byte("\n" + mark + " ")}
	taken := take(r)
	if _, err := io.Copy(io.Discard, r); err != nil {
		return 0, fmt.Errorf("%w: %w", errSilent, err)
	}
	line, err := b.answers.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSilent, err)
	}
	code, err = strconv.Atoi(strings.TrimSuffix(line, "\n"))
	return code, errors.Join(taken, err)
}

// marked reads up to a mark and takes that, too.
type marked struct {
	r    *bufio.Reader
	mark []byte
	done bool
}

// Read implements io.Reader.
func (m *marked) Read(p []byte) (int, error) {
	if m.done {
		return 0, io.EOF
	}
	if _, err := m.r.Peek(len(m.mark)); err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	window, err := m.r.Peek(m.r.Buffered())
	if err != nil {
		return 0, err
	}
	n := bytes.Index(window, m.mark)
	switch {
	case n == 0:
		m.done = true
		_, _ = m.r.Discard(len(m.mark)) // cannot fail: it is there
		return 0, io.EOF
	case n < 0:
		n = len(window) - len(m.mark) + 1 // the rest may be the mark's beginning
	}
	return m.r.Read(p[:min(n, len(p))])
}

// answered starts to read what the keeper prints.
func (b *box) answered() {
	r, w := io.Pipe()
	b.said, b.answers = r, bufio.NewReader(r)
	go func() {
		_, err := stdcopy.StdCopy(w, io.Discard, b.lease.Reader)
		w.CloseWithError(err)
	}()
}

// condition is what the keeper sees of a container in which nothing should run.
type condition struct {
	left int  // processes that are not the keeper's
	oom  bool // a process was killed for memory
}

// oomKills finds the kernel's own count, in cgroups of version 2 and 1.
var oomKills = regexp.MustCompile(`(?m)^oom_kill ([1-9]\d*)$`)

// The keeper looks around with nothing but what is built into the shell: where
// processes or memory have run out, there is no starting anything.
const lookAround = `for p in /proc/[0-9]*; do [ -O "$p" ] || [ ! -e "$p" ] || echo left; done; ` +
	`for f in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do ` +
	`if [ -r $f ]; then while read -r k v; do echo "$k $v"; done < $f; fi; done`

// look asks the keeper what is left of a command that has ended.
func (b *box) look(ctx context.Context) (c condition, err error) {
	_, err = b.ask(ctx, lookAround, func(r io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(r, lookLimit))
		c.left = bytes.Count(text, []byte("left\n"))
		c.oom = oomKills.Match(text)
		return err
	})
	return c, err
}

// full finds a file system without free blocks or inodes in what stat prints.
var full = regexp.MustCompile(`(?m)^free (0 \d+|\d+ 0)$`)

// filled reports whether the work tree or /tmp is full.
func (b *box) filled(ctx context.Context) (yes bool) {
	_, err := b.ask(ctx, "stat -f -c 'free %a %d' "+inside.WorkFolder+" /tmp", func(r io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(r, lookLimit))
		yes = full.Match(text)
		return err
	})
	return yes && err == nil
}

// isClean says so where a file lies in a place that can be written to, or
// something of System V's, or where a process of the keeper's is left that
// carried the network.
const isClean = `for f in /tmp/* /tmp/.[!.]* /tmp/..?* /dev/shm/* /dev/shm/.[!.]* /dev/shm/..?* /dev/mqueue/* /dev/mqueue/.[!.]* /dev/mqueue/..?*; ` +
	`do if [ -e "$f" ] || [ -L "$f" ]; then echo left; fi; done; ` +
	`for f in /proc/sysvipc/*; do { read -r x; if read -r x; then echo left; fi; } < $f; done; ` +
	`for p in /proc/[0-9]*; do if [ -O "$p" ] && [ "$p" != /proc/1 ] && [ "$p" != "/proc/$$" ]; then echo left; fi; done`

// clean reports whether a run would find nothing of the one before it but the
// work tree.
func (b *box) clean(ctx context.Context) (yes bool, err error) {
	_, err = b.ask(ctx, isClean, func(r io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(r, lookLimit))
		yes = len(text) == 0
		return err
	})
	return yes, err
}

// asUser runs a script of ours as the command's user, when nothing else of that
// user runs any more, and hands what it prints to take.
func (b *box) asUser(ctx context.Context, script string, take func(io.Reader) error) (code int, err error) {
	exec, err := b.client.ContainerExecCreate(ctx, b.id, container.ExecOptions{
		User: b.user(), WorkingDir: "/", AttachStdout: true, Cmd: []string{"/bin/sh", "-c", script}})
	if err != nil {
		return 0, err
	}
	stream, err := b.client.ContainerExecAttach(ctx, exec.ID, container.ExecAttachOptions{})
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	defer context.AfterFunc(ctx, stream.Close)()
	r, w := io.Pipe()
	defer r.Close()
	go func() {
		_, err := stdcopy.StdCopy(w, io.Discard, stream.Reader)
		w.CloseWithError(err)
	}()
	if err := take(r); err != nil {
		return 0, err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return 0, err
	}
	ended, err := b.client.ContainerExecInspect(ctx, exec.ID)
	if err == nil && ended.Running {
		err = errSilent
	}
	return ended.ExitCode, err
}

// kill ends everything that the command has left running.
func (b *box) kill(ctx context.Context) {
	// Whether it worked shows when the keeper looks: the script kills all but
	// itself, and may have been killed by what it was to kill.
	_, _ = b.asUser(ctx, "kill -9 -1", func(io.Reader) error { return nil })
}

func (b *box) user() string { return fmt.Sprintf("%d:%d", b.policy.User, b.policy.User) }
