package patch

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

// reading is another way to read the lines of a hunk that no layer fits line by
// line, by what models get wrong again and again. It counts where the lines that it
// gives are in the file.
type reading struct {
	name string // what the lines are written in; "" for a slip of one hunk
	all  bool   // a patch in which one hunk is written so is written so as a whole
	// partly: it counts also where only more of the lines are in the file.
	partly bool
	of     func(*candidate, *views) (*Hunk, bool)
}

const entities = "HTML entities"

// readings are tried in this order.
var readings = []reading{
	{"line numbers", false, true, (*candidate).unnumbered},
	{entities, true, true, func(c *candidate, _ *views) (*Hunk, bool) { return c.decoded(plainEntities.Replace) }},
	{"escapes of JSON", true, false, func(c *candidate, _ *views) (*Hunk, bool) { return c.decoded(plainEscapes.Replace) }},
	{"wrapped lines", false, true, (*candidate).unwrapped},
	{"lines with text behind them", false, false, (*candidate).unexplained},
	{"removed lines of which the middle is left out", false, false, (*candidate).expanded},
	{"", false, false, (*candidate).signed},
	{"", false, false, (*candidate).trimmed},
	{"a part of a line", false, false, (*candidate).completed},
}

// read gives the hunks that no layer fits another reading. Of a hunk of which some
// lines still are not in the file, it counts where fewer of them are not. It does
// not count for a whole patch of which a hunk fits as it is and would be changed.
func (a *application) read(r reading) {
	var fits, lost []int
	for i := range a.cands {
		switch c := &a.cands[i]; {
		case c.Hunk == nil || len(c.old) == 0:
		case c.places() > 0:
			fits = append(fits, i)
		case c.lost() || r.name != "":
			lost = append(lost, i)
		}
	}
	others := map[int]*Hunk{}
	for _, i := range fits {
		if !r.all {
			break
		}
		if h, ok := r.of(&a.cands[i], a.views); ok {
			if others[i] = h; !slices.Equal(h.Old(), a.cands[i].old) {
				return
			}
		}
	}
	seen := false
	for _, i := range lost {
		c := &a.cands[i]
		h, ok := r.of(c, a.views)
		if !ok || slices.Equal(h.Old(), c.old) { // it explains nothing
			continue
		}
		as := a.views.fit(h)
		if as.places() > 0 || r.all && c.lost() && !as.lost() || r.partly && len(a.views.unknown(as.old)) < len(a.views.unknown(c.old)) {
			*c, seen = as, true
		}
	}
	if !seen || r.name == "" {
		return
	}
	a.seen = append(a.seen, r.name)
	for i, h := range others {
		a.cands[i] = a.views.fit(h)
	}
}

// rewritten returns the hunk with other texts in its lines; "\n" in one makes
// several of it.
func (h *Hunk) rewritten(f func(old bool, text string) string) *Hunk {
	all := func(old bool, texts []string) (out []string) {
		for _, l := range texts {
			out = append(out, strings.Split(f(old, l), "\n")...)
		}
		return out
	}
	if h.block != nil {
		return h.of(all(true, h.block.search), all(false, h.block.replace))
	}
	n := *h
	n.Lines, n.unsigned = nil, nil
	for _, l := range h.Lines {
		for _, text := range all(l.Kind != Added, []string{l.Text}) {
			n.Lines = append(n.Lines, Line{l.Kind, text})
		}
	}
	return &n
}

// of returns the hunk of a block with other texts.
func (h *Hunk) of(search, replace []string) *Hunk {
	n := blockHunk(search, replace)
	n.Line = h.Line
	return &n
}

// decoded returns the hunk with each line decoded.
func (c *candidate) decoded(decode func(string) string) (*Hunk, bool) {
	changed := false
	return c.rewritten(func(_ bool, text string) string {
		out := decode(text)
		changed = changed || out != text
		return out
	}), changed
}

// numbered is a line as tools show it to a model: with its number before it. Some
// write a blank after the sign that separates the two.
var (
	numbered  = lazyregexp.New(`^\s*(\d+)( ?[|│]|:|→|\t)`)
	separated = lazyregexp.New(`^\s*(\d+)(?: ?[|│]|:) `)
)

