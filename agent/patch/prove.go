package patch

import (
	"slices"
	"strings"
)

// block is a run of changes in a hunk: the old lines [from, to) become added.
// For from = to it is an insertion before the old line from.
type block struct {
	from, to int
	added    []string
}

// blocks returns the runs of changes of a hunk, in order. A removed line after
// an added one begins a new run: diff tools never write that within one, so a
// line of context was left out between the two.
func (h *Hunk) blocks() []block {
	var blocks []block
	old := 0
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Kind == Context {
			old++
			i++
			continue
		}
		b := block{from: old}
		for ; i < len(h.Lines) && h.Lines[i].Kind != Context; i++ {
			if h.Lines[i].Kind == Removed {
				if b.added != nil {
					break
				}
				old++
			} else {
				b.added = append(b.added, h.Lines[i].Text)
			}
		}
		b.to = old
		blocks = append(blocks, b)
	}
	return blocks
}

// finding is what an alignment shows of a hunk.
type finding int

const (
	unproven finding = iota // not enough of it is there, or not certainly at one point
	fits
	applied // it reads as if it had been applied
	changed // its place is there, and other lines than those to be removed are at it
	extra   // a line of context next to a change is nowhere where its neighbours are next to each other: it may be a new one
	torn    // a bracket that the file has there is missing in the hunk, and its changes open or close another
)

// places aligns the hunk with the file. Where it fits, it returns one place if
// that is proven to be the only one, else several. Otherwise line is the line of
// the file, from 0, of which the finding is.
func (a *aligner) places() (found []place, f finding, line int) {
	chain, score := a.chain(nil)
	if chain == nil || len(a.h.blocks()) > blockLimit {
		return nil, unproven, 0
	}
	best, f, line := a.prove(chain)
	if f != fits {
		return nil, f, line
	}
	rivals, behind := a.rivals(chain, score)
	best.margin = max(0, min(1, behind/a.total))
	found = []place{*best}
	for _, r := range rivals {
		if other, f, _ := a.prove(r); f == fits && !slices.ContainsFunc(found, func(p place) bool { return slices.Equal(p.at, other.at) }) {
			found = append(found, *other)
		}
	}
	switch {
	case a.v.effort < 0, len(found) == 1 && behind <= 0:
		return nil, unproven, 0 // that there is no rival is not proven
	case len(found) == 1:
		return found, fits, 0
	}
	return slices.Repeat(found[:1], 2), fits, 0 // no number can choose among what is only like the hunk
}

// rivals returns, of the best chains that put one of the changes elsewhere, those
// that come close; and how far the closest is behind.
func (a *aligner) rivals(chain []pair, score float64) (close [][]pair, behind float64) {
	behind = score
	for _, b := range a.h.blocks() {
		barred := map[pair]bool{}
		for _, p := range core(b, chain) {
			barred[p] = true
		}
		other, s := a.chain(barred)
		behind = min(behind, score-s)
		if score-s < lead {
			close = append(close, other)
		}
	}
	return close, behind
}

// core returns the anchors of a chain that say where a block is: the nearest on either side.
func core(b block, chain []pair) []pair {
	k := slices.IndexFunc(chain, func(p pair) bool { return p.old >= b.from })
	switch {
	case k < 0:
		return chain[len(chain)-1:]
	case k == 0:
		return chain[:1]
	}
	return chain[k-1 : k+1]
}

