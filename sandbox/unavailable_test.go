package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
)

// checkUnavailable reports whether err is an *Unavailable that says why and what to do.
func checkUnavailable(t *testing.T, name string, err error, reason, advice string, started bool) {
	t.Helper()
	var u *Unavailable
	if !errors.As(err, &u) {
		t.Errorf("%s: got %v, want an *Unavailable", name, err)
		return
	}
	if !strings.Contains(u.Reason, reason) || u.Advice != advice || u.Started != started {
		t.Errorf("%s:\n got %q, %q, started %v\nwant %q, %q, started %v", name, u.Reason, u.Advice, u.Started, reason, advice, started)
	}
}

// socketFolder is short: the path of a socket has at most some 100 bytes.
func socketFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "docker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestUnavailable(t *testing.T) {
	dir := socketFolder(t)
	deserted := filepath.Join(dir, "deserted")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: deserted})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	for _, tt := range []struct{ name, host, reason, advice string }{
		{"no socket", "unix://" + dir + "/none", "no Docker engine answers at unix://" + dir + "/none", adviceStart},
		{"nobody listens", "unix://" + deserted, "no Docker engine answers at unix://" + deserted, adviceStart},
		{"nobody at the port", "tcp://127.0.0.1:1", "no Docker engine answers at tcp://127.0.0.1:1", adviceStart},
	} {
		_, err := Docker(t.Context(), DockerOptions{Host: tt.host})
		checkUnavailable(t, tt.name, err, tt.reason, tt.advice, false)
	}
	forbidden := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EACCES)}
	}
	_, err = connect(t.Context(), DockerOptions{}, client.WithDialContext(forbidden))
	checkUnavailable(t, "no permission", err, "may not be used by this user", advicePermission, false)
	_, err = Docker(t.Context(), DockerOptions{Host: "ssh://me:secret@far"})
	var u *Unavailable
	if !errors.As(err, &u) || !strings.Contains(u.Reason, "password") {
		t.Errorf("ssh: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Docker(ctx, DockerOptions{Host: "unix://" + dir + "/none"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSuits shows that an engine which would promise less than it is asked for
// is refused.
func TestSuits(t *testing.T) {
	good := system.Info{OSType: "linux", MemoryLimit: true, CPUCfsQuota: true, PidsLimit: true, SecurityOptions: []string{"name=apparmor", "name=seccomp,profile=default"}}
	for _, tt := range []struct {
		want  string
		spoil func(*system.Info)
	}{
		{"", func(*system.Info) {}},
		{"", func(i *system.Info) { i.SwapLimit = false }},
		{"this engine lacks Linux containers", func(i *system.Info) { i.OSType = "windows" }},
		{"this engine lacks a limit on memory, a limit on processes", func(i *system.Info) { i.MemoryLimit, i.PidsLimit = false, false }},
		{"this engine lacks a limit on processors", func(i *system.Info) { i.CPUCfsQuota = false }},
		{"this engine lacks seccomp for containers", func(i *system.Info) { i.SecurityOptions = []string{"name=apparmor"} }},
	} {
		info := good
		tt.spoil(&info)
		err := suits(info)
		var u *Unavailable
		if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, &u) || u.Reason != tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

func TestImageMissing(t *testing.T) {
	d := DockerEngine{client: need(t).client, warm: newPool(), image: "caselsp-none:none"}
	const reason = "its image caselsp-none:none is missing"
	checkUnavailable(t, "check", d.Check(t.Context()), reason, adviceImage, false)
	_, err := d.Run(t.Context(), Command{Line: "true"})
	checkUnavailable(t, "run", err, reason, adviceImage, false)
}

// TestEngineLost puts a connection that can be cut between us and the engine.
func TestEngineLost(t *testing.T) {
	d := need(t)
	path := filepath.Join(socketFolder(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	cut, stop := context.WithCancel(t.Context())
	var open sync.WaitGroup
	open.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { join(cut, near, d.client) })
		}
	})
	far, err := Docker(t.Context(), DockerOptions{Host: "unix://" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	output := make(signal, 1)
	go func() { <-output; l.Close(); stop() }()
	_, err = far.Run(t.Context(), Command{Line: begun, Output: output})
	checkUnavailable(t, "lost", err, "after the command was started", adviceStart, true)
	open.Wait()
	vanish(t, d, os.Getpid())
}

// TestEndedOutside shows that a command whose container somebody else ends is not
// taken for one that was killed: what it would have said is not known.
func TestEndedOutside(t *testing.T) {
	d := need(t)
	output := make(signal, 1)
	go func() {
		<-output
		list, err := d.client.ContainerList(t.Context(), container.ListOptions{Filters: filters.NewArgs(madeBy(os.Getpid()))})
		for _, c := range list {
			err = errors.Join(err, d.client.ContainerKill(t.Context(), c.ID, "TERM")) // as an engine does that is stopped
		}
		if err != nil {
			t.Error(err)
		}
	}()
	_, err := d.Run(t.Context(), Command{Line: begun, Output: output})
	checkUnavailable(t, "ended outside", err, "Docker was stopped, or somebody ended", adviceStart, true)
	vanish(t, d, os.Getpid())
}

// join connects near with the engine until ctx ends.
func join(ctx context.Context, near net.Conn, engine *client.Client) {
	defer near.Close()
	far, err := engine.Dialer()(ctx)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() { near.Close(); far.Close() })()
	var sides sync.WaitGroup
	copySide := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}
	sides.Go(func() { copySide(far, near) })
	sides.Go(func() { copySide(near, far) })
	sides.Wait()
}

// TestDockerHost shows which engine is meant, as the docker command has it.
func TestDockerHost(t *testing.T) {
	dir := t.TempDir()
	write := func(path string, content any) {
		t.Helper()
		text, err := json.Marshal(content)
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	endpoint := func(host string) any {
		return map[string]any{"Endpoints": map[string]any{"docker": map[string]any{"Host": host}}}
	}
	write("config.json", map[string]any{"currentContext": "near"})
	// The folders are the SHA-256 of "near", "far" and "broken".
	write("contexts/meta/"+nearSum+"/meta.json", endpoint("unix:///near.sock"))
	write("contexts/meta/"+farSum+"/meta.json", endpoint("tcp://192.0.2.1:2375"))
	write("contexts/meta/"+brokenSum+"/meta.json", "?")
	for _, tt := range []struct{ name, option, host, context, config, want string }{
		{"nothing is set", "", "", "", "/nonexistent", client.DefaultDockerHost},
		{"current context", "", "", "", dir, "unix:///near.sock"},
		{"DOCKER_CONTEXT", "", "", "far", dir, "tcp://192.0.2.1:2375"},
		{"the default context", "", "", "default", dir, client.DefaultDockerHost},
		{"DOCKER_HOST wins", "", "unix:///host.sock", "far", dir, "unix:///host.sock"},
		{"the option wins", "unix:///option.sock", "unix:///host.sock", "far", dir, "unix:///option.sock"},
		{"no such context", "", "", "none", dir, ""},
		{"a broken context", "", "", "broken", dir, ""},
	} {
		t.Setenv("DOCKER_HOST", tt.host)
		t.Setenv("DOCKER_CONTEXT", tt.context)
		t.Setenv("DOCKER_CONFIG", tt.config)
		settings, err := clientSettings(tt.option)
		if tt.want == "" {
			var u *Unavailable
			if !errors.As(err, &u) || !strings.Contains(u.Reason, tt.context) {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		c, errClient := client.NewClientWithOpts(settings...)
		if err != nil || errClient != nil {
			t.Errorf("%s: %v, %v", tt.name, err, errClient)
		} else if c.DaemonHost() != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, c.DaemonHost(), tt.want)
		}
	}
}

const (
	nearSum   = "46ba34770bccfde756708d47d83fb7c8257fe8a4b3a35f25d385a8284021f476"
	farSum    = "512eea46ceb3921dff4363c7069d89d4964d1d9fccaa0f411851a7aa60a5c868"
	brokenSum = "f526795c95399cea27c055c842c3d6ab018ed0fa4f66f701c28ab22dec28237b"
)
