package syntax

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/jsonc"
)

// jsonFaults asks encoding/json. Comments and trailing commas, where they are
// allowed, are blanked first, so that offsets stay.
func jsonFaults(text string, comments bool) []fault {
	if comments {
		text = string(PlainJSON([]byte(text)))
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

// PlainJSON returns JSON with its comments and trailing commas turned to blanks, so
// that every other byte keeps its place. A comment that is not closed stays, for a
// decoder to object to.
func PlainJSON(text []byte) []byte {
	plain := jsonc.ToJSON(text)
	if n := len(text); n > 0 { // it writes a blank after, or in place of, the end of an open comment
		plain = plain[:n]
		if text[n-1] == '\n' {
			plain[n-1] = '\n'
		}
	}
	return plain
}
