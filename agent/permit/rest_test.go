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
	"package.json":    `{"scripts": {"test": "node --test", "lint": "node tools/lint.test.js", "build": "tsc -p .", "check": "node tools/lint", "verify": "cd tools && sh gen.sh", "docs": "node tools", "ci": "nyc node --test", "publish": "nyc node x.js"}}`,
	"test.sh":         "true\n",
	"tools/lint.sh":   "true\n",
	"scripts/test.sh": "true\n",
	"gradlew":         "exec java\n", "vendor/tools/phpunit": "<?php\n",
	"scripts/g.sh":     "cd tools\npython3 gen.py\n. ./tools/env\nD=x; sh $D/var.sh\nfor f in hooks/*.sh; do sh $f; done\npython -m tools.mod\n",
	"scripts/outer.sh": "bash scripts/g.sh\n", "scripts/loop.sh": "bash scripts/loop.sh\n",
	"run.py":   "import lib\nsubprocess.run(['sh', 'inner.sh'])\nopen('data.csv')\n",
	"src/a.py": "x = 1\n",
}

const changed = "which this task has written or changed"

// restLines are lines that rest on the user's files: each with what the task has changed before, and
// a part of the reason for which it is asked for; "" where it runs.
var restLines = []struct{ staged, line, why string }{
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
	// Programs of the workspace by a path, whatever their names.
	{"src/a.py", "./gradlew test", ""},
	{"gradlew", "./gradlew test", "gradlew, " + changed},
	{"web/gradlew", "cd web && ./gradlew test", "web/gradlew, " + changed},
	{"black.py", "python -m black src", "black.py"},
	{"src/a.py", "python -m black src", ""},
	{"mypy/__main__.py", "python -m mypy src", "mypy/__main__.py"},
	{"logging.py", "python -m pytest", "It may run logging.py, which this task has written"},
	{"src/logging.py", "python -m pytest", "src/logging.py"},
	{"src/app/logging.py", "python -m pytest", ""},
	{"sitecustomize.py", "python -m pytest", "sitecustomize.py"},
	{"logging.py", "cat src/a.py", ""},
	// What the user's own scripts start.
	{"src/a.py", "bash scripts/outer.sh", ""},
	{"tools/gen.py", "bash scripts/g.sh", "scripts/g.sh, which names tools/gen.py"},
	{"tools/gen.py", "bash scripts/outer.sh", "scripts/g.sh, which names tools/gen.py"},
	{"tools/env.sh", "bash scripts/g.sh", "tools/env.sh"},
	{"tools/var.sh", "bash scripts/g.sh", "tools/var.sh"},
	{"hooks/a.sh", "bash scripts/g.sh", "hooks/a.sh"},
	{"hooks/a.md", "bash scripts/g.sh", ""},
	{"tools/mod.py", "bash scripts/g.sh", "tools/mod.py"},
	{"src/a.py", "bash scripts/loop.sh", ""},
	{"inner.sh", "python run.py", "inner.sh"},
	{"lib.py data.csv", "python run.py", ""},
	{"tools/lint.js", "npm run check", "tools/lint.js"},
	{"tools/index.js", "npm run docs", "tools/index.js"},
	{"tools/gen.sh", "npm run verify", "tools/gen.sh"},
	{"src/lint.js", "npm run check", ""},
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
}

// TestRests goes through restLines.
func TestRests(t *testing.T) {
	for _, c := range restLines {
		if why := unsettledWith(t, c.staged, c.line); (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s, then %s: %q, want %q", c.staged, c.line, why, c.why)
		}
	}
}

// unsettledWith stages files as permitWith does and says why a line is then asked for.
func unsettledWith(t *testing.T, staged, line string) string {
	t.Helper()
	p := permitWith(t, staged)
	v := shell.Judge(line, p.Approvals.Commands)
	if v.Decision != shell.Allow {
		t.Fatalf("%s: %s, %s", line, v.Decision, v.Reason)
	}
	why, _ := p.unsettled(line, v)
	return why
}

// permitWith stages files in a workspace with the project's. A file is its name, or name=content; they are separated by
// the blanks in front of names.
func permitWith(t *testing.T, staged string) *Permit {
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
	t.Cleanup(func() { w.Close() })
	p := &Permit{State: &record.State{}, Overlay: w.NewOverlay(), Workspace: w, Approvals: &Approvals{Commands: shell.Policy{Sandboxed: true, Level: shell.Default}}}
	t.Cleanup(func() { p.Overlay.Close() })
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
	return p
}
