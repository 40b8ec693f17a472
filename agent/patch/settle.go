package patch

import (
	"slices"
	"strings"
)

// fullContext is how many lines behind a change diff tools write. Fewer say that
// the file ended there when the diff was made.
const fullContext = 3

// candidate is a hunk with everywhere that its old lines, and its new ones, are.
type candidate struct {
	*Hunk
	old, new []string
	olds     []place
	news     []int // the lines where the new text stands as it is
	layer    string
}

func (ix *index) candidate(h *Hunk) candidate {
	c := candidate{Hunk: h, old: h.Old(), new: h.New()}
	for _, l := range layers {
		if c.olds = l.find(ix, c.old); len(c.olds) > 0 {
			c.layer = l.name
			break
		}
	}
	// Only an exact look tells what is already there: the new lines of a hunk
	// resemble the old ones, and a laxer look would find one for the other.
	c.news = ix.exact(c.new)
	return c
}

// contradicts reports whether the hunk says a place and has another: then the
// line numbers of this patch were made for another version, or made up.
func (c *candidate) contradicts() bool {
	return c.Line > 0 && len(c.olds) == 1 && c.olds[0].from != c.Line-1 && !c.newAt(c.Line-1)
}

// newAt reports whether the new text is at a line of the file.
func (c *candidate) newAt(line int) bool {
	_, ok := slices.BinarySearch(c.news, line)
	return ok
}

// settle chooses the place of the hunk or says why there is none. numbers: the
// stated line numbers have not been contradicted.
//
// A file can read as if the hunk were already applied and still hold its old
// lines (the context of an insertion is still there afterwards), so that is
// looked at first. What is certain wins; the rest is refused:
//
//   - the old lines are at the stated line: there, unless the whole new text is
//     there as well and more of it than diff tools leave room for;
//   - the new lines are at the stated line: already applied;
//   - the old lines are in one place: there, unless they are part of the new text.
func (c *candidate) settle(numbers bool) (place, *Refusal) {
	at := c.Line - 1
	said := numbers && c.Line > 0
	there := said && c.newAt(at)
	if said {
		i, ok := slices.BinarySearchFunc(c.olds, at, func(p place, line int) int { return p.from - line })
		if ok && there && len(c.new) > len(c.old) && c.trailing() < fullContext {
			return place{}, c.already(at)
		}
		if ok {
			p := c.olds[i]
			if len(c.olds) > 1 {
				p.confidence *= chosenByNumber
			}
			return p, nil
		}
	}
	switch {
	case there && c.telling():
		return place{}, c.already(at)
	case len(c.olds) == 1:
		if q, ok := c.within(c.olds[0].from); ok {
			return place{}, c.already(q)
		}
		return c.olds[0], nil
	case len(c.olds) > 1:
		return place{}, c.ambiguous()
	case c.telling() && len(c.news) > 0:
		return place{}, c.already(c.news...)
	}
	return place{}, &Refusal{Status: NotFound}
}

// chosenByNumber is how much of its confidence a place keeps that only the
// stated line number tells from others.
const chosenByNumber = 0.9

// within reports whether the old lines at line p are part of the new text, and
// where that begins.
func (c *candidate) within(p int) (int, bool) {
	more := len(c.new) - len(c.old)
	if more <= 0 {
		return 0, false
	}
	i, _ := slices.BinarySearch(c.news, p-more)
	if i < len(c.news) && c.news[i] <= p {
		return c.news[i], true
	}
	return 0, false
}

// telling reports whether the new lines say enough that finding them means
// something: a blank line is anywhere.
func (c *candidate) telling() bool {
	return slices.ContainsFunc(c.new, func(l string) bool { return strings.TrimSpace(l) != "" })
}

func (c *candidate) already(at ...int) *Refusal {
	return &Refusal{Status: AlreadyApplied, Candidates: fromOne(at)}
}

func (c *candidate) ambiguous() *Refusal {
	lines := make([]int, len(c.olds))
	for i, p := range c.olds {
		lines[i] = p.from
	}
	return &Refusal{Status: Ambiguous, Candidates: fromOne(lines)}
}

func fromOne(lines []int) []int {
	out := make([]int, 0, min(len(lines), maxCandidates))
	for _, l := range lines[:min(len(lines), maxCandidates)] {
		out = append(out, l+1)
	}
	return out
}