// prove fills a chain and says what it shows; the place only if the hunk fits it.
func (a *aligner) prove(chain []pair) (p *place, f finding, line int) {
	at := a.fill(chain)
	a.points = nil
	there := 0.0
	misquoted, quoted := false, 0.0
	own := slices.Contains(a.kinds, Removed) // a line of this place only is as the hunk quotes it
	for i, w := range a.weigh {
		if at[i] >= 0 {
			there += w * a.like(i, at[i])
			if a.old[i] == a.v.folded[at[i]] {
				quoted += w
				own = own || w >= 0.5 && len(a.v.ix.lines(a.old[i])) == 1
			} else {
				misquoted = true
			}
		}
	}
	if there < a.enough(at)*a.total || a.broken(at) || a.loose(at) || a.renamed(at) {
		return nil, unproven, 0
	}
	done, blocks := 0, a.h.blocks()
	for _, b := range blocks {
		switch f, at := a.goes(b, at, there); {
		case f == applied:
			done, line = done+1, at
		case f != fits:
			return nil, f, at
		}
	}
	switch done {
	case 0:
	case len(blocks):
		return nil, applied, line
	default:
		return nil, unproven, 0 // a part of it is there
	}
	if i := a.extra(at); i >= 0 && a.h.block == nil {
		return nil, extra, i
	}
	if quoted < exactEnough*a.total || misquoted && !own {
		return nil, unproven, 0 // half of it is only like the file: a twin of the place
	}
	if line := a.tears(at); line >= 0 {
		return nil, torn, line
	}
	p = &place{at: at, points: a.points, layer: Elided, confidence: 0.9 * there / a.total}
	if misquoted {
		p.layer = Similarity
		p.confidence = 0.85 * there / a.total
	}
	for _, line := range at {
		if line >= 0 && p.to == 0 {
			p.from = line
		}
		p.to = max(p.to, line+1)
	}
	return p, fits, 0
}

// extra returns the old line of context, next to a change, that the file does not have though
// it has those around it, one after the other; -1 for none.
func (a *aligner) extra(at []int) int {
	for _, b := range a.h.blocks() {
		for _, side := range []struct{ from, step int }{{b.from - 1, -1}, {b.to, 1}} {
			i := side.from
			for i >= 0 && i < len(at) && at[i] < 0 && !a.elided[i] {
				i += side.step
			}
			for k := side.from; k != i; k += side.step {
				if a.weigh[k] >= 0.5 && (i < 0 || i == len(at) || a.follows(at, i, side.from-side.step, side.step)) {
					return k
				}
			}
		}
	}
	return -1
}

// follows reports whether the file has nothing between an old line and the next one that it
// has on the other side of some others.
func (a *aligner) follows(at []int, i, k, step int) bool {
	for k >= 0 && k < len(at) && at[k] < 0 {
		k -= step
	}
	return k >= 0 && k < len(at) && at[i] == at[k]+step
}

// tears returns the line of a closing bracket of the file that the hunk leaves out
// next to a change, or anywhere where its changes do not close what they open: text
// could move from one block into another. It is -1 where there is none.
func (a *aligner) tears(at []int) int {
	edges, slid, open := map[int]bool{}, map[int]int{}, 0 // slid: how deep the new lines are beyond blank ones
	for _, b := range a.h.blocks() {
		edges[b.from], edges[b.to] = true, true
		open += braces(b.added) - braces(a.texts[b.from:b.to])
		for i := b.from; b.from == b.to && i > 0 && a.old[i-1] == "" && !(i > 1 && a.elided[i-2]); i-- {
			slid[i-1], _ = shallowest(b.added)
		}
	}
	last := -1
	for i, line := range at {
		edges[i+1] = edges[i+1] || line < 0 && edges[i]
		for k := last + 1; line >= 0 && last >= 0 && k < line; k++ {
			if closes(a.v.bare[k]) && (edges[i] || open != 0 || slid[i] > len(indent(a.v.bare[k]))) {
				return k
			}
		}
		last = max(last, line)
	}
	return -1
}

func braces(lines []string) int {
	text := strings.Join(lines, "")
	return strings.Count(text, "{") - strings.Count(text, "}")
}

// enough returns the share of what the old lines say that must be in the file.
func (a *aligner) enough(at []int) float64 {
	removes := false
	for i, k := range a.kinds {
		if k != Removed {
			continue
		}
		if at[i] < 0 || a.old[i] != a.v.folded[at[i]] {
			return enough
		}
		removes = removes || a.weigh[i] >= 1
	}
	if removes {
		return exactEnough
	}
	return enough
}