// unnumbered returns the hunk without the line numbers that its old lines, all
// of them and one by one, begin with, and that were copied along with the text.
// New lines lose theirs where all of them have one that is near these, or none but
// copies of old ones has one. The numbers say where the hunk is.
// Whether a blank behind the number belongs to it, the lines of the file tell.
func (c *candidate) unnumbered(v *views) (*Hunk, bool) {
	if len(c.old) == 0 {
		return nil, false
	}
	first, gutter, ok := number(c.old[0])
	blank := true
	for i, l := range c.old {
		n, g, is := number(l)
		if !is || n != first+i || strings.TrimSpace(g) != strings.TrimSpace(gutter) {
			return nil, false
		}
		blank = blank && (separated.MatchString(l) || numbered.FindString(l) == l)
	}
	written := c.added()
	if c.block != nil {
		written = c.block.replace
	}
	all, some := true, false
	for _, l := range written {
		n, g, is := number(l)
		is = is && max(n-first, first-n) < numberSlack && strings.TrimSpace(g) == strings.TrimSpace(gutter)
		all = all && (l == "" || is)
		some = some || is && !slices.Contains(c.old, l)
	}
	if some && !all {
		return nil, false // which of them are text is not certain
	}
	without := func(by *lazyregexp.Regexp) candidate {
		h := c.rewritten(func(old bool, text string) string {
			if !old && !all && !slices.Contains(c.old, text) {
				return text
			}
			if n := by.FindString(text); n != "" {
				return text[len(n):]
			}
			return text[len(numbered.FindString(text)):]
		})
		if h.Line == 0 {
			h.Line = first
		}
		return v.fit(h)
	}
	best := without(numbered)
	if blank {
		as := without(separated)
		n, most := v.quoted(as.old), v.quoted(best.old)
		if as.lost() && best.lost() && n == most {
			return nil, false
		}
		if !as.lost() && (best.lost() || as.layer <= best.layer) || as.lost() && best.lost() && n > most {
			best = as
		}
	}
	return best.Hunk, ok
}

// quoted counts the lines that are in the file as they are written.
func (v *views) quoted(lines []string) (n int) {
	for _, l := range lines {
		if l != "" && slices.ContainsFunc(v.ix.lines(fold(l)), func(at int32) bool { return v.bare[at] == l }) {
			n++
		}
	}
	return n
}

// number returns the number before a line, and what parts the two.
func number(line string) (n int, gutter string, ok bool) {
	m := numbered.FindStringSubmatch(line)
	if m == nil {
		return 0, "", false
	}
	n, err := strconv.Atoi(m[1])
	return n, m[2], err == nil
}

// unwrapped returns the hunk with lines joined again that were broken at a blank:
// the rest of such a line has no sign. In a block nothing but the file tells them,
// so the lines that a block adds must be short.
func (c *candidate) unwrapped(v *views) (*Hunk, bool) {
	if c.block != nil {
		return c.rejoined(v)
	}
	h := *c.Hunk
	h.Lines, h.unsigned, h.tail = nil, nil, nil
	lines := slices.Clone(c.Lines)
	rest := slices.Clone(c.unsigned)
	for _, l := range c.tail {
		rest = append(rest, len(lines))
		lines = append(lines, Line{Context, l})
	}
	last := "" // the part before
	for i, l := range lines {
		n := len(h.Lines)
		part := n > 0 && l.Text != "" && slices.Contains(rest, i) && len(v.ix.lines(fold(l.Text))) == 0
		switch {
		case part && h.Lines[n-1].Kind == Added && !wraps(last, l.Text):
			return nil, false
		case part:
			h.Lines[n-1].Text += " " + l.Text
		case slices.Contains(rest, i):
			h.unsigned = append(h.unsigned, n)
			fallthrough
		default:
			h.Lines = append(h.Lines, l)
		}
		last = l.Text
	}
	return &h, len(h.Lines) < len(lines) && len(v.unknown(h.Old())) < len(v.unknown(c.old))
}

