package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"caselsp/sandbox"
)

// ownEngine is a second Docker engine, the scenario's own, with the sandbox's image
// for Python and nothing else.
type ownEngine struct {
	dir     string // of its sockets; short, for their paths have at most some 100 bytes
	data    string
	mu      sync.Mutex // held while it starts or ends
	process *exec.Cmd
}

// dockerd controls the scenario's own engine.
//
//	dockerd start DIR        starts it on DIR, or again; $DOCKER_HOST leads to it
//	dockerd stop|kill        ends it, as an administrator does or as a crash
//	dockerd stop|kill TEXT   does so when it has sent TEXT, which is no command's line
func dockerd(ts *testscript.TestScript, neg bool, args []string) {
	w := ts.Value(wireKey{}).(*dockerWire)
	signals := map[string]syscall.Signal{"stop": syscall.SIGTERM, "kill": syscall.SIGKILL}
	switch {
	case neg || len(args) == 0 || len(args) > 2:
		ts.Fatalf("usage: dockerd start DIR, dockerd stop [TEXT], dockerd kill [TEXT]")
	case args[0] == "start" && len(args) == 2:
		if w.own == nil {
			w.own = newEngine(ts, args[1])
		}
		ts.Check(w.own.start())
		w.seen = nil
		w.up(ts, "")
	case signals[args[0]] != 0 && w.own != nil && len(args) == 1:
		ts.Check(w.own.end(signals[args[0]]))
	case signals[args[0]] != 0 && w.own != nil:
		w.seen = func() { ts.Check(w.own.end(signals[args[0]])) }
		w.up(ts, args[1])
	default:
		ts.Fatalf("dockerd %q makes no sense now", args)
	}
}

func newEngine(ts *testscript.TestScript, data string) *ownEngine {
	dir, err := os.MkdirTemp("", "dockerd")
	ts.Check(err)
	e := &ownEngine{dir: dir, data: ts.MkAbs(data)}
	ts.Defer(func() {
		// One that was killed has left things that only it removes, at its next start.
		ts.Check(errors.Join(e.start(), e.end(syscall.SIGTERM), os.RemoveAll(dir)))
	})
	ts.Check(e.start())
	save, load := exec.Command("docker", "save", sandbox.ImageTag(sandbox.Python)), exec.Command("docker", "load", "--quiet")
	load.Env = append(os.Environ(), "DOCKER_HOST="+e.host())
	load.Stdin, err = save.StdoutPipe()
	ts.Check(err)
	ts.Check(save.Start())
	said, err := load.CombinedOutput()
	if err := errors.Join(err, save.Wait()); err != nil {
		ts.Fatalf("the image cannot be handed over: %v, %s", err, said)
	}
	return e
}

func (e *ownEngine) host() string { return "unix://" + filepath.Join(e.dir, "s") }

// start starts it and returns when it answers.
func (e *ownEngine) start() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process != nil {
		return nil
	}
	// Without a network of its own it would take the bridge of the machine's engine away.
	e.process = exec.Command("unshare", "--net", "dockerd", "--data-root="+e.data, "--exec-root="+filepath.Join(e.dir, "e"), "--host="+e.host(),
		"--pidfile="+filepath.Join(e.dir, "pid"), "--bridge=none", "--iptables=false")
	for _, file := range []string{"pid", "e/containerd/containerd.pid"} {
		_ = os.Remove(filepath.Join(e.dir, file)) // of one that was killed, whose number may be anybody's
	}
	said, err := e.process.StderrPipe()
	if err == nil {
		err = e.process.Start()
	}
	if err != nil {
		return err
	}
	// It says so when it listens.
	var text strings.Builder
	for buf := make([]byte, 4096); !strings.Contains(text.String(), "API listen on"); {
		n, err := said.Read(buf)
		if text.Write(buf[:n]); err != nil {
			return errors.Join(errors.New("dockerd does not start: "+text.String()), e.process.Wait())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return nil
}

// end ends it and returns when it has ended.
func (e *ownEngine) end(by syscall.Signal) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process == nil {
		return nil
	}
	err := e.process.Process.Signal(by)
	_, _ = e.process.Process.Wait() // that it was ended is no news
	e.process = nil
	return err
}
