package patch

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"caselsp/agent/content"
)

// apply makes the hunks' changes in the text of one file, see File.Apply.
func apply(path, before string, hunks []Hunk) (after string, report *Report, refusal *Refusal) {
	a, after, refusal := attempt(path, before, hunks)
	if after, report := a.inOrder(path, before, maxStages); report != nil {
		return after, report, nil
	}
	if refusal != nil {
		return before, nil, refusal
	}
	return after, a.report(path), nil
}

// attempt reads all hunks against the same text.
func attempt(path, before string, hunks []Hunk) (a *application, after string, r *Refusal) {
	a = &application{path: path, doc: content.Split(before), hunks: hunks, source: isSource(path, before)}
	a.views = newViews(a.doc.Bare)
	a.style = styleOf(a.doc.Bare)
	if r = a.locate(); r == nil {
		r = a.collect()
	}
	if r != nil {
		r.Note(readAs(a.seen))
		return a, before, r
	}
	return a, a.doc.Splice(a.edits, a.end), nil
}

// application is one Apply under way.
type application struct {
	path   string
	doc    *content.Document
	views  *views
	style  style
	source bool // of a program, see Apply
	hunks  []Hunk
	cands  []candidate
	places []place
	edits  []content.Edit // in the order of the file
	end    content.End
	notes  []string
	seen   []string // in what its lines are written, see readings
}

// locate finds the place of every hunk that changes something.
func (a *application) locate() *Refusal {
	a.cands = make([]candidate, len(a.hunks))
	a.places = make([]place, len(a.hunks))
	changes := false
	for i := range a.hunks {
		if !a.hunks[i].changes() {
			continue
		}
		changes = true
		a.cands[i] = a.views.fit(&a.hunks[i])
		if k := a.repeats(i); k >= 0 {
			a.pass(i, "it is the same as "+strings.ToLower(a.name(k)))
		}
	}
	if !changes {
		return a.idle()
	}
	for _, r := range readings {
		a.read(r)
	}
	for i := range a.cands {
		if r := a.suspect(i); r != nil {
			r.Hunk = i + 1
			return r
		}
	}
	var unknown []string // old lines of hunks that no layer fits, which are nowhere in the file
	for i := range a.cands {
		if c := &a.cands[i]; c.Hunk != nil && c.places() == 0 {
			unknown = append(unknown, a.views.unknown(c.old)...)
		}
	}
	rough := newWords(unknown, a.doc.Bare)
	for i := range a.cands {
		if c := &a.cands[i]; c.lost() {
			c.align(a.views, rough)
		}
	}
	return a.settle()
}

// idle refuses an edit of which no hunk changes anything.
func (a *application) idle() *Refusal {
	for i := range a.hunks {
		if r := a.hunks[i].foreign(a.views); r != nil {
			return r
		}
		if a.hunks[i].block == nil {
			return malformed(i+1, "it has lines of context only: none begins with '-' or '+'. Write the whole edit.")
		}
	}
	return &Refusal{Status: AlreadyApplied, Message: "The edit changes nothing: its old and its new lines are the same."}
}

// suspect refuses a hunk, as it is read, of which a line is no line of a hunk, or may be
// encoded, or the rest of another.
func (a *application) suspect(i int) *Refusal {
	h := a.cands[i].Hunk
	if h == nil {
		return a.hunks[i].foreign(a.views)
	}
	quoted := slices.Contains(a.seen, entities) || slices.ContainsFunc(a.hunks, func(h Hunk) bool { return slices.ContainsFunc(h.Old(), entity.MatchString) })
	for _, r := range []*Refusal{h.foreign(a.views), h.shortened(a.views, path.Ext(a.path)), h.artefact(a.views, path.Ext(a.path)), h.encoded(a.views, path.Ext(a.path), quoted)} {
		if r != nil {
			return r
		}
	}
	if h.trails(a.views) {
		return &Refusal{Status: Malformed, Message: fmt.Sprintf("Hunk %d ends with a line that it adds, and %q directly below it has no sign: it may be the rest of that line, wrapped. Write each line whole, or leave a blank line below the hunk.", i+1, cut(h.tail[0]))}
	}
	return nil
}