// trails reports whether what follows the hunk may be the rest of its last line, which
// it adds: no line of the file is so.
func (h *Hunk) trails(v *views) bool {
	last := h.Lines[len(h.Lines)-1]
	return last.Kind == Added && len(h.tail) > 0 && len(v.ix.lines(fold(h.tail[0]))) == 0
}

// rejoined is unwrapped for a block.
func (c *candidate) rejoined(v *views) (*Hunk, bool) {
	search := v.rejoin(c.block.search, c.block.search)
	replace := v.rejoin(c.block.replace, c.block.search)
	fell := func(l, before string) bool { // to the margin, as no line of the file is
		return indent(l) == "" && indent(before) != "" && weight(fold(l)) >= 0.5 && !closes(l) && len(v.ix.lines(fold(l))) == 0
	}
	for i, l := range replace {
		if i > 0 && (wraps(replace[i-1], l) || fell(l, replace[i-1])) && standsIn(search, replace[i-1:i+1]) < 0 && !(weight(l) >= 0.5 && slices.Contains(search, l)) {
			return nil, false
		}
	}
	return c.of(search, replace), len(search) < len(c.block.search)
}

// rejoin joins lines of which only the whole is in the file, where they stand in the
// old text as well: new lines that break others are meant.
func (v *views) rejoin(lines, old []string) (out []string) {
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if l != "" && len(v.ix.lines(fold(l))) == 0 {
			whole := l
			for k := i + 1; k < min(len(lines), i+wrapParts) && indent(lines[k]) == ""; k++ {
				if whole += " " + lines[k]; len(v.ix.lines(fold(whole))) > 0 && standsIn(old, lines[i:k+1]) >= 0 {
					l, i = whole, k
					break
				}
			}
		}
		out = append(out, l)
	}
	return out
}

// wraps reports whether a line may be the rest of the one before: it begins at the margin.
func wraps(l, next string) bool {
	word, _, _ := strings.Cut(next, " ")
	return l != "" && word != "" && indent(next) == "" && len(l)+1+len(word) > wrapWidth
}

// unexplained returns the hunk without the bullets behind its last line: an
// explanation that stands in the fence, below a blank line.
func (c *candidate) unexplained(v *views) (*Hunk, bool) {
	bare := func(i int) bool { return slices.Contains(c.unsigned, i) }
	explains := func(i int) bool {
		l := c.Lines[i]
		return l.Kind == Removed && bullet.MatchString(l.Text) && heading("-"+l.Text) == "" && len(v.ix.lines(fold(l.Text))) == 0
	}
	end := len(c.Lines)
	for end > 0 && (bare(end-1) || explains(end-1)) {
		end--
	}
	h := *c.Hunk
	h.Lines = c.Lines[:end]
	h.open()
	return &h, end < len(c.Lines) && c.Lines[end].Text == "" && bare(end) && explains(len(c.Lines)-1) && h.changes()
}

// bullet is how an explanation begins behind its dash.
var bullet = lazyregexp.New(`^ [^ \t]`)

// expanded returns the hunk with the lines of the file in the place of "..." among
// lines to be removed. What stands before and behind the dots must be in one place.
func (c *candidate) expanded(v *views) (*Hunk, bool) {
	h := *c.Hunk
	h.Lines, h.unsigned = nil, nil
	found := false
	old := 0
	for _, l := range c.Lines {
		if l.Kind != Added {
			old++
		}
		if l.Kind != Removed || !elides(fold(l.Text)) || len(v.ix.lines(fold(l.Text))) > 0 {
			h.Lines = append(h.Lines, l)
			continue
		}
		head, tail := c.old[:old-1], c.old[old:]
		above, _ := v.find(head, strictLayer)
		below, _ := v.find(tail, strictLayer)
		if found || len(above) != 1 || len(below) != 1 || below[0] <= above[0]+len(head) || below[0]-above[0] > elidedLimit || v.leaves(above[0]+len(head)-1, below[0]) {
			return nil, false
		}
		for _, text := range v.bare[above[0]+len(head) : below[0]] {
			h.Lines = append(h.Lines, Line{Removed, text})
		}
		found = true
	}
	return &h, found
}

