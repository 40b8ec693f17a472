package agent

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/syntax"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
)

// testsRun reports whether the pending action is a run of the tests: the tester's, or TARS's
// while it plans.
func (r *run) testsRun() bool {
	c := r.state.Pending
	return c != nil && c.Role == record.RoleTester || r.state.Baselining()
}

// reporting is a command line as the sandbox gets it: the tests with the switches that let
// their runner say how they went as data. What is recorded, approved and shown is the line
// itself; a replay runs nothing.
func (r *run) reporting(cmd sandbox.Command) sandbox.Command {
	if !r.testsRun() || r.a.outside.replays() {
		return cmd
	}
	return r.reportingTests(cmd)
}

// reportingTests is a run of the tests that leaves its results as files.
func (r *run) reportingTests(cmd sandbox.Command) sandbox.Command {
	var changed []string
	for name := range r.changedLines() {
		changed = append(changed, name)
	}
	slices.Sort(changed)
	cmd.Plain, cmd.Line = cmd.Line, testreport.Reporting(cmd.Line, r.textOf, changed)
	return cmd
}

// textOf is a file as it is staged; "" where there is none.
func (r *run) textOf(name string) string {
	f, err := r.overlay.Read(name)
	if err != nil {
		return ""
	}
	return f.Text
}

// featureChanges are the changes of the feature that is worked on.
func (r *run) featureChanges() []workspace.Change {
	f := r.state.Feature()
	if f == nil {
		return nil
	}
	start, err := f.Start.State(r.a.Store.Blob)
	if err != nil {
		return nil
	}
	return workspace.Compare(start, r.overlay.State()).Files
}

// isCode reports whether a file is code that tests can be written for, and none of the tests.
func isCode(name string) bool {
	switch syntax.LanguageOf(name) {
	case syntax.Python, syntax.Go, syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		return !testreport.IsTest(name) && path.Base(name) != "conftest.py"
	}
	return false
}

// changedLines are the lines of code that the feature has added or changed, by file.
func (r *run) changedLines() map[string][]testreport.Hunk {
	changed := map[string][]testreport.Hunk{}
	for _, c := range r.featureChanges() {
		if c.After == nil || c.Binary || !isCode(c.Path) {
			continue
		}
		var hunks []testreport.Hunk
		for _, h := range c.Hunks {
			at := h.NewLine
			for _, same := range unchanged(h) {
				if same > 0 {
					at += same
				} else {
					hunks = append(hunks, testreport.Hunk{From: at, To: at - same - 1})
					at -= same
				}
			}
		}
		if len(hunks) > 0 {
			changed[c.Path] = hunks
		}
	}
	return changed
}

// unchanged takes the new lines of a hunk apart: how many in a row are as before (above 0) or
// new (below 0). A hunk holds the lines between changes that are close to each other.
func unchanged(h workspace.Hunk) (runs []int) {
	old := map[string]int{}
	for _, l := range h.Old {
		old[l]++
	}
	for _, l := range h.New {
		n := -1
		if old[l] > 0 {
			old[l]--
			n = 1
		}
		if last := len(runs) - 1; last >= 0 && (runs[last] > 0) == (n > 0) {
			runs[last] += n
		} else {
			runs = append(runs, n)
		}
	}
	return runs
}

// takeResults parts what a test run left for us from what it changed.
func takeResults(result *sandbox.Result) map[string][]byte {
	files := map[string][]byte{}
	result.Changes = slices.DeleteFunc(slices.Clone(result.Changes), func(c sandbox.Change) bool {
		name, ours := strings.CutPrefix(c.Path, testreport.Folder+"/")
		if ours && !c.Deleted {
			files[name] = c.Data
		}
		return ours
	})
	return files
}

// results reads what a run of the tests left, and shows its output as people know it. What is kept of
// whole names the tests that did not pass.
func (r *run) results(ctx context.Context, line string, result *sandbox.Result) (kept *record.Results, whole testreport.Report) {
	files := takeResults(result)
	var tree testreport.Tree
	listed, _, err := r.overlay.List(ctx, "", maxTreeFiles)
	if err == nil {
		for _, f := range listed {
			tree = append(tree, f.Path)
		}
	}
	whole = testreport.Read(line, result.Output, files).In(tree)
	if shown := testreport.Shown(result.Output); shown != result.Output {
		result.Output = testreport.Plain(shown)
	}
	changed := r.changedLines()
	res := &record.Results{Report: whole.Brief(), Coverage: r.coverage(files, tree, changed)}
	for _, t := range res.Tests {
		for _, trace := range testreport.Traces(t.Message) {
			if f, h, ok := trace.In(tree).Behind(changed); ok {
				if res.Behind == nil {
					res.Behind = map[string]record.Behind{}
				}
				res.Behind[t.Name] = record.Behind{Path: f.File, Line: f.Line, Hunk: h}
			}
		}
	}
	return res, whole
}

// maxTreeFiles is how many files of a workspace a trace is looked for in.
const maxTreeFiles = 50_000

