//go:build linux && (amd64 || arm64)

package sandbox

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// waits returns the sandbox that waits, or nil.
func (n *NativeEngine) waits() *cell {
	n.warm.mu.Lock()
	defer n.warm.mu.Unlock()
	return n.warm.cell
}

// TestNativeWarm shows which sandbox serves the next command with the files that
// are in it already, and which is thrown away.
func TestNativeWarm(t *testing.T) {
	n := machine{}.need(t)
	tree := []File{{Path: "a", Mode: 0o644, Data: []byte("a")}, {Path: "b/c", Mode: 0o600, Data: []byte("c")}, {Path: "b/d", Mode: 0o644, Data: []byte("d")}}
	for _, tt := range []struct {
		name string
		cmd  Command
		want []string // the files that need not be copied in again; nil: it is thrown away
	}{
		{"nothing", Command{Line: "cat a b/c >/dev/null"}, []string{"a", "b/c", "b/d"}},
		{"a failure", Command{Line: "exit 3"}, []string{"a", "b/c", "b/d"}},
		{"files of its own", Command{Line: "mkdir -p x/y; echo x > x/y/z; ln -s / l; mkfifo p; mkdir -m 0 x/closed; umask 077; mkdir b/mine"}, []string{"a", "b/c", "b/d"}},
		{"a change", Command{Line: "echo x >> b/c"}, []string{"a", "b/d"}},
		{"the same content", Command{Line: "cp a x; mv x a"}, []string{"b/c", "b/d"}},
		{"times, modes and second names", Command{Line: "touch -d 2001-02-03 a; chmod 640 b/c; ln b/d d"}, []string{}},
		{"a folder's mode", Command{Line: "chmod 700 b"}, []string{"a", "b/c", "b/d"}},
		{"a folder that is gone", Command{Line: "rm -r b; ln -s /etc b"}, []string{"a"}},
		{"a child in the background", Command{Line: "sleep 300 & setsid sleep 300 >/dev/null 2>&1 &"}, []string{"a", "b/c", "b/d"}},
		{"a folder's times", Command{Line: "touch -d 2001-02-03 b"}, nil},
		{"a signal", Command{Line: "kill -9 $$"}, nil},
		{"a full disk", Command{Line: "head -c 800M /dev/zero > /tmp/x", Policy: Policy{Disk: 1 << 20}}, nil},
		{"no memory", Command{Line: "python3 -c 'x = b\"x\" * (200 << 20)' || true", Policy: Policy{Memory: 64 << 20}}, nil},
		{"no time", Command{Line: "sleep 300", Policy: Policy{Time: 300 * time.Millisecond}}, nil},
		{"another disk", Command{Line: "true", Policy: Policy{Disk: 1 << 20}}, nil},
	} {
		run := func(cmd Command) {
			cmd.Tree = tree
			if res, err := n.Run(t.Context(), cmd); err != nil {
				t.Fatalf("%s: %+v, %v", tt.name, res, err)
			}
		}
		run(Command{Line: "true"})
		before := n.waits()
		run(tt.cmd)
		if after := n.waits(); tt.want != nil && (before == nil || after != before || !slices.Equal(slices.Sorted(maps.Keys(after.tree)), tt.want)) {
			t.Errorf("%s: %+v waits, want %q", tt.name, after, tt.want)
		}
		// What is left of it shows in the next command.
		res, err := n.Run(t.Context(), Command{Line: "find . -printf '%y %m %p\\n' | sort; ls -A /tmp /dev/shm; find . -mmin +600", Tree: tree})
		const clean = "d 755 .\nd 755 ./b\nf 600 ./b/c\nf 644 ./a\nf 644 ./b/d\n/dev/shm:\n\n/tmp:\n"
		if err != nil || res.Output != clean || len(res.Changes)+len(res.Skipped) > 0 {
			t.Errorf("after %s: %+v, %v", tt.name, res, err)
		}
		if kept := n.waits() == before; kept != (tt.want != nil) {
			t.Errorf("%s: the sandbox of before is still there: %v", tt.name, kept)
		}
	}
	// One that died while it waited is replaced without a visible effect.
	n.waits().stop()
	if res, err := n.Run(t.Context(), Command{Line: "cat b/d", Tree: tree}); err != nil || res.Output != "d" {
		t.Errorf("after its end: %+v, %v", res, err)
	}
}
