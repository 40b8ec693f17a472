package shell

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// Package is a dependency: a package of Python (pypi), JavaScript (npm), Go (go) or
// Rust (cargo).
type Package struct {
	Ecosystem string // "pypi", "npm", "go" or "cargo"
	Name      string
	Version   string // exactly this version; "" where none is named; "*" in an allowlist means any
}

// String writes a package as settings have it: pypi:requests@2.31.0.
func (p Package) String() string {
	if p.Version == "" {
		return p.Ecosystem + ":" + p.Name
	}
	return p.Ecosystem + ":" + p.Name + "@" + p.Version
}

var (
	ecosystems  = []string{"pypi", "npm", "go", "cargo"}
	packageName = lazyregexp.New(`^@?[A-Za-z0-9][\w.-]*(/[\w.~-]+)*$`)
	versionText = lazyregexp.New(`^v?\d[\w.+!-]*$`)
	pythonRuns  = lazyregexp.New(`[-_.]+`)
)

// ParsePackage reads an entry of the allowlist, such as pypi:requests@2.31.0,
// npm:@types/node@20.1.0, go:golang.org/x/text@v0.14.0 or pypi:requests@* for any
// version. The error completes "the value is not allowed: ".
func ParsePackage(s string) (Package, error) {
	ecosystem, rest, ok := strings.Cut(s, ":")
	i := strings.LastIndexByte(rest, '@')
	if !ok || !slices.Contains(ecosystems, ecosystem) || i <= 0 {
		return Package{}, fmt.Errorf("%q is not a package with its version, such as pypi:requests@2.31.0 (or @* for any version)", s)
	}
	p := Package{ecosystem, normal(ecosystem, rest[:i]), rest[i+1:]}
	if !packageName.MatchString(p.Name) || p.Version != "*" && !versionText.MatchString(p.Version) {
		return Package{}, fmt.Errorf("%q is not a package with its version, such as pypi:requests@2.31.0 (or @* for any version)", s)
	}
	return p, nil
}

// normal returns a package's name as its index compares names (for Python: PEP 503).
func normal(ecosystem, name string) string {
	if ecosystem == "pypi" {
		return strings.ToLower(pythonRuns.ReplaceAllString(name, "-"))
	}
	return name
}

// adders are the commands that add dependencies, with the flags that do not
// change where they come from.
var adders = []struct{ command, ecosystem, flags string }{
	{"pip install", "pypi", "-q --quiet -U --upgrade --no-deps --disable-pip-version-check --no-input"},
	{"pip3 install", "pypi", "-q --quiet -U --upgrade --no-deps --disable-pip-version-check --no-input"},
	{"uv pip install", "pypi", "-q --quiet"},
	{"uv add", "pypi", "-q --quiet --dev"},
	{"poetry add", "pypi", "-q --quiet -n --no-interaction"},
	{"pdm add", "pypi", "-q -d --dev"},
	{"pipenv install", "pypi", "-d --dev"},
	{"npm install", "npm", "-D -S -E --save --save-dev --save-exact --no-audit --no-fund --ignore-scripts"},
	{"npm i", "npm", "-D -S -E --save --save-dev --save-exact --no-audit --no-fund --ignore-scripts"},
	{"npm add", "npm", "-D -S -E --save --save-dev --save-exact --no-audit --no-fund --ignore-scripts"},
	{"yarn add", "npm", "-D -E --dev --exact"},
	{"pnpm add", "npm", "-D -E --save-dev --save-exact"},
	{"bun add", "npm", "-d --dev"},
	{"go get", "go", "-v"},
	{"go install", "go", "-v"},
	{"cargo add", "cargo", "--dev -q --quiet"},
}

// PackagesRule is the setting that allows dependencies.
const PackagesRule = "commands.packages"

