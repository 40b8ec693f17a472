package sandbox

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// host is what a command may try to reach, and the proof that it did not.
type host struct {
	mark    string // occurs wherever the command had its hands
	dir     string
	secret  string // content of a file that everybody on the host may read
	port    int
	calls   atomic.Int64
	clock   time.Time
	sockets string // the abstract one
}

// attempts is the module that the abuse cases share.
//
//go:embed testdata/abuse/attempt.py
var attempts []byte

// newHost puts up a file to read and to write, and sockets to call.
func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{mark: "mark" + rand.Text(), secret: "secret" + rand.Text(), dir: t.TempDir(), clock: time.Now()}
	h.sockets = "@" + h.mark
	if err := os.WriteFile(filepath.Join(h.dir, "secret"), []byte(h.secret), 0o666); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	h.port = tcp.Addr().(*net.TCPAddr).Port
	h.answer(t, tcp)
	for _, address := range []string{filepath.Join(h.dir, "s"), h.sockets} {
		if l, err := net.Listen("unix", address); err == nil { // no abstract ones on other systems
			h.answer(t, l)
		}
	}
	return h
}

func (h *host) answer(t *testing.T, l net.Listener) {
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h.calls.Add(1)
			c.Close()
		}
	}()
}

// equip tells the command where the host is, as no attacker is ever told.
func (h *host) equip(cmd *Command) {
	here, _ := os.Getwd() // empty: one thing less to attack
	cmd.Env = append(slices.Clone(cmd.Env), "MARK="+h.mark, "HOST_DIR="+h.dir, "HOST_PORT="+strconv.Itoa(h.port),
		"HOST_SOCKET="+h.sockets, "HOST_ADDRESS="+address(), "HOST_TREE="+here, "HOST_PID="+strconv.Itoa(os.Getpid()), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Tree = append(slices.Clone(cmd.Tree), File{Path: "attempt.py", Mode: 0o644, Data: attempts})
}

// address returns one of the host's addresses besides the loopback, or that.
func address() string {
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return "127.0.0.1"
}

// intact reports everything on the host that a command reached.
func (h *host) intact(t *testing.T, res *Result) {
	t.Helper()
	if strings.Contains(res.Output, h.secret) {
		t.Errorf("the command read a file of the host")
	}
	if data, err := os.ReadFile(filepath.Join(h.dir, "secret")); err != nil || string(data) != h.secret {
		t.Errorf("the command changed a file of the host: %q, %v", data, err)
	}
	if n := h.calls.Load(); n > 0 {
		t.Errorf("the command called a socket of the host %d times", n)
	}
	if wall, real := time.Now().Round(0).Sub(h.clock.Round(0)), time.Since(h.clock); (wall - real).Abs() > time.Second {
		t.Errorf("the host's clock went wrong by %v", wall-real)
	}
	for _, dir := range []string{h.dir, os.TempDir(), "/dev/shm", "/var/tmp", "/"} {
		entries, _ := os.ReadDir(dir) // what cannot be read was not written either
		for _, e := range entries {
			if strings.Contains(e.Name(), h.mark) || dir == h.dir && e.Name() != "secret" && e.Name() != "s" {
				t.Errorf("%s lies on the host, in %s", e.Name(), dir)
			}
		}
	}
	for _, file := range []string{"/proc/self/mountinfo", "/proc/keys", "/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern"} {
		if text, _ := os.ReadFile(file); bytes.Contains(text, []byte(h.mark)) {
			t.Errorf("%s holds what the command wrote", file)
		}
	}
	h.alone(t)
	if err := exec.Command(os.Args[0], "-test.list=^$").Run(); err != nil {
		t.Errorf("the host cannot start programs any more: %v", err)
	}
}

// alone reports processes that outlived the command. It sees those of other
// users only where it may: as root.
func (h *host) alone(t *testing.T) {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range environments {
		if text, _ := os.ReadFile(file); bytes.Contains(text, []byte(h.mark)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			t.Errorf("a process outlived the command: %q", line)
		}
	}
}

// git does with the changes what a user does next. A repository's configuration
// that came along would leave its mark.
func (h *host) git(t *testing.T, changes []Change) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		return // what came back is compared anyway
	}
	dir := t.TempDir()
	for _, c := range changes {
		path := filepath.Join(dir, filepath.FromSlash(c.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, c.Data, c.Mode); err != nil {
			t.Fatal(err)
		}
	}
	folders := []string{dir}
	for _, c := range changes {
		folders = append(folders, filepath.Dir(filepath.Join(dir, filepath.FromSlash(c.Path))))
	}
	for i, folder := range folders {
		args := []string{"status"}
		if i == 0 {
			args = []string{"init", "-q"}
		}
		git := exec.Command(program, args...)
		git.Dir = folder
		git.Env = append(os.Environ(), "MARK="+filepath.Join(h.dir, "executed"))
		if out, err := git.CombinedOutput(); err != nil {
			t.Errorf("git %q: %v, %s", args, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(h.dir, "executed")); err == nil {
		t.Errorf("git ran what the command had planted: %s", fmt.Sprint(changes))
	}
}
