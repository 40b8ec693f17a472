package action

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Shown says which version of a file the model knows, and which of its lines: it was
// shown them, or wrote them.
type Shown struct {
	Path string `json:"path"`
	Hash string `json:"hash"`           // of the version; "" for none
	Full bool   `json:"full,omitempty"` // the whole file; else the lines of Ranges
	// From and To are the one range of records that older versions wrote.
	From   int     `json:"from,omitempty"`
	To     int     `json:"to,omitempty"`
	Ranges []Range `json:"ranges,omitempty"`
	Edited bool    `json:"edited,omitempty"` // the model changed it since it was shown, so that no text above is the present one
	// Moved are lines whose numbers the model has not seen: an edit before them made the
	// file longer or shorter after it was shown.
	Moved []Range `json:"moved,omitempty"`
	// Seen is where the lines are now that were shown before the model's edits. Records of older
	// versions have none.
	Seen []Placed `json:"seen,omitempty"`
}

// Range is a range of lines, from 1, both inclusive.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// ranges returns the lines that are known, in order, without overlaps.
func (s Shown) ranges() []Range {
	list := slices.Clone(s.Ranges)
	if s.From > 0 {
		list = append(list, Range{s.From, s.To})
	}
	return joined(list)
}

// joined sorts ranges and makes one of those that touch.
func joined(list []Range) []Range {
	slices.SortFunc(list, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	var out []Range
	for _, r := range list {
		if n := len(out); n > 0 && r.From <= out[n-1].To+1 {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}

// covers reports whether lines from to to (from 1, inclusive) of version hash are known.
func (s Shown) covers(hash string, from, to int) bool {
	if s.Hash != hash || hash == "" {
		return false
	}
	return s.Full || slices.ContainsFunc(s.ranges(), func(r Range) bool { return r.From <= from && to <= r.To })
}

// has reports whether all of another one was shown, as it is.
func (s Shown) has(other Shown) bool {
	if s.Edited {
		return false
	}
	if s.Hash != other.Hash || other.Full {
		return s.Hash == other.Hash && s.Full && other.Hash != ""
	}
	return !slices.ContainsFunc(other.ranges(), func(r Range) bool { return !s.covers(other.Hash, r.From, r.To) })
}

// moved reports whether any of the lines from to to (from 1, inclusive) have another number
// than the model was shown.
func (s Shown) moved(from, to int) bool {
	return slices.ContainsFunc(s.Moved, func(r Range) bool { return r.From <= to && from <= r.To })
}

// minus returns the ranges less those lines.
func minus(list, less []Range) []Range {
	for _, l := range less {
		var left []Range
		for _, r := range list {
			if a := min(r.To, l.From-1); r.From <= a {
				left = append(left, Range{r.From, a})
			}
			if b := max(r.From, l.To+1); b <= r.To {
				left = append(left, Range{b, r.To})
			}
		}
		list = left
	}
	return joined(list)
}

// With is what is known after more was shown: of the same version both, of another one
// only that.
func (s Shown) With(more Shown) Shown {
	if s.Hash != more.Hash || more.Full {
		return more
	}
	if !s.Full {
		s.Ranges, s.From, s.To = joined(append(s.ranges(), more.ranges()...)), 0, 0
	}
	s.Moved = minus(s.Moved, more.ranges())
	s.Seen = notAgain(s.Seen, more.ranges())
	return s
}

// Carry is what is known of a file after an edit of which all new lines are known:
// these, and the lines that were known before and are still there.
func (s Shown) Carry(hash, before, after string) Shown {
	old, now := splitLines(before), splitLines(after)
	next := Shown{Path: s.Path, Hash: hash, Full: s.Full, Edited: true, Moved: s.movedBy(old, now), Seen: s.placedBy(old, now)}
	if s.Full {
		return next
	}
	next.Full = len(old) == 0
	from, at := 0, 0 // the first lines, from 0, behind the last difference
	keep := func(to int) {
		for _, r := range s.ranges() {
			if a, b := max(r.From-1, from), min(r.To, to); a < b {
				next.Ranges = append(next.Ranges, Range{a - from + at + 1, b - from + at})
			}
		}
	}
	for _, d := range lcs.DiffLines(old, now) {
		keep(d.Start)
		if d.ReplEnd > d.ReplStart {
			next.Ranges = append(next.Ranges, Range{d.ReplStart + 1, d.ReplEnd})
		}
		from, at = d.End, d.ReplEnd
	}
	keep(len(old))
	next.Ranges = joined(next.Ranges)
	return next
}

// movedBy is what has moved after an edit: all from the first change on that made the file
// longer or shorter, and what had moved before. Lines that were shown again in between stay
// known only before that change: to ask for one reading too many costs no step.
func (s Shown) movedBy(old, now []string) []Range {
	end := len(now)
	for _, d := range lcs.DiffLines(old, now) {
		if d.End-d.Start != d.ReplEnd-d.ReplStart {
			list := minus(s.Moved, []Range{{d.Start + 1, len(old)}})
			return joined(append(list, Range{d.ReplStart + 1, max(end, d.ReplStart+1)}))
		}
	}
	return s.Moved
}

// unseen returns the first line, from 1, that becomes another one between before, of version
// hash, and after, and is not known; for lines that are put in, one of their neighbours
// has to be known.
func (s Shown) unseen(hash, before, after string) (line int, found bool) {
	for _, d := range lcs.DiffLines(splitLines(before), splitLines(after)) {
		switch {
		case d.End > d.Start && !s.covers(hash, d.Start+1, d.End):
			return d.Start + 1, true
		case d.End == d.Start && !s.covers(hash, d.Start, d.Start) && !s.covers(hash, d.Start+1, d.Start+1):
			return d.Start + 1, true
		}
	}
	return 0, false
}

// occurrences is how often consecutive lines are in a text.
func occurrences(text string, lines []string) int {
	all, n := splitLines(text), 0
	for i := 0; len(lines) > 0 && i+len(lines) <= len(all); i++ {
		if slices.Equal(all[i:i+len(lines)], lines) {
			n++
		}
	}
	return n
}

// LineCount is the number of lines of a text.
func LineCount(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}
