package store

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// page is a text in which known values are searched, with the places that matter for
// that. They are collected once: a view of the text takes them over where it is the
// same, and looks anew only at what was undone. So views cost little, of which every
// text has some.
type page struct {
	text   string
	starts []int32 // where forms of known values may begin
	marks  []int32 // where bytes of marking are; nil: they are not searched

	edits []edit // what was undone
	at    []int  // where in text each edit begins

	numbers, escapes, words memo
}

// memo is what a page is asked for twice: for the values that are known, and for what
// looks like secrets.
type memo struct {
	done  bool
	edits [][]edit
	spans [][2]int
}

// numbersIn, escapesIn and wordsIn are numbers, escapes and encodedWords of the page.
func (p *page) numbersIn() [][]edit {
	if !p.numbers.done {
		p.numbers = memo{done: true, edits: numbers(p.text)}
	}
	return p.numbers.edits
}

func (p *page) escapesIn() []edit {
	if !p.escapes.done {
		p.escapes = memo{done: true, edits: [][]edit{nearby(p.text, escapes(p))}}
	}
	return p.escapes.edits[0]
}

func (p *page) wordsIn() [][2]int {
	if !p.words.done {
		p.words = memo{done: true, spans: encodedWords(p.text)}
	}
	return p.words.spans
}

// marking are the bytes with which escapes, line breaks and what has no width begin.
var marking = func() (in [256]bool) {
	for b := range in {
		in[b] = escaping[b] || breaking[b]
	}
	return in
}()

// read makes a page of a text.
func (k *known) read(text string) *page {
	p := &page{text: text, marks: []int32{}}
	last := len(text) - minSecret
	for i := range len(text) {
		if marking[text[i]] {
			p.marks = append(p.marks, int32(i))
		}
		if i <= last && k.mayBegin(text[i:]) {
			p.starts = append(p.starts, int32(i))
		}
	}
	return p
}

// view is a page as a reader sees it who has undone a writing. The view has marks if
// more is to be undone in it.
func (k *known) view(p *page, edits []edit, more bool) *page {
	v := newView(p.text, edits)
	k.takeStarts(v, p)
	if more {
		v.takeMarks(p)
	}
	return v
}

// newView is a text after edits, without places.
func newView(text string, edits []edit) *page {
	v := &page{edits: edits, at: make([]int, len(edits))}
	var b strings.Builder
	b.Grow(len(text))
	done := 0
	for i, e := range edits {
		b.WriteString(text[done:e.start])
		v.at[i] = b.Len()
		b.WriteString(e.with)
		done = e.end
	}
	b.WriteString(text[done:])
	v.text = b.String()
	return v
}

// marked is a page in which no known values are searched.
func marked(text string) *page {
	p := &page{text: text, marks: []int32{}}
	for i := range len(text) {
		if marking[text[i]] {
			p.marks = append(p.marks, int32(i))
		}
	}
	return p
}

// takeStarts finds the starts of a view: those of the page that it is of, where the
// first bytes are the same, and what begins in an edit or shortly before one.
func (k *known) takeStarts(v, p *page) {
	v.starts = make([]int32, 0, len(p.starts)+len(p.starts)/8)
	run, from, n := 0, 0, 0 // v.text[run:] is p.text[from:] up to the next edit, p.starts[n] the next start
	take := func(end int) {
		for ; n < len(p.starts) && int(p.starts[n]) < from; n++ {
		}
		for ; n < len(p.starts) && int(p.starts[n])-from+run < end; n++ {
			v.starts = append(v.starts, int32(int(p.starts[n])-from+run))
		}
	}
	last := len(v.text) - minSecret
	for i, e := range v.edits {
		near := max(run, v.at[i]-minSecret+1)
		take(near)
		run = v.at[i] + len(e.with)
		from = e.end
		for at := near; at < run && at <= last; at++ {
			if k.mayBegin(v.text[at:]) {
				v.starts = append(v.starts, int32(at))
			}
		}
	}
	take(len(v.text))
}

