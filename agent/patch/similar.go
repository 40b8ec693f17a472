package patch

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"caselsp/agent/near"
)

// effort is how much one Apply may still compare, in cells of the tables that
// compare signs or score chains. It bounds the time for texts that were made to
// take long: what is not found within it is refused as not found.
type effort int

// wholeEffort is about half a second of a laptop; the costliest of some thousand
// real edits took a hundredth of it.
const wholeEffort effort = 1 << 27

// spend reports whether there is enough effort left, and takes it.
func (e *effort) spend(cells int) bool {
	*e -= effort(cells)
	return *e >= 0
}

// likeness returns how alike two folded lines are: 1 less the edits (insertion,
// deletion, substitution, exchange of neighbours: the optimal string alignment
// distance) per rune of the longer one; 0 where it is less than floor.
func likeness(a, b string, floor float64) float64 {
	if a == b {
		return 1
	}
	x, y := []rune(a), []rune(b)
	long := max(len(x), len(y))
	from, end := near.Common(x, y)
	x, y = x[from:len(x)-end], y[from:len(y)-end]
	if max(len(x), len(y)) > compareLimit {
		return 0
	}
	limit := int(float64(long) * (1 - floor))
	if d := near.Distance(x, y, limit); d <= limit {
		return 1 - float64(d)/float64(long)
	}
	return 0
}

// misspelt reports whether asked is the line have except for a typing mistake: one
// letter left out, put in or mistaken within one word of four letters or more, or
// two neighbours exchanged of which one is a letter. A line that is to be removed
// may differ so and no more. Another digit, another sign, another whole word is
// not a slip but another line: that somebody changed it meanwhile is what a
// conflict is.
func misspelt(asked, have string) bool {
	x, y := []rune(asked), []rune(have)
	from, end := near.Common(x, y)
	said, is := x[from:len(x)-end], y[from:len(y)-end]
	if max(len(said), len(is)) > 2 || near.Distance(said, is, 1) != 1 {
		return false
	}
	if len(said) == 2 && len(is) == 2 {
		letters := unicode.IsLetter(is[0]) && unicode.IsLetter(is[1])
		return letters && wordAround(y, from, len(y)-end) > slipWord ||
			len(y) >= slipLine && slices.ContainsFunc(is, unicode.IsLetter) && !slices.ContainsFunc(is, unicode.IsDigit)
	}
	for _, r := range slices.Concat(said, is) {
		if !unicode.IsLetter(r) && r != '_' {
			return false
		}
	}
	return max(wordAround(x, from, len(x)-end), wordAround(y, from, len(y)-end)) >= slipWord
}

// wordAround returns the length of the word that holds y[from:to].
func wordAround(y []rune, from, to int) int {
	for from > 0 && !notWord(y[from-1]) {
		from--
	}
	for to < len(y) && !notWord(y[to]) {
		to++
	}
	return to - from
}

// weight is what it says about a place that a line is there: nothing for a blank
// one, little for a bracket, which is everywhere, and all for a line of words.
func weight(line string) float64 {
	words := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			words++
		}
	}
	switch {
	case words >= 5:
		return 1
	case words >= 2:
		return 0.5
	case utf8.RuneCountInString(line) > 0:
		return 0.2
	}
	return 0.1
}
