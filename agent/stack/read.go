package stack

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// Outcome is how a test run went.
type Outcome string

// The outcomes of a test run.
const (
	Passed    Outcome = "passed"
	Failed    Outcome = "failed"
	Nothing   Outcome = "nothing"   // no test was collected, or none ran: nothing is tested
	Unstarted Outcome = "unstarted" // the runner could not start, or could not load what it tests
	Checked   Outcome = "checked"   // the command is no test run, and ended well
)

// Run is a test run that has ended.
type Run struct {
	Line   string
	Exit   int
	Output string
	Tests  int      // that ran, as the runner counts; below 0: not known
	Paths  []string // of the project's files
	Reads  bool     // the line only reads
	// Hidden reports whether a file is in the user's folder and git ignores it, so that the sandbox has no
	// copy; nil: nobody knows.
	Hidden func(name string) bool
}

// Reading is what a run means.
type Reading struct {
	Outcome Outcome `json:"outcome"`
	What    string  `json:"what,omitempty"`  // what the command is, where it is no test run
	Lacks   []Lack  `json:"lacks,omitempty"` // in the sandbox, the most frequent first
}

// nothing are the sentences of runners that found or ran no test.
var nothing = lazyregexp.New(`(?m)^[=\s]*no tests ran\b|^NO TESTS RAN|^Ran 0 tests\b|^(?:#|ℹ) tests 0$|^\s*0 passing\b|No tests found, exiting|^Error: No test files found|^\s*No test files found|^No tests? (?:files? )?(?:found|were found|to run)\b` +
	`|^[=\s]*\d+ (?:skipped|deselected)(?:, \d+ (?:skipped|deselected|warnings?))* in [\d.]+s|^Found 0 test\(s\)|^running 0 tests\n\n(?:test result: ok\. 0 passed)`)

var (
	goUntested = lazyregexp.New(`(?m)^(?:\?|ok|testing:).*\[?(?:no test files|no tests to run)\]?$|^testing: warning: no tests to run$`)
	goTested   = lazyregexp.New(`(?m)^(?:ok\s+\S+\s+[\d(][^\[\n]*$|FAIL\b|--- (?:PASS|FAIL))`)
	ranSome    = lazyregexp.New(`(?m)\b[1-9]\d* (?:passed|passing|failed|failing)\b|^Ran [1-9]|^(?:#|ℹ) (?:pass|fail) [1-9]|test result: \w+\. [1-9]`)
	// misused says that the runner did not take its command line.
	misused = lazyregexp.New(`(?m)^ERROR: (?:usage:|file or directory not found|not found: )|^ERROR: usage|^npm (?:error|ERR!) Missing script|^make: \*\*\* No rule to make target|^flag provided but not defined`)
)

// Read says what a run means.
func Read(r Run) Reading {
	what := What(r.Line, r.Reads)
	if r.Exit == 0 {
		switch {
		case what != "":
			return Reading{Outcome: Checked, What: what}
		case r.Tests == 0 || r.Tests < 0 && ranNothing(r.Output):
			return Reading{Outcome: Nothing}
		}
		return Reading{Outcome: Passed}
	}
	read := Reading{Outcome: Failed, What: what, Lacks: lacks(r)}
	switch {
	case r.Exit == 126 || r.Exit == 127, misused.MatchString(r.Output):
		read.Outcome = Unstarted
	case r.Tests > 0 || ranSome.MatchString(r.Output):
	case len(read.Lacks) > 0:
		read.Outcome = Unstarted
	case r.Tests == 0 && nothing.MatchString(r.Output) || r.Tests < 0 && ranNothing(r.Output):
		read.Outcome = Nothing
	}
	return read
}

func ranNothing(output string) bool {
	if ranSome.MatchString(output) || goTested.MatchString(output) {
		return false
	}
	return nothing.MatchString(output) || goUntested.MatchString(output)
}

// Kind is what was lacking.
type Kind string

