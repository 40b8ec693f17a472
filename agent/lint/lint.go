// Package lint runs other people's linters in the sandbox and maps what they
// report to findings: pylint with its score and Bandit for Python, ESLint for
// JavaScript and TypeScript, go vet and gosec for Go; mypy, black and Prettier for
// projects that use them.
//
// A linter runs on a private copy of a tree, with the project's own
// configuration where there is one, and writes its report into a file of that
// copy: what else it prints cannot be taken for the report. Its own comments
// (noqa, nosec, eslint-disable, nolint) have their effect in it. It never runs
// on the host, and a project that a linter cannot read is a report that says so,
// never "no findings".
package lint

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/validate"
	"caselsp/sandbox"
)

// Linter is one of the linters.
type Linter struct {
	Name    string // pylint; before the slash of its findings' rules
	Profile sandbox.Profile

	extensions []string
	line       func(tree []sandbox.File, files []string) string
	setup      func(tree []sandbox.File) []sandbox.File    // files that it needs beside the project's
	used       func(tree []sandbox.File) bool              // whether the project uses it; nil: it is for all
	chosen     func(tree []sandbox.File) bool              // whether its taste is the project's; nil: always
	excludes   func(tree []sandbox.File) func(string) bool // which files the project leaves out; nil: none
	read       func(report, output string) ([]issue, error)
}

// The linters.
var (
	Pylint = &Linter{Name: "pylint", Profile: sandbox.Python, extensions: []string{".py"}, line: pylintLine, read: readPylint, chosen: usesPython("pylint", "pylintrc", ".pylintrc", "pylintrc.toml", ".pylintrc.toml")}
	Bandit = &Linter{Name: "bandit", Profile: sandbox.Python, extensions: []string{".py"}, line: banditLine, read: readBandit}
	ESLint = &Linter{Name: "eslint", Profile: sandbox.Node, extensions: []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"}, line: eslintLine, setup: eslintSetup, read: readESLint, chosen: func(tree []sandbox.File) bool { return eslintSetup(tree) == nil }}
	Vet    = &Linter{Name: "vet", Profile: sandbox.Go, extensions: []string{".go"}, line: vetLine, read: readVet}
	Gosec  = &Linter{Name: "gosec", Profile: sandbox.Go, extensions: []string{".go"}, line: gosecLine, read: readGosec}
)

// All are the linters, in the order in which they run.
var All = []*Linter{Pylint, Bandit, Mypy, Black, ESLint, Prettier, Vet, Gosec}

// notFound is a shell's exit code where a program is not there.
const notFound = 127

// reportFile is where a linter writes to, in the root of the copy: no project has
// a file of this name.
const reportFile = ".caselsp-lint-report"

// Report is what a linter said.
type Report struct {
	Linter   string
	Findings []validate.Finding // sorted by file and place
	Score    float64            // pylint's, out of 10
	Scored   bool
	Trouble  string // why it could not judge all it should have; "" where it could
	Lacks    string // the package that it did not find, where that is the trouble
}

// Grade is how sure and how grave a linter for safety takes a finding.
type Grade string

// The grades of Bandit and gosec.
const (
	Low    Grade = "low"
	Medium Grade = "medium"
	High   Grade = "high"
)

// Policy says what the grades of a linter for safety mean here.
type Policy struct {
	Critical Grade // findings of this severity and above block; "" blocks on none
	Warning  Grade // those of this one and above are asked for; the others are noted
	Sure     Grade // findings that the linter is less sure of count as one grade less
}

// DefaultPolicy is the one of those who set nothing: high blocks, medium asks,
// low is noted, and what the linter itself doubts counts as a grade less.
var DefaultPolicy = Policy{Critical: High, Warning: Medium, Sure: Medium}

var rank = map[Grade]int{Low: 1, Medium: 2, High: 3}

// severity is what a finding's severity and confidence mean.
func (p Policy) severity(severity, confidence Grade) validate.Severity {
	grade := rank[severity]
	if rank[confidence] < rank[p.Sure] {
		grade--
	}
	switch {
	case p.Critical != "" && grade >= rank[p.Critical]:
		return validate.Critical
	case p.Warning != "" && grade >= rank[p.Warning]:
		return validate.Warning
	}
	return validate.Info
}

// issue is one thing that a linter's report holds.
type issue struct {
	validate.Reported
	severity, confidence Grade // of a linter for safety; "" where Reported says the severity
	score                *float64
}

// For returns the linters that apply to at least one file of a tree: those that
// always run, and those that the project uses.
func For(files []string, tree []sandbox.File) []*Linter {
	return slices.DeleteFunc(slices.Clone(All), func(l *Linter) bool {
		return len(l.Files(files)) == 0 || l.used != nil && !l.used(tree)
	})
}

// Reads reports whether a linter reads files of this name.
func Reads(name string) bool {
	return slices.ContainsFunc(All, func(l *Linter) bool { return slices.Contains(l.extensions, path.Ext(name)) })
}

// Files returns those of the files that the linter reads.
func (l *Linter) Files(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !slices.Contains(l.extensions, path.Ext(f)) })
}

