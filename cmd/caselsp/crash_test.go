package main

import (
	"bufio"
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

// The project of the crash tests: a function that is wrong, a file that is
// renamed, one that is deleted.
var crashProject = map[string]string{
	"calc.py":   "def double(n):\n    return n\n",
	"notes.txt": "notes\n",
	"old.txt":   "old\n",
}

// crashResult is what every run must end with, killed or not.
var crashResult = map[string]string{
	"calc.py":      "def double(n):\n    return n * 2\n",
	"test_calc.py": "from unittest import TestCase\nfrom calc import double\n\n\nclass Double(TestCase):\n    def test(self):\n        self.assertEqual(double(3), 6)\n",
	"NOTES.md":     "notes\n",
	"made/1.txt":   "1\n", "made/2.txt": "2\n", "made/3.txt": "3\n", "made/4.txt": "4\n",
}

// crashModel answers by what a request holds, so that it gives a resumed run the
// same answers as one that was never interrupted.
const crashModel = `
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["test_calc.py"], "files_to_change": ["calc.py"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Double", "description": "Make calc.py double.", "files": ["calc.py"], "test": "python3 -m unittest"}]}
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "test_calc.py", "content": "from unittest import TestCase\nfrom calc import double\n\n\nclass Double(TestCase):\n    def test(self):\n        self.assertEqual(double(3), 6)\n"}
on case
after 1
times always
call RENAME_FILE {"thought": "t", "from": "notes.txt", "to": "NOTES.md"}
on case
after 2
times always
call RUN_COMMAND {"thought": "t", "command": "mkdir made && for i in 1 2 3 4; do echo $i >made/$i.txt; done; rm old.txt"}
on case
after 3
when caselsp ended before its outcome was known
times always
call RUN_COMMAND {"thought": "t", "command": "mkdir made && for i in 1 2 3 4; do echo $i >made/$i.txt; done; rm old.txt"}
on reflector
times always
want AssertionError: 3 != 6
call SUBMIT_HYPOTHESIS {"cause": "it returns n", "fix": "multiply by two", "file": "calc.py"}
on case
last # Round 2
times always
want AssertionError: 3 != 6
call PATCH_FILE {"thought": "t", "path": "calc.py"}
arg patch
	@@ -1,2 +1,2 @@
	 def double(n):
	-    return n
	+    return 1 * n
on case
last # Round 3
times always
want multiply by two
call PATCH_FILE {"thought": "t", "path": "calc.py"}
arg patch
	@@ -1,2 +1,2 @@
	 def double(n):
	-    return 1 * n
	+    return n * 2
on case
when # Round 3
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["multiply by two"], "analysis": "it must multiply"}
on case
when # Round 2
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["multiply"], "analysis": "it must multiply"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
when # Test results
times always
want Ran 1 test
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// crashed is one run of the real command, which is killed and resumed.
type crashed struct {
	t     *testing.T
	home  string
	model *llmtest.Server
	pids  []int // of the processes that worked on it
}

func newCrashed(t *testing.T) *crashed {
	t.Helper()
	script, err := llmtest.ParseScript(crashModel)
	if err != nil {
		t.Fatal(err)
	}
	c := &crashed{t: t, home: t.TempDir(), model: llmtest.Start(t, script)}
	for name, text := range crashProject {
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

// caselsp runs the command and calls line for each line that it prints, until it
// ends or line returns false: then it is killed.
func (c *crashed) caselsp(line func(kind string) bool, args ...string) (killed bool, code int) {
	c.t.Helper()
	cmd := exec.Command("caselsp", append(args, "--dir", c.project())...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "XDG_STATE_HOME=" + filepath.Join(c.home, ".state"),
		"XDG_CONFIG_HOME=" + filepath.Join(c.home, ".config"), "DOCKER_HOST=" + os.Getenv("DOCKER_HOST"),
		"CASELSP_MODEL_BASE_URL=" + c.model.URL, "CASELSP_MODEL_NAME=scripted", "CASELSP_TRUST_FOLDERS=/"}
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
		c.caselsp(all, "resume", "--json", "--yes")
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
	if !maps.Equal(got, crashResult) {
		c.t.Errorf("the project holds %q, not %q", got, crashResult)
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
	// The last is the run without the change, which is given up where it is lost.
	if ended < 5 || ended > 6 || started > ended+1 {
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

// TestCrash kills the real process, with kill -9, at every record of a run with
// real Docker, lets the user go on, and compares what comes of it with a run
// that was not killed. Its tests are run by unittest because pytest takes twenty
// times as long to start, which would not leave time for every record.
//
// A record is on the disk before its line is printed, and the next one takes a
// flush of the disk, so the kill comes between the two; agent's own test cuts
// the journal behind each record, whatever the timing.
func TestCrash(t *testing.T) {
	t.Parallel()
	need(t, "docker")
	task := []string{"run", "--json", "--yes", "--task", "double"}
	whole := newCrashed(t)
	var kinds []string
	whole.caselsp(func(kind string) bool { kinds = append(kinds, kind); return true }, task...)
	calls := len(whole.model.Requests())
	whole.check(calls)
	if t.Failed() || !slices.Contains(kinds, "Applying") {
		t.Fatalf("the run that is not killed goes wrong: %v", kinds)
	}
	for k, kind := range kinds {
		t.Run(fmt.Sprintf("%d_%s", k+1, kind), func(t *testing.T) {
			t.Parallel()
			c, n := newCrashed(t), 0
			c.caselsp(func(string) bool { n++; return n <= k }, task...)
			c.goOn()
			c.check(calls)
		})
	}
	for path := range crashResult {
		t.Run("while_writing_"+filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t)
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
		if string(text) == crashResult[path] {
			return true
		}
		runtime.Gosched()
	}
}