// goes says what the alignment shows of one block, where all is what the lines
// of the whole hunk say that are in the file.
func (a *aligner) goes(b block, at []int, all float64) (f finding, line int) {
	there := 0.0
	for i := max(0, b.from-fullContext); i < min(len(at), b.to+fullContext); i++ {
		if at[i] >= 0 {
			there += a.weigh[i] * a.like(i, at[i])
		}
	}
	if b.from < b.to {
		for i := b.from; i < b.to; i++ {
			if at[i] < 0 || i > b.from && at[i] != at[i-1]+1 {
				return a.missing(b, at)
			}
		}
	}
	if there < leastSaid && (2*there < leastSaid || all < leastSaid) {
		return unproven, 0
	}
	switch {
	case b.from == b.to:
		return a.inserts(b, at)
	case !a.neighbored(b, at):
		return unproven, 0
	}
	switch line := a.stand(b, at[b.from], at[b.to-1]+1); {
	case line < 0:
		return fits, 0
	case line > at[b.to-1] || line+len(b.added) <= at[b.from]:
		return changed, line // beside the removed lines: a half of it is there
	default:
		return applied, line
	}
}

// broken reports whether a line without a sign may be the rest of the added line
// before it: it does not follow, in the file, the old line before that.
func (a *aligner) broken(at []int) bool {
	return slices.ContainsFunc(a.h.unsigned, func(i int) bool {
		if i == 0 || i >= len(a.h.Lines) || a.h.Lines[i-1].Kind != Added || !wraps(a.h.Lines[i-1].Text, a.h.Lines[i].Text) {
			return false
		}
		old := len((&Hunk{Lines: a.h.Lines[:i]}).Old())
		return at[old] < 0 || old > 0 && at[old] != at[old-1]+1
	})
}

// loose reports whether blank lines next to a change are not as many as in the file, or a
// block leaves some out above or below lines among which it writes a blank one, and which do
// not begin, or end, as the old ones: then which of them is which is not certain.
func (a *aligner) loose(at []int) bool {
	return slices.ContainsFunc(a.h.blocks(), func(b block) bool {
		return a.miscounts(at, b.from-1) || a.miscounts(at, b.to) ||
			a.h.block != nil && b.from < b.to && slices.Contains(b.added, "") &&
				(a.parted(at, b.from, a.old[b.from], b.added[0]) || a.parted(at, b.to, a.old[b.to-1], b.added[len(b.added)-1]))
	})
}

// miscounts reports whether an old line is a blank one of a run that is longer or shorter in the file.
func (a *aligner) miscounts(at []int, i int) bool {
	if i < 0 || i == len(at) || a.old[i] != "" {
		return false
	}
	if at[i] < 0 {
		return true
	}
	from, to := blanks(a.old, i)
	first, end := blanks(a.v.folded, at[i])
	return to-from != end-first && at[from] >= first && at[to-1] < end
}

// parted reports whether the file has nothing but blank lines before an old line, which the
// hunk leaves out, and what was next to them becomes a line unlike it.
func (a *aligner) parted(at []int, i int, was, is string) bool {
	if i == 0 || i == len(at) || at[i-1] < 0 || at[i] <= at[i-1]+1 || was == "" || likeness(was, fold(is), alike) > 0 {
		return false
	}
	return !slices.ContainsFunc(a.v.folded[at[i-1]+1:at[i]], func(l string) bool { return l != "" })
}

// blanks returns the run of blank lines that holds one.
func blanks(lines []string, i int) (from, to int) {
	from, to = i, i
	for from > 0 && lines[from-1] == "" {
		from--
	}
	for to < len(lines) && lines[to] == "" {
		to++
	}
	return from, to
}

// neighbored reports whether some line of the context next to a block is next to
// it in the file, too, if the hunk has any that says something: lines to be
// removed that stand by themselves may be a copy of those that are meant.
func (a *aligner) neighbored(b block, at []int) bool {
	says := false
	for i := max(0, b.from-fullContext); i < min(len(at), b.to+fullContext); i++ {
		if i >= b.from && i < b.to || a.weigh[i] < 0.5 {
			continue
		}
		says = true
		edge := b.from
		if i >= b.to {
			edge = b.to - 1
		}
		if off := (at[i] - at[edge]) - (i - edge); at[i] >= 0 && max(off, -off) <= unknownLines {
			return true
		}
	}
	return !says
}