// Command returns the command that judges files of a tree; Policy and Layer are
// the caller's to set.
func (l *Linter) Command(tree []sandbox.File, files []string) sandbox.Command {
	if l.setup != nil {
		tree = append(slices.Clone(tree), l.setup(tree)...)
	}
	return sandbox.Command{Line: l.line(tree, l.Files(files)), Tree: tree, Profile: l.Profile}
}

// Run judges files of a tree. The error is the engine's; a linter that is not
// there or fails is the report's Trouble.
func (l *Linter) Run(ctx context.Context, engine sandbox.Engine, cmd sandbox.Command, files []string, p Policy) (*Report, error) {
	result, err := engine.Run(ctx, cmd)
	if err != nil {
		return nil, err
	}
	return l.Read(cmd.Tree, files, result, p), nil
}

// Read maps the result of a linter's command.
func (l *Linter) Read(tree []sandbox.File, files []string, result *sandbox.Result, p Policy) *Report {
	report := &Report{Linter: l.Name}
	var written string
	for _, c := range result.Changes {
		if c.Path == reportFile {
			written = string(c.Data)
		}
	}
	if !result.OK() && written == "" || result.Status != sandbox.Exited || result.ExitCode == notFound {
		report.Trouble, report.Lacks = trouble(l, result)
		return report
	}
	issues, err := l.read(written, result.Output)
	if unrun := (*notRun)(nil); errors.As(err, &unrun) {
		report.Trouble, report.Lacks = reason(l, unrun.said)
		return report
	}
	if err != nil {
		report.Trouble = strings.TrimSuffix(fmt.Sprintf("%s's report cannot be read: %v. %s", l.Name, err, telling(result.Output)), ". ")
		return report
	}
	texts := map[string]string{}
	for _, f := range tree {
		if slices.Contains(files, f.Path) {
			texts[f.Path] = string(f.Data)
		}
	}
	for _, i := range issues {
		if i.score != nil {
			report.Score, report.Scored = *i.score, true
			continue
		}
		i.Path = path.Clean(strings.TrimPrefix(i.Path, "/workspace/"))
		text, ok := texts[i.Path]
		if !ok {
			continue // a file that was not asked about
		}
		if i.severity != "" {
			i.Severity = p.severity(i.severity, i.confidence)
		}
		i.Rule = l.Name + "/" + i.Rule
		report.Findings = append(report.Findings, i.Finding(text))
	}
	report.excuse(tree)
	slices.SortStableFunc(report.Findings, func(a, b validate.Finding) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Start.Offset - b.Start.Offset
	})
	return report
}

var errNoReport = errors.New("it is empty")

// quoted joins words for a shell.
func quoted(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" '" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	}
	return b.String()
}
