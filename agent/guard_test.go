package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/action"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
)

// TestObeyed goes through names of files: those that programs obey, those that
// may hold secrets, and ordinary ones.
func TestObeyed(t *testing.T) {
	for kind, names := range map[string]string{
		"obeyed": ".vscode/settings.json app/.vscode/tasks.json .VSCode/launch.json .idea/workspace.xml .github/workflows/ci.yml .github/actions/x/action.yml " +
			".caselsp.json .gitlab-ci.yml .circleci/config.yml Jenkinsfile .husky/pre-commit .githooks/pre-push .pre-commit-config.yaml .gitattributes .gitmodules " +
			".yarnrc.yml AGENTS.md docs/CLAUDE.md .cursorrules .cursor/rules/a.mdc .devcontainer/devcontainer.json .nvim.lua .exrc .dir-locals.el " +
			"sitecustomize.py lib/usercustomize.py evil.pth .bashrc .zshenv .profile mise.toml",
		"secret": ".env .env.local app/.env.production id_rsa deploy/id_ed25519 server.pem tls/server.key .netrc .pgpass " +
			".git-credentials credentials.json config/secrets.yml keystore.jks .ssh/config .aws/credentials .git/config .kube/config .docker/config.json .python_history",
		"both":     ".envrc .npmrc .pypirc .bash_history",
		"ordinary": "README.md app/settings.py .env.example .env.sample id_rsa.pub secrets.py .gitignore .editorconfig .github/ISSUE_TEMPLATE.md Makefile package.json tests/test_env.py key.py docs/agents.md.txt environment.yml .docker/nginx.conf",
	} {
		for name := range strings.FieldsSeq(names) {
			obeys, secret := obeyed.MatchString(name), shell.SecretFile(name)
			if obeys != (kind == "obeyed" || kind == "both") || secret != (kind == "secret" || kind == "both") {
				t.Errorf("%s: obeyed %v, secret %v; it is %s", name, obeys, secret, kind)
			}
		}
	}
}

