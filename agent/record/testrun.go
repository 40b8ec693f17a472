package record

import (
	"fmt"

	"caselsp/agent/testreport"
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
	return fmt.Sprintf("`%s` %s: %s", t.command, how, FirstLine(testreport.Summary(t.Said.Text+t.Said.Quote)))
}
