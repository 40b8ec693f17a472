package action

import (
	"fmt"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/workspace"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Quoting is an error that quotes lines of a file. Known is what the model knows of the file
// by them; nil where they are not the lines themselves.
type Quoting struct {
	Message string
	Shown   string
	Known   *Shown
	// Warns names what the user did that the edit goes against: it is refused once.
	Warns string
}

// Error implements error.
func (e *Quoting) Error() string { return e.Message + "\n" + e.Shown }

const (
	// refusalLines and refusalBytes bound the lines that the refusal of an edit shows: enough for a
	// function, less than a reading. Of more, the model reads what it needs.
	refusalLines = 60
	refusalBytes = 6 << 10
	// refusalAround is how many lines above and below them are shown.
	refusalAround = 3
	// refusalWords is what a refusal has beside its reason and the lines, in bytes.
	refusalWords = 200
)

// unseen refuses an edit of lines that the model was not shown as they are now. It shows them,
// where they are few, so that the next edit can be right without a reading.
func (s *Scope) unseen(message, path string, f workspace.File, lines []Range) error {
	room := refusalBytes
	if s.env.MaxShown > 0 {
		room = min(room, s.env.MaxShown-len(message)-refusalWords)
	}
	all := splitLines(f.Text)
	var near []Range
	for _, r := range lines {
		near = append(near, Range{max(1, r.From-refusalAround), min(len(all), r.To+refusalAround)})
	}
	known := &Shown{Path: path, Hash: f.Hash, Ranges: joined(near)}
	var b strings.Builder
	shown := 0
	for i, r := range known.Ranges {
		if i > 0 {
			b.WriteString("...\n")
		}
		for n := r.From; n <= r.To; n++ {
			fmt.Fprintf(&b, "%5d  %s\n", n, all[n-1])
			shown++
		}
	}
	if shown == 0 || shown > refusalLines || b.Len() > room {
		return fmt.Errorf("%s Read them with %s first", message, GetFullFileContent)
	}
	return &Quoting{Message: message + " They are shown to you now:", Shown: fmt.Sprintf("%s (%s)\n", path, count.Of(len(all), "line")) + b.String(), Known: known}
}

// touched are the lines of a text, from 1, that an edit changes; of lines that are put in, their
// neighbours.
func touched(before, after string) (list []Range) {
	for _, d := range lcs.DiffLines(splitLines(before), splitLines(after)) {
		if d.End > d.Start {
			list = append(list, Range{d.Start + 1, d.End})
		} else {
			list = append(list, Range{max(1, d.Start), d.Start + 1})
		}
	}
	return joined(list)
}
