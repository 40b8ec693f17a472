package action

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Placed are lines in a row that the model was shown under other numbers: they have only been shifted
// since, by edits of its own before them.
type Placed struct {
	At    int `json:"at"`    // the number of the first one now
	Was   int `json:"was"`   // and when it was shown
	Lines int `json:"lines"` // how many
}

// placedBy is where the lines are after an edit that were shown before it.
func (s Shown) placedBy(old, now []string) []Placed {
	seen := s.Seen
	if !s.Edited {
		seen = []Placed{{1, 1, len(old)}}
	}
	var list []Placed
	from, at := 0, 0 // the first lines, from 0, behind the last difference
	keep := func(to int) {
		for _, p := range seen {
			if a, b := max(p.At-1, from), min(p.At-1+p.Lines, to); a < b {
				list = append(list, Placed{At: a - from + at + 1, Was: p.Was + a - (p.At - 1), Lines: b - a})
			}
		}
	}
	for _, d := range lcs.DiffLines(old, now) {
		keep(d.Start)
		from, at = d.End, d.ReplEnd
	}
	keep(len(old))
	return list
}

// notAgain leaves out lines that were shown again.
func notAgain(list []Placed, again []Range) (left []Placed) {
	for _, p := range list {
		for _, r := range minus([]Range{{p.At, p.At + p.Lines - 1}}, again) {
			left = append(left, Placed{At: r.From, Was: p.Was + r.From - p.At, Lines: r.To - r.From + 1})
		}
	}
	return left
}

// shifted is where the lines are now that a model names by the numbers under which it was shown them,
// and whose new text it gives. It is certain only where that text repeats a line of these and none of
// those that have the numbers now, which the model may have meant as well.
func (s Shown) shifted(named Range, text, content string) (now Range, certain bool) {
	for _, p := range s.Seen {
		if p.Was > named.From || named.To >= p.Was+p.Lines {
			continue
		}
		now = Range{named.From + p.At - p.Was, named.To + p.At - p.Was}
		lines := splitLines(text)
		return now, s.covers(s.Hash, now.From, now.To) && repeats(content, lines, now) && !repeats(content, lines, named)
	}
	return now, false
}

// telling is how many letters and digits a line has at least that tells one place from another.
const telling = 4

// repeats reports whether a text repeats a line of a range that tells where it is.
func repeats(text string, lines []string, in Range) bool {
	for _, line := range lines[min(in.From-1, len(lines)):min(in.To, len(lines))] {
		line = strings.TrimSpace(line)
		words := strings.FieldsFunc(line, func(c rune) bool { return !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9') })
		if len(strings.Join(words, "")) >= telling && slices.ContainsFunc(splitLines(text), func(l string) bool { return strings.TrimSpace(l) == line }) {
			return true
		}
	}
	return false
}
