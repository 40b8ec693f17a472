package sandbox

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"caselsp/sandbox/inside"
)

// project is a tree of n files of 5 kB.
func project(n int) []File {
	tree := make([]File, n)
	for i := range tree {
		tree[i] = File{Path: fmt.Sprintf("dir%d/file%d.py", i%100, i), Mode: 0o644, Data: bytes.Repeat(fmt.Appendf(nil, "x = %4d\n", i%1000), 600)}
	}
	return tree
}

// tested is a small project with tests.
var tested = []File{
	{Path: "calc.py", Mode: 0o644, Data: []byte("def add(a, b):\n    return a + b\n")},
	{Path: "test_calc.py", Mode: 0o644, Data: []byte("from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")},
}

// figure is one thing that a user waits for, beside what it is measured by.
type figure struct {
	name  string
	cmd   Command
	files int     // of the work tree, where it is a large one
	cold  bool    // in a container that is not there yet
	edit  bool    // one file is another each time
	times float64 // how many times as long as the other it may take; 0: see most
	most  time.Duration
}

// figures and their limits. The first command pays, over a bare docker run, for a
// work tree that is limited in size, for the copying and for the look at what has
// changed; a next one may cost hardly more than docker exec. The work trees are made
// later: this program is also the first process of native sandboxes, and what it
// sets up at its start each of them waits for.
var figures = []figure{
	{name: "first-true", cmd: Command{Line: "true"}, cold: true, times: 2},
	{name: "warm-true", cmd: Command{Line: "true"}, times: 1.1},
	{name: "warm-pytest", cmd: Command{Line: "python3 -m pytest -q", Tree: tested}, times: 1.1},
	{name: "warm-500files-edit", cmd: Command{Line: "true"}, files: 500, edit: true, most: 200 * time.Millisecond},
	{name: "warm-20000files-edit", cmd: Command{Line: "true"}, files: 20_000, edit: true, most: time.Second},
}

// BenchmarkFigures measures, turn by turn so that a busy machine slows both, a
// command in the sandbox and the same with Docker alone: docker run for the first
// command, docker exec into the container that waits for the others. It reports
// the medians in milliseconds, how many times as long the sandbox took, and the
// limit of that or, in milliseconds, of the sandbox's own time. What is done
// between two runs, while nobody waits, counts for neither.
func BenchmarkFigures(b *testing.B) {
	d := need(b)
	for _, f := range figures {
		b.Run(f.name, func(b *testing.B) {
			var ours, bare []float64
			cmd := f.cmd
			cmd.Tree = slices.Concat(cmd.Tree, project(f.files))
			if res, err := d.Run(b.Context(), cmd); err != nil || !res.OK() {
				b.Fatalf("%+v, %v", res, err)
			}
			for b.Loop() {
				if f.edit {
					one := &cmd.Tree[len(cmd.Tree)/2]
					one.Data = append(bytes.Clone(one.Data), '#')
				}
				if f.cold {
					if err := d.warm.cool(); err != nil {
						b.Fatal(err)
					}
				} else if waits(d) == "" {
					b.Fatal("no container waits")
				}
				ours = append(ours, milliseconds(func() {
					if res, err := d.Run(b.Context(), cmd); err != nil || !res.OK() {
						b.Fatalf("%+v, %v", res, err)
					}
				}))
				id := waits(d)
				bare = append(bare, milliseconds(func() {
					if f.cold {
						bareRun(b, d)
					} else {
						execute(b, d, id, cmd.Line)
					}
				}))
			}
			b.ReportMetric(0, "ns/op") // of both and of what is between
			b.ReportMetric(median(ours), "ms")
			b.ReportMetric(median(bare), "docker-ms")
			b.ReportMetric(median(ours)/median(bare), "times")
			if f.times > 0 {
				b.ReportMetric(f.times, "times-limit")
			} else {
				b.ReportMetric(float64(f.most.Milliseconds()), "ms-limit")
			}
		})
	}
}

func milliseconds(f func()) float64 {
	began := time.Now()
	f()
	return time.Since(began).Seconds() * 1000
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// bareRun runs nothing as docker run does.
func bareRun(b *testing.B, d *DockerEngine) {
	b.Helper()
	out, err := exec.CommandContext(b.Context(), "docker", "run", "--rm", "--network=none", d.imageOf(Command{}), "true").CombinedOutput()
	if err != nil {
		b.Fatalf("docker run: %v, %s", err, out)
	}
}

// execute runs a command in a container as docker exec does.
func execute(b *testing.B, d *DockerEngine, id, line string) {
	b.Helper()
	exec, err := d.client.ContainerExecCreate(b.Context(), id, container.ExecOptions{
		User: "1000:1000", WorkingDir: inside.WorkFolder, Env: bytecode, AttachStdout: true, AttachStderr: true, Cmd: []string{"/bin/sh", "-c", line}})
	if err != nil {
		b.Fatal(err)
	}
	stream, err := d.client.ContainerExecAttach(b.Context(), exec.ID, container.ExecAttachOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer stream.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(stream.Reader); err != nil {
		b.Fatal(err)
	}
	if ended, err := d.client.ContainerExecInspect(b.Context(), exec.ID); err != nil || ended.ExitCode != 0 {
		b.Fatalf("%+v, %v, %s", ended, err, &text)
	}
}
