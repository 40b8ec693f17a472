package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"github.com/kaptinlin/jsonrepair"
)

// mend returns text as a valid JSON object: as it is, or repaired.
//
// jsonrepair repairs nearly anything, and not all of it rightly: three quotes
// in a row become an empty string and a new key, an answer that was cut in the
// middle of a string a whole one. So its result counts only where an
// independent and much narrower reading, [lex], finds the same tokens in both.
// That leaves missing closing brackets, trailing commas, raw newlines and tabs
// in strings, single quotes, bare keys and Python's True, False and None.
func mend(text string) (string, error) {
	text = strings.TrimSpace(text)
	var o map[string]json.RawMessage
	strict := json.Unmarshal([]byte(text), &o)
	if strict == nil && o != nil {
		return text, nil
	}
	if !strings.HasPrefix(text, "{") {
		return "", errNotObject
	}
	want, err := lex(text)
	if err != nil {
		return "", err
	}
	fixed, err := jsonrepair.Repair(text)
	if err != nil {
		return "", fmt.Errorf("%v", strict)
	}
	fixed = strings.TrimSpace(fixed)
	got, err := lex(fixed)
	if err != nil || json.Unmarshal([]byte(fixed), &o) != nil || !slices.Equal(want, got) {
		return "", fmt.Errorf("%v", strict)
	}
	return fixed, nil
}

// mendArguments returns the arguments of a native tool call as a JSON object
// where that is what they are or certainly meant to be, else as they came.
func mendArguments(args string) string {
	text := strings.TrimSpace(args)
	if text == "" || text == "null" {
		return "{}"
	}
	if o, ok := asObject(json.RawMessage(text)); ok {
		return o
	}
	if m := fenced.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	if size, _ := extent(text); size == len(text) {
		if o, err := mend(text); err == nil {
			return o
		}
	}
	return args
}

var fenced = lazyregexp.New("(?s)^```\\w*\\s*(\\{.*\\})\\s*```$")

// extent returns the length of the object that text begins with, and whether
// it is closed. One that is not closed reaches to the end of the text, without
// a fence that follows it.
func extent(text string) (size int, closed bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '"', '\'':
			// A quote opens a string only where a value or a key can begin;
			// elsewhere it is an apostrophe in something that is not JSON.
			if text[i] == '\'' && !opensString(text[:i]) {
				continue
			}
			n := stringEnd(text[i:])
			if n < 0 {
				return len(text), false
			}
			i += n - 1
		}
	}
	trimmed := strings.TrimRight(text, " \t\r\n")
	trimmed = strings.TrimRight(strings.TrimSuffix(trimmed, "```"), " \t\r\n")
	return len(trimmed), false
}

func opensString(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	return before != "" && strings.IndexByte("{[,:", before[len(before)-1]) >= 0
}

// stringEnd returns the length of the string that text begins with, with its
// quotes; -1 when it does not end.
func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return -1
}

