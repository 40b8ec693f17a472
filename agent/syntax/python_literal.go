package syntax

import (
	"strings"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

var pyNumberForm = lazyregexp.New(`^(?i:0x(?:_?[0-9a-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+` +
	`|(?:(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*|[0-9](?:_?[0-9])*\.?)(?:e[+-]?[0-9](?:_?[0-9])*)?j?)`)

var pyLeadingZero = lazyregexp.New(`^0[0-9_]*[1-9][0-9_]*$`)

// pyAfterNumber are the keywords that may touch a number, as in `1if x else 2`.
var pyAfterNumber = lazyregexp.New(`^(?:and|else|for|if|in|is|not|or)\b`)

func (l *pyLexer) number() {
	start := l.pos
	l.pos += len(pyNumberForm.FindString(l.text[start:]))
	literal := l.text[start:l.pos]
	rest := l.text[l.pos:]
	switch {
	case pyLeadingZero.MatchString(literal):
		l.bad(start, l.pos, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	case rest != "" && isWordByte(rest[0]) && !pyAfterNumber.MatchString(rest):
		l.bad(start, wordEnd(l.text, l.pos), "invalid number literal")
	default:
		l.add(pyNumber, start)
	}
}

// maxFields is how deep f-strings may stand in each other's fields.
const maxFields = 20

// pyQuote is the string that is being read.
type pyQuote struct {
	start          int // of the token, prefix included
	quote          string
	raw, f, binary bool
	fields         [][]pyToken
}

// quoted reads the string whose prefix begins at start and whose quote is at l.pos.
func (l *pyLexer) quoted(start int) {
	prefix := strings.ToLower(l.text[start:l.pos])
	q := &pyQuote{start: start, quote: l.text[l.pos : l.pos+1]}
	q.raw = strings.Contains(prefix, "r")
	q.f = strings.ContainsAny(prefix, "ft")
	q.binary = strings.Contains(prefix, "b")
	if triple := strings.Repeat(q.quote, 3); strings.HasPrefix(l.text[l.pos:], triple) {
		q.quote = triple
	}
	l.pos += len(q.quote)
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case strings.HasPrefix(l.text[l.pos:], q.quote):
			l.pos += len(q.quote)
			l.tokens = append(l.tokens, pyToken{kind: pyString, start: start, end: l.pos, fields: q.fields, bytes: q.binary})
			return
		case (c == '\n' || c == '\r') && len(q.quote) == 1:
			l.unterminated(q)
			return
		case c == '\\':
			l.escape(q)
		case q.f && (c == '{' || c == '}'):
			l.brace(q)
		case q.binary && c >= utf8.RuneSelf:
			l.bad(l.pos, l.pos+1, "bytes can only contain ASCII literal characters")
		default:
			l.pos++
		}
		if l.failed() {
			return
		}
	}
	l.unterminated(q)
}

const unterminatedString = "unterminated string literal"

func (l *pyLexer) unterminated(q *pyQuote) {
	if len(q.quote) == 3 {
		l.bad(q.start, q.start+3, "unterminated triple-quoted string literal")
		return
	}
	l.bad(q.start, l.pos, unterminatedString)
}

// pyEscapes are the escapes that must be complete, and what completes them.
var pyEscapes = map[byte]*lazyregexp.Regexp{
	'x': lazyregexp.New(`^[0-9a-fA-F]{2}`),
	'u': lazyregexp.New(`^[0-9a-fA-F]{4}`),
	'U': lazyregexp.New(`^(?:000[0-9a-fA-F]|0010)[0-9a-fA-F]{4}`),
	'N': lazyregexp.New(`^\{[^}"'\n]+\}`),
}

func (l *pyLexer) escape(q *pyQuote) {
	start := l.pos
	l.pos++
	if l.pos >= len(l.text) {
		return
	}
	c := l.text[l.pos]
	if q.f && (c == '{' || c == '}') {
		return // a backslash does not escape a brace
	}
	if !l.lineEnd() {
		_, size := utf8.DecodeRuneInString(l.text[l.pos:])
		l.pos += size
	}
	form := pyEscapes[c]
	if q.raw || form == nil || q.binary && c != 'x' {
		return
	}
	found := form.FindString(l.text[l.pos:])
	if found == "" {
		l.bad(start, l.pos, `the escape \%c is not complete: double the backslash, or use a raw string`, c)
		return
	}
	l.pos += len(found)
}

