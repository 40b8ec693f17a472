package patch

import (
	"fmt"
	"slices"
	"strings"
)

// How much of its confidence a place keeps that something else than its lines
// tells from others.
const (
	byNumber     = 0.9
	byNearness   = 0.75
	bySection    = 0.85
	byNeighbors  = 0.8
	contradicted = 0.7 // it says that it is at the beginning, or the end, of the file
)

// candidate is a hunk with everywhere that its old lines, and its new ones, are.
type candidate struct {
	*Hunk
	old, new []string
	olds     []int   // the lines where the old text stands, in order
	layer    int     // in which it stands there
	aligned  []place // where it was aligned with the file instead
	news     []int   // the lines where the new text stands
	newLayer int     // in which it stands there
	found    finding // of the alignment, and
	line     int     // the line that it is of
	partly   []int   // the lines where the new text stands beside lines that the hunk removes, see undone
	twin     int     // the line, from 1, of a place that is like the old text, where the new text stands as well; 0: none
}

// fit finds the places of a hunk in the layers that compare line by line.
func (v *views) fit(h *Hunk) candidate {
	c := candidate{Hunk: h, old: h.Old(), new: h.New()}
	lax := strictLayer
	if said(c.old) >= leastSaid {
		lax = len(contiguous) - 1
	}
	c.olds, c.layer = v.find(c.old, lax)
	if c.layer > strictLayer {
		c.olds = slices.DeleteFunc(c.olds, func(line int) bool { return c.crooked(v, line) })
	}
	c.news, c.newLayer = v.find(c.new, strictLayer)
	c.undone(v)
	return c
}

// crooked reports whether a bracket of the hunk is one of another depth in the
// file than the lines of words around it show: then a line was left out, and the
// bracket is another one.
func (c *candidate) crooked(v *views, from int) bool {
	var d depths
	for i, l := range c.old {
		if weight(v.folded[from+i]) >= 0.5 {
			d.learn(l, v.bare[from+i])
		}
	}
	for i, l := range c.old {
		if d.contradicts(l, v.bare[from+i]) {
			return true
		}
	}
	return false
}

// said sums what lines say (see weight).
func said(lines []string) float64 {
	sum := 0.0
	for _, l := range lines {
		sum += weight(fold(l))
	}
	return sum
}

// places returns how many places the hunk has.
func (c *candidate) places() int { return len(c.olds) + len(c.aligned) }

// place returns the i-th place of the hunk, in the order of the file.
func (c *candidate) place(i int) place {
	if c.aligned != nil {
		return c.aligned[i]
	}
	return place{from: c.olds[i], to: c.olds[i] + len(c.old), layer: contiguous[c.layer].name, confidence: contiguous[c.layer].confidence, margin: 1}
}

// align finds the places of a hunk that no layer fits line by line.
func (c *candidate) align(v *views, rough words) {
	a := newAligner(v, c.Hunk, rough)
	c.aligned, c.found, c.line = a.places()
}

// start returns the line of the file where the hunk's first old line is or would be.
func (p place) start() int {
	for i, line := range p.at {
		if line >= 0 {
			return line - i
		}
	}
	return p.from
}

// offset is how far the place of a hunk that fits only one is from where it
// says; ok is false where nothing is said or proven.
func (c *candidate) offset() (n int, ok bool) {
	if c.Line == 0 || c.places() != 1 || c.newAt(c.Line-1) {
		return 0, false
	}
	return c.place(0).start() - (c.Line - 1), true
}

// newAt reports whether the new text is at a line of the file.
func (c *candidate) newAt(line int) bool {
	_, ok := slices.BinarySearch(c.news, line)
	return ok
}

// numbers says what the line numbers of a patch are worth.
type numbers struct {
	offset int  // how far the hunks whose place is certain are from where they say, all by as much
	valid  bool // they do not contradict each other
	loose  bool // none of them is off: one that is may be chosen by nearness
	sure   bool // there are some, and none is off
	of     int  // how many hunks tell
}

