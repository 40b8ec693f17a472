package workspace

import (
	"cmp"
	"slices"
	"strings"
)

// Conflict is a place where both sides changed the same lines differently. Line
// is where Ours is in the merged text, and Changed the first line of the text of ours that differs from the base there, both from 1.
type Conflict struct {
	Base, Ours, Theirs []string // lines with their endings
	Line, Changed      int
}

// Merge merges two changes of a text line by line. Where both changed the same
// lines differently, ours stands and a Conflict says so; where both made the same
// change there is none. Changes of neighbouring lines are merged, unless that
// would put a line of both in twice or run two lines together.
func Merge(base, ours, theirs string) (string, []Conflict) {
	text, found := mergeTexts(base, ours, theirs)
	var conflicts []Conflict
	for _, c := range found {
		conflicts = append(conflicts, c.Conflict)
	}
	return text, conflicts
}

// mergeTexts is Merge with what a rebase must know of its conflicts.
func mergeTexts(base, ours, theirs string) (string, []conflictRegion) {
	return mergeLines(splitLines(base), splitLines(ours), splitLines(theirs), false)
}

// conflictRegion is a conflict that knows its line in the base too, from 1.
type conflictRegion struct {
	Conflict
	baseLine int
}

// side is one party of a merge: its lines and how they differ from the base.
type side struct {
	lines []string
	spans []span
	// beside lets insertions of both sides at one place stand behind each other, ours first.
	beside bool
}

// replacement returns what stands in a side for base[lo:hi], a stretch that
// begins and ends with its first and last change.
func (s side) replacement(base []string, lo, hi int, spans []span) []string {
	var out []string
	at := lo
	for _, c := range spans {
		out = append(out, base[at:c.lo]...)
		out = append(out, s.lines[c.newLo:c.newHi]...)
		at = c.hi
	}
	return append(out, base[at:hi]...)
}

// group is a stretch of the base with the changes of both sides to it.
type group struct {
	lo, hi       int
	ours, theirs []span
}

func mergeLines(base, ours, theirs []string, beside bool) (string, []conflictRegion) {
	us := side{ours, diffLines(base, ours), beside}
	them := side{theirs, diffLines(base, theirs), beside}
	var out []string
	var conflicts []conflictRegion
	at := 0
	for _, g := range groups(us, them) {
		out = append(out, base[at:g.lo]...)
		at = g.hi
		mine := us.replacement(base, g.lo, g.hi, g.ours)
		other := them.replacement(base, g.lo, g.hi, g.theirs)
		switch {
		case len(g.ours) == 0:
			mine = other
		case len(g.theirs) > 0 && !slices.Equal(mine, other):
			conflicts = append(conflicts, conflictRegion{Conflict{base[g.lo:g.hi], mine, other, len(out) + 1, g.ours[0].newLo + 1}, g.lo + 1})
		}
		out = append(out, mine...)
	}
	out = append(out, base[at:]...)
	return strings.Join(out, ""), conflicts
}

// groups puts the changes of both sides in order and those together that cannot
// be carried out independently.
func groups(us, them side) []group {
	type change struct {
		span
		ours bool
	}
	var changes []change
	for _, s := range us.spans {
		changes = append(changes, change{s, true})
	}
	for _, s := range them.spans {
		changes = append(changes, change{s, false})
	}
	// An insertion comes before a change of the line that it stands in front of.
	slices.SortStableFunc(changes, func(x, y change) int {
		return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.hi, y.hi))
	})
	var list []group
	for _, c := range changes {
		n := len(list)
		if n == 0 || !list[n-1].meets(us, them, c.span, c.ours) {
			list = append(list, group{lo: c.lo})
			n++
		}
		g := &list[n-1]
		g.hi = max(g.hi, c.hi)
		if c.ours {
			g.ours = append(g.ours, c.span)
		} else {
			g.theirs = append(g.theirs, c.span)
		}
	}
	return list
}

// meets reports whether the next change of one side collides with the group. The
// last change of the other side reaches furthest, so it alone decides.
func (g *group) meets(us, them side, c span, ours bool) bool {
	other, from, by := g.theirs, them, us
	if !ours {
		other, from, by = g.ours, us, them
	}
	return len(other) > 0 && collide(from, other[len(other)-1], by, c)
}

// collide reports whether a change y of one side cannot be made beside the
// change x of the other, which comes before it.
func collide(xSide side, x span, ySide side, y span) bool {
	if y.lo != x.hi {
		return y.lo < x.hi
	}
	if x.lo == x.hi && y.lo == y.hi && !xSide.beside {
		return true // two insertions at one place have no order
	}
	before, after := xSide.lines[x.newLo:x.newHi], ySide.lines[y.newLo:y.newHi]
	if len(before) > 0 && len(after) > 0 && !strings.HasSuffix(before[len(before)-1], "\n") {
		return true
	}
	return slices.ContainsFunc(before, func(line string) bool {
		return strings.TrimSpace(line) != "" && slices.Contains(after, line)
	})
}

// mergeTyped merges what the agent staged with what the user types in the same file meanwhile. Unlike
// Merge, it keeps insertions at one place, the user's first, and takes a newline at the end of the text
// for no change of its last line: who types at the end of a file would else drop what was added there,
// with each key. The agent is told and the tests run on the result; when the user accepts a result, there
// is nobody to look at it again, so Merge calls that a conflict.
func mergeTyped(base, ours, theirs string) (string, []conflictRegion) {
	closed := func(text string) string {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text
	}
	open := func(text string) bool { return text != closed(text) }
	mine := splitLines(closed(ours))
	text, conflicts := mergeLines(splitLines(closed(base)), mine, splitLines(closed(theirs)), true)
	if text == closed(ours) && len(conflicts) > 0 {
		return ours, conflicts
	}
	ends := open(theirs)
	if merged := splitLines(text); open(ours) != open(base) && len(mine) > 0 && len(merged) > 0 && merged[len(merged)-1] == mine[len(mine)-1] {
		ends = open(ours)
	}
	if ends {
		text = strings.TrimSuffix(text, "\n")
	}
	return text, conflicts
}
