package sandbox

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// waits returns the id of the container that waits for the next command, or "".
func waits(d *DockerEngine) string {
	for _, w := range d.warm.waiting {
		if <-w.done; w.sound {
			return w.box.id
		}
	}
	return ""
}

// TestWarm shows which container serves the next command, and which is thrown away.
func TestWarm(t *testing.T) {
	d := need(t)
	private := []File{{Path: "private/key", Mode: 0o600, Data: []byte("k")}}
	for _, tt := range []struct {
		name string
		kept bool
		cmd  Command
	}{
		{"nothing", true, Command{Line: "true"}},
		{"a failure", true, Command{Line: "exit 3"}},
		{"changes", true, Command{Line: "echo x > new; mkdir -p a/b; ln -s / link; mkfifo pipe"}},
		{"files of its own", true, Command{Line: "umask 077; mkdir mine; echo x > mine/x; cat private/key", Tree: private}},
		{"leftovers elsewhere", true, Command{Line: "echo x > /tmp/x; mkdir -m 0 /tmp/y; echo x > /dev/shm/x"}},
		{"a child in the background", true, Command{Line: "sleep 300 & sleep 300 >/dev/null 2>&1 &"}},
		{"a larger tree", true, Command{Line: "true", Tree: []File{{Path: "x", Mode: 0o644, Data: make([]byte, 1<<20)}}}},
		{"what nobody may read", false, Command{Line: "mkdir -m 0 closed"}},
		{"a signal", false, Command{Line: "kill -9 $$"}},
		{"a full disk", false, Command{Line: "head -c 800M /dev/zero > /tmp/x", Policy: Policy{Disk: 1 << 20}}},
		{"no memory", false, Command{Line: "python3 -c 'x = b\"x\" * (200 << 20)' || true", Policy: Policy{Memory: 64 << 20}}},
		{"no time", false, Command{Line: "sleep 300", Policy: Policy{Time: 300 * time.Millisecond}}},
	} {
		if err := d.warm.cool(); err != nil {
			t.Fatal(err)
		}
		first := tt.cmd
		first.Line = "true"
		if res, err := d.Run(t.Context(), first); err != nil || !res.OK() {
			t.Fatalf("%s: %+v, %v", tt.name, res, err)
		}
		before := waits(d)
		if _, err := d.Run(t.Context(), tt.cmd); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		after := waits(d)
		if before == "" || tt.kept && after != before || !tt.kept && after != "" {
			t.Errorf("%s: %q waited before it, %q after it, want kept: %v", tt.name, before, after, tt.kept)
		}
	}
	vanish(t, d, os.Getpid())
}

// TestWarmIsQuiet shows why a container that waits need not be frozen: nothing in
// it is anybody's but ours, and all of that sleeps.
func TestWarmIsQuiet(t *testing.T) {
	d := need(t)
	if _, err := d.Run(t.Context(), Command{Line: "yes > /dev/null & sleep 300 &"}); err != nil {
		t.Fatal(err)
	}
	id := waits(d)
	for asleep := false; !asleep; { // the next runner has just begun: it sleeps once it has reached its read
		top, err := d.client.ContainerTop(t.Context(), id, []string{"-eo", "pid,stat,args"})
		if err != nil {
			t.Fatal(err)
		}
		asleep = true
		for _, p := range top.Processes {
			if line := strings.Join(p, " "); strings.Contains(line, "yes") || strings.Contains(line, "sleep") {
				t.Fatalf("runs while it waits: %s", line)
			}
			asleep = asleep && strings.HasPrefix(p[1], "S")
		}
		if len(top.Processes) != 3 {
			t.Fatalf("%q run while it waits, want init, the keeper and the next runner", top.Processes)
		}
	}
	vanish(t, d, os.Getpid())
}

// TestTogether shows that a command which runs has its container to itself.
func TestTogether(t *testing.T) {
	d := need(t)
	if _, err := d.Run(t.Context(), Command{Line: "true"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	output, ended := make(signal, 1), make(chan error)
	go func() {
		_, err := d.Run(ctx, Command{Line: "echo mine > /tmp/mine; " + begun, Output: output})
		ended <- err
	}()
	<-output
	res, err := d.Run(t.Context(), Command{Line: "ls /tmp; cat /proc/[0-9]*/cmdline | grep -c 'slee[p].300'"})
	if err != nil || res.Output != "0\n" {
		t.Errorf("beside another command: %+v, %v", res, err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	vanish(t, d, os.Getpid())
}
