package testreport

import (
	"strconv"
	"strings"
	"time"

	"caselsp/store/lazyregexp"
)

// A line of TAP, and what node writes beneath it.
var (
	tapLine    = lazyregexp.New(`^((?:    )*)(not )?ok \d+(?: -)? ?(.*)$`)
	tapSubtest = lazyregexp.New(`^((?:    )*)# Subtest: `)
	tapDone    = lazyregexp.New(`^(.*?)\s*# (SKIP|TODO|skip|todo)\b ?(.*)$`)
	tapField   = lazyregexp.New(`^\s+(location|duration_ms|type): '?(.*?)'?$`)
	tapPlace   = lazyregexp.New(`^(.*):(\d+):\d+$`)
	tapPlan    = lazyregexp.New(`(?m)^(TAP version \d+|1\.\.\d+)`)
)

// readTAP reads the Test Anything Protocol with the subtests of node: a test with subtests
// is counted by them, unless it failed and none of them did.
func readTAP(_, text string) (r Report) {
	if !tapPlan.MatchString(text) || !strings.Contains(text, "ok ") && !strings.Contains(text, "1..0") {
		return r
	}
	r.Runner = "TAP"
	if strings.Contains(text, "# suites ") {
		r.Runner = "node"
	}
	failed := map[int]bool{}   // by depth: a subtest that is counted failed
	subtests := map[int]bool{} // by depth: tests at this depth were seen since the one above
	var said []string
	var open *Test
	suite := false
	end := func() {
		if open == nil {
			return
		}
		if open.Message = strings.Join(said, "\n"); open.Outcome == Passed {
			open.Message = ""
		}
		if open.Outcome == Failed {
			open.place(open.Message)
		}
		if !suite {
			r.add(*open)
		}
		open, said, suite = nil, nil, false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		m := tapLine.FindStringSubmatch(line)
		if m == nil {
			if tapSubtest.MatchString(line) || strings.HasPrefix(line, "1..") || strings.HasPrefix(line, "# tests ") {
				end()
			}
			if f := tapField.FindStringSubmatch(line); f != nil && open != nil {
				suite = open.field(f[1], f[2]) || suite
			} else if text := strings.TrimSpace(line); open != nil && text != "---" && text != "..." && !strings.HasPrefix(text, "failureType:") && len(said) < 60 {
				said = append(said, strings.TrimRight(line, " "))
			}
			continue
		}
		end()
		depth := len(m[1]) / 4
		open = &Test{Name: m[3], Outcome: Passed}
		if m[2] != "" {
			open.Outcome = Failed
		}
		if d := tapDone.FindStringSubmatch(m[3]); d != nil {
			open.Name, open.Outcome = d[1], Skipped
		}
		if suite = subtests[depth+1] && (open.Outcome != Failed || failed[depth+1]); suite {
			open.Outcome = Passed
		}
		failed[depth] = failed[depth] || m[2] != "" && open.Outcome != Skipped
		subtests[depth] = true
		delete(subtests, depth+1)
		delete(failed, depth+1)
	}
	end()
	return r
}

// field takes in what node says of a test; true if it is a suite, which is no test.
func (t *Test) field(name, value string) (suite bool) {
	switch name {
	case "location":
		if m := tapPlace.FindStringSubmatch(value); m != nil {
			t.File = m[1]
			t.Line, _ = strconv.Atoi(m[2])
		}
	case "duration_ms":
		if ms, err := strconv.ParseFloat(value, 64); err == nil && ms >= 0 && ms < 1e12 {
			t.Took = time.Duration(ms * float64(time.Millisecond))
		}
	case "type":
		return value == "suite"
	}
	return false
}
