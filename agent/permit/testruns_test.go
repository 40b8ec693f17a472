package permit

import (
	"strings"
	"testing"

	"caselsp/agent/action"
	"caselsp/agent/shell"
)

// definedLines are runs of tests that the user has allowed for a task: what the task changes afterwards, and whether
// it makes the line mean something else.
var definedLines = []struct {
	changed, line string
	again         bool
}{
	{"src/a.py", "pytest -q", false},
	{"tests/test_a.py", "pytest -q tests/test_a.py", false},
	{"tests/conftest.py", "pytest -q tests/test_a.py", true},
	{"pytest.ini", "pytest -q", true},
	{"sitecustomize.py", "pytest -q", true},
	{"logging.py", "python -m pytest", true},
	{"src/a.js", "node --import=./setup.mjs --test test/*.js", false},
	{"test/a.test.js", "node --import=./setup.mjs --test test/*.js", false},
	{"setup.mjs", "node --import=./setup.mjs --test test/*.js", true},
	{"test.js", "node test.js", false},
	{"run.js", "node run.js", true},
	{"tests/test.sh", "sh tests/test.sh", true},
	{"test.sh", "make test", true},
	{"Makefile", "make test", true},
	{"tests/test_a.py", "make test", false},
	{".mocharc.js", "npm test", true},
	{"jest.config.js", "npx jest", true},
	{"node_modules/.bin/jest", "npx jest", true},
	{`package.json={"scripts": {"test": "node --test x.js"}}`, "npm test", true},
	{"package.json=" + strings.Replace(project["package.json"], "{", `{"dependencies": {"tape": "^5.0.0"}, `, 1), "npm test", false},
	{`package.json={"scripts": {"test": "node --test", "postinstall": "node x.js"}}`, "npm test", true},
	{"src/index.ts", "npm test", false},
}

// TestDefines goes through definedLines.
func TestDefines(t *testing.T) {
	for _, c := range definedLines {
		p := permitWith(t, c.changed)
		v := shell.Explain(c.line, p.Approvals.Commands)
		before := p.taskBasis(c.line, v, true)
		if again := len(before.Files) > 0; again != c.again || !before.Tests {
			t.Errorf("%s, then %s: asked again %t: it rests on %v", c.changed, c.line, again, before.Files)
		}
	}
}

// live is the outside of a task that is not replayed.
type live struct{ Outside }

func (live) Asked() (asked, recorded bool) { return false, false }

// TestByScript has a line that is a script of the user's package.json be judged as the script is.
func TestByScript(t *testing.T) {
	asks, err := shell.ParsePattern("commands.ask", "nyc node")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		changed, line string
		ask           []shell.Pattern
		want          shell.Decision
	}{
		{"src/a.py", "nyc node --test", nil, shell.Allow},
		{"src/a.py", "nyc node --test x", nil, shell.Ask},
		{"src/a.py", "nyc node x.js", nil, shell.Ask}, // the script has no name of a check
		{"src/a.py", "nyc node --test", []shell.Pattern{asks}, shell.Ask},
		{`package.json={"scripts": {"test": "nyc mocha"}}`, "nyc mocha", nil, shell.Ask},
		{`package.json={"scripts": {"ci": "nyc mocha"}}`, "nyc node --test", nil, shell.Ask},
		{"node_modules/.bin/nyc", "nyc node --test", nil, shell.Ask},
	} {
		p := permitWith(t, c.changed)
		p.Outside, p.Approvals.Commands.Ask = live{}, c.ask
		if v := p.verdict(c.line, action.RunCommand{}); v.Decision != c.want {
			t.Errorf("%s, then %s: %s (%s)", c.changed, c.line, v.Decision, v.Reason)
		}
	}
}
