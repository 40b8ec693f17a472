package permit

import (
	"strings"
	"testing"

	"caselsp/agent/shell"
)

// TestSecretFiles goes through names of files: those that may hold secrets, and ordinary ones.
func TestSecretFiles(t *testing.T) {
	for kind, names := range map[string]string{
		"secret": ".env .env.local app/.env.production id_rsa deploy/id_ed25519 server.pem tls/server.key .netrc .pgpass " +
			".git-credentials credentials.json config/secrets.yml keystore.jks .ssh/config .aws/credentials .git/config .kube/config .docker/config.json .python_history " +
			".envrc .npmrc .pypirc .bash_history",
		"ordinary": "README.md app/settings.py .env.example .env.sample id_rsa.pub secrets.py .gitignore .editorconfig .github/ISSUE_TEMPLATE.md Makefile package.json tests/test_env.py key.py docs/agents.md.txt environment.yml .docker/nginx.conf .vscode/settings.json",
	} {
		for name := range strings.FieldsSeq(names) {
			if secret := shell.SecretFile(name); secret != (kind == "secret") {
				t.Errorf("%s: secret %v; it is %s", name, secret, kind)
			}
		}
	}
}

// TestNamed: the user's own words name a file, and nothing else does.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		text, key string
		want      bool
	}{
		{"write .mcp.json", ".mcp.json", true},
		{"write ./.vscode/tasks.json.", ".vscode/tasks.json", true},
		{"add .github/workflows/ci.yml, please", ".github/workflows/ci.yml", true},
		{"add workflows/ci.yml, please", ".github/workflows/ci.yml", false},
		{"change tasks.json", ".vscode/tasks.json", false},
		{"add a lint target to the Makefile", "Makefile", true},
		{"add a lint target to the Makefile", "sub/Makefile", false},
		{"Fix `tests/conftest.py`!", "tests/conftest.py", true},
		{"Fix a.py, Makefile and b.py", "Makefile", true},
		{"write .vscode/settings.json with a tab size of 4", ".vscode/settings.json", true},
		{"update the config", ".cargo/config", false},
		{"change config", "config", true},
		{"do not touch .mcp.json", ".mcp.json", false},
		{"don't change a.py, b.py or .mcp.json", ".mcp.json", false},
		{"don’t change .mcp.json", ".mcp.json", false},
		{"do not:\n- edit .mcp.json", ".mcp.json", false},
		{"do not touch a.py. Write .mcp.json", ".mcp.json", true},
		{"write .mcp.json but leave .envrc as it is", ".envrc", false},
		{"the Makefile must stay as it is", "Makefile", false},
		{"hands off Makefile", "Makefile", false},
		{"works with the Makefile we have", "Makefile", false},
		{"change the code so that it works with the Makefile we have", "Makefile", false},
		{"write tests for Makefile", "Makefile", false},
		{"Makefile ist tabu", "Makefile", false},
		{"fix a.py, Makefile ist tabu", "Makefile", false},
		{"Why Makefile?", "Makefile", false},
		{"explain the Makefile", "Makefile", false},
		{"explain the Makefile", "sub/deep/Makefile", false},
		{"explain how to change Makefile", "Makefile", false},
		{"Makefile", "Makefile", false},
		{"mcp.json.example", ".mcp.json", false},
		{"", ".mcp.json", false},
		{"tests/a.py may be rewritten", "tests/a.py", true},
		{"tests/a.py, tests/b.py and tests/c.py can also be changed, too", "tests/a.py", true},
		{"the old tests/a.py should go", "tests/a.py", true},
		{"tests/a.py must pass, whatever is changed", "tests/a.py", false},
		{"tests/a.py must not be changed", "tests/a.py", false},
		{"tests/a.py has changed since", "tests/a.py", false},
		{"can tests/a.py be changed?", "tests/a.py", false},
		{"make tests/a.py pass; src may be changed", "tests/a.py", false},
	} {
		if got := namedIn([]string{c.text}, c.key); got != c.want {
			t.Errorf("%q names %s: %v", c.text, c.key, got)
		}
	}
}