// The kinds of what is lacking.
const (
	Program Kind = "program"
	Package Kind = "package" // or a module of one
	Version Kind = "version" // of a dependency, a language or a runner
	Network Kind = "network"
	Project Kind = "project" // itself cannot be imported
	Written Kind = "written" // an installed package, which is read-only
	Hidden  Kind = "hidden"  // a file of the user's folder that git ignores
)

// Lack is something that a run did not find in the sandbox.
type Lack struct {
	Kind  Kind   `json:"kind"`
	Name  string `json:"name,omitempty"` // of the program, the module, the package or the host
	Cause string `json:"cause"`          // one sentence
	Hint  string `json:"hint"`           // what to do
	Said  string `json:"said"`           // the line of the output that says so

	// Package would bring what is lacking, as its index has it; "" where that is not certain. Of alone
	// says that it is one of a language.
	Of      Language `json:"of,omitempty"`
	Package string   `json:"package,omitempty"`
}

// telling is a line of a runner, a shell or a language that says what is lacking. The first
// group is its name.
type telling struct {
	kind        Kind
	pattern     *lazyregexp.Regexp
	cause, hint string // with %s for the name
}

// What to do about what is lacking.
const (
	hintProgram = "Install %s where the sandbox finds it (`caselsp doctor` says where it looks), or name another test command"
	hintPython  = "Name the package that has %s in the project's test requirements (a test extra or group in pyproject.toml, or requirements-test.txt), so that it is installed for the sandbox"
	hintNode    = "Name %s in devDependencies of package.json, so that it is installed for the sandbox"
	hintGo      = "Name %s in go.mod (`go get`), so that it is downloaded for the sandbox"
	hintVersion = "Pin the version that the project needs in its requirements, or install it in the sandbox: the sandbox has another version of %s"
	hintNetwork = "Tests run without a network: let them not reach %s, or allow it with the setting sandbox.hosts"
	hintWritten = "Name a test command that does not write %s there, such as Vitest without --typecheck"
	hintProject = "The project itself must be importable: put the folder that holds %s on the path (pythonpath in the pytest configuration)"
	hintHidden  = "Let the test command make %s first, or track it in git"
	hintMeta    = "The tests ask for the installed package's metadata: the project has to be installed in the sandbox, or its version read in another way (%s)"
)

