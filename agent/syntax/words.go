package syntax

import (
	"math"
	"regexp/syntax"
	"slices"
	"strings"
)

// ContainsAny reports whether a text contains one of the parts.
func ContainsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// WordSet is the set of the blank-separated words of a text.
func WordSet(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

// nearest returns the one known name that is a slip away from a name: a letter
// too many, too few, another one or two swapped; "" where there is none or two.
func nearest(name string, known func(string) bool) string {
	found := ""
	try := func(s string) bool {
		if s != name && s != found && known(s) {
			if found != "" {
				return false
			}
			found = s
		}
		return true
	}
	const letters = "abcdefghijklmnopqrstuvwxyz-"
	for i := 0; i <= len(name); i++ {
		for _, c := range letters {
			if !try(name[:i]+string(c)+name[i:]) || i < len(name) && !try(name[:i]+string(c)+name[i+1:]) {
				return ""
			}
		}
		if i < len(name) && !try(name[:i]+name[i+1:]) || i+1 < len(name) && !try(name[:i]+string(name[i+1])+string(name[i])+name[i+2:]) {
			return ""
		}
	}
	return found
}

// DidYouMean is the end of a message that guesses at what was meant.
func DidYouMean(name string, known func(string) bool) string {
	if s := nearest(name, known); s != "" {
		return " Did you mean " + s + "?"
	}
	return ""
}

// clipAt is how much of a value a message quotes, in bytes.
const clipAt = 60

// Clip returns a text on one line, shortened for a message.
func Clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > clipAt {
		return strings.ToValidUTF8(s[:clipAt], "") + "…"
	}
	return s
}

// IrregularSpaces are white space and similar characters that look like a blank.
const IrregularSpaces = "\v\f\u0085\u00a0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"

// HasWord reports whether a list of words, with blanks between them, has a word.
func HasWord(list, word string) bool {
	return word != "" && slices.Contains(strings.Fields(list), word)
}

// Literals returns texts of which one is in every text that a regular expression matches, both in lower case; false where
// there are none. It panics if the expression does not compile.
func Literals(expression string) ([]string, bool) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err) // as regexp.MustCompile has it
	}
	return literals(tree)
}

// literals returns texts in lower case, one of which is in every text, in lower
// case, that an expression matches; false where there are none.
func literals(x *syntax.Regexp) ([]string, bool) {
	switch x.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(x.Rune))}, true
	case syntax.OpCapture, syntax.OpPlus:
		return literals(x.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, s := range x.Sub {
			list, ok := literals(s)
			if !ok {
				return nil, false
			}
			all = append(all, list...)
		}
		return all, true
	case syntax.OpConcat:
		var best []string
		for _, s := range x.Sub {
			if list, ok := literals(s); ok && (best == nil || shortest(list) > shortest(best)) {
				best = list
			}
		}
		return best, best != nil
	}
	return nil, false
}

func shortest(list []string) int {
	n := math.MaxInt
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}
