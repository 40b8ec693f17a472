package action

import (
	"context"
	_ "embed" // the texts for the model
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/count"
)

//go:embed read.md
var readText string

// ReadFile shows a file, whole or by a range of lines.
type ReadFile struct {
	reading
	Path string `json:"path"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to,omitempty"`
}

// ReadFileVerb is the verb whose arguments are ReadFile.
var ReadFileVerb = register[ReadFile](GetFullFileContent, Reads, readText)

const (
	// numberedLines is the length up to which a file is shown with line numbers:
	// above it the numbers would cost more than they help.
	numberedLines = 500
	// maxShown is how many bytes of a file one action shows: about 60,000 tokens,
	// half of the window of the smaller models in use.
	maxShown = 240 << 10
	// outlineBeside bounds the outline of a file that is shown without numbers, and outlineInstead
	// that of one which is not shown, in bytes: it has the methods of a file of 4,000 lines.
	outlineBeside, outlineInstead = 3 << 10, 8 << 10
)

// Check implements Args.
func (a ReadFile) Check() error {
	var wrong faults
	if a.From < 0 || a.To < 0 || a.To != 0 && a.To < a.From {
		wrong.add("from", "from and to must be 1 <= from <= to; got from %d, to %d", a.From, a.To)
	}
	wrong.note("path", checkPath(a.Path))
	return wrong.err()
}

// Reads implements Reach.
func (a ReadFile) Reads() []Place { return []Place{File(a.Path)} }

// Do implements Doer.
func (a ReadFile) Do(_ context.Context, s *Scope) (Result, error) {
	f, err := s.Read(a.Path)
	if err != nil {
		return Result{}, err
	}
	text, shown, err := Show(a.Path, f.Text, f.Hash, a.From, a.To, s.env.MaxShown)
	if err != nil {
		return Result{}, outlineFor(err, f.Text, s.env.MaxShown)
	}
	unnumbered := LineCount(f.Text) > numberedLines && !shown.Full // as the whole file was shown
	if known, _ := s.shown(a.Path); known.has(shown) && !(known.Full && unnumbered) {
		return Result{Said: Said{Text: fmt.Sprintf("%s%s is as it was shown to you above: nothing changed since.", a.Path, rangeNote(shown.Full, a.From, a.To))}, Note: "read " + a.Path, Shown: &shown}, nil
	}
	if shown.Full && LineCount(f.Text) > numberedLines {
		text += outlineBelow(a.Path, f.Text)
	}
	return Result{Said: Quoted(text), Note: "read " + a.Path, Shown: &shown}, nil
}

// outlineBelow is the outline that follows a file without line numbers.
func outlineBelow(path, text string) string {
	if outline := OutlineOf(path, text, outlineBeside); outline != "" {
		return "\nThe lines of its parts, for reading ranges with numbers:\n" + outline
	}
	return ""
}

// outlineFor adds to the refusal of a file that is too long its outline, which says what to
// read of it.
func outlineFor(err error, text string, room int) error {
	var long *tooLong
	if !errors.As(err, &long) {
		return err
	}
	most := outlineInstead
	if room > 0 {
		most = min(most, max(room-refusalWords, 1))
	}
	outline := OutlineOf(long.path, text, most)
	if outline == "" {
		return err
	}
	return &Quoting{Message: err.Error(), Shown: outline}
}

// tooLong is the error for a text that is not shown at once.
type tooLong struct {
	path  string
	lines int // that can be
}

func (e *tooLong) Error() string {
	return fmt.Sprintf("%s is too long to be shown at once: read it by ranges, with from and to, of at most %d lines", e.path, e.lines)
}

// Show renders lines from to to (from 1, inclusive; 0 for the whole file) of a
// file's text for a model, and says what was shown. most bounds the rendered text, in
// bytes, below maxShown; 0: it does not.
func Show(path, text, hash string, from, to, most int) (string, Shown, error) {
	if most <= 0 || most > maxShown {
		most = maxShown
	}
	lines := splitLines(text)
	full := from <= 1 && (to == 0 || to >= len(lines))
	from, to = max(from, 1), min(to, len(lines))
	if to == 0 {
		to = len(lines)
	}
	if from > len(lines) && len(lines) > 0 {
		return "", Shown{}, fmt.Errorf("%s has %s; line %d does not exist", path, count.Of(len(lines), "line"), from)
	}
	var b strings.Builder
	numbers, note := len(lines) <= numberedLines || !full, rangeNote(full, from, to)
	if !numbers {
		note = ", without line numbers: a range has them"
	}
	fmt.Fprintf(&b, "%s (%s)%s\n", path, count.Of(len(lines), "line"), note)
	for n := from; n <= to; n++ {
		if numbers {
			fmt.Fprintf(&b, "%5d  ", n)
		}
		b.WriteString(lines[n-1])
		b.WriteByte('\n')
		if b.Len() > most {
			return "", Shown{}, &tooLong{path, max(n-from, 1)}
		}
	}
	shown := Shown{Path: path, Hash: hash, Full: full}
	if !full {
		shown.Ranges = []Range{{from, to}}
	}
	return b.String(), shown, nil
}

func rangeNote(full bool, from, to int) string {
	if full {
		return ""
	}
	return fmt.Sprintf(", lines %d to %d", from, to)
}
