package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
)

// DockerOptions says which engine to use and for whom. The zero value is what
// Docker's own settings say, and the bundled image.
type DockerOptions struct {
	Host      string // as in DOCKER_HOST; empty: DOCKER_HOST, DOCKER_CONTEXT, the current context, the usual socket
	Image     string // of every profile; empty: [ImageTag] of each
	Workspace string // labels the containers, for people who look at docker ps
}

// DockerEngine runs commands in containers. One that has done its work waits for
// the next command of its kind, so that this starts at once; no two commands are
// ever in one container at a time, and none finds anything of another. All
// containers die with this process, whatever kills it, and leave nothing behind.
type DockerEngine struct {
	client    *client.Client
	warm      *pool
	image     string // of every profile; empty: the bundled ones
	workspace string
	building  sync.Mutex // held while an image is built
}

// Times within which a daemon that is alive answers. They bound what the user
// waits for in vain; a busy laptop starts a container in a second or two. A machine with ten times
// the work that it can do has taken more than five seconds for a ping.
const (
	pingTime  = 20 * time.Second
	startTime = 60 * time.Second
	copyTime  = 2 * time.Minute // 1 GiB of tree, or of changes
	closeTime = 20 * time.Second
)

// Docker connects to a Docker engine and removes what earlier processes of this
// machine may have left there. It returns an *Unavailable where no engine
// answers. The bundled images need not be there yet: the first command
// that needs one builds it.
func Docker(ctx context.Context, opts DockerOptions) (*DockerEngine, error) {
	settings, err := clientSettings(opts.Host)
	if err != nil {
		return nil, err
	}
	return connect(ctx, opts, settings...)
}

func connect(ctx context.Context, opts DockerOptions, settings ...client.Opt) (*DockerEngine, error) {
	settings = append(settings, client.WithAPIVersionNegotiation())
	c, err := client.NewClientWithOpts(settings...)
	if err != nil {
		return nil, &Unavailable{Engine: "docker", Reason: err.Error(), Err: err,
			Advice: "Correct DOCKER_HOST or the Docker context; `docker context ls` shows them"}
	}
	d := &DockerEngine{client: c, warm: newPool(), image: opts.Image, workspace: opts.Workspace}
	ping, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	info, err := c.Info(ping)
	if err == nil {
		err = suits(info)
	}
	if err == nil {
		err = d.sweep(ctx)
	}
	if err != nil {
		_ = c.Close()
		return nil, d.explain(ctx, err)
	}
	return d, nil
}

// suits reports whether an engine can give what Run promises: nil, or an
// *Unavailable. An engine that cannot limit memory (a rootless one on an old
// kernel) takes the limit and ignores it, so asking first is the only way to
// know. A kernel that cannot count swap is accepted: many cannot, and the memory
// itself is limited anyway.
func suits(info system.Info) error {
	var missing []string
	for what, ok := range map[string]bool{
		"Linux containers":       info.OSType == "linux",
		"a limit on memory":      info.MemoryLimit,
		"a limit on processors":  info.CPUCfsQuota,
		"a limit on processes":   info.PidsLimit,
		"seccomp for containers": slices.ContainsFunc(info.SecurityOptions, func(s string) bool { return strings.HasPrefix(s, "name=seccomp") }),
	} {
		if !ok {
			missing = append(missing, what)
		}
	}
	if missing == nil {
		return nil
	}
	slices.Sort(missing)
	return &Unavailable{Engine: "docker", Reason: "this engine lacks " + strings.Join(missing, ", "),
		Advice: "Use an engine with cgroups and seccomp: a rootless one needs cgroups of version 2, Docker Desktop on Windows needs Linux containers"}
}

// Close removes the containers that wait and lets go of the connections. Runs
// that are under way fail.
func (d *DockerEngine) Close() error {
	return errors.Join(d.warm.close(), d.client.Close())
}

// String is the engine's name for users.
func (d *DockerEngine) String() string { return "Docker" }

// Check reports whether commands can be run now, some perhaps after their image
// was built: nil, or an *Unavailable.
func (d *DockerEngine) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	var err error
	if d.image != "" {
		_, err = d.client.ImageInspect(ctx, d.image)
	} else {
		_, err = d.client.Ping(ctx)
	}
	if err != nil {
		return d.explain(ctx, err)
	}
	return nil
}