func numbersOf(cands []candidate) numbers {
	n := numbers{valid: true, loose: true}
	for i := range cands {
		c := &cands[i]
		if c.Hunk == nil || c.layer > strictLayer || c.aligned != nil {
			continue // what is only like the file tells nothing
		}
		if off, ok := c.offset(); ok {
			n.valid = n.valid && (n.of == 0 || off == n.offset)
			n.offset = off
			n.of++
			n.loose = n.loose && off == 0
		}
	}
	n.sure = n.of > 0 && n.loose
	return n
}

// settle chooses the place of the hunk or says why there is none.
//
// A file can read as if the hunk were already applied and still hold its old
// lines (the context of an insertion is still there afterwards), so that is
// looked at first. What is certain wins; the rest is refused:
//
//   - the old lines are at the stated line: there, unless the whole new text is
//     there as well and more of it than diff tools leave room for;
//   - the new lines are at the stated line: already applied;
//   - the old lines are in one place: there, unless they are part of the new text;
//   - they are in several, and the section or the nearness to the stated line
//     tells one from the others: there.
func (c *candidate) settle(v *views, n numbers) (place, *Refusal) {
	if c.places() == 1 && c.aligned == nil && c.layer > strictLayer && len(c.new) == len(c.old) && c.newAt(c.olds[0]) { // it changes what this layer looks past
		return place{}, c.already(c.olds[0])
	}
	if p := c.place; len(c.partly) > 0 && c.places() > 0 && !c.overlaps(p(0), c.partly) {
		c.news, c.twin = c.partly, p(0).from+1
		return place{}, c.both()
	}
	at := c.Line - 1 + n.offset
	said := n.valid && c.Line > 0 && !(n.of == 1 && n.offset != 0 && c.places() == 1) // that is its own offset
	begins, in := c.within(v, at)
	there := said && (c.newAt(at) || in && begins == at)
	if i := c.nearest(at); said && i >= 0 && c.start(i) == at && (c.aligned == nil || c.places() == 1) {
		if there && len(c.new) > len(c.old) && c.trailing() < fullContext {
			return place{}, c.already(at)
		}
		p := c.place(i)
		if c.places() > 1 {
			p.chosen(byNumber)
			if k := c.enclosed(v); k >= 0 && k != i && (c.Section != "" || c.Anchors != nil) {
				return place{}, &Refusal{Status: Ambiguous, Candidates: fromOne([]int{p.from, c.place(k).from}),
					Message: fmt.Sprintf("states line %d, but the name in its header belongs to line %d, where its lines are as well. Give the number and the name of the same place.", p.from+1, c.place(k).from+1)}
			}
		}
		return p, nil
	}
	switch {
	case there && c.telling():
		return place{}, c.already(at)
	case c.places() == 1:
		p := c.place(0)
		if q, ok := c.within(v, p.from); ok {
			return place{}, c.already(q)
		}
		return p, nil
	case c.places() > 1:
		return c.choose(v, at, said && n.loose)
	case c.telling() && len(c.news) > 0:
		return place{}, c.already(c.news...)
	case c.found == applied:
		return place{}, c.already(c.line)
	case c.found == changed:
		return place{}, &Refusal{Status: Conflict, Candidates: []int{c.line + 1}}
	}
	if c.found == extra {
		return place{}, &Refusal{Status: Malformed, Message: fmt.Sprintf("has the line %q as context next to its changes, which the file does not have there. If it is new, begin it with '+'; if not, copy the lines around it from the file.", cut(c.old[c.line]))}
	}
	if c.found == torn {
		return place{}, &Refusal{Status: Ambiguous, Candidates: []int{c.line + 1},
			Message: fmt.Sprintf("leaves out the closing bracket at line %d of the file, and its changes open or close another block, so what belongs to which block is not certain. Write the brackets as the file has them.", c.line+1)}
	}
	return place{}, &Refusal{Status: NotFound}
}

// both refuses a hunk whose new text stands in the file, and whose old text does elsewhere,
// or nearly.
func (c *candidate) both() *Refusal {
	return &Refusal{
		Status: Ambiguous, Candidates: []int{c.news[0] + 1, c.twin},
		Message: fmt.Sprintf("has its new lines at line %d, and lines like its old ones at line %d: whether it is already applied is not certain. Copy its old lines from the file.", c.news[0]+1, c.twin),
	}
}

