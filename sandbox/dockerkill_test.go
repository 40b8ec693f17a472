package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
)

// asOwner does something with an engine of its own.
func asOwner(act func(context.Context, *DockerEngine) error) error {
	d, err := Docker(context.Background(), DockerOptions{Workspace: "owner"})
	if err == nil {
		err = act(context.Background(), d)
	}
	if err == nil {
		err = d.Close()
	}
	return err
}

// ownRun runs a command until it is killed.
func ownRun(ctx context.Context, d *DockerEngine) error {
	_, err := d.Run(ctx, Command{Line: begun, Output: os.Stdout})
	return errors.Join(err, errors.New("the owner was to be killed"))
}

// ownWait has a container that waits for its next command, until it is killed.
func ownWait(ctx context.Context, d *DockerEngine) error {
	_, err := d.Run(ctx, Command{Line: "true"})
	if err != nil || waits(d) == "" {
		return fmt.Errorf("no container waits: %w", err)
	}
	fmt.Println("begun")
	_, _ = io.Copy(io.Discard, os.Stdin) // of the test
	return errors.New("the owner was to be killed")
}

// ownAll does everything that an engine does: a run in a new container, one in
// the same, one that is given up, and the end.
func ownAll(ctx context.Context, d *DockerEngine) error {
	tree := []File{{Path: "a/b", Mode: 0o644, Data: []byte("x")}}
	_, err1 := d.Run(ctx, Command{Line: "echo changed > a/b", Tree: tree})
	_, err2 := d.Run(ctx, Command{Line: "cat a/b; echo new > c", Tree: tree})
	_, err3 := d.Run(ctx, Command{Line: "sleep 300", Policy: Policy{Time: 200 * time.Millisecond}})
	return errors.Join(err1, err2, err3)
}

// ownRest does what else an engine does: a run that may reach a host, a layer that
// is made, an image that is built.
func ownRest(ctx context.Context, d *DockerEngine) error {
	_, err1 := d.Run(ctx, Command{Line: "true", Policy: Policy{Hosts: []string{"example.org"}}})
	_, err2 := d.Run(ctx, Command{Line: "echo x > " + DepsFolder + "/x", Keep: ownKey})
	label := "LABEL " + madeBy(os.Getpid()).Value
	recipe := "ARG BASE\nFROM ${BASE}\n" + label + "\nRUN sleep 0.2; echo " + rand.Text() + "\n" // which no cache holds
	err3 := d.build(ctx, ownTag, []byte(recipe), map[string]string{"BASE": ImageTag(Python)}, nil)
	return errors.Join(err1, err2, err3)
}

// ownIces has a container frozen while much is copied out of it.
func ownIces(ctx context.Context, d *DockerEngine) error {
	_, err := d.Run(ctx, Command{Line: "head -c 400M /dev/zero > x; echo begun; sleep 300", Output: os.Stdout, Policy: Policy{Time: 2 * time.Second}})
	return err
}

