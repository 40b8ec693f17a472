package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"

	"caselsp/sandbox/inside"
)

// need returns a Docker engine with the images of Python and of profiles.
func need(t testing.TB, profiles ...Profile) *DockerEngine {
	t.Helper()
	d, err := Docker(t.Context(), DockerOptions{Workspace: t.Name()})
	if err == nil {
		t.Cleanup(func() { d.Close() })
	}
	for _, p := range append(profiles, Python) { // a test would wait for minutes while one is built
		if err == nil {
			if _, missing := d.client.ImageInspect(t.Context(), ImageTag(p)); missing != nil {
				err = fmt.Errorf("the image %s is missing: make sandbox-image builds it", ImageTag(p))
			}
		}
	}
	if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), "docker") {
		t.Fatalf("docker is required here: %v", err)
	} else if err != nil {
		t.Skipf("needs docker: %v", err)
	}
	return d
}

// begun is a command that says that it runs and then goes on for long.
const begun = "echo begun; sleep 300"

// ownerVariable makes this binary something else than a test, for a test to
// start and perhaps to kill: one of roles.
const ownerVariable = "CASELSP_TEST_OWNER"

var roles = map[string]func() error{
	"docker":        func() error { return asOwner(ownRun) },
	"docker, waits": func() error { return asOwner(ownWait) },
	"docker, all":   func() error { return asOwner(ownAll) },
	"docker, rest":  func() error { return asOwner(ownRest) },
	"docker, far":   farSide,
	"docker, ices":  func() error { return asOwner(ownIces) },
}

