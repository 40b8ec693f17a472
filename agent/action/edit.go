package action

import (
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
)

// stage writes text to path, unless it fails the checks that every edit goes
// through: it must not bring back the mark of a hidden secret, and must not break
// the file's syntax. f is the file as it is; exists is false for a new one. show has the model shown what was staged, because it differs from what
// the model wrote.
func (s *Scope) stage(path string, f workspace.File, exists bool, text string, show bool) (Result, error) {
	before := f.Text
	if hidden := s.env.Hidden; hidden != "" && strings.Contains(text, hidden) && !strings.Contains(before, hidden) {
		if s.env.HiddenWhy != "" {
			return Result{}, fmt.Errorf("nothing was changed: the text that you sent had what has the exact format of a secret, which was replaced by %q: %s", hidden, s.env.HiddenWhy)
		}
		return Result{}, fmt.Errorf("nothing was changed: the new text holds %q, which stands for a secret that was hidden from you. Patch only the other lines", hidden)
	}
	if exists && text == before {
		return Result{}, errors.New("nothing was changed: the file already reads so")
	}
	if err := Parses(path, before, exists, text); err != nil {
		return Result{}, err
	}
	if err := s.respects(path, f, text); err != nil {
		return Result{}, err
	}
	edit, err := s.Write(path, text)
	if err != nil {
		return Result{}, err
	}
	diff := edit.Diff()
	plus, minus := countLines(diff)
	now, err := s.Read(path)
	if err != nil {
		return Result{}, fmt.Errorf("%s was staged but cannot be read back: %w", path, err)
	}
	known, _ := s.shown(path)
	if known.Path = path; exists && known.Hash != f.Hash {
		known = Shown{Path: path}
	}
	next := known.Carry(now.Hash, before, now.Text)
	said := Said{Text: fmt.Sprintf("Staged %s: %s added, %d removed; it has %s now.\n", path, count.Of(plus, "line"), minus, count.Of(LineCount(now.Text), "line"))}
	if show && strings.TrimSpace(diff) != "" {
		said = Said{Text: said.Text + "Lines that you quoted differ from the file; this is what was staged:\n", Mark: MarkData, Quote: diff}
	}
	return Result{Said: said, Note: fmt.Sprintf("%s +%d -%d", path, plus, minus), Diff: diff, Shown: &next}, nil
}

// Parses refuses a text that breaks a file which parsed, and a new file that
// does not parse. A file that was broken before may stay broken: mending it may
// take more than one edit. The error is an *Unparsed.
func Parses(path, before string, exists bool, text string) error {
	lang := syntax.LanguageOf(path)
	if lang == "" {
		return nil
	}
	errs := syntax.Parse(lang, text).Errors()
	if len(errs) == 0 || exists && len(syntax.Parse(lang, before).Errors()) > 0 {
		return nil
	}
	what := "the edit was taken back, because the file no longer parses"
	if !exists {
		what = "the new file was refused, because it does not parse"
	}
	first := errs[0]
	return &Unparsed{
		Message: fmt.Sprintf("%s as %s: line %d: %s", what, lang, first.Start.Line+1, first.Message),
		Shown:   excerpt(text, first.Start.Line+1),
	}
}

// Unparsed is the error for an edit whose outcome does not parse.
type Unparsed struct {
	Message string // what is wrong and where
	Shown   string // the lines around it
}

// Error implements error.
func (e *Unparsed) Error() string { return e.Message + "\n" + e.Shown }

// excerptLines is how many lines above and below an error are shown: enough to
// see the statement, few enough not to crowd a model's context.
const excerptLines = 3

// excerpt shows the lines around line (from 1), numbered.
func excerpt(text string, line int) string {
	lines := splitLines(text)
	var b strings.Builder
	for n := max(1, line-excerptLines); n <= min(len(lines), line+excerptLines); n++ {
		mark := " "
		if n == line {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s%5d  %s\n", mark, n, lines[n-1])
	}
	return b.String()
}

// splitLines returns the lines of text without their endings.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// countLines counts the added and removed lines of one file's unified diff.
func countLines(diff string) (plus, minus int) {
	_, body, _ := strings.Cut(diff, "\n@@") // the header's +++ and --- are no changes
	for line := range strings.Lines(body) {
		switch line[0] {
		case '+':
			plus++
		case '-':
			minus++
		}
	}
	return plus, minus
}

// checkPath refuses what can never be a path of the workspace; whether it lies
// inside is the overlay's to say.
func checkPath(path string) error {
	const maxPath = 4096 // PATH_MAX of Linux; longer ones cannot be opened
	switch {
	case strings.TrimSpace(path) == "":
		return errors.New("path is empty: name a file relative to the workspace")
	case len(path) > maxPath:
		return fmt.Errorf("path has %d bytes; at most %d are taken", len(path), maxPath)
	}
	return nil
}
