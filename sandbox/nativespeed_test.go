//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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

// BenchmarkNativeOverhead runs a command turn by turn directly, in a new sandbox
// and in one that waits, so that a busy machine is as busy for each, and shows
// what the sandboxes add beside the limit.
func BenchmarkNativeOverhead(b *testing.B) {
	n := machine{}.need(b)
	cmd := Command{Line: "true"}
	run := func() {
		if res, err := n.Run(b.Context(), cmd); err != nil || !res.OK() {
			b.Fatalf("%+v, %v", res, err)
		}
	}
	turns := []struct {
		name string
		run  func()
		took time.Duration
	}{
		{"directly", unsandboxed(b, cmd), 0}, {"cold", run, 0}, {"warm", run, 0},
	}
	for b.Loop() {
		if c := n.warm.empty(); c != nil {
			c.end()
		}
		for i := range turns {
			began := time.Now()
			turns[i].run()
			turns[i].took += time.Since(began)
		}
	}
	for _, t := range turns[1:] {
		b.ReportMetric(float64((t.took-turns[0].took).Microseconds())/1000/float64(b.N), t.name+"-over-ms")
	}
	b.ReportMetric(float64(overhead.Milliseconds()), "limit-ms")
}

// BenchmarkNative is what a command costs the one who waits for it, in a sandbox
// that waits for it (warm) and in a new one (cold), beside the same without a
// sandbox. Between two runs with "edit", one file changes.
func BenchmarkNative(b *testing.B) {
	n := machine{}.need(b, "import:pytest")
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
