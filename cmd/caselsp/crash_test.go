package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
)

// crashed is one run of the real command, which is killed and resumed.
type crashed struct {
	t     *testing.T
	run   crashRun
	home  string
	model *llmtest.Server
	pids  []int // of the processes that worked on it
}

func newCrashed(t *testing.T, run crashRun) *crashed {
	t.Helper()
	script, err := llmtest.ParseScript(run.model)
	if err != nil {
		t.Fatal(err)
	}
	c := &crashed{t: t, run: run, home: t.TempDir(), model: llmtest.Start(t, script)}
	for name, text := range run.project {
		c.must(os.MkdirAll(c.project(), 0o755))
		c.must(os.WriteFile(filepath.Join(c.project(), name), []byte(text), 0o644))
	}
	return c
}

func (c *crashed) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *crashed) project() string { return filepath.Join(c.home, "project") }

// command is caselsp as the user starts it.
func (c *crashed) command(args ...string) *exec.Cmd {
	cmd := exec.Command("caselsp", append(args, "--dir", c.project())...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "XDG_STATE_HOME=" + filepath.Join(c.home, ".state"),
		"XDG_CONFIG_HOME=" + filepath.Join(c.home, ".config"), "DOCKER_HOST=" + os.Getenv("DOCKER_HOST"),
		"CASELSP_MODEL_BASE_URL=" + c.model.URL, "CASELSP_MODEL_NAME=scripted", "CASELSP_FIXCHECK_TESTS=false", "CASELSP_TRUST_FOLDERS=/", "CASELSP_SANDBOX_ENGINE=" + cmp.Or(c.run.engine, "none"),
		"DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="}
	return cmd
}

// caselsp runs the command and calls line for each line that it prints, until it
// ends or line returns false: then it is killed.
func (c *crashed) caselsp(line func(kind string) bool, args ...string) (killed bool, code int) {
	c.t.Helper()
	cmd := c.command(args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	c.must(err)
	c.must(cmd.Start())
	c.pids = append(c.pids, cmd.Process.Pid)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct{ Kind string }
		_ = json.Unmarshal(lines.Bytes(), &event) // not every command prints events
		if !killed && !line(event.Kind) {
			killed = true
			c.must(cmd.Process.Kill())
		}
	}
	_ = cmd.Wait() // the code says it
	code = cmd.ProcessState.ExitCode()
	if !killed && code != exitOK {
		c.t.Errorf("caselsp %s: exit code %d: %s", strings.Join(args, " "), code, said.String())
	}
	return killed, code
}

// all lets a command run to its end.
func all(string) bool { return true }

// events reads the task's journal, as the killed process left it.
func (c *crashed) events() (id string, state record.Phase, events []agent.Event) {
	c.t.Helper()
	w, err := workspace.Open(c.project())
	c.must(err)
	defer w.Close()
	s, err := store.Open(store.Options{StateDir: filepath.Join(c.home, ".state", "caselsp"), Workspace: w.ID()})
	c.must(err)
	defer s.Close()
	a := agent.New(agent.Options{Workspace: w, Store: s})
	history, err := a.History()
	c.must(err)
	if len(history) != 1 {
		c.t.Fatalf("there are %d tasks", len(history))
	}
	id = history[0].Task.ID
	events, err = a.Events(id)
	c.must(err)
	return id, history[0].State, events
}

// goOn does what a user does after a crash, by the state that the task is in.
func (c *crashed) goOn() {
	c.t.Helper()
	_, state, _ := c.events()
	switch {
	case state == record.Review:
		c.caselsp(all, "review", "--accept")
	case !state.Ended():
		c.caselsp(all, append([]string{"resume", "--json", "--yes"}, c.run.args...)...)
	}
}