// installs judges a command that adds dependencies: it is allowed when the
// allowlist has each of them in the version that is named, and asked for otherwise.
func (j judge) installs(words []word) (finding, bool) {
	for _, a := range adders {
		name := strings.Fields(a.command)
		if len(words) < len(name) || join(words[:len(name)]) != a.command {
			continue
		}
		f := asks(classes["install"].touches, "%s", class("install").reason(a.command))
		all := len(words) > len(name)
		var missing, lists []string
		for rest := words[len(name):]; len(rest) > 0; {
			if file, n := listOf(a.ecosystem, texts(rest)); n > 0 {
				lists, all, rest = append(lists, file), false, rest[n:]
				continue
			}
			w := rest[0]
			rest = rest[1:]
			if w.plain() && slices.Contains(strings.Fields(a.flags), w.text) {
				continue
			}
			p, ok := parsePackage(a.ecosystem, w)
			if !ok {
				all = false
				continue
			}
			f.packages = append(f.packages, p.String())
			if !j.policy.knows(p) {
				missing = append(missing, p.String())
			}
		}
		switch {
		case len(lists) > 0:
			from := slices.Concat(lists, missing)
			f.reason = fmt.Sprintf("It adds dependencies that commands.packages does not list (%s).", strings.Join(from, ", "))
		case len(missing) > 0:
			f.reason = fmt.Sprintf("It adds dependencies that commands.packages does not list (%s).", strings.Join(missing, ", "))
		case all && len(f.packages) > 0:
			f.decision, f.rule = Allow, PackagesRule
			f.touches &^= writes // the allowlist permits that
		}
		return f, true
	}
	return finding{}, false
}

// listFlags are the flags of pip and uv that name a file with requirements.
var listFlags = []string{"-r", "--requirement", "--requirements", "-c", "--constraint", "--constraints"}

// listOf returns the file with requirements that the first of these words names, and
// of how many words that is; 0 where they name none.
func listOf(ecosystem string, words []string) (file string, n int) {
	name, value, has := strings.Cut(words[0], "=")
	short := len(words[0]) > 2 && slices.Contains(listFlags, words[0][:2]) && words[0][1] != '-'
	switch {
	case ecosystem != "pypi":
		return "", 0
	case slices.Contains(listFlags, words[0]) && len(words) > 1:
		return words[1], 2
	case has && slices.Contains(listFlags, name):
		return value, 1
	case short:
		return words[0][2:], 1
	}
	return "", 0
}

// Lists returns the files with requirements that a command line installs, as it names
// them. A line that cannot be parsed has none.
func Lists(line string) []string {
	file, _, err := parse(line)
	if err != nil {
		return nil
	}
	var list []string
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		for _, words := range commandsOf(looseWords(call), 0) {
			for _, a := range adders {
				if !strings.HasPrefix(strings.Join(words, " "), a.command+" ") {
					continue
				}
				for i := range words {
					if file, n := listOf(a.ecosystem, words[i:]); n > 0 && !slices.Contains(list, file) {
						list = append(list, file)
					}
				}
			}
		}
		return true
	})
	return list
}

// parsePackage reads an operand of an adder. ok is false for anything but a name and
// a version, such as a file, an address or a range of versions.
func parsePackage(ecosystem string, w word) (p Package, ok bool) {
	name, version := w.text, ""
	switch ecosystem {
	case "pypi":
		name, version, _ = strings.Cut(w.text, "==")
		name, _, _ = strings.Cut(name, "[")
	default:
		if i := strings.LastIndexByte(w.text, '@'); i > 0 {
			name, version = w.text[:i], w.text[i+1:]
		}
	}
	if !w.plain() || !packageName.MatchString(name) || version != "" && !versionText.MatchString(version) ||
		strings.HasPrefix(name, ".") || ecosystem != "go" && ecosystem != "npm" && strings.Contains(name, "/") ||
		ecosystem == "npm" && strings.Contains(name, "/") && !strings.HasPrefix(name, "@") {
		return Package{}, false
	}
	return Package{ecosystem, normal(ecosystem, name), version}, true
}

// knows reports whether the allowlist has a package. A package without a version is
// listed only where any version is.
func (p *Policy) knows(want Package) bool {
	return slices.ContainsFunc(p.Packages, func(have Package) bool {
		return have.Ecosystem == want.Ecosystem && have.Name == want.Name && (have.Version == "*" || have.Version == want.Version)
	})
}
