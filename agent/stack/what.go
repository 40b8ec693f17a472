package stack

import "caselsp/store/lazyregexp"

// start is where a command line may name a program: at its beginning, after an operator, or
// behind a program that runs another one.
const start = "(?:^|[;&|(]|\\s-m|\\b(?:npx|exec|run|dlx|timeout \\S+|env|xvfb-run)\\s)\\s*(?:-\\S+\\s+)*(?:[A-Za-z_][A-Za-z0-9_]*=\\S*\\s+)*(?:[\\w.~/-]*/)?"

// runners are the command lines that run tests.
var runners = lazyregexp.New(start + `(?:(?:pytest|py\.test|unittest|nose2?|tox|nox|gotestsum|jest|vitest|mocha|jasmine|ava|karma|rspec|phpunit|ctest|bats|django(?:-admin)? test)(?:\s|$)` +
	`|(?:go|cargo|dotnet|mix|deno|bun|hatch|swift|flutter|zig)(?: run)?(?: -C \S+)? test\b|(?:npm|pnpm|yarn)(?: run)?(?: -\S+)* (?:test|t|tst)\b` +
	`|node\b.* --test\b|python3?\b.* manage\.py test\b|python3? manage\.py test\b|make\b.*\b(?:tests?|check)\b|(?:mvn|gradle|gradlew)\b.*\b(?:test|verify|check)\b)`)

// checks are the commands that people name as tests and that run none.
var checks = []struct {
	what    string
	pattern *lazyregexp.Regexp
}{
	{"a syntax check", lazyregexp.New(`\b(py_compile|compileall)\b|\bnode( -c| --check)\b|\b(ba)?sh -n\b|\bphp -l\b|\bast\.parse\b`)},
	{"a build", lazyregexp.New(`\btsc\b|\b(go|cargo|dotnet|npm run|pnpm run|yarn) (build|install|check)\b`)},
	{"a linter", lazyregexp.New(`\b(eslint|ruff|flake8|pylint|mypy|pyright|black|prettier|gofmt|golangci-lint|staticcheck|bandit|shellcheck)\b|\bgo vet\b|\bnpm run lint\b`)},
	{"an import", lazyregexp.New(`\bpython3? -c ["']?(import|from) [\w., ]+["']?$`)},
}

// What says what a command line is that is no test run, "" for one that is or may be: a
// script of the project's own is taken at its word. Where reads is true, the line only reads.
func What(line string, reads bool) string {
	if runners.MatchString(line) {
		return ""
	}
	for _, c := range checks {
		if c.pattern.MatchString(line) {
			return c.what
		}
	}
	if reads {
		return "a command that only reads"
	}
	return ""
}