// begins reports whether the hunk says that it is at the beginning of the file: its
// number does, and it has less context above the change than diff tools write.
func (c *candidate) begins() bool {
	return c.Line == 1 && slices.IndexFunc(c.Lines, func(l Line) bool { return l.Kind != Context }) < fullContext
}

// nearest returns which place is the nearest to a line; -1 if there is none.
func (c *candidate) nearest(line int) int {
	best := -1
	for i := range c.places() {
		if best < 0 || c.away(i, line) < c.away(best, line) {
			best = i
		}
	}
	return best
}

// away returns how far a place is from a line.
func (c *candidate) away(i, line int) int {
	d := c.start(i) - line
	return max(d, -d)
}

func (c *candidate) start(i int) int {
	if c.aligned != nil {
		return c.aligned[i].start()
	}
	return c.olds[i]
}

// choose tells equal places apart by what the hunk says besides its lines.
func (c *candidate) choose(v *views, at int, near bool) (place, *Refusal) {
	if i := c.enclosed(v); i >= 0 && (c.Section != "" || c.Anchors != nil || c.AtEnd) {
		p := c.place(i)
		p.chosen(bySection)
		return p, nil
	}
	if !near || all(c.old, closes) { // brackets are near any line
		return place{}, c.ambiguous()
	}
	best := c.nearest(at)
	d := c.away(best, at)
	for i := range c.places() {
		if d > nearLimit || i != best && (c.away(i, at) < nearRatio*d || c.away(i, at) == 0) {
			return place{}, c.ambiguous()
		}
	}
	p := c.place(best)
	p.chosen(byNearness)
	return p, nil
}

// chosen notes that something else than its lines tells a place from others.
func (p *place) chosen(by float64) {
	p.confidence *= by
	p.margin = 0
}

// edge looks at what a hunk adds after its last line, or before its first: it
// names only one neighbour there. A diff that does so says that the file ends or
// begins there. Else, where the layout tells that a line was left out, the place
// is not certain. New lines that could as well stand within the hunk, because they
// end, or begin, as it does, have two neighbours.
func (c *candidate) edge(v *views, p *place) *Refusal {
	blocks := c.blocks()
	if p.at != nil || len(blocks) == 0 {
		return nil
	}
	if b := blocks[len(blocks)-1]; b.from == len(c.old) && p.to < len(v.bare) && b.added[len(b.added)-1] != c.old[len(c.old)-1] && !straddles(b.added) && !between(v.bare[p.to-1], v.bare[p.to], b.added) {
		if in, _ := shallowest(b.added); p.to == len(v.bare)-1 && closes(v.bare[p.to]) && in <= len(indent(v.bare[p.to])) && braces(b.added) == 0 { // only what closes the last block was left out
			p.points, p.layer = map[int]int{b.from: p.to + 1}, Elided
			p.confidence *= byNeighbors
			return nil
		}
		return c.unclear(p.to, "behind")
	}
	if b := blocks[0]; b.from == 0 && b.to == 0 && p.from > 0 && b.added[0] != c.old[0] && !straddles(b.added) && !between(v.bare[p.from-1], v.bare[p.from], b.added) {
		return c.unclear(p.from, "before")
	}
	return nil
}

func (c *candidate) unclear(line int, side string) *Refusal {
	return &Refusal{
		Status: Ambiguous, Candidates: []int{line + 1},
		Message: fmt.Sprintf("has no context line %s the new lines, and their indentation does not fit the file there, before line %d. Add the lines that come %s them.", side, line+1, side),
	}
}

// within reports whether the old lines at line p are part of the new text, but for its
// form, and where that begins.
func (c *candidate) within(v *views, p int) (int, bool) {
	more := len(c.new) - len(c.old)
	if more <= 0 {
		return 0, false
	}
	news := v.ix.find(keys(fold, c.new))
	i, _ := slices.BinarySearch(news, p-more)
	if i < len(news) && news[i] <= p {
		return news[i], true
	}
	return 0, false
}

