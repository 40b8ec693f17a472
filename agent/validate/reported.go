package validate

import (
	"caselsp/agent/syntax"
)

// Reported is what another people's linter said of a place in a file.
type Reported struct {
	Path      string // as the finding names it
	Rule      string // with the linter's name: bandit/B602
	Severity  Severity
	Line      int // from 1; 0 is the file as a whole
	Column    int // from 1, in characters; 0 is the whole line
	EndLine   int // 0 where the linter does not say
	EndColumn int // the first one behind it, from 1
	Message   string
	Standards []string
	Docs      string
}

// Finding places what a linter reported in the file's text, so that it is told
// apart from old findings as the validators' own are. A place that the file
// does not have is its last line: a linter may have seen another version.
func (r Reported) Finding(text string) Finding {
	tree := syntax.Parse(syntax.Unknown, text)
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	at := func(line, column int) int {
		line = min(max(line, 1), len(starts))
		start, end := starts[line-1], len(text)
		if line < len(starts) {
			end = starts[line] - 1
		}
		n := 1
		for i := range text[start:end] {
			if n == column {
				return start + i
			}
			n++
		}
		return end
	}
	from := at(r.Line, max(r.Column, 1))
	if r.Column == 0 {
		for from < len(text) && (text[from] == ' ' || text[from] == '\t') {
			from++
		}
	}
	to := at(max(r.Line, 1), len(text)+1)
	if r.EndLine >= r.Line && r.EndColumn > 0 && r.EndLine > 0 {
		to = at(r.EndLine, r.EndColumn)
	}
	f := Finding{
		Path: r.Path, Rule: r.Rule, Severity: r.Severity, Standards: r.Standards, Docs: r.Docs, Message: r.Message,
		Start: tree.Position(from), End: tree.Position(max(from, to)),
	}
	f.line = lineAt(text, f.Start)
	return f
}
