package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/client"
)

func TestSSHArguments(t *testing.T) {
	const usual = "-T -o BatchMode=yes -o ConnectTimeout=10 "
	for host, want := range map[string]string{
		"ssh://far":                            usual + "-- far docker system dial-stdio",
		"ssh://me@far:2222":                    usual + "-l me -p 2222 -- far docker system dial-stdio",
		"ssh://me@far/run/user/1000/docker.so": usual + "-l me -- far docker --host 'unix:///run/user/1000/docker.so' system dial-stdio",
		"ssh://far/$(x)":                       usual + "-- far docker --host 'unix:///$(x)' system dial-stdio",
		"ssh://":                               "it names no host",
		"ssh://-oProxyCommand=x":               "it names no host",
		"ssh://-x@far":                         "it names no host",
		"ssh://me:secret@far":                  "it holds a password, and ssh takes none from an address",
		"ssh://far?x=1":                        "it has more than a user, a host, a port and a path",
	} {
		args, err := sshArguments(host)
		got := strings.Join(args, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}

// farSide is what ssh starts on the other machine: `docker system dial-stdio`.
func farSide() error {
	c, err := client.NewClientWithOpts(client.FromEnv)
	if err != nil {
		return err
	}
	far, err := c.Dialer()(context.Background())
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(far, os.Stdin)
		if half, ok := far.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	_, err = io.Copy(os.Stdout, far)
	return err
}

// TestSSH runs commands in an engine behind an ssh of the test's own, which finds
// the far machine here.
func TestSSH(t *testing.T) {
	need(t)
	bin := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ssh := "#!/bin/sh\nif [ \"$9\" = lost ]; then echo 'Permission denied (publickey).' >&2; exit 255; fi\n" +
		ownerVariable + "='docker, far' exec '" + program + "'\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(ssh), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	d, err := Docker(t.Context(), DockerOptions{Host: "ssh://me@far", Workspace: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, line := range []string{"cat a; echo new > b", "cat a; ls"} { // in a new container, and in the same
		res, err := d.Run(t.Context(), Command{Line: line, Tree: []File{{Path: "a", Mode: 0o644, Data: []byte("x\n")}}})
		if err != nil || !res.OK() || !strings.HasPrefix(res.Output, "x\n") {
			t.Errorf("%s: %+v, %v", line, res, err)
		}
	}
	vanish(t, d, os.Getpid())
	_, err = Docker(t.Context(), DockerOptions{Host: "ssh://me@lost"})
	var u *Unavailable
	if !errors.As(err, &u) || !strings.Contains(u.Reason, "Permission denied (publickey).") || u.Advice != adviceSSH {
		t.Errorf("refused: %v", err)
	}
}
