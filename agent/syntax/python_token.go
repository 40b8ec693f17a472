package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type pyKind uint8

const (
	pyEnd pyKind = iota
	pyNewline
	pyIndent
	pyDedent
	pyName // keywords too
	pyNumber
	pyString
	pyOp
	pyBad // what is no token; the last before pyEnd
)

// Limits of CPython's own tokenizer.
const (
	pyMaxIndents  = 100
	pyMaxBrackets = 200
)

type pyToken struct {
	kind       pyKind
	start, end int
	text       string      // of names and operators
	fields     [][]pyToken // of an f-string: the tokens of its replacement fields
	message    string      // of a pyBad
	opener     int         // of a pyBad that is about brackets: where the open one is, else -1
	bytes      bool        // of a string
}

// pyLexer turns Python source into tokens, with the rules of the Python
// reference for line joining and indentation. The first mistake ends it.
type pyLexer struct {
	text     string
	pos      int
	tokens   []pyToken
	comments []span
	brackets []int // offsets of the open ones
	indents  []pyIndentation
	nested   int // of an f-string's replacement field: how many fields it is in
}

// pyIndentation is a line's indentation with tabs as 8 and with tabs as 1:
// where two lines compare differently by the two, it is not consistent.
type pyIndentation struct{ column, alternate int }

func lexPython(text string) *pyLexer {
	l := &pyLexer{text: text, indents: []pyIndentation{{}}}
	if i := strings.IndexByte(text, 0); i >= 0 {
		l.bad(i, i+1, "source code cannot contain null bytes")
		return l.finish()
	}
	atLineStart := true
	for !l.failed() {
		if atLineStart && len(l.brackets) == 0 {
			l.indentation()
			atLineStart = false
			continue
		}
		l.blanks()
		switch {
		case l.pos >= len(text):
			return l.finish()
		case text[l.pos] == '\n' || text[l.pos] == '\r':
			start := l.pos
			l.lineEnd()
			if len(l.brackets) == 0 {
				l.add(pyNewline, start)
				atLineStart = true
			}
		default:
			l.token()
		}
	}
	return l.finish()
}

func (l *pyLexer) failed() bool {
	return len(l.tokens) > 0 && l.tokens[len(l.tokens)-1].kind == pyBad
}

func (l *pyLexer) bad(start, end int, format string, args ...any) {
	end = min(end, len(l.text))
	l.tokens = append(l.tokens, pyToken{kind: pyBad, start: start, end: end, message: fmt.Sprintf(format, args...), opener: -1})
}

func (l *pyLexer) add(kind pyKind, start int) {
	l.tokens = append(l.tokens, pyToken{kind: kind, start: start, end: l.pos, text: l.text[start:l.pos]})
}

// finish ends the last line and the open blocks, or says which bracket is open.
func (l *pyLexer) finish() *pyLexer {
	if !l.failed() {
		if n := len(l.brackets); n > 0 {
			open := l.brackets[n-1]
			l.bad(open, open+1, "'%c' was never closed", l.text[open])
			l.tokens[len(l.tokens)-1].opener = open
		} else {
			if n := len(l.tokens); n > 0 && l.tokens[n-1].kind != pyNewline && l.tokens[n-1].kind != pyDedent {
				l.add(pyNewline, l.pos)
			}
			for range l.indents[1:] {
				l.add(pyDedent, l.pos)
			}
		}
	}
	l.tokens = append(l.tokens, pyToken{kind: pyEnd, start: len(l.text), end: len(l.text)})
	return l
}

// indentation reads the blanks that begin a logical line. Blank lines and
// those that hold only a comment have none.
func (l *pyLexer) indentation() {
	var at, joined pyIndentation
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; c {
		case ' ':
			at.column++
			at.alternate++
		case '\t':
			at.column = (at.column/8 + 1) * 8
			at.alternate++
		case '\f':
			at = pyIndentation{}
		case '\\': // joins the next line, whose own blanks do not count
			if joined == (pyIndentation{}) {
				joined = at
			}
			l.pos++
			if !l.lineEnd() || l.pos >= len(l.text) {
				l.pos--
				if l.pos+1 >= len(l.text) {
					l.bad(l.pos, len(l.text), "unexpected end of file after a line continuation")
				} else {
					l.bad(l.pos, l.pos+1, "unexpected character after line continuation character")
				}
				return
			}
			at = pyIndentation{}
			continue
		case '#':
			l.comment()
			continue
		case '\n', '\r':
			l.lineEnd()
			at, joined = pyIndentation{}, pyIndentation{}
			continue
		default:
			if joined != (pyIndentation{}) {
				at = joined
			}
			l.indentTo(at)
			return
		}
		l.pos++
	}
}

func (l *pyLexer) indentTo(at pyIndentation) {
	lineStart := strings.LastIndexAny(l.text[:l.pos], "\r\n") + 1
	top := l.indents[len(l.indents)-1]
	const mixed = "inconsistent use of tabs and spaces in indentation"
	if at.column == top.column && at.alternate != top.alternate || at.column > top.column && at.alternate <= top.alternate {
		l.bad(lineStart, l.pos, mixed)
		return
	}
	if at.column > top.column {
		if len(l.indents) >= pyMaxIndents {
			l.bad(lineStart, l.pos, "too many levels of indentation")
			return
		}
		l.indents = append(l.indents, at)
		l.add(pyIndent, lineStart)
		return
	}
	for at.column < l.indents[len(l.indents)-1].column {
		l.indents = l.indents[:len(l.indents)-1]
		l.tokens = append(l.tokens, pyToken{kind: pyDedent, start: l.pos, end: l.pos})
	}
	top = l.indents[len(l.indents)-1]
	if at.column != top.column {
		l.bad(lineStart, l.pos, "unindent does not match any outer indentation level")
	} else if at.alternate != top.alternate {
		l.bad(lineStart, l.pos, mixed)
	}
}

