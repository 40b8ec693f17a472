package testreport

import (
	"fmt"
	"strings"

	"caselsp/store/lazyregexp"
)

// passedLine is what runners write of a test that has passed, or of one that begins.
var passedLine = lazyregexp.New(`^\s*(?:` +
	`[✓✔√] .*` + // mocha, jest, vitest, node
	`|\S+::\S.* PASSED(?: +\[ *\d+%\])?` + // pytest -v
	`|(?:\S+\.py )?\.+ *\[ *\d+%\]` + // pytest
	`|.* \.\.\. ok` + // unittest -v
	`|=== (?:RUN|PAUSE|CONT|NAME) .*|--- PASS: .*` + // go test -v
	`|# Subtest: .*|ok \d+\b.*` + // TAP
	`|PASS +\S+\.[cm]?[jt]sx?(?: \(.*\))?` + // jest
	`)\s*$`)

// leastPassed is how many lines are left out at least: fewer cost as much as the note of it.
const leastPassed = 4

// WithoutPassed is the output of a test run without what it says of tests that passed, and
// with a line that says how much was left out: the reader wants to know what failed, and
// the runner sums up.
func WithoutPassed(output string) string {
	lines := strings.Split(output, "\n")
	drop, count := make([]bool, len(lines)), 0
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		// TAP marks a test that was skipped, or is expected to fail, by a directive: neither has passed.
		if !passedLine.MatchString(line) || strings.Contains(line, "# SKIP") || strings.Contains(line, "# TODO") {
			continue
		}
		drop[i] = true
		if i+1 < len(lines) && strings.TrimSpace(lines[i+1]) == "---" && strings.HasPrefix(strings.TrimSpace(line), "ok ") {
			for i++; i < len(lines); i++ { // what TAP says of it
				if drop[i] = true; strings.TrimSpace(lines[i]) == "..." {
					break
				}
			}
		}
	}
	dropHeadings(lines, drop)
	for _, d := range drop {
		if d {
			count++
		}
	}
	if count < leastPassed {
		return output
	}
	var out []string
	said := false
	for i, line := range lines {
		switch {
		case drop[i] && !said:
			out = append(out, fmt.Sprintf("[%d lines of passed tests left out]", count))
			said = true
		case drop[i], line == "" && len(out) > 0 && out[len(out)-1] == "" && said:
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// dropHeadings marks the titles below which nothing is left, as runners write them that indent
// tests.
func dropHeadings(lines []string, drop []bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		if drop[i] || strings.TrimSpace(lines[i]) == "" {
			continue
		}
		some, depth := false, indentOf(lines[i])
		for k := i + 1; k < len(lines); k++ {
			if strings.TrimSpace(lines[k]) == "" {
				continue
			}
			if indentOf(lines[k]) <= depth {
				break
			}
			if some = drop[k]; !some {
				break
			}
		}
		drop[i] = some
	}
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