// Run implements Engine.
func (d *DockerEngine) Run(ctx context.Context, cmd Command) (*Result, error) {
	cmd, err := cmd.checked()
	if err != nil {
		return nil, err
	}
	if b := d.warm.take(ctx, d.keyOf(cmd), cmd); b != nil {
		res, err := d.runIn(ctx, b, cmd)
		var unbegun *unbegunError
		if ctx.Err() != nil || !errors.As(err, &unbegun) {
			return res, d.explain(ctx, err)
		}
	}
	if err := d.ensure(ctx, cmd); err != nil {
		return nil, d.explain(ctx, err)
	}
	b, err := d.open(ctx, cmd)
	if err != nil {
		return nil, d.explain(ctx, err)
	}
	res, err := d.runIn(ctx, b, cmd)
	return res, d.explain(ctx, err)
}

// runIn runs the command in a container and keeps that for the next one, or
// removes it.
func (d *DockerEngine) runIn(ctx context.Context, b *box, cmd Command) (*Result, error) {
	res, sound, err := b.run(ctx, cmd)
	if err == nil && cmd.Keep != "" {
		if err = b.keepLayer(ctx, cmd, res); err != nil {
			err = &startedError{fmt.Errorf("the dependencies could not be kept: %w", err)}
		}
	} else if err == nil && sound && d.warm.keep(b, d.keyOf(cmd)) {
		return res, nil
	}
	closed := b.close()
	if err != nil {
		return nil, err
	}
	if closed != nil {
		return nil, &startedError{fmt.Errorf("the container could not be removed: %w", closed)}
	}
	return res, nil
}

// startedError marks what went wrong after the command was started.
type startedError struct{ err error }

func (e *startedError) Error() string { return e.err.Error() }
func (e *startedError) Unwrap() error { return e.err }

// What to do about the usual reasons for which there is no sandbox.
const (
	adviceStart = "Install Docker (https://docs.docker.com/get-docker/) or start it (`sudo systemctl start docker`, or Docker Desktop); " +
		"an engine elsewhere is named by DOCKER_HOST or `docker context use`"
	advicePermission = "Add yourself to the socket's group (`sudo usermod -aG docker $USER`, then log in again), or set DOCKER_HOST to a rootless engine's socket"
	adviceImage      = "Get it (`docker pull`), or leave sandbox.image out to have the bundled image built"
	adviceBuild      = "See that the engine reaches the network, then try `caselsp doctor --build-image`, which also builds on another base (--base)"
	adviceSSH        = "See that `ssh HOST docker version` works without a question: with a key that an agent holds, and a host that is known"
	adviceSpace      = "Free some space in Docker's folder: `docker system df` shows what takes it. `docker image prune -a --filter label=" + layerLabel + "` removes only what caselsp has installed for tests, and installs again"
	adviceDoctor     = "See whether `docker run --rm hello-world` works, then try again"
)

// explain turns what the client says into an *Unavailable with what to do. The
// end of the caller's own context is no fault of the engine.
func (d *DockerEngine) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *Unavailable
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, ErrNoLayer) {
		return err
	}
	var started *startedError
	u := &Unavailable{Engine: "docker", Started: errors.As(err, &started), Err: err}
	host, text := d.client.DaemonHost(), err.Error()
	switch {
	case errors.Is(err, fs.ErrPermission) || strings.Contains(text, "permission denied while trying to connect"):
		u.Reason, u.Advice = "the Docker socket at "+host+" may not be used by this user", advicePermission
	case errors.Is(err, errSSH):
		u.Reason, u.Advice = text[max(0, strings.Index(text, errSSH.Error())):], adviceSSH
	case errors.Is(err, errLost) || errors.Is(err, errOutside):
		u.Reason, u.Advice = text, adviceStart
	case client.IsErrConnectionFailed(err):
		u.Reason, u.Advice = "no Docker engine answers at "+host, adviceStart
		if u.Started {
			u.Reason = "the Docker engine went away: " + u.Reason
		}
	case errors.Is(err, context.DeadlineExceeded):
		u.Reason, u.Advice = "the Docker engine at "+host+" does not answer in time", adviceStart
	case errdefs.IsNotFound(err) && strings.Contains(strings.ToLower(text), "no such image"):
		u.Reason, u.Advice = "its image "+text[strings.LastIndexByte(text, ' ')+1:]+" is missing", adviceImage
	case strings.Contains(text, "no space left on device"):
		u.Reason, u.Advice = "Docker's disk is full ("+text+")", adviceSpace
	default:
		u.Reason, u.Advice = text, adviceDoctor
	}
	if u.Started {
		u.Reason += ", after the command was started"
	}
	return u
}