var (
	bareKey = lazyregexp.New(`^[A-Za-z_]\w*`)
	number  = lazyregexp.New(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`)
	words   = map[string]string{"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
)

// token is a bracket, a colon, or a value: strings as "s"+text, others as
// "v"+text. Commas are no tokens, but lex insists on them between values.
type token string

const (
	// maxDepth bounds brackets in brackets: no action's arguments come near it,
	// and floods of brackets go beyond.
	maxDepth = 100
	// maxTokens bounds what is repaired: jsonrepair's time grows with the square
	// of it (a second at this number), and an action has a few dozen.
	maxTokens = 50_000
)

// lexer reads JSON with the faults that can be repaired and no others.
type lexer struct {
	text   string
	at     int
	open   []byte // the closing brackets that are due
	tokens []token
	comma  bool // the last thing read was a comma
}

// lex returns the tokens of an object; closing brackets that are missing at
// the end are added. Its errors are for the model.
func lex(text string) ([]token, error) {
	l := lexer{text: text}
	for {
		l.at += len(l.text[l.at:]) - len(strings.TrimLeft(l.text[l.at:], " \t\r\n"))
		if l.at == len(l.text) {
			break
		}
		if len(l.tokens) > 0 && len(l.open) == 0 {
			return nil, l.wrong("something follows the object's end")
		}
		if err := l.step(); err != nil {
			return nil, err
		}
	}
	if l.comma || l.last() == ":" {
		return nil, l.wrong("it ends where a value should follow")
	}
	for n := len(l.open); n > 0; n-- {
		l.tokens = append(l.tokens, token(l.open[n-1]))
	}
	return l.tokens, nil
}

func (l *lexer) wrong(what string) error {
	return fmt.Errorf("%s near %s", what, excerpt(l.text, l.at))
}

func (l *lexer) last() token {
	if len(l.tokens) == 0 {
		return ""
	}
	return l.tokens[len(l.tokens)-1]
}

// afterValue reports whether a value or a bracket's end was the last token.
func (l *lexer) afterValue() bool {
	switch t := l.last(); t {
	case "", "{", "[", ":":
		return false
	}
	return true
}

func (l *lexer) step() error {
	rest := l.text[l.at:]
	switch c := rest[0]; c {
	case ',':
		if l.comma || !l.afterValue() {
			return l.wrong("there is an extra comma")
		}
		l.comma = true
		l.at++
		return nil
	case ':':
		if l.comma || !strings.HasPrefix(string(l.last()), "s") {
			return l.wrong("there is a colon in a wrong place")
		}
		l.push(":", 1)
		return nil
	case '}', ']':
		n := len(l.open)
		if n == 0 || l.open[n-1] != c || l.last() == ":" {
			return l.wrong("the brackets do not match")
		}
		l.open = l.open[:n-1]
		l.push(token(c), 1)
		return nil
	}
	if l.afterValue() && !l.comma {
		return l.wrong("a comma is missing, or a quote in a string is not escaped,")
	}
	return l.value(rest)
}

func (l *lexer) push(t token, size int) {
	l.tokens, l.comma = append(l.tokens, t), false
	l.at += size
}

func (l *lexer) value(rest string) error {
	if len(l.open) > maxDepth || len(l.tokens) > maxTokens {
		return l.wrong("there are too many values, or brackets within brackets,")
	}
	switch rest[0] {
	case '{':
		l.open = append(l.open, '}')
		l.push("{", 1)
		return nil
	case '[':
		l.open = append(l.open, ']')
		l.push("[", 1)
		return nil
	case '"', '\'':
		return l.str(rest)
	}
	if n := number.FindString(rest); n != "" {
		l.push(token("v"+n), len(n))
		return nil
	}
	word := bareKey.FindString(rest)
	if strings.HasPrefix(strings.TrimLeft(rest[len(word):], " \t\r\n"), ":") && word != "" {
		l.push(token("s"+word), len(word))
		return nil
	}
	if v, ok := words[word]; ok {
		l.push(token("v"+v), len(word))
		return nil
	}
	return l.wrong("there is something that is not JSON")
}

// str reads a string with raw newlines and tabs, or between single quotes.
func (l *lexer) str(rest string) error {
	size := stringEnd(rest)
	if size < 0 {
		return l.wrong("a string does not end; it begins")
	}
	var b strings.Builder
	for i, body := 0, rest[1:size-1]; i < len(body); i++ {
		switch c := body[i]; {
		case c == '\\' && rest[0] == '\'' && body[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case c == '\\':
			b.WriteString(body[i : i+2])
			i++
		case c == '"':
			b.WriteString(`\"`)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	var s string
	if err := json.Unmarshal([]byte(`"`+b.String()+`"`), &s); err != nil {
		return l.wrong("a string holds an escape that JSON does not have; it begins")
	}
	l.push(token("s"+s), size)
	return nil
}
