package testreport

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"caselsp/store/lazyregexp"
)

// Outcome says how one test went.
type Outcome string

// The outcomes of a test.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"  // a check of it did not hold
	Errored Outcome = "error"   // it could not be set up, collected or built
	Skipped Outcome = "skipped" // left out, or expected to fail
)

// Test is one test that ran or was left out. One with subtests is counted by these; subtests
// of Python's unittest, which are no tests of their own, are told in the message of theirs.
type Test struct {
	Name    string        `json:"name"`
	File    string        `json:"file,omitempty"` // as the runner wrote it; see [Report.In]
	Line    int           `json:"line,omitempty"` // from 1: where the check failed, else where the test begins; 0: not known
	Outcome Outcome       `json:"outcome"`
	Message string        `json:"message,omitempty"`
	Took    time.Duration `json:"took,omitempty"`
}

// Report is what a test run said. A zero Runner means that no runner's result could be read:
// then nothing is known of the tests, and only the command's exit code speaks.
type Report struct {
	Runner  string `json:"runner,omitempty"`
	Passed  int    `json:"passed,omitempty"`
	Failed  int    `json:"failed,omitempty"`
	Errors  int    `json:"errors,omitempty"`
	Skipped int    `json:"skipped,omitempty"`
	// Tests are those that are named; runners' texts name only some of those that passed.
	Tests []Test `json:"tests,omitempty"`
}

// Known reports whether a runner's result was read.
func (r Report) Known() bool { return r.Runner != "" }

// Ran is the number of tests that ran, however they ended.
func (r Report) Ran() int { return r.Passed + r.Failed + r.Errors }

// OK reports whether tests ran and none of them failed.
func (r Report) OK() bool { return r.Passed > 0 && r.Failed+r.Errors == 0 }

// String sums up, such as "pytest: 3 passed, 1 failed".
func (r Report) String() string {
	if !r.Known() {
		return "no results could be read"
	}
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{r.Passed, "passed"}, {r.Failed, "failed"}, {r.Errors, "error(s)"}, {r.Skipped, "skipped"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no tests ran"}
	}
	return r.Runner + ": " + strings.Join(parts, ", ")
}

// Bad returns the tests that failed or could not run.
func (r Report) Bad() []Test {
	return slices.DeleteFunc(slices.Clone(r.Tests), func(t Test) bool { return t.Outcome == Passed || t.Outcome == Skipped })
}

const (
	keptTests   = 50      // failed tests that a journal keeps: more have the same cause
	keptMessage = 2 << 10 // bytes of a test's message
	readTests   = 100_000 // tests of one run: more are not counted one by one
)

// Brief is the report as it is kept: with its counts, and of the tests those that failed.
func (r Report) Brief() Report {
	bad := r.Bad()
	r.Tests = bad[:min(len(bad), keptTests)]
	return r
}

// In is the report with the files of its tests as the tree names them; a file that is not
// in the tree is left out.
func (r Report) In(tree Tree) Report {
	r.Tests = slices.Clone(r.Tests)
	for i, t := range r.Tests {
		if r.Tests[i].File = tree.File(t.File); r.Tests[i].File == "" {
			r.Tests[i].Line = 0
		}
	}
	return r
}

// Tree are the files of a workspace, slash-separated and relative.
type Tree []string

// foreign are the paths of what is installed, wherever the workspace's copy lies.
var foreign = lazyregexp.New(`^/(usr|lib|lib64|opt|nix)/|/(site-packages|dist-packages|node_modules|pkg/mod|lib/python3[.\d]*)/|^node:|^internal/|^<`)

// File is the workspace's name for a path that a runner wrote: relative, absolute in the
// place where it ran, or that of a Go package. "" if the tree has none such.
func (t Tree) File(name string) string {
	name = path.Clean(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "file://"))
	if name == "." || foreign.MatchString(name) {
		return ""
	}
	found := ""
	for _, p := range t {
		if p == name {
			return p
		}
		if strings.HasSuffix(name, "/"+p) && len(p) > len(found) {
			found = p
		}
	}
	return found
}

// scriptFile is how node's runner names a file in which no test was declared, as if it were a test
// that has passed.
var scriptFile = lazyregexp.New(`^/.*\.[cm]?[jt]sx?$`)

// add counts one test. A file that only ran to its end is one where its name says so: others have
// no test in them.
func (r *Report) add(t Test) {
	if t.Outcome == Passed && scriptFile.MatchString(t.Name) && !IsTest(t.Name) {
		return
	}
	t.Name, t.Message = Plain(t.Name), Plain(t.Message)
	switch t.Outcome {
	case Passed:
		r.Passed++
	case Failed:
		r.Failed++
	case Errored:
		r.Errors++
	case Skipped:
		r.Skipped++
	}
	t.Message = shorten(strings.TrimSpace(t.Message))
	if len(r.Tests) < readTests {
		r.Tests = append(r.Tests, t)
	}
}

// merge adds the tests of another report, of a command that ran several.
func (r Report) merge(o Report) Report {
	return Report{
		Runner: cmp.Or(r.Runner, o.Runner), Passed: r.Passed + o.Passed, Failed: r.Failed + o.Failed,
		Errors: r.Errors + o.Errors, Skipped: r.Skipped + o.Skipped, Tests: append(slices.Clip(r.Tests), o.Tests...),
	}
}

// shorten keeps the beginning and the end of a message: what was checked and where.
func shorten(s string) string {
	if len(s) <= keptMessage {
		return s
	}
	half := keptMessage / 2
	return strings.ToValidUTF8(s[:half], "") + "\n[...]\n" + strings.ToValidUTF8(s[len(s)-half:], "")
}

// Read reads what a test run left: the result files by name, where its runner wrote some,
// else what it printed. The command says which runner is meant where its text alone does
// not. Nothing that is read is believed beyond its form: a program under test can print
// what a runner prints, so that an exit code which is not 0 stays a failure.
func Read(command, output string, files map[string][]byte) Report {
	var whole Report
	for _, name := range slices.Sorted(maps.Keys(files)) {
		switch data := files[name]; path.Ext(name) {
		case ".xml":
			whole = whole.merge(readJUnit(data))
		case ".json":
			whole = whole.merge(readScriptJSON(data))
		case ".jsonl":
			whole = whole.merge(readGoJSON("", string(data)))
		}
	}
	if whole.Known() {
		return whole
	}
	text := Plain(output)
	for _, read := range []func(command, text string) Report{
		readGoJSON, readScriptOutput, readTAP, readPytest, readUnittest, readGoText, readJest, readVitest, readNodeSpec, readMocha,
	} {
		if r := read(command, text); r.Known() {
			return r
		}
	}
	return Report{}
}

// escapes are what moves a terminal's cursor, colours its text and sets its title, and control
// characters. Of a sequence without an end only its beginning goes, so that no text is hidden.
var escapes = lazyregexp.New("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" + // control sequences
	"|\x1b[\\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\\\)" + // titles, links, strings for devices
	"|\x1b[ -/]*[0-~]" + // others, such as a choice of characters
	"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f]")

// Plain is what a program wrote for a terminal as text: without escapes, and with lines that were
// written over each other below each other.
func Plain(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
		return s
	}
	s = escapes.ReplaceAllString(s, "")
	return strings.ReplaceAll(lineEnds.ReplaceAllString(s, "\n"), "\r", "\n")
}

// lineEnds are those of terminals.
var lineEnds = lazyregexp.New(`\r+\n`)
