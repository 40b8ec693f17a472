package dom

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

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

// kinds are our kinds of the lexer's tokens; any other is a [Mark].
var kinds = map[css.TokenType]TokenKind{
	css.WhitespaceToken: White, css.CommentToken: Remark,
	css.IdentToken: Ident, css.CustomPropertyNameToken: Ident, css.UnicodeRangeToken: Ident,
	css.FunctionToken: Function, css.AtKeywordToken: AtKeyword, css.HashToken: Hash,
	css.StringToken: String, css.BadStringToken: String, css.URLToken: URL, css.BadURLToken: URL,
	css.NumberToken: Number, css.PercentageToken: Percent, css.DimensionToken: Dimension,
}

// Tokens takes CSS apart; offsets count from base. Together the tokens are the whole
// text. The tokens are those of the lexer of tdewolff/parse, with three differences:
// a url("x") is one token, as url(x) is; a match operator such as ~= is two marks;
// and a string that a line break ends does not hold the line break.
func Tokens(text string, base int) []Token {
	tokens := make([]Token, 0, len(text)/4)
	add := func(kind TokenKind, start, end int) {
		if start < end {
			tokens = append(tokens, Token{kind, text[start:end], base + start, base + end})
		}
	}
	lexer := css.NewLexer(parse.NewInputString(text))
	at, url := 0, -1 // url: where a url(" that is not closed begins
	for at < len(text) {
		kind, data := lexer.Next()
		if kind == css.ErrorToken {
			break
		}
		start, end := at, at+len(data)
		at = end
		switch {
		case url >= 0:
			if kind == css.RightParenthesisToken {
				add(URL, url, end)
				url = -1
			}
		case kind == css.FunctionToken && strings.EqualFold(text[start:end], "url("):
			url = start
		case kind == css.BadStringToken:
			closed := start + len(strings.TrimRight(text[start:end], "\r\n\f"))
			add(String, start, closed)
			add(White, closed, end)
		case kinds[kind] != 0 || kind == css.WhitespaceToken:
			add(kinds[kind], start, end)
		case kind == css.CDOToken || kind == css.CDCToken || kind == css.DelimToken:
			add(Mark, start, end)
		default:
			for i := start; i < end; i++ {
				add(Mark, i, i+1)
			}
		}
	}
	if url >= 0 {
		add(URL, url, len(text))
	} else {
		add(Mark, at, len(text))
	}
	return tokens
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

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
