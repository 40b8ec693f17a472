//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// overhead is how much longer a command may take in the native sandbox than
// directly, also the first one: what a person does not notice.
const overhead = 50 * time.Millisecond

// unsandboxed returns what runs a command directly, with the programs and the
// files that it would have in the sandbox.
func unsandboxed(t testing.TB, cmd Command) func() {
	t.Helper()
	dir := t.TempDir()
	for _, f := range cmd.Tree {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, f.Mode); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		c := exec.Command("/bin/sh", "-c", cmd.Line)
		c.Dir, c.Env = dir, nativeEnv(nil, cmd)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}
}

// TestNativeOverhead counts the time of processors that commands use, which no
// other program's work makes longer; the time that passes, beside it, it only shows.
func TestNativeOverhead(t *testing.T) {
	n := machine{}.need(t)
	cmd := Command{Line: "true"}
	run := func() {
		if res, err := n.Run(t.Context(), cmd); err != nil || !res.OK() {
			t.Fatalf("%+v, %v", res, err)
		}
	}
	empty := func() {
		if c := n.warm.empty(); c != nil {
			c.end()
		}
	}
	empty()
	const runs = 10
	for _, tt := range []struct {
		name       string
		run, after func() // the time of a sandbox is known when it has ended
	}{
		{"directly", unsandboxed(t, cmd), func() {}},
		{"in a new sandbox", func() { run(); empty() }, func() {}},
		{"in a sandbox that waits", run, empty},
	} {
		began, used := time.Now(), processors(t)
		fastest := time.Hour
		for range runs {
			before := time.Now()
			tt.run()
			fastest = min(fastest, time.Since(before))
		}
		passed := time.Since(began) / runs
		tt.after()
		used = (processors(t) - used) / runs
		t.Logf("%s: %v of processors; %v passed, %v at best; the limit is %v", tt.name, used, passed, fastest, overhead)
		if used > overhead {
			t.Errorf("%s a command that does nothing uses %v of processors, the limit is %v", tt.name, used, overhead)
		}
	}
}

// processors returns the time that this process and its ended children have used.
func processors(t *testing.T) (sum time.Duration) {
	t.Helper()
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// BenchmarkNative is what a command costs the one who waits for it, in a sandbox
// that waits for it (warm) and in a new one (cold), beside the same without a
// sandbox. Between two runs with "edit", one file changes.
func BenchmarkNative(b *testing.B) {
	n := machine{}.need(b)
	for _, bb := range []struct {
		name string
		line string
		tree []File
		edit bool
	}{
		{"true", "true", nil, false},
		{"pytest", "python3 -m pytest -q", tested, false},
		{"500files", "true", project(500), false},
		{"20000files-edit", "true", project(20_000), true},
	} {
		cmd := Command{Line: bb.line, Tree: bb.tree}
		run := func(b *testing.B) {
			if bb.edit {
				f := &cmd.Tree[len(cmd.Tree)/2]
				f.Data = append(bytes.Clone(f.Data), '#')
			}
			if res, err := n.Run(b.Context(), cmd); err != nil || !res.OK() {
				b.Fatalf("%+v, %v", res, err)
			}
		}
		b.Run(bb.name+"/cold", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				if c := n.warm.empty(); c != nil {
					c.end()
				}
				b.StartTimer()
				run(b)
			}
		})
		run(b)
		b.Run(bb.name+"/warm", func(b *testing.B) {
			for b.Loop() {
				run(b)
			}
		})
		b.Run(bb.name+"/directly", func(b *testing.B) {
			direct := unsandboxed(b, cmd)
			for b.Loop() {
				direct()
			}
		})
	}
}
