package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"caselsp/lsp/lsptest"
	"caselsp/store"
)

// attackedModel plans with what the memory says, and waits before the first step.
const attackedModel = `
on tars
want # Similar past work
want retry a failed download
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["made.py"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Retry", "description": "Write made.py."}]}
on case
when another task
times always
hold
text late
on case
after 0
times always
hold
call WRITE_FILE {"thought": "t", "path": "made.py", "content": "def again(call):\n    return call()\n"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
times always
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// manyRecords is how many records the attacks import: several transactions, see importBatch in store.
const manyRecords = 2_000

// attacked is a workspace in which a process, the owner, works on a task and has used the memory.
type attacked struct {
	*crashed
	owner *exec.Cmd
	ended func() // waits until the owner's task waits for a review
	many  string // a file with manyRecords records
}

// owners are the processes that may own a workspace's store.
var owners = map[string]func(a *attacked){
	"terminal": func(a *attacked) {
		a.owner = a.command("run", "--task", "retry each failed download")
		a.must(a.owner.Start())
		a.t.Cleanup(func() { _ = a.owner.Process.Kill(); _ = a.owner.Wait() })
		a.ended = func() { _ = a.owner.Wait() } // with a code that says that a review waits
	},
	"editor": func(a *attacked) {
		s := startServer(a.t, a.home, nil, "", lsptest.Options{}, "CASELSP_MODEL_BASE_URL="+a.model.URL, "CASELSP_FIXCHECK_TESTS=false")
		a.owner = s.cmd
		s.command("caselsp.run", "retry each failed download")
		a.ended = func() { s.expect(lsptest.ShownMessage("to review")) }
	},
}

// memoryAttacks are what is done to the owner and to the memory at the first step of its task. Each leaves a task that goes
// on. Their names have no commas, which separate folders in a setting.
var memoryAttacks = map[string]func(a *attacked){
	"an import is killed beside a task": func(a *attacked) {
		a.killedImport()
		said := a.said("memory", "import", a.many)
		counts := regexp.MustCompile(`^imported: (\d+) new records(?:; (\d+) remembered already)?`).FindStringSubmatch(said)
		if counts == nil {
			a.t.Fatalf("the same import again says %q", said)
		}
		added, err := strconv.Atoi(counts[1])
		a.must(err)
		known, _ := strconv.Atoi(counts[2]) // none: 0
		if added+known != manyRecords {
			a.t.Errorf("the same import again says %q: together that is not %d", said, manyRecords)
		}
		a.remembers(manyRecords+1, true)
	},
	"killed beside an import": func(a *attacked) {
		imports := a.command("memory", "import", a.many)
		var said bytes.Buffer
		imports.Stdout, imports.Stderr = &said, &said
		a.must(imports.Start())
		a.must(a.owner.Process.Kill())
		if err := imports.Wait(); err != nil || !strings.HasPrefix(said.String(), fmt.Sprintf("imported: %d new records\n", manyRecords)) {
			a.t.Errorf("the import ends with %v: %s", err, said.String())
		}
		a.resume()
		a.remembers(manyRecords+1, true)
	},
	"what was told is forgotten beside a task": func(a *attacked) {
		if said := a.said("memory", "forget", "--everything"); said != "forgotten: 1 record\n" {
			a.t.Errorf("forgetting says %q", said)
		}
		a.remembers(0, false)
	},
	"frozen and killed": func(a *attacked) {
		a.freeze(a.owner)
		status := a.command("status")
		var said bytes.Buffer
		status.Stdout, status.Stderr = &said, &said
		a.must(status.Start())
		a.must(a.owner.Process.Kill())
		if err := status.Wait(); err != nil || !strings.Contains(said.String(), "retry each failed download") {
			a.t.Errorf("the status ends with %v: %s", err, said.String())
		}
		a.resume()
		a.remembers(1, true)
	},
	"frozen for a while": func(a *attacked) {
		a.freeze(a.owner)
		status := a.command("status")
		var said bytes.Buffer
		status.Stdout = &said
		waits, err := status.StderrPipe()
		a.must(err)
		a.must(status.Start())
		recalled := a.said("memory", "recall", "retry a failed download") // which needs no owner
		if !strings.Contains(recalled, "retry a failed download") {
			a.t.Errorf("beside a frozen process the memory says %q", recalled)
		}
		if line, err := bufio.NewReader(waits).ReadString('\n'); !strings.Contains(line, "does not answer yet: it is waited for") {
			a.t.Errorf("beside a frozen process the status says %q, %v", line, err)
		}
		a.must(a.owner.Process.Signal(syscall.SIGCONT))
		if err := status.Wait(); err != nil || !strings.Contains(said.String(), "retry each failed download") {
			a.t.Errorf("the status ends with %v: %s", err, said.String())
		}
		a.remembers(1, true)
	},
	"frozen while it works for another": func(a *attacked) {
		other := a.command("run", "--single", "--yes", "another task")
		var said bytes.Buffer
		other.Stdout, other.Stderr = &said, &said
		a.must(other.Start())
		a.model.Held() // its first step, in the owner
		a.freeze(a.owner)
		a.must(other.Process.Signal(os.Interrupt))
		_ = other.Wait() // the code tells
		if code := other.ProcessState.ExitCode(); code != exitError1 || !strings.Contains(said.String(), fmt.Sprintf("process %d, which has this workspace open, does not answer", a.owner.Process.Pid)) {
			a.t.Errorf("Ctrl+C beside a frozen process ends with %d: %s", code, said.String())
		}
		a.must(a.owner.Process.Signal(syscall.SIGCONT))
		a.remembers(1, true)
	},
	"killed and its number is reused": func(a *attacked) {
		a.must(a.owner.Process.Kill())
		_ = a.owner.Wait()
		files, err := filepath.Glob(filepath.Join(a.home, ".state", "caselsp", "workspaces", "*", "owner"))
		a.must(err)
		for _, file := range files {
			a.must(os.WriteFile(file, []byte("1\n"), 0o600))
		}
		if said := a.said("history"); !strings.Contains(said, "interrupted") {
			a.t.Errorf("the history says %q", said)
		}
		a.resume()
		a.remembers(1, true)
	},
}

// TestMemoryAttacks attacks two processes that share a state directory: an editor or a terminal works on a task, and another
// one imports, forgets or asks, and one of them is killed with kill -9 or stopped. Nobody waits for ever, nothing
// that was acknowledged is lost, the task ends as it would have, and what it teaches is remembered.
func TestMemoryAttacks(t *testing.T) {
	t.Parallel()
	for name, attack := range memoryAttacks {
		for owner, start := range owners {
			t.Run(name+"/"+owner, func(t *testing.T) {
				t.Parallel()
				a := &attacked{crashed: newCrashed(t, crashRun{model: attackedModel, project: map[string]string{"calc.py": "x = 1\n"}})}
				a.many = filepath.Join(a.home, "many.jsonl")
				one := filepath.Join(a.home, "one.jsonl")
				a.must(os.WriteFile(one, []byte(record1), 0o600))
				a.must(os.WriteFile(a.many, records(manyRecords), 0o600))
				a.said("memory", "import", one)
				start(a)
				a.model.Held()
				attack(a)
				a.model.Release()
				a.ended()
				a.said("review", "--accept")
				if text, err := os.ReadFile(filepath.Join(a.project(), "made.py")); err != nil || !strings.Contains(string(text), "def again") {
					t.Errorf("made.py holds %q, %v", text, err)
				}
				if said := a.said("memory", "list", "--json"); strings.Count(said, `"text":"retry each failed download"`) != 1 {
					t.Errorf("what the task teaches is not remembered once:\n%.2000s", said)
				}
			})
		}
	}
}

// record1 is what the task is told; records are others.
const record1 = `{"id": "a1", "kind": "pattern", "text": "retry a failed download", "solution": "def retry(call):\n    return call()", "created": "2026-01-02T03:04:05Z"}` + "\n"

func records(n int) []byte {
	var list bytes.Buffer
	for i := range n {
		fmt.Fprintf(&list, "{\"id\": \"b%d\", \"kind\": \"failure\", \"type\": \"KeyError\", \"text\": \"KeyError in handler %s\", \"solution\": \"define it\", \"created\": \"2026-01-02T03:04:05Z\"}\n", i, letters(i))
	}
	return list.Bytes()
}

// letters writes a number in letters: digits are masked in what is remembered.
func letters(i int) string {
	word := []byte("handler")
	for ; i > 0; i /= 26 {
		word = append(word, byte('a'+i%26))
	}
	return string(word)
}

// said is what a command prints. It must succeed.
func (a *attacked) said(args ...string) string {
	a.t.Helper()
	out, err := a.command(args...).CombinedOutput()
	if err != nil {
		a.t.Errorf("caselsp %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// remembers counts what is remembered, and looks whether what the task was told is among it.
func (a *attacked) remembers(n int, told bool) {
	a.t.Helper()
	said := a.said("memory", "list", "--json")
	if got := strings.Count(said, "\n"); got != n || strings.Contains(said, `"text":"retry a failed download"`) != told {
		a.t.Errorf("%d records are remembered, want %d:\n%.2000s", got, n, said)
	}
}

// killedImport kills an import when some of its records are remembered.
func (a *attacked) killedImport() {
	a.t.Helper()
	imports := a.command("memory", "import", a.many)
	a.must(imports.Start())
	m, err := store.UserMemory(store.Options{StateDir: filepath.Join(a.home, ".state", "caselsp")})
	a.must(err)
	defer m.Close()
	for {
		all, err := m.All(a.t.Context(), store.KindFailure)
		a.must(err)
		if len(all) > 0 {
			break
		}
	}
	a.must(imports.Process.Kill())
	_ = imports.Wait() // it was killed
}

// resume goes on with the task of an owner that was killed, in a terminal.
func (a *attacked) resume() {
	a.t.Helper()
	_ = a.owner.Wait()
	resumed := a.command("resume")
	var said bytes.Buffer
	resumed.Stdout, resumed.Stderr = &said, &said
	a.must(resumed.Start())
	a.model.Held()
	a.ended = func() {
		if err := resumed.Wait(); !strings.Contains(said.String(), "waits for your review") {
			a.t.Errorf("the resumed task ends with %v:\n%s", err, said.String())
		}
	}
}

// stoppedState is the state of a process that was stopped, in /proc/PID/stat, behind its name in brackets.
var stoppedState = regexp.MustCompile(`(?s)^\d+ \(.*\) T `)

// freeze stops a process, and waits until it stands still: on a busy machine some of its threads run on for a while. Where
// there is no /proc, that is taken on trust.
func (c *crashed) freeze(cmd *exec.Cmd) {
	c.t.Helper()
	c.must(cmd.Process.Signal(syscall.SIGSTOP))
	for {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil || stoppedState.Match(state) {
			return
		}
	}
}
