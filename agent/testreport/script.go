package testreport

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"caselsp/store/lazyregexp"
)

// scriptJSON is what jest and vitest write as JSON, and mocha.
type scriptJSON struct {
	TestResults []struct {
		Name             string `json:"name"`
		Message          string `json:"message"`
		Status           string `json:"status"`
		AssertionResults []struct {
			AncestorTitles  []string `json:"ancestorTitles"`
			Title           string   `json:"title"`
			Status          string   `json:"status"`
			Duration        float64  `json:"duration"`
			FailureMessages []string `json:"failureMessages"`
		} `json:"assertionResults"`
	} `json:"testResults"`
	NumTotalTests *int `json:"numTotalTests"`

	Stats *struct {
		Tests int `json:"tests"`
	} `json:"stats"`
	Passes, Failures, Pending []mochaTest
}

// mochaTest is a test in mocha's JSON.
type mochaTest struct {
	FullTitle string  `json:"fullTitle"`
	File      string  `json:"file"`
	Duration  float64 `json:"duration"`
	Err       struct {
		Message string `json:"message"`
		Stack   string `json:"stack"`
	} `json:"err"`
}

// readScriptOutput reads the same where it was printed.
func readScriptOutput(_, text string) Report {
	from, to := strings.Index(text, "{"), strings.LastIndexByte(text, '}')
	if from < 0 || to < from || !strings.Contains(text, `"stats"`) && !strings.Contains(text, `"testResults"`) {
		return Report{}
	}
	return readScriptJSON([]byte(text[from : to+1]))
}

func readScriptJSON(data []byte) (r Report) {
	var s scriptJSON
	if json.Unmarshal(data, &s) != nil {
		return r
	}
	switch {
	case s.NumTotalTests != nil:
		r.Runner = "jest or vitest"
	case s.Stats != nil:
		r.Runner = "mocha"
	default:
		return r
	}
	for _, file := range s.TestResults {
		for _, a := range file.AssertionResults {
			t := Test{Name: strings.Join(append(a.AncestorTitles, a.Title), " > "), File: file.Name, Outcome: scriptOutcome(a.Status), Took: milliseconds(a.Duration)}
			t.Message = Plain(strings.Join(a.FailureMessages, "\n"))
			t.place(t.Message)
			r.add(t)
		}
		if len(file.AssertionResults) == 0 && file.Status == "failed" {
			r.add(Test{Name: file.Name, File: file.Name, Outcome: Errored, Message: Plain(file.Message)})
		}
	}
	for outcome, tests := range map[Outcome][]mochaTest{Passed: s.Passes, Failed: s.Failures, Skipped: s.Pending} {
		for _, m := range tests {
			t := Test{Name: m.FullTitle, File: m.File, Outcome: outcome, Took: milliseconds(m.Duration), Message: m.Err.Stack}
			if t.Message == "" {
				t.Message = m.Err.Message
			}
			t.place(t.Message)
			r.add(t)
		}
	}
	return r
}

func milliseconds(ms float64) time.Duration {
	if ms < 0 || ms > 1e12 {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}

func scriptOutcome(status string) Outcome {
	switch status {
	case "passed":
		return Passed
	case "failed":
		return Failed
	}
	return Skipped // pending, skipped, todo, disabled
}

var (
	jestSum   = lazyregexp.New(`(?m)^Tests:\s+(.*), (\d+) total`)
	vitestSum = lazyregexp.New(`(?m)^\s*Tests\s+(.*\S)\s+\((\d+)\)\s*$`)
	noneSum   = lazyregexp.New(`(?m)^(No tests? (files )?found|\s*Tests\s+no tests)`)
	sumPart   = lazyregexp.New(`(\d+) (passed|failed|skipped|todo|pending)`)
	jestBad   = lazyregexp.New(`(?m)^  ● (.+)$`)
	vitestBad = lazyregexp.New(`(?m)^\s*FAIL\s+(\S+)(?: > (.+))?$`)
	suiteBad  = lazyregexp.New(`(?m)^Test Suites: (\d+) failed`)
)

// counted takes in the parts of a line that sums up.
func (r *Report) counted(line string) {
	for _, m := range sumPart.FindAllStringSubmatch(line, -1) {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "passed":
			r.Passed += n
		case "failed":
			r.Failed += n
		default:
			r.Skipped += n
		}
	}
}