func TestWeakened(t *testing.T) {
	const tests = "def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 2\n"
	content := func(text string) *workspace.Content {
		if text == "" {
			return nil
		}
		return &workspace.Content{Data: []byte(text)}
	}
	for name, c := range map[string]struct {
		path, before, after string
		more                workspace.Change
		want                []string
	}{
		"a file is deleted":       {path: "tests/test_x.py", before: tests, want: []string{"tests are gone: test_a, test_b"}},
		"a test is gone":          {path: "test_x.py", before: tests, after: tests[:35], want: []string{"tests are gone: test_b", "test_x.py: fewer checks (1, 2 before)"}},
		"a check means nothing":   {path: "test_x.py", before: tests, after: strings.Replace(tests, "assert f() == 2", "assert True", 1), want: []string{"test_x.py: fewer checks (1, 2 before)"}},
		"a test is skipped":       {path: "test_x.py", before: tests, after: "@pytest.mark.skip\n" + tests, want: []string{"test_x.py: tests are left out in more places (1, 0 before)"}},
		"it skips itself":         {path: "x_test.go", before: "func TestA(t *testing.T) { t.Error(1) }", after: "func TestA(t *testing.T) { t.Skip(); t.Error(1) }", want: []string{"x_test.go: tests are left out in more places (1, 0 before)"}},
		"only one runs":           {path: "a.test.ts", before: "it('a', () => { expect(1).toBe(f()) })", after: "it.only('a', () => { expect(1).toBe(f()) })", want: []string{"a.test.ts: tests are left out in more places (1, 0 before)"}},
		"the runner passes them":  {path: "pytest.ini", before: "[pytest]\n", after: "[pytest]\naddopts = --ignore=tests\n", want: []string{"pytest.ini: tests are left out in more places (1, 0 before)"}},
		"success is faked":        {path: "conftest.py", before: "import os\n", after: "import os\nos._exit(0)\n", want: []string{"conftest.py: tests are left out in more places (1, 0 before)"}},
		"a test becomes a string": {path: "test_x.py", before: tests, after: "\"\"\"\n" + tests + "\"\"\"\n", want: []string{"tests are gone: test_a, test_b", "test_x.py: fewer checks (0, 2 before)"}},
		"a test becomes a comment": {path: "a.test.js", before: "it('a', () => { expect(f()).toBe(1) })\nit('b', () => { expect(g()).toBe(1) })", after: "it('a', () => { expect(f()).toBe(1) })\n/*\nit('b', () => { expect(g()).toBe(1) })\n*/",
			want: []string{"tests are gone: b", "a.test.js: fewer checks (1, 2 before)"}},
		"it returns before":     {path: "test_x.py", before: tests, after: strings.Replace(tests, "def test_b():\n", "def test_b():\n    return\n", 1), want: []string{"test_x.py: fewer checks (1, 2 before)", "test_x.py: tests are left out in more places (1, 0 before)"}},
		"in a branch never run": {path: "test_x.py", before: tests, after: strings.Replace(tests, "    assert f() == 2", "    if False:\n        assert f() == 2", 1), want: []string{"test_x.py: fewer checks (1, 2 before)"}},
		"in a function never called": {path: "test_x.py", before: tests, after: "def unused():\n" + strings.ReplaceAll("    "+strings.TrimSpace(tests), "\n", "\n    ") + "\n",
			want: []string{"tests are gone: test_a, test_b"}},
		"it compares with itself":    {path: "test_x.py", before: tests, after: strings.Replace(tests, "f() == 2", "2 == 2", 1), want: []string{"test_x.py: fewer checks (1, 2 before)"}},
		"skipped by another name":    {path: "test_x.py", before: tests, after: "s = pytest.mark.skip\n\n@s\n" + tests, want: []string{"test_x.py: tests are left out in more places (1, 0 before)"}},
		"skipped by an exception":    {path: "test_x.py", before: tests, after: strings.Replace(tests, "    assert f() == 2", "    assert f() == 2\n    raise unittest.SkipTest", 1), want: []string{"test_x.py: tests are left out in more places (1, 0 before)"}},
		"built elsewhere only":       {path: "x_test.go", before: "package x\n\nfunc TestA(t *testing.T) { t.Error(1) }\n", after: "//go:build never\n\npackage x\n\nfunc TestA(t *testing.T) { t.Error(1) }\n", want: []string{"x_test.go: tests are left out in more places (1, 0 before)"}},
		"expected in vain":           {path: "a.test.ts", before: "it('a', () => { expect(f()).toBe(true) })", after: "it('a', () => { expect(true).toBe(true) })", want: []string{"a.test.ts: fewer checks (0, 1 before)"}},
		"a string speaks of tests":   {path: "test_x.py", before: tests, after: tests + "TEXT = \"\"\"\n@pytest.mark.skip\ndef test_c(): pass\n\"\"\"\n"},
		"a comment speaks of a skip": {path: "x_test.go", before: "package x\n\nfunc TestA(t *testing.T) { t.Error(1) }\n", after: "package x\n\n// TestA does not t.Skip().\nfunc TestA(t *testing.T) { t.Error(1) }\n"},
		"tests move to a new file": {path: "tests/test_x.py", before: tests,
			more: workspace.Change{Op: workspace.Create, Path: "tests/test_y.py", After: content(tests)}},
		"tests are added":      {path: "test_x.py", before: tests, after: tests + "def test_c():\n    assert 3\n"},
		"a new file of tests":  {path: "test_x.py", after: "def test_a():\n    pytest.skip()\n"},
		"other code goes":      {path: "app.py", before: tests, after: "x = 1\n"},
		"a test is rewritten":  {path: "test_x.py", before: tests, after: strings.Replace(tests, "f() == 2", "g(2) == 4", 1)},
		"a fixture is deleted": {path: "tests/data.json", before: "{}"},
		"a skip is taken away": {path: "test_x.py", before: "@pytest.mark.skip\n" + tests, after: tests},
	} {
		t.Run(name, func(t *testing.T) {
			set := workspace.ChangeSet{Files: []workspace.Change{{Path: c.path, Before: content(c.before), After: content(c.after)}}}
			if c.more.Path != "" {
				set.Files = append(set.Files, c.more)
			}
			if got := weakened(set); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestGuardOfEveryVerb names a file that holds secrets, and one that programs obey,
// in the arguments of every verb: whichever takes a path must need leave for the
// first, and whichever changes files for the second.
func TestGuardOfEveryVerb(t *testing.T) {
	const secret, obeyed = ".env", ".vscode/settings.json"
	b := newBench(t, "", agreeable{})
	r := b.newRun("t", func(Event, error) bool { return true })
	defer r.overlay.Close()
	if err := r.begin(t.Context(), Task{ID: "t", Text: "look"}); err != nil {
		t.Fatal(err)
	}
	dir := b.Workspace.Roots()[0].Dir
	for _, name := range []string{secret, obeyed} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("X=1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	guarded := 0
	for _, v := range action.All() {
		for _, path := range []string{secret, obeyed} {
			args, takesPath := argumentsNaming(t, v, path)
			act, err := action.Restore(v.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			l, err := r.wants(act.Args)
			if err != nil {
				t.Errorf("%s can never be allowed: %v", v.Name, err)
			}
			if must := takesPath && (path == secret || v.Effect == action.Edits); must != (l != nil) {
				t.Errorf("%s of %s needs leave: %v, want %v", v.Name, path, l != nil, must)
			}
			if l != nil {
				guarded++
			}
		}
	}
	if guarded < 12 {
		t.Errorf("only %d actions need leave", guarded)
	}
}

// argumentsNaming makes arguments of a verb in which every path is the one given.
func argumentsNaming(t *testing.T, v *action.Verb, path string) (args json.RawMessage, takesPath bool) {
	t.Helper()
	var schema struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(v.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, p := range []string{"path", "from", "to"} {
		if schema.Properties[p].Type == "string" {
			named[p] = path
		}
	}
	args, err := json.Marshal(named)
	if err != nil {
		t.Fatal(err)
	}
	return args, len(named) > 0
}

// TestUnknownReach: what a verb declares and nobody decides about is refused.
func TestUnknownReach(t *testing.T) {
	b := newBench(t, "", agreeable{})
	r := b.newRun("t", func(Event, error) bool { return true })
	defer r.overlay.Close()
	for name, args := range map[string]action.Reach{
		"a host":             reaching{hosts: []action.Host{"example.com"}},
		"names are changed":  reaching{changes: []action.Place{action.FileNames("")}},
		"secrets are set":    reaching{changes: []action.Place{action.Secrets{}}},
		"an outcome is read": reaching{reads: []action.Place{action.Outcome{}}},
		"no place at all":    reaching{reads: []action.Place{nil}},
	} {
		if _, err := r.wants(args); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// reaching is what an action might declare.
type reaching struct {
	reads, changes []action.Place
	hosts          []action.Host
}

func (r reaching) Reads() []action.Place   { return r.reads }
func (r reaching) Changes() []action.Place { return r.changes }
func (r reaching) Hosts() []action.Host    { return r.hosts }