// settle chooses among the places of every hunk.
func (a *application) settle() *Refusal {
	numbers := numbersOf(a.cands)
	refusals := make([]*Refusal, len(a.hunks))
	for i := range a.cands {
		c := &a.cands[i]
		switch {
		case c.Hunk == nil:
		case len(c.old) == 0:
			refusals[i] = a.fill(c, &a.places[i])
		default:
			a.places[i], refusals[i] = c.settle(a.views, numbers)
			if refusals[i] == nil {
				refusals[i] = cmp.Or(c.edge(a.views, &a.places[i]), a.contradicted(i))
			} else if refusals[i].Status == AlreadyApplied && c.places() == 0 && a.elsewhere(c, refusals[i].Candidates[0]-1) {
				refusals[i] = &Refusal{Status: NotFound}
			}
		}
	}
	for i := range a.cands {
		if a.cands[i].Hunk != nil && refusals[i] == nil && a.astray(i, refusals, numbers) {
			refusals[i] = &Refusal{Status: NotFound}
		}
	}
	return a.verdict(refusals)
}

// elsewhere reports whether most of a hunk's old lines stand at another place than its new ones: then it was not applied,
// and new lines that occur in the file anyway are chance.
func (a *application) elsewhere(c *candidate, at int) bool {
	from, ok := a.mostly(c.old)
	return ok && (from >= at+len(c.new) || from+len(c.old) <= at)
}

// contradicted lowers the confidence in a place that is not at the beginning or the
// end of the file though the hunk says that it is, and refuses it where the lines are
// not as they are written either.
func (a *application) contradicted(i int) *Refusal {
	c, p := &a.cands[i], &a.places[i]
	behind := len(a.doc.Bare) - p.to
	switch {
	case c.cutOff && behind > 0:
		return &Refusal{Status: Malformed, Message: "ends a patch that has no *** End Patch, with less context below its changes than above them: it may be cut off. Write the whole edit."}
	case c.AtEnd && behind > 0 && p.layer != Exact && p.layer != Whitespace:
		return &Refusal{Status: NotFound, Candidates: fromOne([]int{p.from})}
	case c.AtEnd && behind > 0:
		a.notes = append(a.notes, fmt.Sprintf("%s says that it ends the file, but %d lines follow its place.", a.name(i), behind))
	case !c.begins() || p.start() <= 0:
		return nil
	}
	p.confidence *= contradicted
	p.margin *= contradicted
	return nil
}

// foreign refuses a hunk of which a line of context is not in the file as it is written,
// and has no sign or looks like a part of an edit itself: then it is none.
func (h *Hunk) foreign(v *views) *Refusal {
	for i, l := range h.Lines {
		if h.block != nil {
			break // its markers tell what is in it
		}
		text, body := fold(l.Text), strings.TrimSpace(l.Text)
		if l.Kind == Context && body != "" && len(v.ix.lines(text)) == 0 && (slices.Contains(h.unsigned, i) || isTrace(l.Text) || isChange(body)) {
			return &Refusal{Status: Malformed, Message: fmt.Sprintf("The edit cannot be applied: the line %q within it is not in the file, and has no sign or looks like a part of an edit. Begin each line of a hunk with ' ', '-' or '+', each header at the margin, and write nothing else between them.", cut(l.Text))}
		}
	}
	return nil
}

// fill settles a hunk without old lines.
func (a *application) fill(c *candidate, p *place) *Refusal {
	switch {
	case len(a.doc.Lines) == 0:
		*p = place{layer: Exact, confidence: 1, margin: 1}
		return nil
	case slices.Equal(c.new, a.doc.Bare):
		return c.already(0)
	case c.AtEnd:
		n := len(a.doc.Bare)
		if from := n - len(c.new); from >= 0 && slices.Equal(c.new, a.doc.Bare[from:]) {
			return c.already(from)
		}
		*p = place{from: n, to: n, layer: Exact, confidence: 1, margin: 1}
		return nil
	}
	return &Refusal{Status: EmptySearch}
}