// check compares what there is in the end with what there must be.
func (c *crashed) check(calls int) {
	c.t.Helper()
	_, state, events := c.events()
	if state != record.Succeeded {
		c.t.Errorf("the task is %s", state)
	}
	got := map[string]string{}
	c.must(filepath.WalkDir(c.project(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(c.project(), path) // it lies there
		got[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	if !maps.Equal(got, c.run.result) {
		c.t.Errorf("the project holds %q, not %q", got, c.run.result)
	}
	if n := len(c.model.Requests()); n > calls+1 {
		c.t.Errorf("the model was asked %d times, %d without the kill", n, calls)
	}
	started, ended, lost, asked := 0, 0, "", false
	for _, e := range events {
		switch b := e.Body.(type) {
		case record.CommandStarted:
			if b.Line == lost && !asked {
				c.t.Errorf("%q ran again, and nobody was asked", b.Line)
			}
			started++
			lost, asked = b.Line, false
		case record.CommandEnded:
			ended++
			lost = ""
		case record.Asked:
			about, ok := b.Question.Subject.(record.Command)
			asked = asked || ok && about.Line == lost && strings.Contains(b.Question.Why, "started before")
		}
	}
	if ended < c.run.ended[0] || ended > c.run.ended[1] || started > ended+1 {
		c.t.Errorf("%d commands were started and %d ended", started, ended)
	}
	c.noContainers()
}

// noContainers waits until the engine has removed what the processes made, and
// fails where it keeps something: a container goes when its owner has died,
// which is not the same moment.
func (c *crashed) noContainers() {
	c.t.Helper()
	docker, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	c.must(err)
	defer docker.Close()
	for _, pid := range c.pids {
		list, err := docker.ContainerList(c.t.Context(), container.ListOptions{All: true,
			Filters: filters.NewArgs(filters.Arg("label", "caselsp.pid="+strconv.Itoa(pid)))})
		c.must(err)
		for _, left := range list {
			gone, failed := docker.ContainerWait(c.t.Context(), left.ID, container.WaitConditionRemoved)
			select {
			case <-gone:
			case err := <-failed:
				if !strings.Contains(err.Error(), "No such container") {
					c.t.Errorf("container %s of process %d: %v", left.ID[:12], pid, err)
				}
			}
		}
	}
}

// TestCrash kills the real process, with kill -9, at the first record of each kind of one run and at the last of each
// kind of another, around commands with real Docker and elsewhere with the native sandbox, which starts sooner; it lets the user go on, and compares what comes of it with a run
// that was not killed. Its tests are run by unittest because pytest takes twenty
// times as long to start.
//
// A record is on the disk before its line is printed, and the next one takes a
// flush of the disk, so the kill comes between the two; agent's own test cuts
// the journal behind each record, whatever the timing. A kill at each of them here, too, took half an hour on
// a slow machine.
func TestCrash(t *testing.T) {
	t.Parallel()
	need(t, "docker")
	for name, run := range crashRuns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if lacking("native:python3") != nil {
				crashAtEach(t, run, "docker", func(string) bool { return true })
				return
			}
			command := func(kind string) bool { return strings.HasPrefix(kind, "Command") }
			crashAtEach(t, run, "docker", command)
			crashAtEach(t, run, "native", func(kind string) bool { return !command(kind) })
		})
	}
}

// crashAtEach kills one run at the first or the last record of each kind that is to be, and while each file is written if
// "Applying" is.
func crashAtEach(t *testing.T, run crashRun, engine string, at func(kind string) bool) {
	run.engine = engine
	task := append([]string{"run", "--json", "--yes", "--task", "double"}, run.args...)
	whole := newCrashed(t, run)
	var kinds []string
	whole.caselsp(func(kind string) bool { kinds = append(kinds, kind); return true }, task...)
	calls := len(whole.model.Requests())
	whole.check(calls)
	for _, kind := range run.has {
		if !slices.Contains(kinds, kind) {
			t.Errorf("the run has no record %s", kind)
		}
	}
	if t.Failed() {
		t.Fatalf("the run that is not killed goes wrong: %v\n%v", kinds, whole.model.Failures())
	}
	for k, kind := range kinds {
		others := kinds[:k]
		if run.last {
			others = kinds[k+1:]
		}
		if !at(kind) || slices.Contains(others, kind) {
			continue
		}
		t.Run(fmt.Sprintf("%d_%s", k+1, kind), func(t *testing.T) {
			t.Parallel()
			c, n := newCrashed(t, run), 0
			c.caselsp(func(string) bool { n++; return n <= k }, task...)
			c.goOn()
			c.check(calls)
		})
	}
	for path := range run.result {
		if !at("Applying") {
			break
		}
		t.Run("while_writing_"+filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t, run)
			c.caselsp(func(kind string) bool { return kind != "Applying" || !c.arrives(path) }, task...)
			c.goOn()
			c.check(calls)
		})
	}
}

// arrives waits until a file of the project is as it must be in the end. It
// looks without a pause: the next file is a millisecond away.
func (c *crashed) arrives(path string) bool {
	for {
		text, _ := os.ReadFile(filepath.Join(c.project(), path))
		if string(text) == c.run.result[path] {
			return true
		}
		runtime.Gosched()
	}
}