// TestOwnerKilledWhileFrozen shows that a container which cannot notice its owner's
// death goes when somebody sweeps.
func TestOwnerKilledWhileFrozen(t *testing.T) {
	d := need(t)
	cmd, _, _ := startOwner(t, "docker, ices", "")
	pid := cmd.Process.Pid
	frozen, failed := d.client.Events(t.Context(), events.ListOptions{Since: "1", Filters: filters.NewArgs(madeBy(pid), filters.Arg("event", string(events.ActionPause)))})
	var id string
	select {
	case m := <-frozen:
		id = m.Actor.ID
	case err := <-failed:
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // says that it was killed
	if c, err := d.client.ContainerInspect(t.Context(), id); err != nil || !c.State.Paused {
		t.Errorf("the container is not frozen: %v", err)
	}
	if err := SweepDocker(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := leftovers(t.Context(), t, d, madeBy(pid)); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// What ownRest leaves on purpose.
const (
	ownKey = "0123456789abcdef01234567"
	ownTag = "caselsp-test:owner"
)

// startOwner starts an owner.
func startOwner(t *testing.T, what, engine string) (cmd *exec.Cmd, stdout io.Reader, stderr *bytes.Buffer) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stderr = new(bytes.Buffer)
	cmd = exec.Command(program)
	cmd.Env = append(os.Environ(), ownerVariable+"="+what)
	if engine != "" {
		cmd.Env = append(cmd.Env, "DOCKER_HOST="+engine)
	}
	cmd.Stderr = stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if stdout, err = cmd.StdoutPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, stdout, stderr
}

func madeBy(pid int) filters.KeyValuePair {
	return filters.Arg("label", "caselsp.pid="+strconv.Itoa(pid))
}

// TestOwnerKilled shows that containers go with their owner, the one that runs a
// command and the one that waits for the next, without anybody's help.
func TestOwnerKilled(t *testing.T) {
	d := need(t)
	for _, what := range []string{"docker", "docker, waits"} {
		cmd, stdout, stderr := startOwner(t, what, "")
		if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "begun\n" {
			t.Fatalf("the owner said %q, %v; %s", line, err, stderr)
		}
		pid := cmd.Process.Pid
		if left := leftovers(t.Context(), t, d, madeBy(pid)); len(left) != 2 {
			t.Errorf("%s: while it lives there are %q, want a container and a volume", what, left)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // says that it was killed
		other := self()
		other.pid = pid
		if !other.gone() || self().gone() {
			t.Errorf("the dead owner is gone: %v, we are gone: %v", other.gone(), self().gone())
		}
		vanish(t, d, pid)
	}
}

// TestOwnerKilledAnywhere kills an owner behind each message that it sends to
// the engine, in one life after the other. After the next start nothing is left.
func TestOwnerKilledAnywhere(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"docker, all", "docker, rest"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			killAnywhere(t, what)
		})
	}
}

func killAnywhere(t *testing.T, what string) {
	t.Helper()
	d := need(t)
	t.Cleanup(func() {
		for _, tag := range []string{layerTag(ownKey), ownTag} {
			_, _ = d.client.ImageRemove(context.Background(), tag, image.RemoveOptions{Force: true, PruneChildren: true})
		}
	})
	const lives = 100 // some 40 messages are sent
	for n := 1; ; n++ {
		if n > lives {
			t.Fatalf("the owner is not done after %d messages", lives)
		}
		pid, killed := killBehind(t, d.client, what, n)
		for ctx := t.Context(); len(leftovers(ctx, t, d, madeBy(pid))) > 0; {
			// What the engine was making when its owner died comes into being all the
			// same; a start finds it.
			again, err := Docker(ctx, DockerOptions{})
			if err == nil {
				err = again.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !killed {
			t.Logf("%d messages", n-1)
			return
		}
	}
}

// killBehind runs an owner and kills it when it has sent its nth message, or
// reports that it ended by itself before.
func killBehind(t *testing.T, engine *client.Client, what string, n int) (pid int, killed bool) {
	t.Helper()
	path := filepath.Join(socketFolder(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	cut, stop := context.WithCancel(t.Context())
	count := &countdown{n: n, over: make(chan struct{})}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { join(cut, &counted{Conn: near, count: count}, engine) })
		}
	})
	cmd, _, stderr := startOwner(t, what, "unix://"+path)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-count.over:
		killed = true
		_ = cmd.Process.Kill() // may be too late
		<-ended
	case err := <-ended:
		if err != nil {
			t.Errorf("the owner: %v, %s", err, strings.TrimSpace(stderr.String()))
		}
	}
	l.Close()
	stop()
	open.Wait()
	return cmd.Process.Pid, killed
}

// countdown says when something has happened n times.
type countdown struct {
	mu   sync.Mutex
	n    int
	over chan struct{}
}

func (c *countdown) down() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		close(c.over)
	}
}

// counted counts what is read from a connection, when the next is waited for:
// what came before has been passed on then.
type counted struct {
	net.Conn
	count *countdown
	some  bool
}

func (c *counted) Read(p []byte) (int, error) {
	if c.some {
		c.count.down()
	}
	n, err := c.Conn.Read(p)
	c.some = n > 0
	return n, err
}
