package testreport

import (
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

var (
	pytestSum   = lazyregexp.New(`(?m)^(?:=+ )?((?:\d+ \w+, )*\d+ \w+|no tests ran)(?:, \d+ warnings?)? in [\d.]+s(?: \([\d:]+\))?(?: =+)?$`)
	pytestPart  = lazyregexp.New(`(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)`)
	pytestShort = lazyregexp.New(`(?m)^(FAILED|ERROR|SUBFAIL(?:ED)?(?:\([^)]*\))?) (\S+?\.py)(?:::(.+?))?(?: - (.*))?$`)
	pytestHead  = lazyregexp.New(`(?m)^_{3,} (.+?) _{3,}$`)
	pytestLine  = lazyregexp.New(`(?m)^(\S+?\.py)::(\S.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b`)
	pytestEnd   = lazyregexp.New(`(?m)^=+ .* =+$`)
)

// readPytest reads what pytest prints.
func readPytest(_, text string) (r Report) {
	sums := pytestSum.FindAllStringSubmatch(text, -1)
	if sums == nil {
		return r
	}
	r.Runner = "pytest"
	for _, m := range pytestPart.FindAllStringSubmatch(sums[len(sums)-1][1], -1) {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "passed", "xpassed":
			r.Passed += n
		case "failed":
			r.Failed += n
		case "error", "errors":
			r.Errors += n
		default:
			r.Skipped += n
		}
	}
	said := map[string]string{}
	for _, s := range sections(pytestHead, text) {
		body := s[1][0]
		if at := pytestEnd.FindStringIndex(body); at != nil {
			body = body[:at[0]]
		}
		said[strings.TrimPrefix(strings.TrimPrefix(s[0][1], "ERROR at setup of "), "ERROR collecting ")] = body
	}
	for _, m := range pytestLine.FindAllStringSubmatch(text, -1) {
		if m[3] == "PASSED" || m[3] == "XPASS" {
			r.Tests = append(r.Tests, Test{Name: m[2], File: m[1], Outcome: Passed})
		}
	}
	for _, m := range pytestShort.FindAllStringSubmatch(text, -1) {
		t := Test{Name: m[3], File: m[2], Outcome: Failed, Message: m[4]}
		if m[1] == "ERROR" {
			t.Outcome = Errored
		}
		body := said[strings.ReplaceAll(m[3], "::", ".")]
		if m[3] == "" {
			t.Name, body = m[2], said[m[2]]
		}
		if body != "" {
			t.Message = shorten(strings.TrimSpace(body))
			t.place(body)
		}
		r.Tests = append(r.Tests, t)
	}
	return r
}

var (
	unittestSum  = lazyregexp.New(`(?m)^Ran (\d+) tests? in [\d.]+s$`)
	unittestEnd  = lazyregexp.New(`(?m)^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$`)
	unittestPart = lazyregexp.New(`(failures|errors|skipped|expected failures|unexpected successes)=(\d+)`)
	unittestBad  = lazyregexp.New(`(?m)^={70}\n(FAIL|ERROR): (\w+) \(([\w.<>]+)\)(.*)$`)
	unittestLine = lazyregexp.New(`(?m)^(\w+) \(([\w.]+)\)(?:\n.*)? \.\.\. ok$`)
)

// readUnittest reads what Python's unittest prints, and Django's runner. A test of which
// several subtests failed is one failed test.
func readUnittest(_, text string) (r Report) {
	sum := unittestSum.FindStringSubmatch(text)
	end := unittestEnd.FindStringSubmatch(text)
	if sum == nil {
		return r
	}
	r.Runner = "unittest"
	ran, _ := strconv.Atoi(sum[1])
	skipped, surplus := 0, 0
	if end != nil {
		for _, m := range unittestPart.FindAllStringSubmatch(end[1], -1) {
			n, _ := strconv.Atoi(m[2])
			switch m[1] {
			case "skipped", "expected failures":
				skipped += n
			case "unexpected successes":
				surplus += n
			}
		}
	}
	for _, m := range unittestLine.FindAllStringSubmatch(text, -1) {
		r.Tests = append(r.Tests, Test{Name: unittestName(m[1], m[2]), Outcome: Passed})
	}
	named := map[string]int{}
	for _, s := range sections(unittestBad, text) {
		said, _, _ := strings.Cut(s[1][0], "\n"+strings.Repeat("-", 70)+"\nRan ")
		said = strings.TrimLeft(strings.TrimPrefix(strings.TrimSpace(said), strings.Repeat("-", 70)), "\n")
		t := Test{Name: unittestName(s[0][2], s[0][3]), Outcome: Failed, Message: strings.TrimSpace(s[0][4] + "\n" + said)}
		if s[0][1] == "ERROR" {
			t.Outcome = Errored
		}
		if at, ok := named[t.Name]; ok { // another subtest
			first := &r.Tests[at]
			first.Message = shorten(first.Message + "\n" + t.Message)
			continue
		}
		t.Message = shorten(t.Message)
		t.place(said)
		named[t.Name] = len(r.Tests)
		if r.Tests = append(r.Tests, t); t.Outcome == Errored {
			r.Errors++
		} else {
			r.Failed++
		}
	}
	r.Failed += surplus
	r.Skipped = skipped
	r.Passed = max(0, ran-skipped-r.Failed-r.Errors)
	return r
}

// unittestName is a test's name with its class: Python before 3.11 names the class alone.
func unittestName(test, in string) string {
	in = strings.TrimSuffix(in, "."+test)
	parts := strings.Split(in, ".")
	return parts[len(parts)-1] + "." + test
}
