package patch

import (
	"slices"
	"strings"
	"unicode"
)

// place is where a layer would put a hunk.
type place struct {
	from, to   int         // the lines of the file, from 0, that the hunk covers: [from, to)
	at         []int       // the line of the file that each old line of the hunk is, increasing; -1: none; nil: from, from+1, ...
	points     map[int]int // the line of the file before which new lines go, by the old line before which they do, where at does not tell
	layer      string
	confidence float64
	margin     float64 // how far the runner-up is behind, 0 to 1
}

// line returns the line of the file that the i-th old line of the hunk is.
func (p place) line(i int) int {
	if p.at == nil {
		return p.from + i
	}
	return p.at[i]
}

// key is a view of a line under which two lines count as the same.
type key func(line string) string

// The keys, from strict to lax. A lax one never tells lines apart that a
// stricter one takes for the same.
func asWritten(line string) string { return line }
func trimEnd(line string) string   { return strings.TrimRight(line, " \t\r\f\v") }
func trimBoth(line string) string  { return strings.TrimSpace(line) }

// fold is the laxest: white space within the line, the typography that models
// put in the place of plain signs, and which quotation marks there are, do not count.
func fold(line string) string {
	plain := true
	blank := true // leading blanks are cut as well
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c >= 0x80 || c == ' ' && blank || c != ' ' && c <= ' ' || c == '"' || c == '`' {
			plain = false
			break
		}
		blank = c == ' '
	}
	if plain {
		return strings.TrimSuffix(line, " ")
	}
	var b strings.Builder
	for i, word := range strings.Fields(line) {
		if i > 0 {
			b.WriteByte(' ')
		}
		for _, r := range word {
			switch s := plainSign(r); s {
			case `"`, "`":
				b.WriteByte('\'')
			default:
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

// quotationMarks are those that stand for plain ones.
const quotationMarks = "‘’‚‛′＇“”„‟″＂«»"

// plainSign returns the ASCII that a typographic sign stands for, or the sign.
func plainSign(r rune) string {
	if r < 0x80 {
		return string(r)
	}
	switch r {
	case '‘', '’', '‚', '‛', '′', '＇':
		return "'"
	case '“', '”', '„', '‟', '″', '＂', '«', '»':
		return `"`
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return "-"
	case '…':
		return "..."
	case '×':
		return "x"
	case '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff':
		return ""
	}
	if unicode.IsSpace(r) {
		return " "
	}
	return string(r)
}

// layer is a way in which the lines of a hunk can be those of a file, one by one.
type layer struct {
	name       string
	key        key
	confidence float64
	lax        bool // what the lines say must be enough to be believed
}

// contiguous are the layers that compare a hunk with the file line by line,
// strict to lax. The first that finds any place decides: what a laxer one finds
// besides cannot make a stricter match less certain, nor choose among several.
// Where none finds a place, the hunk is aligned with the file (align.go).
var contiguous = []layer{
	{Exact, asWritten, 1, false},
	{Whitespace, trimEnd, 0.98, false},
	{Indentation, trimBoth, 0.95, true},
	{Similarity, fold, 0.9, true},
}

// strictLayer is the last of the contiguous layers that does not look past
// anything but the ends of lines.
const strictLayer = 1

// views are the lines of a file, as they are and folded. What is equal in any
// layer is equal when folded, so one index serves all of them.
type views struct {
	bare   []string
	folded []string
	ix     *index
	effort effort
}

func newViews(bare []string) *views {
	folded := keys(fold, bare)
	return &views{bare, folded, newIndex(folded), wholeEffort}
}

func keys(k key, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = k(l)
	}
	return out
}

// find returns the lines where want stands, in the order of the file, in the
// strictest layer that has any but none laxer than max; and the layer.
func (v *views) find(want []string, max int) (at []int, in int) {
	in = max + 1
	for _, from := range v.ix.find(keys(fold, want)) {
		switch l := v.layer(want, from, in); {
		case l < in:
			at, in = append(at[:0:0], from), l
		case l == in && l <= max:
			at = append(at, from)
		}
	}
	return at, in
}

// layer returns the strictest layer in which lines are those of the file at
// from, or what is above limit.
func (v *views) layer(lines []string, from, limit int) int {
	in := 0
	for i, l := range lines {
		for in <= limit && in < len(contiguous) && contiguous[in].key(l) != contiguous[in].key(v.bare[from+i]) {
			in++
		}
	}
	return in
}

// index knows the lines of a file by number: equal lines have equal numbers, so
// that hunks are compared without looking at text again.
type index struct {
	number map[string]int32
	ids    []int32   // of each line
	where  [][]int32 // of each number: its lines, in order
}

func newIndex(lines []string) *index {
	ix := &index{number: make(map[string]int32, len(lines)), ids: make([]int32, len(lines))}
	for i, l := range lines {
		id, ok := ix.number[l]
		if !ok {
			id = int32(len(ix.where))
			ix.number[l] = id
			ix.where = append(ix.where, nil)
		}
		ix.ids[i] = id
		ix.where[id] = append(ix.where[id], int32(i))
	}
	return ix
}

// lines returns the lines that are equal to l, in order.
func (ix *index) lines(l string) []int32 {
	if id, ok := ix.number[l]; ok {
		return ix.where[id]
	}
	return nil
}

// find returns the lines where want stands, in order; none for no lines.
func (ix *index) find(want []string) (found []int) {
	if len(want) == 0 {
		return nil
	}
	ids := make([]int32, len(want))
	rare := 0
	for i, l := range want {
		id, ok := ix.number[l]
		if !ok {
			return nil
		}
		ids[i] = id
		if len(ix.where[id]) < len(ix.where[ids[rare]]) {
			rare = i
		}
	}
	seen := ix.where[ids[rare]]
	if len(seen)*len(ids) > searchLimit {
		return nil
	}
	for _, s := range seen {
		from := int(s) - rare
		if to := from + len(ids); from >= 0 && to <= len(ix.ids) && slices.Equal(ix.ids[from:to], ids) {
			found = append(found, from)
		}
	}
	return found
}