var tellings = []telling{
	{Program, lazyregexp.New(`(?m)^(?:(?:/bin/)?(?:sh|dash|bash|env): (?:line )?(?:\d+: )?|[\w./-]{1,40}: line \d+: )([\w.+/-]{1,80}): (?:command )?not found$`), "the program %s is not in the sandbox", hintProgram},
	{Program, lazyregexp.New(`(?m)^(?:/usr/bin/)?env: ['‘]?([\w.+-]{1,40})['’]?: No such file or directory$`), "the program %s is not in the sandbox", hintProgram},
	{Program, lazyregexp.New(`(?m)^make(?:\[\d+\])?: ([\w.+-]{1,40}): No such file or directory$`), "the program %s is not in the sandbox", hintProgram},
	{Program, lazyregexp.New(`(?m)exec: "([\w.+-]{1,40})": executable file not found in \$PATH`), "the program %s is not in the sandbox", hintProgram},
	{Program, lazyregexp.New(`(?m)\bspawn ([\w.+-]{1,40}) ENOENT\b`), "the program %s is not in the sandbox", hintProgram},
	{Package, lazyregexp.New(`(?m)No module named ['"]?([A-Za-z_][\w.]{0,80})['"]?`), "the Python module %s is not installed in the sandbox", hintPython},
	{Package, lazyregexp.New(`PackageNotFoundError: (?:No package metadata was found for )?([A-Za-z][\w.-]{0,80})`), "the package %s is not installed in the sandbox, so that its metadata is not there", hintMeta},
	{Package, lazyregexp.New(`error: unrecognized arguments: (--?[a-z][\w-]*)`), "pytest does not know the option %s: the plug-in that has it is not installed in the sandbox", hintPython},
	{Package, lazyregexp.New(`Cannot find (?:package|module) '([^'./][^']{0,100})'`), "the package %s is not installed in the sandbox", hintNode},
	{Package, lazyregexp.New(`Cannot find (?:package|module) "([^"./][^"]{0,100})"`), "the package %s is not installed in the sandbox", hintNode},
	{Package, lazyregexp.New(`error TS2307: Cannot find module '([^'./][^']{0,100})'`), "the package %s is not installed in the sandbox", hintNode},
	{Package, lazyregexp.New(`no required module provides package ([\w./-]{1,120})`), "the Go package %s is in no required module", hintGo},
	{Package, lazyregexp.New(`missing go\.sum entry for (?:module providing package |go\.mod file; to add it:\n\s*go mod download )?([\w./-]{1,120})`), "go.sum has no entry for %s", hintGo},
	{Package, lazyregexp.New(`([\w./-]{1,120})@v[\w.+-]+: (?:Get "[^"]*": )?(?:module lookup disabled by GOPROXY=off|dial tcp: lookup)`), "the Go module %s is not in the sandbox", hintGo},
	{Version, lazyregexp.New(`cannot import name '\w+' from '([\w.]+)' \((?:/usr/|/deps/|[^)\n]*/(?:site|dist)-packages/)`), "the sandbox has a version of %s without what the code imports from it", hintVersion},
	{Version, lazyregexp.New(`requires (pytest)-[\d.]+, actual pytest-[\d.]+`), "the project needs a newer %s than the sandbox has", hintVersion},
	{Version, lazyregexp.New(`go\.mod requires (go) >= [\d.]+ \(running go [\d.]+`), "the project needs a newer %s than the sandbox has", hintVersion},
	{Version, lazyregexp.New(`(?i)requires (node)(?:\.js)? (?:version )?[>=^~ ]*v?\d`), "the project needs another %s than the sandbox has", hintVersion},
	{Version, lazyregexp.New(`VersionConflict: \(([\w.-]+) `), "the sandbox has a version of %s that the project does not take", hintVersion},
	{Package, lazyregexp.New(`request to https?://[^/\s]+/(?:[\w.-]+/)*((?:@[\w.-]+(?:/|%2[fF]))?[\w.-]+) failed`), "npx does not find the package %s, which is not installed in the sandbox", hintNode},
	{Written, lazyregexp.New(`(?:EROFS: read-only file system, \w+ |Could not write file )'((?:/deps/node|/tmp)/node_modules/[^']{1,200})'`), "a program writes %s, and installed packages are read-only in the sandbox", hintWritten},
	{Network, lazyregexp.New(`\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND) ([\w.-]+)`), "the tests reach for %s, and the sandbox has no network", hintNetwork},
	{Network, lazyregexp.New(`dial tcp: lookup ([\w.-]+)(?: on [\d.:\[\]]+)?: `), "the tests reach for %s, and the sandbox has no network", hintNetwork},
	{Network, lazyregexp.New(`host='([\w.-]+)', port=\d+\): Max retries`), "the tests reach for %s, and the sandbox has no network", hintNetwork},
	{Network, lazyregexp.New(`(Temporary failure in name resolution|Name or service not known|Network is unreachable)`), "the tests reach for the network (%s), and the sandbox has none", hintNetwork},
}

// plugins are the packages of pytest's most used options. For another option the hint alone
// says what to do.
var plugins = map[string]string{
	"--cov": "pytest-cov", "--cov-report": "pytest-cov", "--cov-config": "pytest-cov", "--no-cov-on-fail": "pytest-cov", "--timeout": "pytest-timeout",
	"-n": "pytest-xdist", "--numprocesses": "pytest-xdist", "--asyncio-mode": "pytest-asyncio", "--reruns": "pytest-rerunfailures",
	"--ds": "pytest-django", "--benchmark-skip": "pytest-benchmark", "--randomly-seed": "pytest-randomly", "--html": "pytest-html", "--mypy": "pytest-mypy",
}

// lookBack is how much of an output is read for what is lacking, from each end: what keeps a
// runner from starting stands in its first or its last lines.
const lookBack = 64 << 10

// mostLacks is how many lacks of one run are told; more have one cause.
const mostLacks = 5

