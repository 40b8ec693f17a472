package testreport

import (
	_ "embed" // what hands results over
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// Folder is where a reporting line leaves the results in its work tree. It is none of the
// project's files: what is in it is read, and never staged.
const Folder = ".caselsp-results"

// What a line says of its runner.
var (
	runsPython = lazyregexp.New(`\b(pytest|unittest|nose2|tox|manage\.py|runtests\.py|python[\d.]*)\b`)
	runsPytest = lazyregexp.New(`\bpytest\b`)
	runsGo     = lazyregexp.New(`^\s*go test((?: [\w./@%+:=,-]+| '[^']*'| "[^"$\\\x60]*")*)\s*$`)
	otherGo    = lazyregexp.New(` -{1,2}(json|cover\w*|c|bench|fuzz|exec|o|test\.\w+)\b`)
	runsNode   = lazyregexp.New(`\bnode\b.*\s--test\b`)
	runsJest   = lazyregexp.New(`^\s*(?:npx )?jest((?: [\w./@%+:=,-]+| '[^']*')*)\s*$`)
	npmTest    = lazyregexp.New(`^\s*(?:npm|pnpm|yarn)(?: run)? (?:test|t)\b`)
	compiled   = lazyregexp.New(`\b(jest|vitest|ts-node|tsx|swc|babel|nyc|c8)\b`)
	testScript = lazyregexp.New(`"test"\s*:\s*"((?:[^"\\]|\\.)*)"`)
	measures   = lazyregexp.New(`--cov\b`)
)

//go:embed switches.sh
var switches string

// goEventsFilter keeps what people need of the events of go test -json.
//
//go:embed goevents.awk
var goEventsFilter string

// goLine runs go test with the arguments, with its events as results, see [goEventsFilter]. Where there is no awk, or it fails,
// all are shown. The exit code is that of go test.
const goLine = `{ go test -json -coverprofile="$caselsp_results/go.out"{{arguments}}; echo $? >"$caselsp_results/code"; } |
if command -v awk >/dev/null; then awk -v most=262144 -v events="$caselsp_results/go.jsonl" '{{filter}}'; else cat; fi
exit "$(cat "$caselsp_results/code")"`

// Reporting is a command line with the switches that let its runner write results and
// coverage as files, which the line leaves in [Folder]. Only what a runner writes beside its
// work is switched on, by its environment where it has one: the same tests run, and the exit
// code is theirs. A line whose runner is not known, or which says itself what is written, is
// returned as it is. source returns a file of the project, "" where there is none; changed are
// the files whose lines matter.
func Reporting(line string, source func(name string) string, changed []string) string {
	script := ""
	if npmTest.MatchString(line) {
		if m := testScript.FindStringSubmatch(source("package.json")); m != nil {
			script = m[1]
		}
	}
	var kinds []string
	run := line
	switch {
	case runsGo.MatchString(line) && !otherGo.MatchString(line):
		m := runsGo.FindStringSubmatch(line)
		kinds, run = []string{"go"}, strings.NewReplacer("{{arguments}}", m[1], "{{filter}}", goEventsFilter).Replace(goLine)
	case runsJest.MatchString(line) && !strings.Contains(line, "--json") && !strings.Contains(line, "overage"):
		kinds, run = []string{"jest"}, strings.TrimSpace(line)+` --json --outputFile="$caselsp_results/jest.json" --coverage --coverageReporters=json --coverageThreshold='{}' --coverageDirectory="$caselsp_results/jest"`
	case runsNode.MatchString(line) || runsNode.MatchString(script):
		if !strings.Contains(line+script, "--test-reporter") {
			kinds = append(kinds, "node")
		}
		if !compiled.MatchString(line + script) {
			kinds = append(kinds, "v8")
		}
	case script != "" && !compiled.MatchString(script):
		kinds = []string{"v8"}
	case runsPython.MatchString(line):
		if runsPytest.MatchString(line) && strings.Count(line, "pytest") == 1 && !strings.Contains(line, "junit") {
			kinds = append(kinds, "pytest")
		}
		own := strings.ReplaceAll(line, "coverage ", "--cov ")
		for _, name := range []string{"pytest.ini", "setup.cfg", "tox.ini", "pyproject.toml", ".pytest.ini"} {
			if text := source(name); name == "pytest.ini" || strings.Contains(text, "pytest") {
				own += text
			}
		}
		if !measures.MatchString(own) {
			kinds = append(kinds, "coverage")
		}
	}
	if quotedLines(changed) == "" { // without a name the lines of all files would be counted, libraries' too
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "coverage" || k == "v8" })
	}
	if len(kinds) == 0 {
		return line
	}
	return strings.NewReplacer("{{kinds}}", strings.Join(kinds, " "), "{{folder}}", Folder, "{{changed}}", quotedLines(changed), "{{line}}", run).Replace(switches)
}

// maxChanged is how many changed files are measured: a command line has a limit.
const maxChanged = 200

// quotedLines are names as lines within a shell's single quotes.
func quotedLines(names []string) string {
	var b strings.Builder
	for _, n := range names[:min(len(names), maxChanged)] {
		if !strings.ContainsAny(n, "'\n*?[") { // the last are a pattern to coverage.py
			b.WriteString(n + "\n")
		}
	}
	return b.String()
}

// ownLines are what pytest and jest say of the files that [Reporting] made them write. Other lines
// that name these files are the project's, such as a trace through them.
var ownLines = lazyregexp.New(`(?m)^(?:-+ generated xml file: /tmp/caselsp-results/\S+ -+|Test results written to: \S*/caselsp-results/\S+)\r?\n?`)

// Shown is the output of a reporting line as its runner prints it without the switches.
func Shown(output string) string { return GoText(ownLines.ReplaceAllString(output, "")) }
