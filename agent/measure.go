package agent

import (
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/testreport"
)

// measured is what the output of a run says of its tests: how many ran (below 0: not known),
// which failed, and the kind of the failure, which is the same for runs that fail in the same way.
func measured(results *record.Results, output string) (tests int, failing []string, kind string) {
	tests = -1
	var report testreport.Report
	if results != nil {
		report = results.Report
	}
	if report.Known() {
		tests = report.Passed + report.Failed // what could not be collected has not run
	}
	for _, t := range report.Bad() {
		if name := t.Name; !slices.Contains(failing, name) {
			failing = append(failing, name)
		}
	}
	if len(failing) < report.Failed+report.Errors || len(failing) > maxFailing {
		failing = nil // the output does not name them all, so that they cannot be compared
	}
	var kinds []string
	for _, t := range testreport.Traces(output) {
		kinds = append(kinds, t.Signature)
	}
	if len(kinds) == 0 {
		for l := range strings.Lines(testreport.Failure(output)) {
			kinds = append(kinds, testreport.Signature("", strings.TrimSpace(l)))
		}
	}
	slices.Sort(kinds)
	return tests, failing, strings.Join(slices.Compact(kinds), "\n")
}

// maxFailing is how many failing tests are kept by name, for the comparison with how they
// went before; a run with more is not compared.
const maxFailing = 200
