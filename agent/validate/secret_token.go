package validate

import (
	_ "embed"
	"math"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// tokenForm is the form of a service's keys.
type tokenForm struct {
	service string
	sign    []string // one of which is in every text with such a key
	form    *expression
	least   float64 // entropy of a key, in bits a character: below it is made up
	length  int     // of the shortest match, in bytes
	wide    bool    // a match may hold other bytes than those of words, see wordBytes
}

// within reports whether a text can hold such a key.
func (t *tokenForm) within(text string) bool {
	for _, s := range t.sign {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// certain reports whether a match is no placeholder.
func (t *tokenForm) certain(key string) bool {
	return entropy(key) >= t.least && !madeUp.MatchString(key) && (inRow(key) < 9 || t.least < 3) && !tokenForms().shown[key]
}

// madeUp is what services and people write into examples.
var madeUp = expr(`(?i)example|x{5,}|\*{3}|\.{3}|your[_-]|placeholder|redacted|dummy|fake|0{8}|1234567890|abcdefghij|eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l`)

//go:embed secret_token.txt
var tokenTable string

// formTable are all forms of keys.
type formTable struct {
	list     []tokenForm
	shortest int             // of the matches of those that are not wide
	shown    map[string]bool // keys that documentation shows
}

// tokenForms are the lines of secret_token.txt: service, signs, least entropy and
// the expression, whose first group is the key (the whole of it where it has none).
// Those that begin with shown are keys that documentation shows. An expression is
// compiled when a text first has its sign.
var tokenForms = sync.OnceValue(func() *formTable {
	t := &formTable{shortest: math.MaxInt, shown: map[string]bool{}}
	for _, line := range strings.Split(tokenTable, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, "\t", 4)
		if len(f) == 2 {
			t.shown[f[1]] = true
			continue
		}
		form := f[3]
		if !strings.Contains(strings.ReplaceAll(form, "(?:", ""), "(") {
			form = "(" + form + ")"
		}
		least := 3.0
		if f[2] == "low" {
			least = 2.0
		}
		x := tokenForm{service: f[0], sign: strings.Fields(f[1]), least: least, form: expr(form)}
		if x.length, x.wide = measure(form); !x.wide {
			t.shortest = min(t.shortest, x.length)
		}
		t.list = append(t.list, x)
	}
	return t
})

// measure returns the length of the shortest text that an expression matches,
// and whether it may match bytes that are none of a word's, or looks at what is
// around the match.
func measure(form string) (int, bool) {
	tree, err := syntax.Parse(form, syntax.Perl)
	if err != nil {
		panic(err) // a mistake in our own table
	}
	return measureNode(tree)
}

func measureNode(x *syntax.Regexp) (length int, wide bool) {
	switch x.Op {
	case syntax.OpLiteral:
		for _, r := range x.Rune {
			wide = wide || r >= utf8.RuneSelf || !wordBytes[r]
		}
		return len(x.Rune), wide || x.Flags&syntax.FoldCase != 0
	case syntax.OpCharClass:
		for i := 0; i < len(x.Rune) && !wide; i += 2 {
			for r := x.Rune[i]; r <= x.Rune[i+1] && !wide; r++ {
				wide = r >= utf8.RuneSelf || !wordBytes[r]
			}
		}
		return 1, wide
	case syntax.OpCapture, syntax.OpPlus:
		return measureNode(x.Sub[0])
	case syntax.OpQuest, syntax.OpStar:
		_, wide = measureNode(x.Sub[0])
		return 0, wide
	case syntax.OpRepeat:
		length, wide = measureNode(x.Sub[0])
		return length * x.Min, wide
	case syntax.OpConcat, syntax.OpAlternate:
		length = math.MaxInt
		for i, s := range x.Sub {
			n, w := measureNode(s)
			wide = wide || w
			switch {
			case i == 0:
				length = n
			case x.Op == syntax.OpConcat:
				length += n
			default:
				length = min(length, n)
			}
		}
		return length, wide
	case syntax.OpEmptyMatch:
		return 0, false
	}
	return 0, true
}

// wordBytes are those that keys are made of.
var wordBytes = func() (in [256]bool) {
	for c := range in {
		in[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.=+/~:%|$@", byte(c)) >= 0
	}
	return in
}()

// piece is a part of a text.
type piece struct{ start, end int }

// longWords returns the longest runs of wordBytes that are not below a length:
// of what people write, a few.
func longWords(text string, least int) []piece {
	var list []piece
	for i := 0; i+least <= len(text); {
		// From the end of a window: what is in no word there ends all that began before.
		last := i + least - 1
		for last >= i && wordBytes[text[last]] {
			last--
		}
		if last >= i {
			i = last + 1
			continue
		}
		end := i + least
		for end < len(text) && wordBytes[text[end]] {
			end++
		}
		list = append(list, piece{i, end})
		i = end
	}
	return list
}
