package shell

import (
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// wraps judge programs that run the command in their operands. They know the
// program's own flags exactly; ok is false where they do not apply, and then the
// command is judged like any other. The map is filled in init because judging a
// command may come back here.
var wraps map[string]func(j judge, words []word, s scope) (f finding, ok bool)

func init() {
	wraps = map[string]func(j judge, words []word, s scope) (finding, bool){
		"timeout":  skipping(lazyregexp.New(`^(-v|--preserve-status|--foreground|-s[A-Z0-9]+|-k\d+[smhd]?|--(signal|kill-after)=[A-Z0-9]+[smhd]?)$`), "-s -k --signal --kill-after", lazyregexp.New(`^\d+(\.\d+)?[smhd]?$`)),
		"nice":     skipping(lazyregexp.New(`^(-\d+|-n-?\d+|--adjustment=-?\d+)$`), "-n", nil),
		"stdbuf":   skipping(lazyregexp.New(`^(-[ioe][L0]|--(input|output|error)=[L0])$`), "", nil),
		"valgrind": skipping(lazyregexp.New(`^(-[qsv]|--(leak-check|show-leak-kinds|track-origins|error-exitcode|num-callers|tool|errors-for-leak-kinds|track-fds|trace-children|quiet)(=\w+)?)$`), "", nil),
		"env":      env, "xargs": xargs, "find": find, "git": git, "python": python, "node": node, "coverage": coverage,
		"uv": runner("run"), "poetry": runner("run"), "pipenv": runner("run"), "pdm": runner("run"), "rye": runner("run"), "hatch": runner("run"), "bundle": runner("exec"),
		"bash": checkedScript, "sh": checkedScript, "curl": curl,
		"npx": javascript, "pnpx": javascript, "yarn": javascript, "pnpm": javascript, "bunx": javascript,
	}
}

// within judges the command that begins at the n-th word.
func (j judge) within(words []word, n int, s scope) finding {
	s.inner++
	f := j.words(words[n:], s)
	if f.shape != nil {
		f.shape = append(texts(words[:n]), f.shape...)
	}
	return f
}

// without returns the finding without its shape: an approval is not remembered.
func (f finding) without() finding {
	f.shape = nil
	return f
}

// skipping makes a judge for a program whose flags match a pattern or take a value
// from the next word, and which may have one operand of its own.
func skipping(flags *lazyregexp.Regexp, valued string, operand *lazyregexp.Regexp) func(judge, []word, scope) (finding, bool) {
	return func(j judge, words []word, s scope) (finding, bool) {
		i := 1
		for i < len(words) && strings.HasPrefix(words[i].text, "-") {
			switch {
			case slices.Contains(strings.Fields(valued), words[i].text) && i+1 < len(words) && lazyregexp.New(`^-?\w+$`).MatchString(words[i+1].text):
				i += 2
			case flags.MatchString(words[i].text):
				i++
			default:
				return finding{}, false
			}
		}
		if operand != nil {
			if i == len(words) || !operand.MatchString(words[i].text) {
				return finding{}, false
			}
			i++
		}
		if i >= len(words) {
			return finding{}, false
		}
		return j.within(words, i, s), true
	}
}

// env runs a command with variables, which are judged as in front of a command.
func env(j judge, words []word, s scope) (finding, bool) {
	i := 1
	given := false
	for i < len(words) && (assigned(words[i]) || s.eased && carries(words[i], s.depth)) {
		given = given || !assigned(words[i])
		i++
	}
	if i == 1 || i == len(words) {
		return asks(secrets, "%s", class("secret").reason("env")), i == len(words)
	}
	f := j.within(words, i, s)
	if given {
		f = f.without()
	}
	if given && f.decision == Allow && f.touches&runs == 0 {
		f = asks(f.touches|anything, "It sets a variable for a program that could obey it (%s).", words[1].text)
	}
	return f, true
}

var (
	// runnerFlags choose what of the project's environment is used. None adds a package, or names another interpreter or file.
	runnerFlags  = lazyregexp.New(`^(-q|--(quiet|frozen|locked|no-sync|offline|isolated|dev|no-dev|all-extras|all-groups|no-project|no-interaction|extra|group|only-group|package)|--(extra|group|only-group|package)=[\w-]+)$`)
	runnerValued = lazyregexp.New(`^--(extra|group|only-group|package)$`)
)

// runner judges what a package manager runs in the project's environment.
func runner(verb string) func(judge, []word, scope) (finding, bool) {
	return func(j judge, words []word, s scope) (finding, bool) {
		if len(words) < 3 || words[1].text != verb {
			return finding{}, false
		}
		i := 2
		for s.eased && i < len(words) && words[i].plain() && runnerFlags.MatchString(words[i].text) {
			if runnerValued.MatchString(words[i].text) {
				i++
			}
			i++
		}
		if i >= len(words) || strings.HasPrefix(words[i].text, "-") || i > 2 && (!words[i-1].plain() || inside(words[i-1], s.depth) != "") {
			return finding{}, false
		}
		f := j.within(words, i, s)
		return f, f.touches&runs != 0 || f.decision != Allow
	}
}

// scriptTools are the JavaScript tools that npx finds in the project. It would
// download any other.
var scriptTools = []string{"jest", "vitest", "mocha", "ava", "tsc", "vue-tsc", "eslint", "prettier", "stylelint", "biome", "oxlint", "htmlhint", "markdownlint", "svelte-check", "vite", "next", "astro", "ng", "c8", "nyc",
	"webpack", "rollup", "tsup", "esbuild", "babel", "swc", "turbo", "nx", "lerna", "cypress", "knip", "depcheck", "madge", "commitlint", "lint-staged", "ts-prune", "publint", "react-scripts", "vue-cli-service", "tap", "jasmine", "karma", "wdio", "tailwindcss", "typedoc", "jsdoc", "sass", "postcss", "standard", "xo", "tsd", "dtslint", "size-limit"}

// packages matches the words that select a package of the project.
var packages = lazyregexp.New(`^(yarn workspace [\w@/-]+|pnpm (--filter|-F) [\w@/-]+|pnpm (-r|--recursive)) `)

func javascript(j judge, words []word, s scope) (finding, bool) {
	if m := packages.FindString(join(words)); m != "" {
		n := len(strings.Fields(m))
		return j.words(append(words[:1:1], words[n:]...), s).without(), true
	}
	i := 1
	if i < len(words) && (words[i].text == "--no-install" || words[i].text == "--no" || words[i].text == "exec" && words[0].text == "pnpm") {
		i++
	}
	if i >= len(words) || !slices.Contains(scriptTools, words[i].text) {
		return finding{}, false
	}
	f := j.within(words, i, s)
	return f, true
}

// git skips those of git's own flags that only say where and how.
func git(j judge, words []word, s scope) (finding, bool) {
	i := 1
	for i < len(words) {
		switch {
		case words[i].text == "--no-pager" || words[i].text == "-P" || words[i].text == "--no-optional-locks":
			i++
		case words[i].text == "-C" && i+1 < len(words) && words[i+1].plain() && inside(words[i+1], s.depth) == "":
			s.depth = max(0, s.depth+steps(words[i+1].text))
			i += 2
		default:
			if i == 1 || strings.HasPrefix(words[i].text, "-") && words[i].text != "--version" {
				return asks(anything, "It is not known what git does with %s.", words[i].text), i > 1 || strings.HasPrefix(words[i].text, "-") && words[i].text != "--version" && words[i].text != "-v"
			}
			f := j.words(append([]word{words[0]}, words[i:]...), s)
			if f.shape != nil {
				f.shape = append(texts(words[:i]), f.shape[1:]...)
			}
			return f, true
		}
	}
	return finding{}, false
}

// modules are the modules that python -m may run, which are known as programs.
var modules = []string{"pytest", "unittest", "coverage", "mypy", "ruff", "black", "isort", "flake8", "pylint", "bandit", "autopep8", "autoflake", "pyflakes", "pycodestyle", "pydocstyle",
	"vulture", "py_compile", "compileall", "doctest", "json.tool", "pydoc", "pip", "yamllint", "codespell", "pyright"}

var pythonValues = map[string]*lazyregexp.Regexp{
	"-W": lazyregexp.New(`^(d|i|default|error|ignore|always|once|module)$`),
	"-X": lazyregexp.New(`^(dev|faulthandler|utf8|tracemalloc(=\d+)?|importtime|showrefcount|no_debug_ranges|warn_default_encoding)$`),
}

// pythonFlag returns of how many words a flag is that only says how python speaks or checks; 0 for any other word.
func pythonFlag(words []word, s scope) int {
	w := words[0].text
	if slices.Contains([]string{"-B", "-u", "-I", "-E", "-s", "-O", "-q", "-b", "-Wd", "-Wdefault", "-Werror", "-Wignore", "-Walways"}, w) {
		return 1
	}
	if values := pythonValues[w]; s.eased && values != nil && len(words) > 1 && words[1].plain() && values.MatchString(words[1].text) {
		return 2
	}
	return 0
}

func renamed(words []word, name string) []word {
	words = slices.Clone(words)
	words[0] = word{text: name}
	return words
}

// managed are the words of Django's manage.py. The table knows makemigrations by the flag that keeps it from writing, which
// may stand anywhere before "--": it is put first.
func managed(words []word) []word {
	words = renamed(words, "manage.py")
	if len(words) < 2 || words[1].text != "makemigrations" {
		return words
	}
	for i := 2; i < len(words) && words[i].text != "--"; i++ {
		if flag := words[i]; flag.plain() && (flag.text == "--check" || flag.text == "--dry-run") {
			return slices.Insert(slices.Delete(words, i, i+1), 2, flag)
		}
	}
	return words
}

// python judges modules, manage.py and scripts.
func python(j judge, words []word, s scope) (finding, bool) {
	i := 1
	for i < len(words) {
		n := pythonFlag(words[i:], s)
		if n == 0 {
			break
		}
		i += n
	}
	s.python = true
	switch {
	case i >= len(words):
		return finding{}, false
	case words[i].text == "-m" && i+1 < len(words) && slices.Contains(modules, words[i+1].text):
		return j.within(words, i+1, s), true
	case words[i].text == "-m" && i+2 < len(words) && words[i+1].text == "django":
		return j.words(managed(words[i+1:]), s).without(), true
	case words[i].text == "-m" && i+1 < len(words):
		c, n := lookup(risks, words[i+1:])
		if n == 0 {
			c = "name"
		}
		f := asks(classes[c].touches, "%s", c.reason(join(words[i:i+2])))
		if n == 0 {
			f.shape = narrow(append([]word{words[0]}, words[i+1:]...), s)
		}
		if f.shape != nil {
			f.shape = append(texts(words[:i+1]), f.shape[1:]...)
		}
		return f, true
	case path.Base(words[i].text) == "manage.py" && words[i].plain() && inside(words[i], s.depth) == "":
		f := j.words(managed(words[i:]), s)
		if f.shape != nil {
			f.shape = append(texts(words[:i+1]), f.shape[1:]...)
		}
		return f, true
	}
	return projectScript(words, i, ".py", s)
}

func node(_ judge, words []word, s scope) (finding, bool) {
	if p, n := lookup(programs, words); p != nil && n > 1 {
		return p.judge(words, n, s), true
	}
	return projectScript(words, 1, ".js .mjs .cjs .ts", s)
}

// projectScript judges an interpreter that runs a file of the workspace: it is asked
// for, and an approval of exactly these words may be remembered.
func projectScript(words []word, i int, endings string, s scope) (finding, bool) {
	if i >= len(words) || strings.HasPrefix(words[i].text, "-") || !slices.Contains(strings.Fields(endings), path.Ext(words[i].text)) || inside(words[i], s.depth) != "" {
		return finding{}, false
	}
	f := asks(reads|writes|runs, "It runs the script %s.", words[i].text)
	f.shape = narrow(words, s)
	if path.Base(words[i].text) == "setup.py" {
		f = asks(classes["install"].touches, "%s", class("install").reason(words[i].text))
	}
	return f, true
}

// coverage is judged as python with the same script would be.
func coverage(j judge, words []word, s scope) (finding, bool) {
	if len(words) < 3 || words[1].text != "run" {
		return finding{}, false
	}
	i := 2
	for i < len(words) && lazyregexp.New(`^(--branch|-a|--append|-p|--parallel-mode|--(source|include|omit)=[\w.,/*-]+)$`).MatchString(words[i].text) {
		i++
	}
	s.inner++
	f, ok := python(j, append([]word{{text: "python"}}, words[i:]...), s)
	if f.shape != nil {
		f.shape = append(texts(words[:i]), f.shape[1:]...)
	}
	return f, ok
}

// lists reports whether a command prints only paths of the workspace, for xargs.
func lists(c *command) bool {
	if c == nil || c.odd != "" || c.result.decision != Allow || len(c.words) == 0 {
		return false
	}
	has := func(flags ...string) bool {
		return slices.ContainsFunc(c.words, func(w word) bool { return slices.Contains(flags, w.text) })
	}
	if chooses(c) {
		return lists(c.feed)
	}
	_, n := lookup(programs, c.words)
	switch join(c.words[:max(n, 1)]) {
	case "find":
		return !has("-exec", "-printf", "-ls")
	case "git ls-files", "fd":
		return true
	case "git diff":
		return has("--name-only")
	case "grep", "git grep":
		return has("-l", "-rl", "-lr", "-rlZ", "-rlE", "-rlF", "-rln", "-rli", "-ril", "-lR", "-Rl", "-L", "-rL", "--files-with-matches") && !has("-h", "-o")
	case "rg":
		return has("-l", "--files", "--files-with-matches")
	case "sort", "head", "tail", "uniq":
		return (len(c.words) < 3 || len(c.words) == 3 && c.words[1].text == "-n" && whole.MatchString(c.words[2].text)) && lists(c.feed)
	}
	return false
}

// chooses reports whether a command prints those lines of its input that match, as they are.
func chooses(c *command) bool {
	if c.feed == nil || !slices.Contains([]string{"grep", "egrep", "fgrep"}, c.words[0].text) || slices.ContainsFunc(c.words, func(w word) bool { return !w.plain() }) {
		return false
	}
	i := 1
	for i < len(c.words) && choosing.MatchString(c.words[i].text) {
		i++
	}
	if i+1 < len(c.words) && c.words[i].text == "-e" {
		i++
	}
	return i == len(c.words)-1 && (!strings.HasPrefix(c.words[i].text, "-") || c.words[i-1].text == "-e")
}

var choosing = lazyregexp.New(`^(-[vEFGPiwx]+|--(invert-match|ignore-case|extended-regexp|fixed-strings|word-regexp))$`)

// listing reports whether a command is ls, and prints only names.
func listing(c *command) bool {
	return c != nil && c.odd == "" && c.result.decision == Allow && len(c.words) > 0 && c.words[0].text == "ls" &&
		!slices.ContainsFunc(c.words[1:], func(w word) bool { return strings.HasPrefix(w.text, "-") && w.text != "-1" })
}

// hashes reports whether a command prints only the names of commits.
func hashes(c *command) bool {
	if c == nil || c.odd != "" || c.result.decision != Allow || len(c.words) < 3 || c.words[0].text != "git" {
		return false
	}
	form := c.words[1].text == "rev-list"
	for _, w := range c.words[2:] {
		if named := slices.Contains([]string{"--format=%h", "--format=%H", "--pretty=%h", "--pretty=%H", "--pretty=format:%h", "--pretty=format:%H", "--format=format:%H"}, w.text); named && c.words[1].text == "log" {
			form = true
		} else if !w.plain() || !commitFlag.MatchString(w.text) {
			return false
		}
	}
	return form && (c.words[1].text == "log" || c.words[1].text == "rev-list")
}

// says reports whether a command prints only numbers, or words that the line has and that lead nowhere else.
func says(c *command, s scope) bool {
	if c == nil || c.odd != "" || c.result.decision != Allow || len(c.words) < 2 {
		return false
	}
	words := c.words[1:]
	switch c.words[0].text {
	case "seq":
	case "echo":
	case "printf":
		if !slices.Contains([]string{`%s\n`, `%s\0`, "%s\n"}, words[0].text) {
			return false
		}
		words = words[1:]
	default:
		return false
	}
	return !slices.ContainsFunc(words, func(w word) bool {
		return !w.plain() || w.text == "" || !plainText.MatchString(w.text) || inside(w, s.depth) != ""
	})
}

// commitFlag matches the words that choose commits, and print nothing of them.
var commitFlag = lazyregexp.New(`^(-n\d*|-?\d+|--all|--reverse|--no-merges|--merges|--first-parent|--(since|until|author|max-count|after|before)=[\w.@ :-]+|[A-Za-z][\w./~^-]*)$`)

// xargs adds its input to a command. Where the input is paths of the workspace and
// the command only reads, whatever its arguments, nothing can go wrong.
func xargs(j judge, words []word, s scope) (finding, bool) {
	revisions := s.eased && (hashes(s.feed) || says(s.feed, s))
	for c := s.feed; c != nil; c = c.feed {
		if slices.ContainsFunc(c.words, func(w word) bool { return library(w, s) }) { // names that are not the workspace's
			return finding{}, false
		}
	}
	if !lists(s.feed) && !(s.eased && (listing(s.feed) || selects(s.feed))) && !revisions {
		return finding{}, false
	}
	i, mark := 1, ""
	for i < len(words) && strings.HasPrefix(words[i].text, "-") {
		switch w := words[i].text; {
		case slices.Contains([]string{"-0", "-r", "--null", "--no-run-if-empty"}, w), lazyregexp.New(`^-[nPL]\d+$`).MatchString(w):
			i++
		case slices.Contains([]string{"-n", "-P", "-L"}, w) && i+1 < len(words) && whole.MatchString(words[i+1].text):
			i += 2
		case w == "-I" && i+1 < len(words) && slices.Contains([]string{"{}", "%", "@"}, words[i+1].text):
			mark = words[i+1].text
			i += 2
		case w == "-I{}" || w == "-I%":
			mark = w[2:]
			i++
		default:
			return finding{}, false
		}
	}
	if i >= len(words) {
		return finding{}, false
	}
	if mark != "" && says(s.feed, s) && !slices.Contains(tells, words[i].text) && slices.ContainsFunc(words[i:], func(w word) bool { return w.text != mark && strings.Contains(w.text, mark) }) {
		return finding{}, false // a part of a name could be completed to any
	}
	f := j.within(words, i, s)
	f.shape = nil
	edits := s.eased && (f.tame || f.touches&runs != 0)
	if revisions { // no path: only what reads is told
		edits = f.touches == reads
	}
	if f.decision == Allow && !f.tame && !edits || mark != "" && strings.Contains(words[i].text, mark) {
		return asks(anything, "It is not known which arguments xargs passes to %s.", words[i].text), true
	}
	return f, true
}

// checkedScript judges a shell that parses a script without running it (-n).
func checkedScript(_ judge, words []word, s scope) (finding, bool) {
	if len(words) != 3 || words[1].text != "-n" || !words[2].plain() || strings.HasPrefix(words[2].text, "-") || strings.HasPrefix(words[2].text, "+") {
		return finding{}, false
	}
	return known(words[0].text, allInside(words[2:], s)), true
}

var (
	curlFlags = lazyregexp.New(`^-([sSfiIv46]+|-silent|-show-error|-fail|-include|-head|-verbose|-compressed)$`)
	webPage   = lazyregexp.New(`^(https?://)?([\w.-]+)(:\d+)?(/[\w./?&=%~+,-]*)?$`)
)

// curl is allowed when it only downloads from hosts that the settings open, without
// following redirections, which could lead elsewhere.
func curl(j judge, words []word, _ scope) (finding, bool) {
	pages := 0
	for _, w := range words[1:] {
		m := webPage.FindStringSubmatch(w.text)
		switch {
		case !w.plain():
			return finding{}, false
		case curlFlags.MatchString(w.text):
		case strings.HasPrefix(w.text, "-") || m == nil || !j.policy.opens(m[2], m[3]):
			return finding{}, false
		default:
			pages++
		}
	}
	return finding{decision: Allow, touches: network, rule: "sandbox.hosts"}, pages > 0
}