// blanks skips what is between two tokens of a line: blanks, joined lines, comments.
func (l *pyLexer) blanks() {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == ' ', c == '\t', c == '\f':
			l.pos++
		case c == '#':
			l.comment()
		case c == '\\' && l.pos+1 < len(l.text) && (l.text[l.pos+1] == '\n' || l.text[l.pos+1] == '\r'):
			start := l.pos
			l.pos++
			l.lineEnd()
			if l.pos >= len(l.text) {
				l.bad(start, l.pos, "unexpected end of file after a line continuation")
				return
			}
		default:
			return
		}
	}
}

// lineEnd skips one line end and reports whether there was one.
func (l *pyLexer) lineEnd() bool {
	rest := l.text[l.pos:]
	switch {
	case strings.HasPrefix(rest, "\r\n"):
		l.pos += 2
	case strings.HasPrefix(rest, "\n"), strings.HasPrefix(rest, "\r"):
		l.pos++
	default:
		return false
	}
	return true
}

func (l *pyLexer) comment() {
	start := l.pos
	if i := strings.IndexAny(l.text[start:], "\r\n"); i >= 0 {
		l.pos += i
	} else {
		l.pos = len(l.text)
	}
	l.comments = append(l.comments, span{start, l.pos})
}

func pythonComments(text string) []span { return lexPython(text).comments }

var pyPrefixes = map[string]bool{
	"": true, "r": true, "u": true, "b": true, "br": true, "rb": true,
	"f": true, "fr": true, "rf": true, "t": true, "tr": true, "rt": true,
}

// token reads one token; there is one.
func (l *pyLexer) token() {
	if l.failed() || l.pos >= len(l.text) {
		return
	}
	start, c := l.pos, l.text[l.pos]
	switch {
	case c == '"' || c == '\'':
		l.quoted(start)
	case isWordByte(c) && !('0' <= c && c <= '9'):
		l.name()
	case '0' <= c && c <= '9', c == '.' && start+1 < len(l.text) && '0' <= l.text[start+1] && l.text[start+1] <= '9':
		l.number()
	default:
		l.operator()
	}
}

func (l *pyLexer) name() {
	start := l.pos
	for l.pos < len(l.text) && isWordByte(l.text[l.pos]) {
		r, size := utf8.DecodeRuneInString(l.text[l.pos:])
		if r >= utf8.RuneSelf && !isNameRune(r) {
			l.bad(l.pos, l.pos+size, "invalid character '%c' (U+%04X)", r, r)
			return
		}
		l.pos += size
	}
	if l.pos < len(l.text) && (l.text[l.pos] == '"' || l.text[l.pos] == '\'') && pyPrefixes[strings.ToLower(l.text[start:l.pos])] {
		l.quoted(start)
		return
	}
	l.add(pyName, start)
}

// isNameRune reports whether r may stand in an identifier. Names are compared
// after normalisation, so that compatibility forms of letters are letters too.
func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) ||
		unicode.In(r, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Start, unicode.Other_ID_Continue)
}

// pyOperators are the operators of more than one character, longest first.
var pyOperators = []string{
	"**=", "//=", ">>=", "<<=", "...",
	"**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
}

func (l *pyLexer) operator() {
	start := l.pos
	rest := l.text[start:]
	for _, op := range pyOperators {
		if strings.HasPrefix(rest, op) {
			l.pos += len(op)
			l.add(pyOp, start)
			return
		}
	}
	c := rest[0]
	switch {
	case strings.IndexByte("([{", c) >= 0:
		if len(l.brackets) >= pyMaxBrackets {
			l.bad(start, start+1, "too many nested parentheses")
			return
		}
		l.brackets = append(l.brackets, start)
	case strings.IndexByte(")]}", c) >= 0:
		if !l.closes(start, c) {
			return
		}
		l.brackets = l.brackets[:len(l.brackets)-1]
	case c == '\\':
		l.bad(start, start+1, "unexpected character after line continuation character")
		return
	case strings.IndexByte("+-*/%@&|^~<>=.,:;", c) < 0:
		r, size := utf8.DecodeRuneInString(rest)
		l.bad(start, start+size, "invalid character '%c' (U+%04X)", r, r)
		return
	}
	l.pos++
	l.add(pyOp, start)
}

// closes reports whether the closing bracket c matches the one that is open.
func (l *pyLexer) closes(at int, c byte) bool {
	n := len(l.brackets)
	if n == 0 {
		l.bad(at, at+1, "unmatched '%c'", c)
		return false
	}
	open := l.text[l.brackets[n-1]]
	if open == '(' && c == ')' || open == '[' && c == ']' || open == '{' && c == '}' {
		return true
	}
	l.bad(at, at+1, "closing '%c' does not match opening '%c'", c, open)
	l.tokens[len(l.tokens)-1].opener = l.brackets[n-1]
	return false
}
