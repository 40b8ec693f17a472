// Package testreport is the only reader of what test runners write: results ([Read]),
// coverage ([ReadCoverage]) and stack traces ([Traces]) as data. It also tells what tests a text
// has, how many checks they make and what keeps them from running, so that a change that
// leaves less tested is seen ([Weakened]).
//
// It does no I/O and runs nothing. What it reads was written by programs under test: it
// cannot fail, and nothing in it is believed beyond its form.
package testreport

import (
	"strings"

	"caselsp/store/lazyregexp"
)

var (
	// testFile is a file with tests, testSetting one that says which are run.
	testFile    = lazyregexp.New(`(?i)(^|/)(test_[^/]*|[^/]*_tests?|tests)\.py$|_test\.go$|\.(test|spec)\.[cm]?[jt]sx?$|(^|/)(tests?|__tests__|specs?)/[^.].*\.(py|[cm]?[jt]sx?|go|rb|java|php|rs)$`)
	testSetting = lazyregexp.New(`(?i)(^|/)(conftest\.py|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|package\.json|(jest|vitest|karma|playwright)\.[a-z.]*[cm]?[jt]s(on)?|\.mocharc\.[a-z]+)$`)

	// oneTest is the beginning of a test, with its name.
	oneTest = lazyregexp.New(`(?m)^\s*(?:async\s+)?def\s+(test\w*)\s*\(|^func\s+((?:Test|Fuzz|Example)\w*)\s*\(|\b(?:it|test)(?:\.each\([^)]*\))?\s*\(\s*(["'\x60][^"'\x60]{1,200})`)
	// oneCheck is something in a test that can fail, such as an assertion.
	oneCheck = lazyregexp.New(`(?m)^\s*assert\b|\bassert\w*[.(]|\bself\.(?:assert|fail)\w*\(|\bpytest\.(?:raises|warns|fail)\b|\b[tb]\.(?:Error|Fatal|Fail)\w*\(|\bexpect\(|\brequire\.\w+\(|\bassert\.\w+\(`)
	noCheck  = lazyregexp.New(`(?m)^\s*assert\s+(?:True|1|not False)\s*(?:#.*)?$|\bself\.assertTrue\(\s*True\s*\)|\bexpect\(\s*(?:true|1)\s*\)\.to(?:Be|Equal)\(\s*(?:true|1)\s*\)|\bassert(?:\.ok)?\(\s*true\s*\)`)
	// leftOut keeps tests from running, or from failing.
	leftOut = lazyregexp.New(`@(?:pytest\.mark\.|unittest\.)(?:skip|xfail|expectedFailure)\w*|\bpytest\.(?:skip|xfail|importorskip)\(|\.skipTest\(|\b[tb]\.Skip\w*\(|\b(?:it|test|describe|context)\.(?:skip|todo|only|failing)\b|\bx(?:it|describe|test)\(` +
		`|--(?:ignore|deselect)\b|\bcollect_ignore|\bpytest_(?:collection_modifyitems|ignore_collect|runtest_\w+|sessionfinish)\b|\bos\._exit\(|\bnorecursedirs\b|\bpassWithNoTests\b|testPathIgnorePatterns|\|\|\s*true\b`)
)

// tally is what tests a text has.
type tally struct {
	tests  []oneTestOf
	checks int // of the whole text
	left   int // marks that keep tests from running
}

// oneTestOf is a test in a text. Where there is no syntax tree, only its name is known.
type oneTestOf struct {
	name, body string // the body without what is between its words
	checks     int
}

// tallyOf counts in the syntax tree and, without one (settings, other
// languages, what does not parse), by words.
func tallyOf(name, text string) tally {
	if counted, ok := treeTally(name, text); ok {
		return counted
	}
	var t tally
	if testFile.MatchString(name) {
		for _, m := range oneTest.FindAllStringSubmatch(text, -1) {
			t.tests = append(t.tests, oneTestOf{name: strings.Trim(m[1]+m[2]+m[3], "\"'`")})
		}
		t.checks = len(oneCheck.FindAllString(text, -1)) - len(noCheck.FindAllString(text, -1))
	}
	t.left = len(leftOut.FindAllString(text, -1))
	return t
}

// IsTest reports whether a file is one with tests, by its name.
func IsTest(name string) bool { return testFile.MatchString(name) }