// brace reads a brace of an f-string: a doubled one, or a replacement field.
func (l *pyLexer) brace(q *pyQuote) {
	rest := l.text[l.pos:]
	if strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}") {
		l.pos += 2
		return
	}
	if rest[0] == '}' {
		l.bad(l.pos, l.pos+1, "f-string: single '}' is not allowed")
		return
	}
	l.readField(q)
}

// readField reads a replacement field, its conversion and its format, in which
// fields may stand again. Fields are read by the rules of Python 3.12, which
// allow all that older ones allowed.
func (l *pyLexer) readField(q *pyQuote) {
	open := l.pos
	inner := &pyLexer{text: l.text, pos: open + 1, nested: l.nested + 1}
	if inner.nested > maxFields {
		l.bad(open, open+1, "f-string: too many nested expressions")
		return
	}
	inner.fieldTokens()
	l.comments = append(l.comments, inner.comments...)
	l.pos = inner.pos
	if inner.failed() {
		bad := inner.tokens[len(inner.tokens)-1]
		if len(q.quote) == 1 && bad.message == unterminatedString && l.text[bad.start:bad.start+1] == q.quote {
			// The quote that was to end the f-string began another.
			l.bad(open, open+1, "f-string: expecting '}'")
			return
		}
		l.tokens = append(l.tokens, bad)
		return
	}
	inner.tokens = append(inner.tokens, pyToken{kind: pyEnd, start: l.pos, end: min(l.pos+1, len(l.text))})
	q.fields = append(q.fields, inner.tokens)
	if l.peekByte() == '!' {
		l.pos++
		if c := l.peekByte(); c != 's' && c != 'r' && c != 'a' {
			l.bad(l.pos-1, l.pos+1, "f-string: invalid conversion character: expected 's', 'r', or 'a'")
			return
		}
		l.pos++
		for c := l.peekByte(); c == ' ' || c == '\t'; c = l.peekByte() {
			l.pos++
		}
	}
	if l.peekByte() == ':' {
		l.pos++
		l.format(q)
	}
	if l.failed() {
		return
	}
	if l.peekByte() != '}' {
		l.bad(open, open+1, "f-string: expecting '}'")
		return
	}
	l.pos++
}

// peekByte returns the next byte; 0 at the end.
func (l *pyLexer) peekByte() byte {
	if l.pos < len(l.text) {
		return l.text[l.pos]
	}
	return 0
}

// format reads a format up to the brace that ends its field.
func (l *pyLexer) format(q *pyQuote) {
	for l.pos < len(l.text) && !l.failed() {
		switch c := l.text[l.pos]; {
		case c == '}', strings.HasPrefix(l.text[l.pos:], q.quote), (c == '\n' || c == '\r') && len(q.quote) == 1:
			return
		case c == '{':
			l.nested++
			l.readField(q)
			l.nested--
		case c == '\\' && l.pos+1 < len(l.text):
			l.pos += 2
		default:
			l.pos++
		}
	}
	l.pos = min(l.pos, len(l.text))
}

// blanksAndLines skips what is between two tokens inside brackets.
func (l *pyLexer) blanksAndLines() {
	for l.blanks(); !l.failed() && l.lineEnd(); l.blanks() {
	}
}

// fieldTokens reads the tokens of a field's expression, up to the brace, the
// conversion or the format that follows it.
func (l *pyLexer) fieldTokens() {
	for !l.failed() {
		l.blanksAndLines()
		if l.pos >= len(l.text) {
			return
		}
		if len(l.brackets) == 0 {
			switch c := l.text[l.pos]; {
			case c == '}', c == ':', c == '!' && !strings.HasPrefix(l.text[l.pos:], "!="):
				return
			case c == '=' && !strings.HasPrefix(l.text[l.pos:], "=="):
				l.pos++ // `{x=}` shows the expression too
				l.blanksAndLines()
				if c := l.peekByte(); c != '}' && c != ':' && c != '!' {
					l.bad(l.pos-1, l.pos, "f-string: expecting '!', or ':', or '}'")
				}
				return
			}
		}
		l.token()
	}
}