// sections cuts a text at the matches of its headings: each with its groups and what follows.
func sections(heading *lazyregexp.Regexp, text string) (list [][2][]string) {
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		list = append(list, [2][]string{heading.FindStringSubmatch(text[m[0]:m[1]]), {text[m[1]:end]}})
	}
	return list
}

// failedSection adds a test that a runner's text tells of; the counts come from its sum.
func (r *Report) failedSection(t Test, said string) {
	t.Outcome, t.Message = Failed, shorten(strings.TrimSpace(said))
	t.place(said)
	for _, o := range r.Tests {
		if o.Name == t.Name && o.Message == t.Message {
			return // jest tells it twice
		}
	}
	r.Tests = append(r.Tests, t)
}

// readJest reads what jest prints.
func readJest(_, text string) (r Report) {
	m := jestSum.FindStringSubmatch(text)
	broken := suiteBad.FindStringSubmatch(text)
	switch {
	case m != nil:
		r.counted(m[1])
	case broken == nil:
		if noneSum.MatchString(text) && strings.Contains(text, "jest") {
			return Report{Runner: "jest"}
		}
		return r
	}
	r.Runner = "jest"
	if before, _, found := strings.Cut(text, "Summary of all failing tests"); found {
		text = before
	}
	for _, s := range sections(jestBad, text) {
		said, _, _ := strings.Cut(s[1][0], "\nTest Suites:")
		t := Test{Name: strings.ReplaceAll(s[0][1], " › ", " > ")}
		if strings.HasPrefix(t.Name, "Test suite failed to run") {
			r.add(Test{Name: t.Name, Outcome: Errored, Message: said})
			continue
		}
		r.failedSection(t, said)
	}
	return r
}

// readVitest reads what vitest prints.
func readVitest(_, text string) (r Report) {
	m := vitestSum.FindStringSubmatch(text)
	if m == nil && !noneSum.MatchString(text) {
		return r
	}
	if r.Runner = "vitest"; m == nil {
		return r
	}
	r.counted(m[1])
	for _, s := range sections(vitestBad, text) {
		said, _, _ := strings.Cut(s[1][0], "⎯⎯⎯⎯")
		if s[0][2] == "" {
			r.add(Test{Name: s[0][1], File: s[0][1], Outcome: Errored, Message: said})
			continue
		}
		r.failedSection(Test{Name: s[0][2], File: s[0][1]}, said)
	}
	return r
}

var (
	mochaSum  = lazyregexp.New(`(?m)^\s+(\d+) (passing|failing|pending)\b`)
	mochaBad  = lazyregexp.New(`(?m)^  \d+\) (.+(?:\n {5,}\S.*)*:)$`)
	nodeSum   = lazyregexp.New(`(?m)^(?:ℹ|#) (tests|pass|fail|cancelled|skipped|todo) (\d+)$`)
	nodeBad   = lazyregexp.New(`(?m)^test at (\S+?):(\d+):\d+\n✖ (.+?)(?: \([\d.]+ms\))?$`)
	spaceRuns = lazyregexp.New(`\s*\n\s*`)
)

// readMocha reads what mocha's spec reporter, and reporters in its form, print.
func readMocha(_, text string) (r Report) {
	for _, m := range mochaSum.FindAllStringSubmatch(text, -1) {
		r.Runner = "mocha"
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "passing":
			r.Passed += n
		case "failing":
			r.Failed += n
		case "pending":
			r.Skipped += n
		}
	}
	if r.Known() && r.Failed > 0 {
		for _, s := range sections(mochaBad, text) {
			r.failedSection(Test{Name: spaceRuns.ReplaceAllString(strings.TrimSuffix(s[0][1], ":"), " ")}, s[1][0])
		}
	}
	return r
}

// readNodeSpec reads what node's runner prints for people. Its counts hold tests that have
// subtests, too.
func readNodeSpec(_, text string) (r Report) {
	sum := map[string]int{}
	for _, m := range nodeSum.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[2])
		sum[m[1]] += n
	}
	if _, ok := sum["tests"]; !ok {
		return r
	}
	r = Report{Runner: "node", Passed: sum["pass"], Failed: sum["fail"] + sum["cancelled"], Skipped: sum["skipped"] + sum["todo"]}
	for _, s := range sections(nodeBad, text) {
		line, _ := strconv.Atoi(s[0][2])
		r.failedSection(Test{Name: s[0][3], File: s[0][1], Line: line}, s[1][0])
	}
	return r
}