// leaves reports whether another block begins between two lines of the file, no deeper
// than the first line, which opens the one that the second, by its depth, is to be in.
func (v *views) leaves(first, second int) bool {
	for first > 0 && v.folded[first] == "" {
		first--
	}
	in, opened := len(indent(v.bare[first])), false
	for i := first + 1; i < second; i++ {
		switch l := v.bare[i]; {
		case v.folded[i] == "", v.folded[i] == "{":
		case len(indent(l)) > in:
			opened = true
		case !opened:
			return false
		case blockWord.MatchString(l) && !nextBranch.MatchString(l):
			return len(indent(v.bare[second])) > in
		}
	}
	return false
}

// blockWord matches a line that begins with a word, nextBranch one that goes on with a block.
var (
	blockWord  = lazyregexp.New(`^\s*[\pL@]`)
	nextBranch = lazyregexp.New(`^\s*(?:else|elif|elsif|elseif|except|finally|catch|rescue|ensure|when|case|default|then|and|or)\b`)
)

// completed returns the hunk of a block of one line that is a part of one line of
// the file, made of the whole line. The part stands once in the file.
func (c *candidate) completed(v *views) (*Hunk, bool) {
	if c.block == nil || len(c.block.search) != 1 || len(c.block.replace) != 1 {
		return nil, false
	}
	part, by := c.block.search[0], c.block.replace[0]
	at := -1
	for i, l := range v.bare {
		switch n := strings.Count(l, part); {
		case n > 1 || n == 1 && at >= 0:
			return nil, false
		case n == 1:
			at = i
		}
	}
	if at < 0 || len(strings.TrimSpace(part)) < leastPart || strings.TrimSpace(by) == "" {
		return nil, false
	}
	above, below, _ := strings.Cut(v.bare[at], part)
	if splitsWord(above, part) || splitsWord(part, below) {
		return nil, false
	}
	return c.of([]string{v.bare[at]}, []string{above + by + below}), true
}

// splitsWord reports whether a cut between two texts goes through a word.
func splitsWord(left, right string) bool {
	l, _ := utf8.DecodeLastRuneInString(left)
	r, _ := utf8.DecodeRuneInString(right)
	return left != "" && right != "" && !notWord(l) && !notWord(r)
}

// signed returns the hunk with the blank lines without a sign added that stand
// among added lines: models forget the sign of a line that has nothing else.
func (c *candidate) signed(*views) (*Hunk, bool) {
	h := *c.Hunk
	h.Lines = slices.Clone(c.Lines)
	found := false
	for i := 1; i < len(h.Lines); i++ {
		if h.Lines[i].Text != "" || h.Lines[i-1].Kind != Added || !slices.Contains(c.unsigned, i) {
			continue
		}
		end := i
		for end < len(h.Lines) && h.Lines[end].Text == "" && slices.Contains(c.unsigned, end) {
			end++
		}
		for k := i; k < end && end < len(h.Lines) && h.Lines[end].Kind == Added; k++ {
			h.Lines[k].Kind, found = Added, true
		}
	}
	return &h, found
}

// trimmed returns the hunk without the blank lines of context at its ends.
func (c *candidate) trimmed(*views) (*Hunk, bool) {
	h := *c.Hunk
	says := func(l Line) bool { return l.Kind != Context || strings.TrimSpace(l.Text) != "" }
	from, to := max(0, slices.IndexFunc(h.Lines, says)), len(h.Lines)
	for to > from && !says(h.Lines[to-1]) {
		to--
	}
	if h.Lines = h.Lines[from:to]; h.Line > 0 {
		h.Line += from
	}
	blank := func(l Line) bool { return l.Kind != Context && strings.TrimSpace(l.Text) == "" } // is it one of them?
	if len(h.Lines) > 0 && (blank(h.Lines[0]) || blank(h.Lines[len(h.Lines)-1])) {
		return nil, false
	}
	return &h, len(h.Lines) < len(c.Lines) && len(h.Old()) > 0
}
