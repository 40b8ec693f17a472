package dom

import "strings"

// TokenKind says what a token of CSS is.
type TokenKind uint8

// The kinds of tokens.
const (
	White     TokenKind = iota
	Remark              // /* */
	Ident               // red, --brand
	Function            // rgb(
	AtKeyword           // @media
	Hash                // #fff
	String              // "x"
	URL                 // url(x), whole
	Number              // 1.5
	Percent             // 50%
	Dimension           // 12px
	Mark                // any other character
)

// Token is a token of CSS.
type Token struct {
	Kind       TokenKind
	Text       string // as it is written
	Start, End int
}

// Unit returns the unit of a dimension in lower case, and its number as it is written.
func (t Token) Unit() (number, unit string) {
	i := numberEnd(t.Text, 0)
	return t.Text[:i], lower(t.Text[i:])
}

// Tokens takes CSS apart; offsets count from base.
func Tokens(text string, base int) []Token {
	tokens := make([]Token, 0, len(text)/4)
	for at := 0; at < len(text); {
		kind, end := token(text, at)
		tokens = append(tokens, Token{kind, text[at:end], base + at, base + end})
		at = end
	}
	return tokens
}

func token(text string, at int) (TokenKind, int) {
	c, rest := text[at], text[at:]
	switch {
	case blank(c):
		end := at + 1
		for end < len(text) && blank(text[end]) {
			end++
		}
		return White, end
	case strings.HasPrefix(rest, "/*"):
		if i := strings.Index(rest[2:], "*/"); i >= 0 {
			return Remark, at + 2 + i + 2
		}
		return Remark, len(text)
	case c == '"' || c == '\'':
		return String, stringEnd(text, at)
	case c == '#' && at+1 < len(text) && nameByte(text, at+1):
		return Hash, nameEnd(text, at+1)
	case c == '@' && identStart(text, at+1):
		return AtKeyword, nameEnd(text, at+1)
	case numberStart(text, at):
		end := numberEnd(text, at)
		if end < len(text) && text[end] == '%' {
			return Percent, end + 1
		}
		if identStart(text, end) {
			return Dimension, nameEnd(text, end)
		}
		return Number, end
	case strings.HasPrefix(rest, "<!--"):
		return Mark, at + 4
	case strings.HasPrefix(rest, "-->"):
		return Mark, at + 3
	case identStart(text, at):
		end := nameEnd(text, at)
		if end >= len(text) || text[end] != '(' {
			return Ident, end
		}
		if strings.EqualFold(text[at:end], "url") {
			return urlEnd(text, end+1)
		}
		return Function, end + 1
	}
	return Mark, at + 1
}

func stringEnd(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[at]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}

// urlEnd reads on behind "url(": a url of its own where no quote follows, else a function.
func urlEnd(text string, from int) (TokenKind, int) {
	i := from
	for i < len(text) && blank(text[i]) {
		i++
	}
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		i = stringEnd(text, i)
	}
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ')':
			return URL, i + 1
		}
	}
	return URL, len(text)
}

// nameByte reports whether a name goes on here: letters, digits, - and _, escapes and all beyond ASCII.
func nameByte(text string, at int) bool {
	c := text[at]
	return letter(c) || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= 0x80 || c == '\\' && at+1 < len(text) && text[at+1] != '\n'
}

func nameEnd(text string, at int) int {
	for at < len(text) && nameByte(text, at) {
		if text[at] == '\\' {
			at++
		}
		at++
	}
	return min(at, len(text))
}

func identStart(text string, at int) bool {
	if at >= len(text) {
		return false
	}
	c := text[at]
	if c == '-' {
		return at+1 < len(text) && (text[at+1] == '-' || nameByte(text, at+1) && !digit(text[at+1]))
	}
	return nameByte(text, at) && !digit(c)
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func numberStart(text string, at int) bool {
	if at < len(text) && (text[at] == '+' || text[at] == '-') {
		at++
	}
	if at < len(text) && text[at] == '.' {
		at++
	}
	return at < len(text) && digit(text[at])
}

func numberEnd(text string, at int) int {
	if at < len(text) && (text[at] == '+' || text[at] == '-') {
		at++
	}
	for at < len(text) && digit(text[at]) {
		at++
	}
	if at+1 < len(text) && text[at] == '.' && digit(text[at+1]) {
		for at++; at < len(text) && digit(text[at]); at++ {
		}
	}
	if at+1 < len(text) && (text[at] == 'e' || text[at] == 'E') {
		i := at + 1
		if text[i] == '+' || text[i] == '-' {
			i++
		}
		if i < len(text) && digit(text[i]) {
			for at = i; at < len(text) && digit(text[at]); at++ {
			}
		}
	}
	return at
}

// Target returns the address of a url() token, without quotes and blanks, and
// its place in the token.
func (t Token) Target() (string, int) {
	if t.Kind != URL {
		return "", 0
	}
	start := strings.IndexByte(t.Text, '(') + 1
	inside := strings.TrimSuffix(t.Text[start:], ")")
	trimmed := strings.TrimLeft(inside, " \t\r\n\f")
	start += len(inside) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t\r\n\f")
	if len(trimmed) > 1 && (trimmed[0] == '"' || trimmed[0] == '\'') && trimmed[len(trimmed)-1] == trimmed[0] {
		return trimmed[1 : len(trimmed)-1], start + 1
	}
	return trimmed, start
}
