package permit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
)

// project are the user's own files in TestRests.
var project = map[string]string{
	"Makefile":        "test:\n\tsh test.sh\n\tpython -m pytest tests/test_a.py\nlint:\n\t@./tools/lint.sh src\ncheck:\n\tfor t in tests/*.sh; do sh $$t; done\ndocs:\n\tpython run.py\nspec:\n\tbash $(SUITE)\n",
	"tox.ini":         "[testenv]\ncommands = bash ci/run.sh\n  pytest\n",
	"web/Makefile":    "test:\n\tnode --test test/a.test.js\n",
	"package.json":    `{"scripts": {"test": "node --test", "lint": "node tools/lint.test.js", "build": "tsc -p ."}}`,
	"test.sh":         "true\n",
	"tools/lint.sh":   "true\n",
	"scripts/test.sh": "true\n",
	"src/a.py":        "x = 1\n",
}

// TestRests has lines that rest on the user's files: each with what the task has changed before, and
// a part of the reason for which it is asked for; "" where it runs.
func TestRests(t *testing.T) {
	const changed = "which this task has written or changed"
	for _, c := range []struct{ staged, line, why string }{
		{"", "make test", ""},
		{"src/a.py", "make test", ""},
		{"tests/test_a.py", "make test", ""},
		{"test.sh", "make test", "test.sh, " + changed},
		{"tools/lint.sh", "make lint", "tools/lint.sh, " + changed},
		{"tests/slow.sh", "make check", "tests/slow.sh, " + changed},
		{"web/test/a.test.js", "make -C web test", ""},
		{"Makefile", "make test", "Makefile"},
		{"", "npm test", ""},
		{"test/a.test.js", "npm test", ""},
		{"tools/lint.test.js", "npm run lint", "tools/lint.test.js, " + changed},
		{"", "bash scripts/test.sh", ""},
		{"scripts/test.sh", "bash scripts/test.sh", changed},
		{"tests/test.sh", "sh tests/test.sh", changed},
		{`package.json={"scripts": {"test": "sh test/test.sh"}} test/test.sh`, "npm test", changed},
		{`package.json={"scripts": {"test": "sh test.spec.sh"}}`, "npm test", "which this task has written or changed"},
		{`package.json={"scripts": {"test": "node --test --test-name-pattern=x"}}`, "npm test", ""},
		{"", "tox", ""},
		{"venv/bin/pytest", "venv/bin/pytest -q", "venv/bin/pytest, " + changed},
		{"node_modules/.bin/jest", "npx jest", changed},
		{"src/a.py", "tox -e py312", ""},
		{"ci/run.sh", "tox", "ci/run.sh, " + changed},
		// What the line itself writes counts as what the task changed before.
		{"", "sed -i s/1/2/ src/a.py && make test", ""},
		{"", "sed -i s/1/2/ src/a.py && npm test 2>&1 | tee test.log | tail", ""},
		{"", "cat test.log > src/b.test.js; npm run lint", ""},
		{"", "cd src && sed -i s/1/2/ lint.test.js && cd .. && npm run lint", "it may have changed itself"},
		{"", "sed -i s/1/2/ lint.test.js && npm run lint", "it may have changed itself"},
		{"", "cp src/a.py run.py && make docs", "run.py, which it may have changed itself"},
		{"", "sed -i s/1/2/ *.py && make docs", "changed itself"},
		{"", "sed -i s/1/2/ src/a.py && tox", ""},
	} {
		if why := unsettledWith(t, c.staged, c.line); (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s, then %s: %q, want %q", c.staged, c.line, why, c.why)
		}
	}
}

// unsettledWith stages files in a workspace with the project's and says why the line is then asked for. A file is
// its name, or name=content; they are separated by the blanks in front of names.
func unsettledWith(t *testing.T, staged, line string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range project {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := &Permit{State: &record.State{}, Overlay: w.NewOverlay(), Workspace: w, Approvals: &Approvals{Commands: shell.Policy{Sandboxed: true, Level: shell.Default}}}
	defer p.Overlay.Close()
	name, text, has := strings.Cut(staged, "=")
	files := map[string]string{}
	if has {
		end := strings.LastIndexByte(text, '}') + 1
		files[name] = text[:end]
		staged = text[end:]
	}
	for _, f := range strings.Fields(staged) {
		files[f] = "changed\n"
	}
	for name, text := range files {
		if _, err := p.Overlay.Write(name, text); err != nil {
			t.Fatal(err)
		}
	}
	v := shell.Judge(line, p.Approvals.Commands)
	if v.Decision != shell.Allow {
		t.Fatalf("%s: %s, %s", line, v.Decision, v.Reason)
	}
	why, _ := p.unsettled(line, v)
	return why
}
