package validate

import (
	"path"
	"strings"

	"caselsp/agent/syntax"
)

// Untested lets the rules of a table pass over tests: what is wrong there is
// mostly on purpose, and never runs where strangers are.
func Untested(list []Rule) []Rule {
	for i := range list {
		check := list[i].Check
		list[i].Check = func(p *Pass) {
			if !p.test() {
				check(p)
			}
		}
	}
	return list
}

// testFile reports whether a file is a test or belongs to one.
func testFile(file string) bool {
	base := strings.ToLower(path.Base(file))
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "-test") ||
		strings.HasSuffix(stem, "_tests") || stem == "tests" || stem == "conftest" || strings.HasSuffix(stem, ".stories") {
		return true
	}
	if path.IsAbs(file) {
		return false // where a project lies says nothing about its files
	}
	for _, dir := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
		switch dir {
		case "test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "__fixtures__", "__mocks__", "mocks", "e2e", "cypress":
			return true
		}
	}
	return false
}

const (
	longFile = 5000 // bytes; below, a long line is a long value
	longLine = 500  // bytes on average, of what no person wrote
)

// machineText reports whether a program wrote a text: a bundle, a dump.
func machineText(text string) bool {
	return len(text) > longFile && len(text)/(strings.Count(text, "\n")+1) > longLine
}

// Reads reports whether the validators look into a file: its language is known,
// or it is a text in which secrets are looked for.
func Reads(file string) bool {
	if syntax.LanguageOf(file) != syntax.Unknown {
		return true
	}
	base := strings.ToLower(path.Base(file))
	ext := path.Ext(base)
	return (configExtensions[ext] || configFiles[base] || strings.HasPrefix(base, ".env") || strings.HasPrefix(base, "dockerfile")) && mayHoldSecrets(file)
}

var (
	// configExtensions are of languages without a grammar here in which people
	// leave secrets.
	configExtensions = syntax.WordSet(`.env .envrc .yaml .yml .toml .ini .cfg .conf .config .properties .props .sh .bash .zsh .fish .ps1 .bat .cmd .tf .tfvars .hcl .xml .plist .java .kt .kts .scala
		.groovy .gradle .rb .erb .php .cs .vb .fs .swift .m .rs .c .h .cc .cpp .hpp .pl .pm .lua .r .dart .ex .exs .erl .clj .sql .pem .key .txt .md .rst .log .csv .http .service .nix .mk .bazel .cmake .npmrc .netrc .pgpass .pypirc .vue .svelte .proto .graphql .ipynb`)
	configFiles = syntax.WordSet("makefile jenkinsfile vagrantfile procfile credentials id_rsa id_dsa id_ecdsa id_ed25519 .npmrc .netrc _netrc .pgpass .pypirc .s3cfg .boto .dockercfg .htpasswd .git-credentials .bashrc .zshrc .profile .bash_profile caddyfile config")

	lockFiles = syntax.WordSet(`package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-lock.yml poetry.lock pipfile.lock uv.lock pdm.lock cargo.lock composer.lock gemfile.lock go.sum go.mod go.work.sum
		mix.lock flake.lock deno.lock bun.lock gradle.lockfile gradle-wrapper.properties packages.lock.json podfile.lock pubspec.lock checksums.txt sha256sums md5sums`)
	machineMade = syntax.Expr(`(?:[.-]min\.(?:js|css|mjs)|\.map|\.svg|\.snap|\.sum|\.po|\.pot|\.xlf)$`)
)

// mayHoldSecrets reports whether what looks like a secret in a file could be one:
// people wrote it, and it is no test.
func mayHoldSecrets(file string) bool {
	base := strings.ToLower(path.Base(file))
	return !lockFiles[base] && !machineMade.MatchString(base) && !testFile(file)
}
