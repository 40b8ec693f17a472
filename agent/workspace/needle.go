package workspace

import (
	"regexp/syntax"
	"strings"
)

// needles are texts one of which is in every line that an expression matches, so
// that a text without any need not be searched: finding a plain text takes a
// hundredth of the time of an expression. Nil: nothing is known of the lines.
type needles []needle

// needle is a plain text. Folded, it is in lower case and letters match in either case.
type needle struct {
	text string
	fold bool
}

// maxNeedles is how many texts are looked for at most: beyond it, the expression is faster.
const maxNeedles = 8

// needlesOf returns what every match of a valid expression holds.
func needlesOf(pattern string) needles {
	x, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	list := requiredBy(x.Simplify())
	if len(list) > maxNeedles || list.shortest() == 0 {
		return nil
	}
	return list
}

// requiredBy returns texts of which every match of x contains at least one; nil if no such
// texts are known.
func requiredBy(x *syntax.Regexp) needles {
	switch x.Op {
	case syntax.OpLiteral:
		if x.Flags&syntax.FoldCase == 0 {
			return needles{{text: string(x.Rune)}}
		}
		if text := foldable(x.Rune); text != "" {
			return needles{{text: text, fold: true}}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredBy(x.Sub[0])
	case syntax.OpAlternate:
		var all needles
		for _, s := range x.Sub {
			list := requiredBy(s)
			if list == nil {
				return nil
			}
			all = append(all, list...)
		}
		return all
	case syntax.OpConcat:
		var best needles
		for _, s := range x.Sub {
			if list := requiredBy(s); list.shortest() > best.shortest() {
				best = list
			}
		}
		return best
	}
	return nil
}

// foldable returns the longest part of a text, in lower case, whose letters have no other cases
// than those of ASCII: k is also the Kelvin sign, and s an old form of it.
func foldable(text []rune) string {
	parts := strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool { return r >= 0x80 || r == 'k' || r == 's' })
	best := ""
	for _, p := range parts {
		if len(p) > len(best) {
			best = p
		}
	}
	return best
}

func (n needles) shortest() int {
	if len(n) == 0 {
		return 0
	}
	least := len(n[0].text)
	for _, x := range n {
		least = min(least, len(x.text))
	}
	return least
}

// ascii reports whether the needles are known and look the same in every encoding that has no zero bytes.
func (n needles) ascii() bool {
	for _, x := range n {
		if !isASCII(x.text) {
			return false
		}
	}
	return n != nil
}

// in reports whether a text may hold what the needles are for.
func (n needles) in(text string) bool {
	for _, x := range n {
		if !x.fold && strings.Contains(text, x.text) || x.fold && containsFold(text, x.text) {
			return true
		}
	}
	return n == nil
}

// containsFold reports whether a text holds a part of ASCII whose letters are in lower case,
// in either case.
func containsFold(text, part string) bool {
	lower := part[0]
	upper := lower
	if 'a' <= lower && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	nextLower, nextUpper := -1, -1 // the next places of each; len(text) where there is none
	for at := 0; at+len(part) <= len(text); at++ {
		if nextLower < at {
			nextLower = nextByte(text, lower, at)
		}
		if nextUpper < at {
			nextUpper = nextByte(text, upper, at)
		}
		at = min(nextLower, nextUpper)
		if at+len(part) > len(text) {
			return false
		}
		if equalFold(text[at:at+len(part)], part) {
			return true
		}
	}
	return false
}

func nextByte(text string, b byte, from int) int {
	if i := strings.IndexByte(text[from:], b); i >= 0 {
		return from + i
	}
	return len(text)
}

// equalFold compares two texts of one length; part is ASCII in lower case.
func equalFold(text, part string) bool {
	for i := range len(part) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != part[i] {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
