package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

var (
	usageName = lazyregexp.New(`^[A-Za-z][\w.+-]*$`)
	gitTopic  = lazyregexp.New(`^[a-z][a-z-]*$`)
	// usageBuiltins are names that the shell itself takes, some of which start or load their operand.
	usageBuiltins = []string{".", "source", "eval", "exec", "command", "builtin", "trap", "alias", "coproc", "time"}
	// shortVersion are the flags by which programs that are not in versioned print their version.
	shortVersion = map[string]string{"mvn": "-v", "bundle": "-v", "gradle": "-v", "perl": "-v", "lua": "-v", "cargo": "-V", "poetry": "-V", "rspec": "-v", "rubocop": "-v", "composer": "-V", "mypy": "-V", "pytest": "-V", "ruff": "-V", "yarn": "-v", "terraform": "-v", "gem": "-v", "rake": "-V"}
	// sayVersion are the programs that have a subcommand for it, which asks no server.
	sayVersion = []string{"go", "git", "terraform", "tofu", "zig", "hugo", "ruff", "poetry", "golangci-lint", "openssl"}
)

// helps judges a known program that is asked for nothing but its help or its version, alone or
// about one of its known subcommands. Some load the project's configuration even then, so all but
// those that only read count as running it. Words of the same form behind any other word are not
// judged here: the program may take them for something else.
func helps(words []word) (finding, bool) {
	n := len(words)
	if n < 2 || slices.ContainsFunc(words, func(w word) bool { return !w.plain() || w.text == "" }) {
		return finding{}, false
	}
	name, last := words[0].text, words[n-1].text
	if !usageName.MatchString(name) || slices.Contains(usageBuiltins, name) {
		return finding{}, false
	}
	if name == "git" && n == 3 && words[1].text == "help" && gitTopic.MatchString(last) {
		return finding{decision: Allow, touches: reads | runs}, true
	}
	if p, taken := lookup(programs, words); p != nil && taken == n {
		return finding{}, false // the table says more
	}
	if n == 2 && last == "--version" && words[0].plain() && !strings.ContainsAny(name, "./") {
		if _, listed := versioned[name]; !listed && !tabled(name) { // what a program in the image does with nothing else but this
			return finding{decision: Allow, touches: reads | runs}, true
		}
	}
	touches := reads | runs
	if _, known := versioned[name]; known && n == 2 && (last == "--version" || last == versioned[name]) {
		return finding{}, false
	}
	if p, taken := lookup(programs, words[:n-1]); p != nil && taken == n-1 {
		touches = p.touches & (reads | writes | runs)
	} else if p, taken = lookup(sandboxPrograms, words[:n-1]); (p == nil || taken != n-1) && (n != 2 || !tabled(name)) {
		return finding{}, false
	}
	f := finding{decision: Allow, touches: touches}
	switch {
	case last == "--help" || n == 2 && last == "--version":
		return f, !pathed(name) || n == 2
	case n > 2:
		return finding{}, false
	case last == "-h":
		return f, touches&runs != 0 && endings[name] == "" && takesVerbs(name)
	case last == "version":
		return f, slices.Contains(sayVersion, name)
	}
	return f, strings.HasPrefix(last, "-") && (shortVersion[name] == last || versioned[name] == last)
}

// pathed are programs that look their subcommands up among the files of the project.
func pathed(name string) bool {
	return slices.Contains([]string{"npx", "bunx", "pnpx", "node", "php"}, name)
}

// tabled reports whether a program stands in one of the tables by its name, or begins a name there.
func tabled(name string) bool {
	return firstWords[name] || endings[name] != "" || commanders[name] != nil || compilers[name].flags != nil || specials[name] != nil || wraps[name] != nil
}

// firstWords are the first words of the names in the tables, without Python's modules.
var firstWords = func() map[string]bool {
	all := make(map[string]bool)
	add := func(name string) {
		if first, _, _ := strings.Cut(name, " "); !slices.Contains(onlyModules, first) {
			all[first] = true
		}
	}
	for _, table := range []map[string]*program{programs, sandboxPrograms} {
		for name := range table {
			add(name)
		}
	}
	for name := range risks {
		add(name)
	}
	for name := range versioned {
		add(name)
	}
	return all
}()

// takesVerbs reports whether a program is known to run what its table says, or has subcommands
// that are known, so that -h is no flag of its own.
func takesVerbs(name string) bool {
	return slices.Contains([]string{"pytest", "cargo", "ruff", "mypy", "black", "tox", "nox", "mvn", "gradle", "poetry", "composer", "bundle", "rspec", "rubocop", "eslint", "jest", "vitest", "mocha", "tsc", "go", "npm", "yarn", "pnpm", "flake8", "isort", "pylint", "sphinx-build", "pip"}, name)
}