// lacks finds what the sandbox lacked, each once, the most frequent first.
func lacks(r Run) []Lack {
	text := r.Output
	if len(text) > 2*lookBack {
		text = text[:lookBack] + "\n" + text[len(text)-lookBack:]
	}
	var list []Lack
	seen := map[string]int{} // how often, by name
	add := func(l Lack) {
		if seen[l.Name]++; seen[l.Name] == 1 {
			list = append(list, l)
		}
	}
	for _, m := range absent.FindAllStringSubmatchIndex(text, -1) {
		if l, ok := r.hidden(strings.Join(groups(text, m), "")); ok {
			l.Said = lineAround(text, m[0], m[1])
			add(l)
		}
	}
	for _, t := range tellings {
		for _, m := range t.pattern.FindAllStringSubmatchIndex(text, -1) {
			if l, ok := t.lack(text[m[2]:m[3]], lineAround(text, m[0], m[1]), r); ok {
				add(l)
			}
		}
	}
	list = slices.DeleteFunc(list, func(l Lack) bool { // that the index is not reached is not what is wrong
		return l.Kind == Network && slices.ContainsFunc(list, func(p Lack) bool { return p.Kind == Package && strings.Contains(p.Said, l.Name) })
	})
	slices.SortStableFunc(list, func(a, b Lack) int { return cmp.Compare(seen[b.Name], seen[a.Name]) })
	return list[:min(len(list), mostLacks)]
}

// lack makes a lack of a match; false where it is none of the sandbox.
func (t telling) lack(name, said string, r Run) (Lack, bool) {
	l := Lack{Kind: t.kind, Name: name, Said: said}
	cause, hint := t.cause, t.hint
	if t.kind == Program && byNode.MatchString(r.Line) && !byNode.MatchString(name) { // a package's program
		hint = hintNode
	}
	if t.kind == Package {
		switch own := ownership(name, r.Paths); {
		case own == part:
			return Lack{}, false // a module of the project's own that is not there: the code is at fault
		case own == whole && t.hint != hintMeta:
			l.Kind, cause, hint = Project, "the project's own module %s cannot be imported in the sandbox", hintProject
		case own == whole:
			l.Kind = Project
		}
		if top, _, dotted := strings.Cut(name, "."); dotted && t.hint == hintPython {
			l.Name = top
		}
		if t.hint == hintNode {
			name = strings.NewReplacer("%2f", "/", "%2F", "/").Replace(name)
			l.Name = nodePackage(name)
		}
		plugin, ok := plugins[name]
		if ok {
			l.Name = plugin
		}
		if l.Kind == Package {
			l.offer(t.hint, ok)
		}
	}
	if t.kind == Written {
		l.Name = path.Base(name)
	}
	l.Cause, l.Hint = fmt.Sprintf(cause, name), fmt.Sprintf(hint, l.Name)
	return l, true
}

// byNode are command lines whose programs come from packages of Node.
var byNode = lazyregexp.New(`\b(?:npm|npx|pnpm|yarn)\b`)

// nodePackage is the package in which Node looks for a module.
func nodePackage(name string) string {
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// owned says whose a module is.
type owned int

const (
	others owned = iota
	whole        // a top module or package of the project
	part         // something inside one
)

// ownership says whose a Python module or package is, by the project's files.
func ownership(name string, paths []string) owned {
	top, _, dotted := strings.Cut(strings.ReplaceAll(name, "-", "_"), ".")
	for _, p := range paths {
		if foreign.MatchString(p) {
			continue
		}
		if at := "/" + p; strings.Contains(at, "/"+top+"/__init__.py") || strings.HasSuffix(at, "/"+top+".py") || strings.HasPrefix(p, top+"/") && strings.HasSuffix(p, ".py") {
			if dotted {
				return part
			}
			return whole
		}
	}
	return others
}

// lineAround returns the line of a text that holds a match.
func lineAround(text string, from, to int) string {
	from = strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		to += end
	} else {
		to = len(text)
	}
	return strings.TrimSpace(text[from:to])
}
