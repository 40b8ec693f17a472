package permit

import (
	"strings"
	"testing"

	"caselsp/agent/shell"
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