// coverage is that of the changed lines.
func (r *run) coverage(files map[string][]byte, tree testreport.Tree, changed map[string][]testreport.Hunk) (c record.Coverage) {
	if len(changed) == 0 {
		return record.Coverage{Why: "no lines of code were changed"}
	}
	seen := testreport.ReadCoverage(files, tree, r.textOf).In(tree)
	if len(seen) == 0 {
		return record.Coverage{Why: "the test run measured none"}
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		var lines []int
		for _, h := range changed[name] {
			for line := h.From; line <= h.To; line++ {
				lines = append(lines, line)
			}
		}
		l := seen.Of(name, lines)
		if _, measured := seen[name]; !measured { // no test has loaded it
			if !sameKind(seen, name) {
				continue
			}
			l.Missed = lines
		}
		if len(l.Covered)+len(l.Missed) == 0 {
			continue
		}
		c.Files = append(c.Files, record.CoveredFile{Path: name, Missed: testreport.Ranges(l.Missed)})
		c.Covered += len(l.Covered)
		c.Lines += len(l.Covered) + len(l.Missed)
	}
	if c.Lines == 0 {
		c.Why = "the changed lines hold no code that was measured"
	}
	return c
}

// sameKind reports whether files of the language of name were measured.
func sameKind(seen testreport.Coverage, name string) bool {
	for other := range seen {
		if syntax.LanguageOf(other) == syntax.LanguageOf(name) {
			return true
		}
	}
	return false
}

// withResults adds to what a model is told how the tests went as data: their counts, the changed hunks
// behind failures, and the coverage of the changed lines.
func withResults(said action.Said, res *record.Results) action.Said {
	if res == nil {
		return said
	}
	var b strings.Builder
	if res.OK() { // else the runner's own sum stands among what failed
		b.WriteString(res.Report.String() + "\n")
	}
	for _, t := range res.Bad() {
		if h, ok := res.Behind[t.Name]; ok {
			fmt.Fprintf(&b, "Behind %s: %s:%d, in the changed lines %d-%d.\n", t.Name, h.Path, h.Line, h.From, h.To)
		}
	}
	if res.Coverage.Known() {
		b.WriteString(res.Coverage.String() + "\n")
	}
	said.More += b.String()
	return said
}

// FeatureTests is how the tests of a feature went last.
type FeatureTests struct {
	Feature string          `json:"feature"`
	Line    string          `json:"line"` // for people
	Results *record.Results `json:"results,omitempty"`
	// Evidence is how new or changed tests went without the change.
	Evidence *record.Evidence `json:"evidence,omitempty"`
	// Changed is the test command that was put in the place of the feature's.
	Changed *record.TestCommand `json:"changed,omitempty"`
	Percent *int                `json:"coverage_percent,omitempty"` // of the changed lines; left out where that is not known
}

// TestResults are those of a task's features, in order.
func (a *Agent) TestResults(id string) (list []FeatureTests, err error) {
	p, err := a.load(id)
	if err != nil {
		return nil, err
	}
	for _, f := range p.Features {
		if f.Tests == "" {
			continue
		}
		t := FeatureTests{Feature: f.ID, Line: f.Tests, Results: f.Results, Evidence: f.Evidence}
		if f.Changed.Line != "" {
			t.Changed = &f.Changed
		}
		if f.Results != nil && f.Results.Coverage.Known() {
			percent := f.Results.Coverage.Percent()
			t.Percent = &percent
		}
		list = append(list, t)
	}
	return list, nil
}

// fewerTests says how the feature leaves less tested than before it, and whether the user has
// allowed that. What earlier features lost was said then.
func (p *prompter) fewerTests() []string {
	start, err := p.state.Feature().Start.State(p.blob)
	if err != nil {
		return nil // the diff says what is wrong
	}
	lost := permit.FewerTests(workspace.Compare(start, p.overlay.State()).Files)
	if len(lost) == 0 {
		return nil
	}
	text := "less is tested than before: " + strings.Join(testreport.Told(lost), "; ")
	if p.may.AllowedFewer(lost) {
		text += " (the user has allowed this)"
	}
	return []string{text}
}

// fewerText is the report's part about that, for all features.
func (a *Agent) fewerText(p *record.State) string {
	state, err := p.Staged.State(a.Store.Blob)
	if err != nil {
		return "" // the review says what is wrong
	}
	lost := permit.FewerTests(workspace.Compare(workspace.State{}, state).Files)
	if len(lost) == 0 {
		return ""
	}
	text := "\n## Fewer tests\n\n"
	for _, l := range testreport.Told(lost) {
		text += "- " + Quote(l) + "\n"
	}
	return text
}

// writtenDiff is the feature's diff without what the tester wrote itself: the beginning of its
// conversation stays as it was.
func (p *prompter) writtenDiff() string {
	f := p.state.Feature()
	start, err := f.Start.State(p.blob)
	if err != nil {
		return ""
	}
	end, err := f.Writing.Start.State(p.blob)
	if err != nil {
		return ""
	}
	return p.diffOf(start, end)
}
