package record

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/count"
	"caselsp/agent/validate"
)

// Linted is what linters say of staged files.
type Linted struct {
	Files    map[string]string  `json:"files"`              // content hashes of those they looked at, by path
	Findings []validate.Finding `json:"findings,omitempty"` // that the task brought in
	Score    *float64           `json:"score,omitempty"`    // pylint's of these files, out of 10; nil: it looked at none
	Troubles []string           `json:"troubles,omitempty"` // linters that could not judge, and why
	Ran      []string           `json:"ran,omitempty"`      // linters that judged; older versions did not say
	// By are the linters that judged each file; older versions did not say.
	By map[string][]string `json:"by,omitempty"`
	// Waits are the keys of the dependencies that a linter needs which could not judge without them:
	// it is asked again once they are there.
	Waits []string `json:"waits,omitempty"`
	// Known are the places in Findings of those that the model was told of already, on a line that is as it was then: it
	// was not edited since. Older versions told them again.
	Known []int `json:"known,omitempty"`
	// Beside says that the model wrote a reply meanwhile, which the record of that follows: it has not seen this.
	Beside bool `json:"beside,omitempty"`
}

// KnownOf returns the places in a run's findings of those that the model was told of already. line returns a line of a
// file, from 0, by the hash of its content.
func (p *State) KnownOf(b Linted, line func(hash string, n int) string) (known []int) {
	counted := map[string][]bool{}
	for i, f := range b.Findings {
		last := p.Linted[f.Path]
		if counted[f.Path] == nil {
			counted[f.Path] = make([]bool, len(last.findings))
		}
		for k, old := range last.findings {
			if !counted[f.Path][k] && old.Rule == f.Rule && old.Message == f.Message && line(last.Hash, old.Start.Line) == line(b.Files[f.Path], f.Start.Line) {
				counted[f.Path][k], known = true, append(known, i)
				break
			}
		}
	}
	return known
}

// lintedFile is what the linters last said of one file.
type lintedFile struct {
	Hash     string
	findings []validate.Finding
	score    *float64
	ran      bool     // a linter has judged
	by       []string // which
	beside   string   // digest of all that was staged then
	waits    []string // dependencies that a linter needs
}

// LintOutdated reports whether linters have to look at a staged file: they have not looked at
// it as it is now, or what they object to may have been mended in another file.
func (p *State) LintOutdated(f StagedFile) bool {
	l, seen := p.Linted[f.Path]
	if !seen || l.Hash != f.Now.Hash || slices.ContainsFunc(l.waits, func(key string) bool { return p.Dependencies[key].State == Ready }) {
		return true
	}
	objects := slices.ContainsFunc(l.findings, func(f validate.Finding) bool { return f.Severity != validate.Info })
	return objects && l.beside != digestOf(p.Staged.byPath())
}

// applyLinted folds what linters said; the model is told what it can mend.
func (p *State) applyLinted(b Linted) {
	if p.Linted == nil {
		p.Linted, p.LintTroubles = map[string]lintedFile{}, map[string]bool{}
	}
	for path, hash := range b.Files {
		file := lintedFile{Hash: hash, ran: len(b.Ran) > 0 || len(b.Findings) > 0 || b.Score != nil, by: b.By[path], beside: digestOf(p.Staged.byPath()), waits: b.Waits}
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
	said, any := b.advice(p.StyleTold)
	if any {
		p.Turns = append(p.Turns, Turn{Said: said, Beside: b.Beside})
	}
	p.StyleTold = p.StyleTold || any && said.More != ""
}

// New are the findings, other than matters of taste, that nobody was told of yet.
func (b Linted) New() (list []validate.Finding) {
	for i, f := range b.Findings {
		if f.Severity != validate.Info && !slices.Contains(b.Known, i) {
			list = append(list, f)
		}
	}
	return list
}

// maxStyle is how many rules of style are named to the model: they are hints, not work.
const maxStyle = 5

// advice is what the model is told: what is more than a matter of taste and, once in a task
// and shortly, what lowers a score below the aim. There may be nothing to say.
func (b Linted) advice(styleTold bool) (said action.Said, any bool) {
	list := b.New()
	if len(list) > 0 {
		said = action.Said{Text: "Linters object to what you edited:\n", Mark: action.MarkData, Quote: action.Findings(list)}
	}
	if b.Score == nil || *b.Score >= lintAim || styleTold {
		return said, len(list) > 0
	}
	var rules []string
	for _, f := range b.Findings {
		if f.Severity == validate.Info && !slices.Contains(rules, f.Rule) && len(rules) < maxStyle {
			rules = append(rules, f.Rule)
		}
	}
	if len(rules)+len(list) == 0 {
		return said, false // it is the rest of the file that lowers it
	}
	said.More = fmt.Sprintf("\npylint rates it %.2f of 10; the aim is %.1f.", *b.Score, lintAim)
	if len(rules) > 0 {
		said.More += " Of style: " + strings.Join(rules, ", ") + "."
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

// LintLines says what linters think of the files of a task, for its report. Of those that did
// not run, the user has heard while the task worked.
func (p *State) LintLines() []string {
	var lines []string
	for _, f := range p.Staged.Files {
		l := p.Linted[f.Path]
		if f.Now == nil || l.Hash != f.Now.Hash || !l.ran {
			continue
		}
		line := f.Path + ": nothing new"
		if n := len(l.findings); n > 0 {
			line = fmt.Sprintf("%s: %s", f.Path, count.Of(n, "new finding"))
		}
		if len(l.by) > 0 {
			line += " (" + strings.Join(l.by, ", ") + ")"
		}
		if l.score != nil {
			line += fmt.Sprintf(", pylint rates it %.2f of 10", *l.score)
		}
		lines = append(lines, line)
	}
	return lines
}

// lintAim is the pylint score, out of 10, that code should reach.
const lintAim = 8.0