func TestMain(m *testing.M) {
	role := roles[os.Getenv(ownerVariable)]
	if role == nil {
		os.Exit(m.Run())
	}
	if err := role(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// vanishTime is how long the engine may take to remove a dead owner's things.
const vanishTime = 30 * time.Second

// vanish waits until nothing is left of what a process made.
func vanish(t *testing.T, d *DockerEngine, pid int) {
	t.Helper()
	if err := d.warm.cool(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), vanishTime)
	defer cancel()
	mine := filters.Arg("label", "caselsp.pid="+strconv.Itoa(pid))
	happened, failed := d.client.Events(ctx, events.ListOptions{Filters: filters.NewArgs(
		filters.Arg("event", string(events.ActionDestroy)), filters.Arg("type", string(events.ContainerEventType)))})
	for {
		left := leftovers(ctx, t, d, mine)
		if len(left) == 0 {
			return
		}
		select {
		case <-happened:
		case err := <-failed:
			t.Fatalf("%q is left of process %d: %v", left, pid, err)
		}
	}
}

func leftovers(ctx context.Context, t *testing.T, d *DockerEngine, mine filters.KeyValuePair) (left []string) {
	t.Helper()
	containers, err := d.client.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(mine)})
	if err != nil {
		t.Fatal(err)
	}
	volumes, err := d.client.VolumeList(ctx, volume.ListOptions{Filters: filters.NewArgs(mine)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range containers {
		left = append(left, "container "+c.State+" "+c.ID)
	}
	networks, err := d.client.NetworkList(ctx, network.ListOptions{Filters: filters.NewArgs(mine)})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range volumes.Volumes {
		left = append(left, "volume "+v.Name)
	}
	for _, n := range networks {
		left = append(left, "network "+n.Name)
	}
	return left
}

func TestDocker(t *testing.T) {
	d := need(t)
	t.Run("first", func(t *testing.T) { conformance(t, d, nil) })
	t.Run("again", func(t *testing.T) { conformance(t, d, nil) }) // in containers that are warm by now
	vanish(t, d, os.Getpid())
}

// TestLimits asks the engine for what it was told. That the limits hold is
// shown by the commands, except for the processors' and the swap's.
func TestLimits(t *testing.T) {
	d := need(t)
	for _, tt := range []struct {
		policy Policy
		want   string
	}{
		{Policy{}, "cpus 1e+09, memory 1073741824, with swap 1073741824, pids 256, network none"},
		{Policy{CPUs: 0.5, Memory: 64 << 20, PIDs: 20}, "cpus 5e+08, memory 67108864, with swap 67108864, pids 20, network none"},
	} {
		cmd, err := Command{Line: "true", Policy: tt.policy}.checked()
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.open(t.Context(), cmd)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.client.ContainerInspect(t.Context(), b.id)
		if err := errors.Join(err, b.close()); err != nil {
			t.Fatal(err)
		}
		h := c.HostConfig
		got := fmt.Sprintf("cpus %.0e, memory %d, with swap %d, pids %d, network %s", float64(h.NanoCPUs), h.Memory, h.MemorySwap, *h.PidsLimit, h.NetworkMode)
		if got != tt.want || h.Privileged || !h.ReadonlyRootfs || !slices.Contains(h.CapDrop, "ALL") || len(h.Binds) > 0 || h.LogConfig.Type != "none" {
			t.Errorf("got %s, want %s; %+v", got, tt.want, h)
		}
	}
	vanish(t, d, os.Getpid())
}

// signal is a writer that says when something was written.
type signal chan struct{}

func (s signal) Write(p []byte) (int, error) {
	select {
	case s <- struct{}{}:
	default:
	}
	return len(p), nil
}

func TestCancel(t *testing.T) {
	d := need(t)
	ctx, cancel := context.WithCancel(t.Context())
	output := make(signal, 1)
	go func() { <-output; cancel() }()
	res, err := d.Run(ctx, Command{Line: begun, Output: output})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", res, err)
	}
	vanish(t, d, os.Getpid())
	if _, err := d.Run(ctx, Command{Line: "true"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run after the end: %v", err)
	}
}

// TestSweep shows that what was left when its owner died is found at the next
// start, and that what may belong to the living is left alone.
func TestSweep(t *testing.T) {
	d := need(t)
	dead := self()
	dead.start = "another boot 1" // a process with our id that is not we
	elsewhere := dead
	elsewhere.place = "another machine"
	for _, tt := range []struct {
		name  string
		owner owner
		kept  bool
	}{{"dead", dead, false}, {"living", self(), true}, {"elsewhere", elsewhere, true}} {
		labels := tt.owner.labels()
		made, err := d.client.ContainerCreate(t.Context(), &container.Config{Image: d.imageOf(Command{}), Cmd: []string{"true"}, Labels: labels}, &container.HostConfig{
			Mounts: []mount.Mount{{Type: mount.TypeVolume, Target: inside.WorkFolder, VolumeOptions: &mount.VolumeOptions{Labels: labels}}},
		}, nil, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		alone, err := d.client.VolumeCreate(t.Context(), volume.CreateOptions{Labels: labels})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.sweep(t.Context()); err != nil {
			t.Error(err)
		}
		_, err = d.client.ContainerInspect(t.Context(), made.ID)
		_, errVolume := d.client.VolumeInspect(t.Context(), alone.Name)
		if (err == nil) != tt.kept || (errVolume == nil) != tt.kept {
			t.Errorf("%s: container %v, volume %v", tt.name, err, errVolume)
		}
		if err := d.remove(context.Background(), made.ID); err != nil {
			t.Error(err)
		}
		if err := d.client.VolumeRemove(context.Background(), alone.Name, true); err != nil && tt.kept {
			t.Error(err)
		}
	}
	vanish(t, d, os.Getpid())
}

func TestBuildImage(t *testing.T) {
	d := need(t)
	built := DockerEngine{client: d.client, warm: newPool(), image: "caselsp-test:" + strconv.Itoa(os.Getpid())}
	base := map[string]string{"BASE": d.imageOf(Command{})}
	var said []string
	progress := func(line string) { said = append(said, line) }
	// On the image itself, so that nothing comes from the network.
	// And different each time: a run that was cut short leaves its steps in the cache.
	recipe := fmt.Sprintf("ARG BASE\nFROM ${BASE}\nUSER 0\nRUN echo working && echo made > /made # %d\n", time.Now().UnixNano())
	if err := built.build(t.Context(), built.image, []byte(recipe), base, progress); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := built.warm.cool(); err != nil {
			t.Error(err)
		}
		if _, err := d.client.ImageRemove(context.Background(), built.image, image.RemoveOptions{Force: true, PruneChildren: true}); err != nil {
			t.Error(err)
		}
	})
	if !slices.Contains(said, "working") {
		t.Errorf("progress: %q", said)
	}
	if err := built.Check(t.Context()); err != nil {
		t.Error(err)
	}
	res, err := built.Run(t.Context(), Command{Line: "cat /made"})
	if err != nil || res.Output != "made\n" {
		t.Errorf("got %+v, %v", res, err)
	}
	older := imageName + ":older-" + strconv.Itoa(os.Getpid())
	if err := d.client.ImageTag(t.Context(), built.image, older); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := d.client.ImageRemove(context.Background(), older, image.RemoveOptions{}); err != nil {
			t.Error(err)
		}
	})
	list, err := d.OlderImages(t.Context())
	tagged := func(tag string) bool { return slices.ContainsFunc(list, func(i Image) bool { return i.Tag == tag }) }
	if err != nil || !tagged(older) || tagged(ImageTag(Python)) || tagged(built.image) {
		t.Errorf("images of other versions: %+v, %v", list, err)
	}
	for _, tt := range []struct{ run, reason, advice string }{
		{"echo the reason; exit 3", "the reason", adviceBuild},
		{"dd if=/dev/zero of=/dev/shm/x bs=1M", "No space left on device", adviceSpace},
	} {
		err = built.build(t.Context(), built.image, []byte("ARG BASE\nFROM ${BASE}\nRUN "+tt.run+"\n"), base, nil)
		if err == nil {
			t.Fatalf("%q can be built", tt.run)
		}
		checkUnavailable(t, tt.run, unbuilt(built.image, err), tt.reason, tt.advice, false)
	}
}
