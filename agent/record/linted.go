package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/validate"
)

// Linted is what linters say of staged files.
type Linted struct {
	Files    map[string]string  `json:"files"`              // content hashes of those they looked at, by path
	Findings []validate.Finding `json:"findings,omitempty"` // that the task brought in
	Score    *float64           `json:"score,omitempty"`    // pylint's of these files, out of 10; nil: it looked at none
	Troubles []string           `json:"troubles,omitempty"` // linters that could not judge, and why
}

// lintedFile is what the linters last said of one file.
type lintedFile struct {
	Hash     string
	findings []validate.Finding
	score    *float64
}

// applyLinted folds what linters said; the model is told what it can mend.
func (p *State) applyLinted(b Linted) {
	if p.Linted == nil {
		p.Linted, p.LintTroubles = map[string]lintedFile{}, map[string]bool{}
	}
	for path, hash := range b.Files {
		file := lintedFile{Hash: hash}
		for _, f := range b.Findings {
			if f.Path == path {
				file.findings = append(file.findings, f)
			}
		}
		if strings.HasSuffix(path, ".py") {
			file.score = b.Score
		}
		p.Linted[path] = file
	}
	for _, t := range b.Troubles {
		p.LintTroubles[t] = true
	}
	if said, any := b.advice(); any {
		p.Turns = append(p.Turns, Turn{Said: said})
	}
}

// advice is what the model is told: what is more than a matter of taste and, where
// the score is below the aim, what lowers it. There may be nothing to say.
func (b Linted) advice() (said action.Said, any bool) {
	below := b.Score != nil && *b.Score < lintAim
	list := slices.DeleteFunc(slices.Clone(b.Findings), func(f validate.Finding) bool { return f.Severity == validate.Info && !below })
	if len(list) == 0 {
		return said, false
	}
	said = action.Said{Text: "Linters object to what you edited:\n", Mark: action.MarkData, Quote: action.Findings(list)}
	if below {
		said.More = fmt.Sprintf("\npylint rates it %.2f of 10; the aim is %.1f.", *b.Score, lintAim)
	}
	return said, true
}

// LintFindings is what linters object to in the files as they are staged now.
func (p *State) LintFindings() []validate.Finding {
	var found []validate.Finding
	for _, f := range p.Staged.Files {
		if l := p.Linted[f.Path]; f.Now != nil && l.Hash == f.Now.Hash {
			found = append(found, l.findings...)
		}
	}
	return found
}

// LintLines says what linters think of the files of a task, for its report.
func (p *State) LintLines() []string {
	var lines []string
	for _, f := range p.Staged.Files {
		l := p.Linted[f.Path]
		if f.Now == nil || l.Hash != f.Now.Hash {
			continue
		}
		line := f.Path + ": nothing new"
		if n := len(l.findings); n > 0 {
			line = fmt.Sprintf("%s: %d new finding(s)", f.Path, n)
		}
		if l.score != nil {
			line += fmt.Sprintf(", pylint rates it %.2f of 10", *l.score)
		}
		lines = append(lines, line)
	}
	return append(lines, slices.Sorted(maps.Keys(p.LintTroubles))...)
}

// lintAim is the pylint score, out of 10, that code should reach.
const lintAim = 8.0
