package record

import (
	"fmt"
	"strings"

	"caselsp/agent/action"
)

// testLine says how a test run went, with the line in which the runner sums up.
func testLine(t *testRun) string {
	switch {
	case t.Skipped:
		return fmt.Sprintf("`%s` was not run: %s", t.command, FirstLine(t.Said.Text))
	case t.Lost:
		return fmt.Sprintf("`%s`: the outcome is not known", t.command)
	}
	how := "fails"
	if t.OK {
		how = "passes"
	}
	sum := ""
	for line := range strings.Lines(t.Said.Text + t.Said.Quote) {
		if line = strings.TrimSpace(line); strings.ContainsAny(line, "0123456789") {
			sum = FirstLine(line)
		}
	}
	return fmt.Sprintf("`%s` %s: %s", t.command, how, sum)
}

// FailureText picks the lines of a test run's output that tell what failed, by
// which it is kept in memory and found again. Where none stands out, the last lines.
func FailureText(said action.Said) string {
	var telling, all []string
	for line := range strings.Lines(said.Plain()) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		all = append(all, line)
		for _, word := range []string{"Error", "error:", "Exception", "assert", "FAIL", "panic"} {
			if strings.Contains(line, word) {
				telling = append(telling, line)
				break
			}
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling[max(0, len(telling)-failureLines):], "\n")
}

// failureLines is how many telling lines of a failed run describe the failure.
const failureLines = 12