// telling reports whether the new lines say enough that finding them means
// something: a bracket by itself is anywhere.
func (c *candidate) telling() bool {
	return said(slices.DeleteFunc(keys(fold, c.new), func(l string) bool { return l == "" })) > said([]string{"}"})
}

func (c *candidate) already(at ...int) *Refusal {
	return &Refusal{Status: AlreadyApplied, Candidates: fromOne(at)}
}

func (c *candidate) ambiguous() *Refusal {
	lines := make([]int, min(c.places(), maxCandidates))
	for i := range lines {
		lines[i] = c.place(i).from
	}
	return &Refusal{Status: Ambiguous, Candidates: fromOne(slices.Compact(lines))} // one place fits in two ways, too
}

func fromOne(lines []int) []int {
	out := make([]int, 0, min(len(lines), maxCandidates))
	for _, l := range lines[:min(len(lines), maxCandidates)] {
		out = append(out, l+1)
	}
	return out
}

// lost reports whether no layer fits the hunk line by line, as it is or as if it
// had been applied.
func (c *candidate) lost() bool {
	return c.Hunk != nil && len(c.old) > 0 && c.places() == 0 && (len(c.news) == 0 || !c.telling())
}

// undone drops the places of the new text of a hunk that only removes lines where all
// of these, or lines that are like them, stand next to it: then some of the context was
// left out, or a removed line is misquoted, and what looks like the result is the rest of it.
func (c *candidate) undone(v *views) {
	if len(c.news) == 0 || len(c.olds) > 0 || len(c.added()) > 0 {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(c.news), func(line int) bool {
		end := line + len(c.new)
		around := slices.Concat(v.folded[max(0, line-len(c.old)):line], v.folded[end:min(len(v.folded), end+len(c.old)+1)])
		removed := slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Kind == Removed && strings.TrimSpace(l.Text) != "" })
		return removed && !slices.ContainsFunc(c.Lines, func(l Line) bool {
			text := fold(l.Text)
			return l.Kind == Removed && text != "" && !slices.ContainsFunc(around, func(o string) bool { return likeness(text, o, alike) > 0 })
		})
	})
	if len(kept) < len(c.news) {
		c.partly = c.news
	}
	c.news = kept
}

// overlaps reports whether a place shares lines with the new text at one of some lines.
func (c *candidate) overlaps(p place, news []int) bool {
	return slices.ContainsFunc(news, func(at int) bool { return p.from < at+len(c.new) && at < p.to })
}

// unknown returns the lines, folded, that say something and are not in the file.
func (v *views) unknown(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = fold(l); weight(l) >= 0.5 && v.ix.lines(l) == nil {
			out = append(out, l)
		}
	}
	return out
}

// enclosed returns which place is the only one in the hunk's section, or after
// all of its anchors, or at the end of the file if the hunk says so; -1 where
// none or several are.
func (c *candidate) enclosed(v *views) int {
	sections := c.Anchors
	if c.Section != "" {
		sections = append(slices.Clone(sections), c.Section)
	}
	in := make([]int, c.places()) // in how many of the sections each place is
	for _, s := range sections {
		c.count(v, strings.TrimSpace(s), in)
	}
	only := -1
	for i, n := range in {
		if n < len(sections) || c.AtEnd && c.place(i).to < len(v.bare) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

// count adds one for each place that is in a section. The nearest line before it
// that is indented as the section's line is, and begins with a word as it does,
// must be the section's own: that is how diff tools find what they write after @@.
func (c *candidate) count(v *views, section string, in []int) {
	starts := map[string]bool{} // the indentations of lines that begin so
	for _, l := range v.bare {
		if strings.HasPrefix(strings.TrimSpace(l), section) {
			starts[indent(l)] = true
		}
	}
	within := false
	for i, k := 0, 0; i < len(v.bare) && k < len(in); i++ {
		for ; k < len(in) && c.place(k).from == i; k++ {
			if within {
				in[k]++
			}
		}
		l := v.bare[i]
		if body := strings.TrimSpace(l); body != "" && starts[indent(l)] && !notWord([]rune(body)[0]) {
			within = strings.HasPrefix(body, section)
		}
	}
}
