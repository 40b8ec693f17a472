package dom

import (
	"strings"

	"caselsp/agent/syntax"
)

// IsIconFont reports whether the name of a font family, in lower case, is that of
// a font whose characters are icons.
func IsIconFont(name string) bool {
	for _, part := range []string{"icon", "awesome", "glyph", "symbol", "material", "emoji", "fontello", "ionic", "codicon", "octicon", "feather", "math", "katex", "mathjax", "entypo", "webfont", "slick", "wingding", "webding", "star", "fa-", "flaticon", "-ui", "fa", "fui", "linearicons", "socicon", "vjs", "videojs"} {
		if name == part || len(part) > 3 && strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// MediaTest is one bracket of a media query: (min-width: 40em), (400px <= width).
type MediaTest struct {
	Feature    string // in lower case
	Start      int    // of the feature
	Open, End  int    // of the bracket
	before     []Token
	after      []Token
	sign, back string // what stands behind the feature, and before it: :, <, <=, ==
}

// KnownFeature reports whether CSS has a media feature of this name.
func KnownFeature(name string) bool {
	_, ok := KnownCSS().features[strings.TrimPrefix(strings.TrimPrefix(name, "min-"), "max-")]
	return ok
}

// MediaTests takes the prelude of @media apart. What has a function of a tool,
// or a variable of one, is left out.
func MediaTests(r *Rule) []MediaTest {
	var list []MediaTest
	tokens := Significant(r.Prelude, r.PreludeEnd-len(r.Prelude))
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Text != "(" {
			continue
		}
		end := i + 1
		for end < len(tokens) && tokens[end].Text != ")" && tokens[end].Text != "(" {
			if tokens[end].Kind == Function {
				end = closingToken(tokens, end)
			} else {
				end++
			}
		}
		if end >= len(tokens) || tokens[end].Text != ")" || end == i+1 {
			continue
		}
		if q, ok := readTest(tokens[i+1 : end]); ok {
			q.Open, q.End = tokens[i].Start, tokens[end].End
			list = append(list, q)
		}
		i = end
	}
	return list
}

// closingToken is the place behind the bracket that closes the function at a place.
func closingToken(tokens []Token, at int) int {
	m := matcher{tokens: tokens}
	return m.closing(at)
}

func readTest(tokens []Token) (MediaTest, bool) {
	q := MediaTest{}
	at := -1
	for i, t := range tokens {
		if t.Kind == Ident && t.Text[0] != '-' && (i == 0 || strings.Contains("<>=", tokens[i-1].Text)) && (at < 0 || KnownFeature(strings.ToLower(t.Text))) {
			at = i
		}
		if t.Kind == AtKeyword || t.Text == "$" || t.Text == "{" || t.Text == "#" || t.Text == "*" || t.Text == "+" {
			return q, false
		}
	}
	if at < 0 {
		return q, false
	}
	q.Feature, q.Start = strings.ToLower(tokens[at].Text), tokens[at].Start
	q.before, q.after = tokens[:at], tokens[at+1:]
	for len(q.after) > 0 && strings.Contains(":<>=", q.after[0].Text) {
		q.sign += q.after[0].Text
		q.after = q.after[1:]
	}
	for n := len(q.before); n > 0 && strings.Contains("<>=", q.before[n-1].Text); n = len(q.before) {
		q.back = q.before[n-1].Text + q.back
		q.before = q.before[:n-1]
	}
	return q, len(q.after) == 0 || q.sign != ""
}

// Known reports whether CSS has the feature that the test asks for.
func (q *MediaTest) Known() bool { return KnownFeature(q.Feature) }

// Fault says why a query is never true; "" where it may be.
func (q *MediaTest) Fault() string {
	base := strings.TrimPrefix(strings.TrimPrefix(q.Feature, "min-"), "max-")
	prefixed := base != q.Feature
	form := KnownCSS().features[base]
	if !q.Known() || form == "" {
		return ""
	}
	ranged := strings.HasPrefix(form, "<")
	switch compares := strings.ContainsAny(q.sign+q.back, "<>=") && !strings.HasPrefix(q.sign, ":"); {
	case prefixed && !ranged:
		return base + " has no min- and max-"
	case prefixed && compares:
		return "min- and max- go with a colon only"
	case prefixed && q.sign == "":
		return q.Feature + " needs a value"
	case compares && !ranged:
		return base + " cannot be compared"
	case q.sign != "" && !syntax.HasWord(": < <= > >= =", q.sign) || q.back != "" && !syntax.HasWord("< <= > >= =", q.back):
		return "unknown operator " + q.sign + q.back
	}
	for _, value := range [][]Token{q.before, q.after} {
		if text := TokenText(value); len(value) > 0 && !judgedElsewhere(value) && !KnownCSS().Suits(form, text) {
			if KnownCSS().Suits(form, text+"px") {
				return text + " needs a unit, such as px"
			}
			return q.Feature + " does not take the value " + syntax.Clip(text)
		}
	}
	return ""
}

// TokenText returns the text of tokens with a blank between them.
func TokenText(tokens []Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// judgedElsewhere reports whether a value has functions, variables or vendors' words.
func judgedElsewhere(tokens []Token) bool {
	for _, t := range tokens {
		if t.Kind == Function && !CSSMath[strings.ToLower(strings.TrimSuffix(t.Text, "("))] || t.Kind == Ident && strings.ContainsAny(t.Text[:1], "-_$") {
			return true
		}
	}
	return false
}

// Significant returns the tokens of a text without blanks and comments.
func Significant(text string, base int) []Token {
	tokens := Tokens(text, base)
	list := tokens[:0]
	for _, t := range tokens {
		if t.Kind != White && t.Kind != Remark {
			list = append(list, t)
		}
	}
	return list
}
