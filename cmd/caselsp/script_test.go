package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"caselsp/agent/llm/llmtest"

	"github.com/rogpeppe/go-internal/testscript"
)

// waiting is how many tests run at once for each processor, where the command line
// does not say it (-parallel): nearly all of them wait, for processes, containers,
// time limits and a model that is silent or busy.
const waiting = 2

// TestMain lets the scenarios run the real command: the test binary is it.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", strconv.Itoa(waiting*runtime.GOMAXPROCS(0))) // before the command line is read
	testscript.Main(sharing{m}, map[string]func(){
		"caselsp": main,
	})
}

// sharing removes what scenarios share when all tests are over.
type sharing struct{ *testing.M }

// Run implements testscript.TestingM.
func (s sharing) Run() int {
	code := s.M.Run()
	if dir, err := builtGo(); err == nil {
		_ = os.RemoveAll(dir)
	}
	return code
}

// builtGo is where the native sandboxes of all scenarios keep Go's own packages: they are compiled once.
var builtGo = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "caselsp-go-") })

// TestScripts runs the scenarios: each is a folder of files, a scripted model,
// what the user does and what must come of it. They are the manual by example.
//
//	model FILE          starts the scripted model and points the settings at it
//	modeldone [N]       fails if the model was asked what FILE does not foresee, if a
//	                    rule was not used, or if it was asked more than N times
//	modelasked N        fails if the model was not asked exactly N times until now
//	modelheld           waits until the model holds an answer back ("hold" in FILE)
//	modelrelease        lets the answer go that the model holds back
//	tmpfs DIR SIZE      makes DIR a disk of its own, which [tmpfs] says is possible
//	fill FILE           writes a file until the disk is full
//	bytes FILE TEXT     writes a file; TEXT has Go's escapes, such as \r or \xff
//	cmpbytes FILE TEXT  compares a file with such a text
//	docker up           leads to Docker; down, deny and allow: see dockerWay
//	dockerd start DIR   starts a Docker engine of the scenario's own, which [dockerd] says is
//	                    possible; stop and kill: see dockerd
//	index [far]         serves an index of Python's packages that has one, "answer"
//	keyring             starts a keyring, empty and unlocked, which [keyring] says is possible
//	nowhere TEXT DIR... fails if the text stands in these folders, in what the command wrote
//	                    or in what the model was sent, in whatever writing
//	state NAME          makes the state directory that caselsp NAME has written, see state_test.go
//	recording NAME FILE writes the recording that caselsp NAME has made
//	task NAME N         sets $NAME to the id of the N-th task of the workspace
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scenarios(t, "testdata/script"))
}

// scenarios says how the scenarios of a folder run.
func scenarios(t *testing.T, dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("DBUS_SESSION_BUS_ADDRESS", "") // the user's own keyring is no scenario's business
			env.Setenv("XDG_RUNTIME_DIR", "")
			env.Setenv("CASELSP_SANDBOX_ENGINE", "none")
			env.Setenv("CASELSP_TRUST_FOLDERS", env.WorkDir)
			env.Setenv("CASELSP_FIXCHECK_TESTS", "false") // what runs depends on how long a suite takes; the scenarios of it set both
			env.Setenv("DOCKER_HOST", os.Getenv("DOCKER_HOST"))
			built, err := builtGo()
			if err != nil {
				return err
			}
			layers := filepath.Join(env.WorkDir, ".cache", "caselsp", "layers")
			if err := os.MkdirAll(layers, 0o755); err != nil {
				return err
			}
			if err := os.Symlink(built, filepath.Join(layers, "go")); err != nil {
				return err
			}
			env.Values[modelKey{}] = &scripted{}
			env.Values[wireKey{}] = &dockerWire{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model": startModel, "modeldone": modelDone, "modelasked": modelAsked, "modelheld": modelHeld, "modelrelease": modelRelease, "tmpfs": mountDisk, "fill": fillDisk, "bytes": writeBytes, "cmpbytes": compareBytes, "task": taskID, "index": startIndex, "keyring": startKeyring, "nowhere": nowhere,
			"docker": dockerWay, "dockerd": dockerd, "state": stateCommand, "recording": recordingCommand,
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Getuid() == 0, nil
			}
			return lacking(name) == nil, nil
		},
		UpdateScripts: *update,
	}
}