// missing says what it means that lines to be removed are not at their place: if
// their neighbours are, somebody changed them, perhaps to what they are to become.
func (a *aligner) missing(b block, at []int) (f finding, line int) {
	if b.from == 0 || b.to == len(at) || at[b.from-1] < 0 || at[b.to] < 0 {
		return unproven, 0
	}
	from, to := at[b.from-1]+1, at[b.to]
	switch {
	case slices.Equal(keys(fold, b.added), a.v.folded[from:to]):
		return applied, from
	case to > from && to-from <= b.to-b.from+slack:
		return changed, from
	}
	return unproven, 0
}

// stand returns the line where what a block adds already stands, in or next to
// the lines [from, to) that it is about; -1 where it does not. Blank lines at its
// ends do not count: diffs slide over them. What the old lines hold themselves
// says nothing.
func (a *aligner) stand(b block, from, to int) int {
	added := withoutEnds(keys(trimBoth, b.added))
	if said(added) < leastSaid || standsIn(keys(trimBoth, a.h.Old()), added) >= 0 {
		return -1
	}
	low, high := max(0, from-len(added)-fullContext), min(len(a.v.bare), to+len(added)+fullContext)
	if i := standsIn(keys(trimBoth, a.v.bare[low:high]), added); i >= 0 && !a.reindents(b, low+i, len(added)) {
		return low + i
	}
	return -1
}

// reindents reports whether a block changes how deep its lines are, and n lines of the file
// are still as deep as before.
func (a *aligner) reindents(b block, from, n int) bool {
	old, removes := shallowest(a.texts[b.from:b.to])
	now, _ := shallowest(b.added)
	have, _ := shallowest(a.v.bare[from : from+n])
	return removes && old != now && have == old
}

// standsIn returns where run stands in lines; -1 where it does not.
func standsIn(lines, run []string) int {
	for i := 0; i+len(run) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(run)], run) {
			return i
		}
	}
	return -1
}

// inserts reports whether there is one point only where the lines can go. If the
// file has lines there of which the hunk knows nothing, their layout must tell.
func (a *aligner) inserts(b block, at []int) (f finding, line int) {
	before, behind := -1, len(a.v.bare)
	for i := b.from - 1; i >= 0 && before < 0; i-- {
		before = at[i]
	}
	for i := b.from; i < len(at) && behind == len(a.v.bare); i++ {
		if at[i] >= 0 {
			behind = at[i]
		}
	}
	if line := a.stand(b, max(0, before+1), min(behind, len(a.v.bare))); line >= 0 {
		return applied, line
	}
	touches := b.from > 0 && at[b.from-1] >= 0     // the line before is there
	touched := b.from < len(at) && at[b.from] >= 0 // the line after is there
	switch {
	case touches && touched && (behind == before+1 || a.chooses(b, before, behind)),
		touches && !touched && (b.from == len(at) || a.elided[b.from]),
		!touches && touched && (b.from == 0 || a.elided[b.from-1]):
		return fits, 0
	}
	return unproven, 0
}

// chooses reports whether of the points between two lines of the file exactly one
// suits the layout of the new lines, and notes it.
func (a *aligner) chooses(b block, before, behind int) bool {
	if behind-before-1 > unknownLines || straddles(b.added) {
		return false
	}
	point := -1
	for line := before + 1; line <= behind; line++ {
		if !between(a.v.bare[line-1], a.v.bare[line], b.added) {
			continue
		}
		if point >= 0 {
			return false
		}
		point = line
	}
	blank := slices.Contains(a.v.folded[before+1:behind], "")
	beside := func(l, next string) bool { return indent(l) == indent(next) && !closes(l) }
	first, last := b.added[0], b.added[len(b.added)-1]
	if point < 0 || blank && (first == "" && beside(last, a.v.bare[behind]) || last == "" && beside(first, a.v.bare[before])) {
		return false // on which side of new lines a blank one is that lines of one depth have between them, nothing tells
	}
	if a.points == nil {
		a.points = map[int]int{}
	}
	a.points[b.from] = point
	return true
}
