package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/store"
)

// writingRun is a task in which a model writes a fix validator, after a fix that worked and one that did not.
var writingRun = crashRun{
	project: map[string]string{
		"test_scale.py": "import unittest\n\nimport scale\n\n\nclass Scale(unittest.TestCase):\n    def test_twice(self):\n        if scale.twice(3) != 6:\n            raise scale.WrongScale(\"twice of 3\")\n",
	},
	result: map[string]string{
		"scale.py":      scaleTimes,
		"test_scale.py": "import unittest\n\nimport scale\n\n\nclass Scale(unittest.TestCase):\n    def test_twice(self):\n        if scale.twice(3) != 6:\n            raise scale.WrongScale(\"twice of 3\")\n",
	},
	args:   []string{"--set", "lint.when=never", "--set", "tests.write=off"},
	ended:  [2]int{4, 4}, // the last is the run without the change
	engine: "docker",
	model: `
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["scale.py"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Scale", "description": "Write scale.py.", "test": "python3 -m unittest"}]}
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "scale.py", "content": "class WrongScale(Exception):\n    pass\n\n\ndef twice(n):\n    return n\n"}
on case
after 1
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on case
after 2
times always
call WRITE_FILE {"thought": "t", "path": "scale.py", "content": "class WrongScale(Exception):\n    pass\n\n\ndef twice(n):\n    return n + 1\n"}
on case
after 3
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["twice gives twice its argument"], "analysis": "it gave it once"}
on reflector
when ` + validatorWanted + `
times always
call SUBMIT_VALIDATOR {"name": "scale-twice", "description": "checks that a scale multiplies", "code": "import json, sys\nc = json.load(sys.stdin)\nok = '*' in c['fixed_code'] and c['fixed_code'] != c['original_code']\nprint(json.dumps({'valid': ok, 'reason': 'multiplies' if ok else 'it does not multiply', 'confidence': 0.9}))\n"}
on reflector
times always
call SUBMIT_HYPOTHESIS {"cause": "twice adds", "fix": "let twice in scale.py multiply"}
on case
after 4
times always
call WRITE_FILE {"thought": "t", "path": "scale.py", "content": "class WrongScale(Exception):\n    pass\n\n\ndef twice(n):\n    return n * 2\n"}
on case
after 5
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["twice gives twice its argument"], "analysis": "it added"}
on tars
when # Test results
times always
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`,
}

const scaleTimes = "class WrongScale(Exception):\n    pass\n\n\ndef twice(n):\n    return n * 2\n"

// validatorWanted is in the requests in which a model is asked for a validator.
const validatorWanted = "A claimed fix that was wrong"

// kept are the generated validators, as the processes have left them. One that cannot be read fails the test.
func (c *crashed) kept() (names []string) {
	c.t.Helper()
	m, err := store.UserMemory(store.Options{StateDir: filepath.Join(c.home, ".state", "caselsp")})
	c.must(err)
	defer m.Close()
	list, err := agent.GeneratedValidators(m)
	c.must(err)
	for _, g := range list {
		if _, wrong := g.Validator(); g.Unreadable != "" || wrong != nil || !g.Trial.Trusted() {
			c.t.Errorf("half of a validator is kept: %+v, %v", g, wrong)
		}
		names = append(names, g.Name)
	}
	return names
}

// wanted is how often a model was asked for a validator.
func (c *crashed) wanted() (n int) {
	for _, r := range c.model.Requests() {
		if bytes.Contains(r.Body, []byte(validatorWanted)) {
			n++
		}
	}
	return n
}

// tried are the records of validators that a model has written.
func (c *crashed) tried() (list []record.ValidatorTried) {
	_, _, events := c.events()
	for _, e := range events {
		if b, ok := e.Body.(record.ValidatorTried); ok {
			list = append(list, b)
		}
	}
	return list
}

// TestCrashValidator kills the real process, with kill -9, at each record between the request for a fix validator and what follows it, while
// it is tried, and when it is kept and not recorded yet. When the task has gone on, the validator is there once and whole, its
// trial is recorded once, and a model that had answered was not asked again.
func TestCrashValidator(t *testing.T) {
	t.Parallel()
	need(t, "docker")
	run := writingRun
	if lacking("native:python3") == nil {
		run.engine = "native" // which starts sooner
	}
	task := append([]string{"run", "--json", "--yes", "--task", "double"}, run.args...)
	whole := newCrashed(t, run)
	var kinds []string
	whole.caselsp(func(kind string) bool { kinds = append(kinds, kind); return true }, task...)
	calls, at := len(whole.model.Requests()), slices.Index(kinds, "ValidatorTried")
	whole.check(calls)
	if names := whole.kept(); at < 0 || !slices.Equal(names, []string{"scale-twice"}) || whole.wanted() != 1 || len(whole.tried()) != 1 {
		t.Fatalf("the run that is not killed goes wrong: kept %v, asked %d times, tried %v\n%v\n%v", names, whole.wanted(), whole.tried(), kinds, whole.model.Failures())
	}
	asked := at - 1 // the line of the request
	for asked > 0 && kinds[asked] != "CallSent" {
		asked--
	}
	check := func(t *testing.T, c *crashed, answered bool) {
		c.goOn()
		c.check(calls)
		if names, tried := c.kept(), c.tried(); !slices.Equal(names, []string{"scale-twice"}) || len(tried) != 1 || !tried[0].Trial.Trusted() {
			t.Errorf("kept: %v, tried: %+v", names, tried)
		}
		if n := c.wanted(); answered && n != 1 || n > 2 {
			t.Errorf("a validator was asked for %d times", n)
		}
	}
	for k := asked; k <= at+1; k++ {
		t.Run(fmt.Sprintf("%d_%s", k+1, kinds[k]), func(t *testing.T) {
			t.Parallel()
			c, n := newCrashed(t, run), 0
			c.caselsp(func(string) bool { n++; return n <= k }, task...)
			check(t, c, k > asked && slices.Contains(kinds[asked:k+1], "CallAnswered"))
		})
	}
	t.Run("while_keeping", func(t *testing.T) {
		t.Parallel()
		c, n := newCrashed(t, run), 0
		c.caselsp(func(kind string) bool {
			n++
			return n <= asked || kind != "CallAnswered" || !c.memoryChanges()
		}, task...)
		t.Logf("killed with %d kept and %d recorded", len(c.kept()), len(c.tried()))
		check(t, c, true)
	})
}

// memoryChanges waits until the file of the memory changes. It looks without a pause: the process is to be killed before the
// change is whole.
func (c *crashed) memoryChanges() bool {
	file := filepath.Join(c.home, ".state", "caselsp", "user.db")
	before, err := os.Stat(file)
	c.must(err)
	for {
		now, err := os.Stat(file)
		c.must(err)
		if !now.ModTime().Equal(before.ModTime()) {
			return true
		}
		runtime.Gosched()
	}
}