// modelKey finds a scenario's model server.
type modelKey struct{}

type scripted struct{ server *llmtest.Server }

func startModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	script, err := llmtest.ParseScript(ts.ReadFile(args[0]))
	ts.Check(err)
	s := llmtest.New(script)
	ts.Defer(s.Close)
	ts.Value(modelKey{}).(*scripted).server = s
	ts.Setenv("CASELSP_MODEL_BASE_URL", s.URL)
	ts.Setenv("CASELSP_MODEL_NAME", "scripted")
}

func modelDone(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(modelKey{}).(*scripted).server
	if s == nil || neg || len(args) > 1 {
		ts.Fatalf("usage: modeldone [N], after model FILE")
	}
	if failures := s.Failures(); len(failures) > 0 {
		ts.Fatalf("the model was asked what it did not expect:\n%s", strings.Join(failures, "\n"))
	}
	if unused := s.Unused(); len(unused) > 0 {
		ts.Fatalf("the model was not asked for: %s", strings.Join(unused, ", "))
	}
	if len(args) == 1 {
		most, err := strconv.Atoi(args[0])
		ts.Check(err)
		if n := len(s.Requests()); n > most {
			ts.Fatalf("the model was asked %d times, at most %d was right", n, most)
		}
	}
}

func modelAsked(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(modelKey{}).(*scripted).server
	if s == nil || neg || len(args) != 1 {
		ts.Fatalf("usage: modelasked N, after model FILE")
	}
	if n := strconv.Itoa(len(s.Requests())); n != args[0] {
		ts.Fatalf("the model was asked %s times, not %s", n, args[0])
	}
}

func modelHeld(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(modelKey{}).(*scripted).server
	if s == nil || neg || len(args) > 0 {
		ts.Fatalf("usage: modelheld, after model FILE")
	}
	s.Held()
}

func modelRelease(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(modelKey{}).(*scripted).server
	if s == nil || neg || len(args) > 0 {
		ts.Fatalf("usage: modelrelease, after modelheld")
	}
	s.Release()
}

func mountDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs DIR SIZE")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(ts.Exec("mount", "-t", "tmpfs", "-o", "size="+args[1], "tmpfs", dir))
	ts.Defer(func() { ts.Check(exec.Command("umount", dir).Run()) })
}

func fillDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fill FILE")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	for block := make([]byte, 4096); ; {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
}

func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	path, text := fileAndText(ts, neg, args)
	ts.Check(os.WriteFile(path, []byte(text), 0o644))
}

func compareBytes(ts *testscript.TestScript, neg bool, args []string) {
	path, want := fileAndText(ts, neg, args)
	got, err := os.ReadFile(path)
	ts.Check(err)
	if string(got) != want {
		ts.Fatalf("%s holds %q, not %q", args[0], got, want)
	}
}

func fileAndText(ts *testscript.TestScript, neg bool, args []string) (path, text string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE TEXT, cmpbytes FILE TEXT")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	return ts.MkAbs(args[0]), text
}

func taskID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: task NAME N")
	}
	ts.Check(ts.Exec("caselsp", "history", "--dir", ts.Getenv("WORK")+"/project"))
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if n < 1 || n > len(lines) {
		ts.Fatalf("there are %d tasks", len(lines))
	}
	id, _, _ := strings.Cut(lines[n-1], " ")
	ts.Setenv(args[0], id)
	fmt.Fprintf(ts.Stdout(), "%s=%s\n", args[0], id)
}
