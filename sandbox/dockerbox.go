package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/client"

	"caselsp/sandbox/inside"
)

const (
	// treeRoot is how an archive names the work tree's folder.
	treeRoot = "workspace"

	// pageSize rounds up what a file takes in a tmpfs.
	pageSize = 4 << 10
)

// box is a running container with a work tree in it.
type box struct {
	client  *client.Client
	engine  *DockerEngine
	id      string
	lease   types.HijackedResponse // the keeper's standard input and output
	said    *io.PipeReader         // what the keeper prints
	answers *bufio.Reader          // the same
	events  <-chan events.Message
	failed  <-chan error
	stop    context.CancelFunc // of the events
	room    int64              // bytes of the work tree's volume
	given   int64              // of these, for the first tree
	policy  Policy
	image   string
	runner  *runner // waits for the next command
	tree    view    // what the last command left
	born    time.Time
	runs    int
	keep    bool   // what is in DepsFolder becomes a layer
	form    string // of the last command, where it was simply pytest's
}

// open makes a container and a runner in it. What it returns without an error
// must be closed.
func (d *DockerEngine) open(ctx context.Context, cmd Command) (*box, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	b := &box{client: d.client, engine: d, policy: cmd.Policy, image: d.imageOf(cmd), keep: cmd.Keep != "", born: time.Now()}
	b.given, b.room = treeRoom(cmd.Tree), roomFor(cmd)
	config, host := d.config(b)
	made, err := d.client.ContainerCreate(ctx, config, host, nil, nil, "")
	if err != nil {
		return nil, err
	}
	b.id = made.ID
	if err = b.start(ctx); err == nil {
		err = b.prepare(ctx, false)
	}
	if err != nil {
		_ = b.close() // the first error says more
		return nil, err
	}
	return b, nil
}

// treeRoom is what a tree takes in a tmpfs.
func treeRoom(tree []File) int64 {
	var sum int64
	for _, f := range tree { // a link takes less than its file, which it may yet become
		sum += (int64(len(f.Data)) + pageSize - 1) / pageSize * pageSize
	}
	return sum
}

// spare is the part of the disk limit by which the room for a work tree may be
// too large: so a container that waits fits the next run, too, whose tree has
// grown or shrunk a little.
const spare = 8

// roomFor is what a new container has for the work tree.
func roomFor(cmd Command) int64 {
	return treeRoom(cmd.Tree) + cmd.Policy.Disk + cmd.Policy.Disk/(2*spare)/pageSize*pageSize
}

// config describes the container. Its own process is the keeper.
func (d *DockerEngine) config(b *box) (*container.Config, *container.HostConfig) {
	p := b.policy
	labels := self().labels()
	mounts := b.mounts(maps.Clone(labels))
	labels["caselsp.workspace"] = d.workspace
	yes := true
	memory := p.Memory + b.given // the tree that the command was given is not its fault
	return &container.Config{
			Image:       b.image,
			Entrypoint:  []string{},
			Cmd:         []string{"/bin/sh", "-c", keep},
			User:        keeper,
			WorkingDir:  "/",
			Hostname:    "sandbox",
			Env:         []string{"HOME=/tmp", "LANG=C.UTF-8"},
			Labels:      labels,
			OpenStdin:   true,
			StdinOnce:   true,
			AttachStdin: true, AttachStdout: true,
		}, &container.HostConfig{
			AutoRemove:     true,
			Init:           &yes,
			NetworkMode:    "none",
			IpcMode:        container.IPCModePrivate,
			ReadonlyRootfs: true,
			CapDrop:        []string{"ALL"},
			SecurityOpt:    append([]string{"no-new-privileges"}, seccompOption()...),
			LogConfig:      container.LogConfig{Type: "none"}, // output goes to us only, never to the engine's disk
			ShmSize:        inside.SharedMemory,
			Tmpfs:          map[string]string{"/tmp": fmt.Sprintf("rw,exec,nosuid,nodev,mode=1777,size=%d", p.Disk)},
			Mounts:         mounts,
			Resources: container.Resources{
				NanoCPUs:   int64(p.CPUs * 1e9),
				Memory:     memory,
				MemorySwap: memory, // without it as much again may be swapped
				PidsLimit:  &p.PIDs,
				Ulimits: []*container.Ulimit{
					{Name: "core", Soft: inside.NoCore, Hard: inside.NoCore},
					{Name: "fsize", Soft: inside.Sparse * b.room, Hard: inside.Sparse * b.room},
				},
			},
		}
}

// mounts are the work tree and, where a layer is made, the folder that becomes
// it. A volume without a name goes with its container; and what is copied into a
// volume arrives, also under a read-only root.
func (b *box) mounts(labels map[string]string) []mount.Mount {
	inMemory := func(target string, size int64) mount.Mount {
		return mount.Mount{Type: mount.TypeVolume, Target: target, VolumeOptions: &mount.VolumeOptions{
			NoCopy: true,
			Labels: labels,
			DriverConfig: &mount.Driver{Name: "local", Options: map[string]string{
				"type":   "tmpfs",
				"device": "tmpfs",
				"o":      fmt.Sprintf("nosuid,nodev,mode=0755,uid=%d,gid=%d,size=%d,nr_inodes=%d", b.policy.User, b.policy.User, size, inside.InodesLimit),
			}},
		}}
	}
	list := []mount.Mount{inMemory(inside.WorkFolder, b.room)}
	if b.keep {
		list = append(list, inMemory(DepsFolder, b.policy.Disk))
	}
	return list
}

// start starts the container. The lease is taken first: from the start on there
// is no moment in which our death would leave it running.
func (b *box) start(ctx context.Context) error {
	// The lease and the events outlive the start's time limit.
	long, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = stop
	// "since" makes the engine repeat what happened before it listened to us.
	b.events, b.failed = b.client.Events(long, events.ListOptions{Since: "1", Filters: filters.NewArgs(
		filters.Arg("container", b.id), filters.Arg("event", string(events.ActionExecDie)),
		filters.Arg("event", string(events.ActionOOM)), filters.Arg("event", string(events.ActionDie)),
		filters.Arg("event", string(events.ActionKill)),
		filters.Arg("event", string(events.ActionDestroy)))})
	var err error
	b.lease, err = b.client.ContainerAttach(ctx, b.id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true})
	if err != nil {
		return err
	}
	b.answered()
	return b.client.ContainerStart(ctx, b.id, container.StartOptions{})
}

// changes copies the tree out and compares it with what went in.
func (b *box) changes(ctx context.Context, tree []File) ([]Change, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	out, _, err := b.client.CopyFromContainer(ctx, b.id, inside.WorkFolder)
	if err != nil {
		return nil, nil, err
	}
	defer out.Close()
	return compareTree(tree, out, treeRoot, 2*inside.Sparse*b.room+archiveSlack)
}

// archiveSlack is for the headers of many small files.
const archiveSlack = 256 << 20

// close removes the container and what belongs to it, also when the caller's
// context has ended.
func (b *box) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := b.engine.remove(ctx, b.id)
	if b.runner != nil {
		b.runner.stream.Close()
	}
	if b.lease.Conn != nil {
		b.lease.Close() // after the removal: else the engine would do it at the same time
	}
	if b.stop != nil {
		b.stop()
	}
	return err
}
