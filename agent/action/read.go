package action

import (
	"context"
	_ "embed" // the texts for the model
	"fmt"
	"strings"
)

//go:embed read.md
var readText string

// ReadFile shows a file, whole or by a range of lines.
type ReadFile struct {
	reading
	Path string `json:"path"`
	From int    `json:"from,omitempty" doc:"From 1."`
	To   int    `json:"to,omitempty" doc:"Inclusive."`
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
		return Result{}, err
	}
	if known, _ := s.shown(a.Path); known.has(shown) {
		return Result{Said: Said{Text: fmt.Sprintf("%s%s is as it was shown to you above: nothing changed since.", a.Path, rangeNote(shown.Full, a.From, a.To))}, Note: "read " + a.Path, Shown: &shown}, nil
	}
	return Result{Said: Quoted(text), Note: "read " + a.Path, Shown: &shown}, nil
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
		return "", Shown{}, fmt.Errorf("%s has %d lines; line %d does not exist", path, len(lines), from)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d lines)%s\n", path, len(lines), rangeNote(full, from, to))
	for n := from; n <= to; n++ {
		if len(lines) <= numberedLines || !full {
			fmt.Fprintf(&b, "%5d  ", n)
		}
		b.WriteString(lines[n-1])
		b.WriteByte('\n')
		if b.Len() > most {
			return "", Shown{}, fmt.Errorf("%s is too long to be shown at once: read it by ranges, with from and to, of at most %d lines", path, max(n-from, 1))
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