// verdict picks the refusal to report: the first that needs another edit, else
// the first hunk that is already there. It is the only one that is explained,
// because explaining looks through the whole file. Hunks that certainly are there
// are passed over where others are not.
func (a *application) verdict(refusals []*Refusal) *Refusal {
	worst, rest := -1, false
	for i, r := range refusals {
		switch {
		case r == nil:
			rest = rest || a.cands[i].Hunk != nil
		case worst < 0 || refusals[worst].passes(&a.cands[worst]) && !r.passes(&a.cands[i]):
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	if r := refusals[worst]; !rest || !r.passes(&a.cands[worst]) {
		r.Hunk = worst + 1
		if a.explain(r); rest && r.Status == AlreadyApplied {
			r.Status = Conflict // the others are not
		}
		return r
	}
	for i, r := range refusals {
		if r != nil {
			a.pass(i, fmt.Sprintf("its new lines are already at line %d", r.Candidates[0]))
		}
	}
	return nil
}

// passes reports whether a hunk may be passed over: all of its new text stands in
// the file as it is written, in one place, and says enough to be no chance.
func (r *Refusal) passes(c *candidate) bool {
	return r.Status == AlreadyApplied && (len(c.news) == 1 || len(c.news) > 0 && c.newAt(c.Line-1)) && (len(c.olds) == 0 || c.layer > strictLayer) && said(c.new) >= leastSaid && c.newLayer == 0
}

// pass passes over a hunk and notes why.
func (a *application) pass(i int, why string) {
	a.cands[i] = candidate{}
	a.notes = append(a.notes, fmt.Sprintf("%s of %d was passed over: %s.", a.name(i), len(a.hunks), why))
}

// repeats returns an earlier hunk of which this one is a copy; -1 for none. Where
// their lines fit several places, each may mean one of them.
func (a *application) repeats(i int) int {
	h := &a.hunks[i]
	if a.cands[i].places() > 1 {
		return -1
	}
	return slices.IndexFunc(a.hunks[:i], func(o Hunk) bool {
		return o.Line == h.Line && o.Section == h.Section && slices.Equal(o.Anchors, h.Anchors) && slices.Equal(o.Lines, h.Lines)
	})
}

// astray reports whether the place of a hunk is only like what it expects, not
// where it says, and not in the order of the patch, though the numbers of the
// other hunks are right, or not all of its lines are there: then its own place was
// changed, and this is another.
func (a *application) astray(i int, refusals []*Refusal, n numbers) bool {
	c, p := &a.cands[i], a.places[i]
	if !n.sure && p.at == nil || c.Line == 0 || p.layer == Exact || p.start() == c.Line-1 {
		return false
	}
	for k := range a.cands {
		other := &a.cands[k]
		if k == i || refusals[k] != nil || other.Hunk == nil || other.Line == 0 {
			continue
		}
		if (other.Line < c.Line) != (a.places[k].from < p.from) {
			return true
		}
	}
	return false
}

// collect turns the places into edits and refuses hunks that change the same lines.
func (a *application) collect() *Refusal {
	var idle []int
	fits, r := a.fittings()
	if r != nil {
		return r
	}
	for i, fit := range fits {
		if fit == nil {
			continue
		}
		edits := a.changed(i, fit)
		end := a.end
		if a.settleEnd(i); len(edits) == 0 && a.end == end {
			idle = append(idle, i)
		}
		a.edits = append(a.edits, edits...)
	}
	if len(a.edits) == 0 && a.end == content.AsBefore && len(idle) > 0 {
		refusals := make([]*Refusal, len(a.hunks))
		refusals[idle[0]] = a.cands[idle[0]].already(a.places[idle[0]].from)
		return a.verdict(refusals)
	}
	for _, i := range idle {
		a.pass(i, "it changes nothing")
	}
	slices.SortStableFunc(a.edits, func(x, y content.Edit) int {
		return cmp.Or(x.From-y.From, x.To-y.To, a.places[x.By].from-a.places[y.By].from)
	})
	for i := 1; i < len(a.edits); i++ {
		if x, y := a.edits[i-1], a.edits[i]; a.collide(x, y) {
			first, second := min(x.By, y.By), max(x.By, y.By)+1
			return &Refusal{Status: Conflict, Hunk: second, Candidates: []int{y.From + 1}, Message: fmt.Sprintf("%s and %d both change the file at line %d, so nothing was changed. Make one of them.",
				strings.Replace(a.name(first), " ", "s ", 1), second, y.From+1)}
		}
	}
	return nil
}

// collide reports whether two edits, one sorted after the other, change the
// same lines, or insert at the same point without the places of their hunks
// saying which comes first.
func (a *application) collide(x, y content.Edit) bool {
	sameGap := x.From == y.To && x.By != y.By
	return y.From < x.To || sameGap && (len(a.doc.Lines) == 0 || a.places[y.By].from < a.places[x.By].to)
}

// changed returns the edits of one hunk: of the lines at its place those that
// become others.
func (a *application) changed(hunk int, fit *fitting) []content.Edit {
	var edits []content.Edit
	c, p := &a.cands[hunk], a.places[hunk]
	for _, b := range c.blocks() {
		from, to := p.span(b)
		with := fit.block(b)
		if from == 0 && len(with) > 0 { // the file's own mark stays where it is
			with[0] = strings.TrimPrefix(with[0], a.doc.Mark)
		}
		edits = append(edits, a.doc.Changes(from, to, with, hunk)...)
	}
	return edits
}

// span returns the lines of the file that a block's old lines are; for none, the
// point after the old line before them, or before the one after.
func (p place) span(b block) (from, to int) {
	if point, ok := p.points[b.from]; ok {
		return point, point
	}
	switch {
	case b.from < b.to:
		return p.line(b.from), p.line(b.to-1) + 1
	case b.from > 0 && p.line(b.from-1) >= 0:
		return p.line(b.from-1) + 1, p.line(b.from-1) + 1
	case p.at != nil: // behind lines that the hunk leaves out
		return p.at[b.from], p.at[b.from]
	}
	return p.from, p.from
}

// settleEnd heeds what a hunk that reaches the end of the file says about the
// newline there.
func (a *application) settleEnd(hunk int) {
	h := a.cands[hunk].Hunk
	if a.places[hunk].to != len(a.doc.Lines) {
		return
	}
	switch {
	case h.OldOpen && h.NewOpen && a.doc.Closed():
		// It is the file that is right about what it was.
	case h.NewOpen:
		a.end = content.Open
	case h.OldOpen:
		a.end = content.Close
	}
}

func (a *application) report(path string) *Report {
	r := &Report{Hunks: make([]Landing, len(a.hunks)), Notes: a.notes}
	shift := make([]int, len(a.edits)+1) // how far the edits before each one moved the lines after them
	for i, e := range a.edits {
		shift[i+1] = shift[i] + len(e.With) - (e.To - e.From)
	}
	for i := range a.hunks {
		c, p := &a.cands[i], a.places[i]
		if c.Hunk == nil {
			r.Hunks[i] = Landing{Path: path, Layer: Unchanged, Confidence: 1}
			continue
		}
		before := sort.Search(len(a.edits), func(k int) bool { return a.edits[k].To > p.from })
		for before > 0 && a.edits[before-1].By == i { // its own insertion at its first line
			before--
		}
		r.Hunks[i] = Landing{Path: path, Line: p.from + shift[before] + 1, Layer: p.layer, Confidence: p.confidence, Margin: p.margin}
	}
	return r
}
