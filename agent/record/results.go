package record

import (
	"fmt"
	"strings"

	"caselsp/agent/testreport"
	"caselsp/store/lazyregexp"
)

// Results is what a run of the tests left, as data.
type Results struct {
	testreport.Report
	// Coverage is that of the lines which the feature has changed.
	Coverage Coverage `json:"coverage"`
	// Behind are the changed hunks behind the failed tests, by the test's name.
	Behind map[string]Behind `json:"behind,omitempty"`
}

// Behind is a changed hunk that a failed test came through.
type Behind struct {
	Path string `json:"path"`
	Line int    `json:"line"` // where the trace meets it
	testreport.Hunk
}

// Coverage is how much of the changed lines a test run has covered.
type Coverage struct {
	Files   []CoveredFile `json:"files,omitempty"`
	Covered int           `json:"covered"`
	Lines   int           `json:"lines"`         // changed lines with code, of files that were measured
	Why     string        `json:"why,omitempty"` // why nothing was measured; "" where it was
}

// CoveredFile is the coverage of one file's changed lines.
type CoveredFile struct {
	Path   string `json:"path"`
	Missed string `json:"missed,omitempty"` // such as 3-5, 9
}

// CoverageAim is the share of the changed lines that tests are to cover, in percent.
const CoverageAim = 80

// Percent is the share of the changed lines that are covered.
func (c Coverage) Percent() int {
	if c.Lines == 0 {
		return 0
	}
	return 100 * c.Covered / c.Lines
}

// Known reports whether lines were measured.
func (c Coverage) Known() bool { return c.Lines > 0 }

// String says it in a line.
func (c Coverage) String() string {
	if !c.Known() {
		if c.Why == "" {
			return "coverage of the changed lines: not available"
		}
		return "coverage of the changed lines: not available: " + c.Why
	}
	text := fmt.Sprintf("coverage of the changed lines: %d percent (%d of %d; the aim is %d)", c.Percent(), c.Covered, c.Lines, CoverageAim)
	var missed []string
	for _, f := range c.Files {
		if f.Missed != "" {
			missed = append(missed, f.Path+": "+f.Missed)
		}
	}
	if len(missed) > 0 {
		text += "; not covered: " + strings.Join(missed, "; ")
	}
	return text
}

// TestNotes say in lines for people and for TARS what the tests of a feature show beside how
// they ended.
func (f *Feature) TestNotes() (lines []string) {
	if f.Results != nil {
		lines = append(lines, f.Results.Report.String(), f.Results.Coverage.String())
	}
	if f.Evidence != nil {
		lines = append(lines, f.Evidence.String())
	}
	for _, line := range f.void {
		lines = append(lines, fmt.Sprintf("`%s` was not run: it names a file that does not exist", line))
	}
	if f.Writing != nil && f.Writing.Note != "" {
		lines = append(lines, f.Writing.told(f))
	}
	return lines
}

// sumsUp are lines in which a runner says how the tests went; others print something else last.
var sumsUp = lazyregexp.New(`(?i)pass|fail|error|\bok\b|no test|ran `)

// sum is the line in which a run is summed up: the runner's own, or, where that says
// something else, the counts.
func (r *Results) sum(said string) string {
	if r == nil || !r.Known() || sumsUp.MatchString(said) {
		return said
	}
	return fmt.Sprintf("%d passed, %d failed", r.Passed, r.Failed+r.Errors)
}
