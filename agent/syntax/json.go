package syntax

import (
	"encoding/json"
	"errors"
	"strings"
)

// jsonFaults asks encoding/json. Comments and trailing commas, where they are
// allowed, are blanked first, so that offsets stay.
func jsonFaults(text string, comments bool) []fault {
	if comments {
		text = blankJSONC(text)
		if strings.TrimSpace(text) == "" {
			return nil // a settings file of comments only is read as no settings
		}
	}
	var value json.RawMessage
	err := json.Unmarshal([]byte(text), &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return nil
	}
	// Offset counts the bytes that were read, the offending one included.
	at := int(syntax.Offset) - 1
	rest := strings.TrimRight(text, " \t\r\n")
	if at >= len(rest)-1 && strings.Contains(syntax.Error(), "unexpected end") {
		return []fault{{"unexpected end of JSON: a value, a quote or a closing bracket is missing", len(rest), len(rest)}}
	}
	message := syntax.Error()
	if before := strings.TrimRight(text[:max(at, 0)], " \t\r\n"); at < len(text) && strings.HasSuffix(before, ",") {
		if c := text[at]; c == '}' || c == ']' {
			return []fault{{"trailing comma before " + string(c) + ": JSON allows none", len(before) - 1, len(before)}}
		}
	}
	return []fault{{message, at, wordEnd(text, at)}}
}

// blankJSONC replaces comments and trailing commas by spaces of their length.
func blankJSONC(text string) string {
	out := []byte(text)
	for _, c := range slashComments(text, `"`, true) {
		overwrite(out[c.start:c.end], ' ')
	}
	comma, quoted := -1, false
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, comma = !quoted, -1
		case quoted, c == ' ', c == '\t', c == '\n', c == '\r':
		case c == ',':
			comma = i
		default:
			if comma >= 0 && (c == '}' || c == ']') {
				out[comma] = ' '
			}
			comma = -1
		}
	}
	return string(out)
}

// overwrite fills b, except its line ends.
func overwrite(b []byte, fill byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = fill
		}
	}
}