// takeMarks finds the marks of a view: those of the page that it is of outside the
// edits, and those in what the edits stand for.
func (v *page) takeMarks(p *page) {
	v.marks = make([]int32, 0, len(p.marks))
	run, from, n := 0, 0, 0
	take := func(end int) {
		for ; n < len(p.marks) && int(p.marks[n]) < from; n++ {
		}
		for ; n < len(p.marks) && int(p.marks[n]) < end; n++ {
			v.marks = append(v.marks, int32(int(p.marks[n])-from+run))
		}
	}
	for i, e := range v.edits {
		take(e.start)
		for j := range len(e.with) {
			if marking[e.with[j]] {
				v.marks = append(v.marks, int32(v.at[i]+j))
			}
		}
		run, from = v.at[i]+len(e.with), e.end
	}
	take(len(p.text))
}

// span returns where in the original a part of the view stands.
func (p *page) span(at [2]int) [2]int {
	start, _ := p.place(at[0])
	_, end := p.place(at[1] - 1)
	return [2]int{start, end}
}

// place returns where in the original a byte of the view stands.
func (p *page) place(i int) (start, end int) {
	n, found := slices.BinarySearch(p.at, i)
	for found && n+1 < len(p.at) && p.at[n+1] == i {
		n++ // several edits at one place: the last leads to what comes after all
	}
	if !found {
		n--
	}
	if n < 0 {
		return i, i + 1
	}
	e := p.edits[n]
	if i < p.at[n]+len(e.with) {
		return e.start, e.end
	}
	start = i - p.at[n] - len(e.with) + e.end
	return start, start + 1
}

// spans returns where values stand in a text: as they are, and as readers see them who
// undo what stands around them. Each undoing makes a view of the whole text, in which
// the values are searched again; so it does not matter how a program chose to escape
// which characters.
func (k *known) spans(p *page, depth int) [][2]int {
	least := minSecret
	if depth > 0 {
		least = minEncoded
	}
	all := k.direct(p, least)
	in := func(edits []edit, more bool, search func(*page) [][2]int) {
		if len(edits) == 0 {
			return
		}
		v := k.view(p, edits, more)
		for _, at := range search(v) {
			all = append(all, v.span(at))
		}
	}
	across := func(v *page) [][2]int { return k.direct(v, minSplit) }
	in(joined(p, quotedLines), false, func(lines *page) [][2]int { return append(across(lines), k.words(lines, depth)...) })
	if strings.Contains(p.text, "+\n") || strings.Contains(p.text, `+\n`) || strings.Contains(p.text, "+\r\n") {
		in(joined(p, brokenLines), false, across)
	}
	if hasNumbers(p) {
		in(joined(p, numberedLines), false, across)
	}
	if depth == maxUndo || len(p.text) > maxUndone {
		return all
	}
	deeper := func(v *page) [][2]int { return k.spans(v, depth+1) }
	in(p.escapesIn(), true, deeper)
	if p.edits == nil { // a view has signs of its own, which that one leaves
		in(nearby(p.text, printable(p.text)), true, deeper)
		in(separated(p.text), false, across)
	}
	for _, edits := range p.numbersIn() {
		in(nearby(p.text, edits), true, deeper)
	}
	all = append(all, k.hexWords(p.text, depth)...)
	for _, at := range k.words(p, depth) {
		if !slices.ContainsFunc(all, func(part [2]int) bool { return part[0] < at[1] && at[0] < part[1] }) {
			all = append(all, at)
		}
	}
	return all
}

// words returns the words of base64 whose texts hold values.
func (k *known) words(p *page, depth int) (all [][2]int) {
	if depth == maxUndo {
		return nil
	}
	for _, at := range p.wordsIn() {
		if plain, ok := plainText(p.text[at[0]:at[1]]); ok && len(k.spans(k.read(plain), depth+1)) > 0 {
			all = append(all, at)
		}
	}
	return all
}

// hexWords returns the words of hexadecimal whose texts hold values in another writing.
func (k *known) hexWords(text string, depth int) (all [][2]int) {
	for _, at := range hexWords(text) {
		plain, err := hex.DecodeString(text[at[0]:at[1]])
		if inside, ok := unpacked(plain); ok && depth < maxUndo && len(k.spans(k.read(inside), depth+1)) > 0 {
			all = append(all, at)
			continue
		}
		if err != nil || !utf8.Valid(plain) {
			continue
		}
		for _, part := range k.spans(k.read(string(plain)), depth+1) {
			all = append(all, [2]int{at[0] + 2*part[0], at[0] + 2*part[1]})
		}
	}
	return all
}
