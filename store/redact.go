package store

import (
	"encoding/json"
	"slices"
	"strings"
)

// mask replaces a secret. No rule finds anything in it.
const mask = Redacted

// Redacted is the text that replaces a secret.
const Redacted = "[redacted]"

// maxPasses bounds how often a text is searched. A second pass is needed because a
// mask may end a word that hid the beginning of another secret; only texts made for
// the purpose need more.
const maxPasses = 8

// redactor masks secrets in text. It is immutable.
type redactor struct {
	secrets []string // as given
	known   *strings.Replacer
	byFirst [256][]string // writings that may be split over lines, by their first byte, longest first
}

// newRedactor returns a redactor that masks the values and whatever looks like a
// secret.
func newRedactor(values []string) *redactor {
	r := &redactor{}
	for _, v := range values {
		if len(v) >= minSecret && !strings.Contains(mask, v) {
			r.secrets = append(r.secrets, v)
		}
	}
	var pairs []string
	for _, f := range knownForms(r.secrets) {
		pairs = append(pairs, f, mask)
		if len(f) >= minSplit {
			r.byFirst[f[0]] = append(r.byFirst[f[0]], f)
		}
	}
	if len(pairs) > 0 {
		r.known = strings.NewReplacer(pairs...)
	}
	return r
}

// Redact returns text with its secrets replaced by [redacted]: the values given to
// [Store.Conceal], and whatever looks like a secret (keys of well-known services,
// private keys, authorization headers, passwords in URLs, random values assigned to
// names of secrets, passwords assigned to names of passwords). Hashes, UUIDs, lock
// files and ordinary code do not change. Redacting twice changes nothing more.
func (s *Store) Redact(text string) string { return s.redactor.Load().text(text) }

// Conceal adds values that are redacted from now on wherever they occur, also
// escaped for JSON, HTML or URLs, in hexadecimal and base64, and wrapped over lines.
// It is for values that the user typed when asked for a secret, and for those of the
// keyring. Values of fewer than four bytes are ignored.
func (s *Store) Conceal(values ...string) {
	s.secrets.Lock()
	defer s.secrets.Unlock()
	s.redactor.Store(newRedactor(slices.Concat(s.redactor.Load().secrets, values)))
}

// text redacts plain text.
func (r *redactor) text(text string) string {
	for range maxPasses {
		next := text
		if r.known != nil {
			next = r.redactSplit(r.known.Replace(next))
		}
		next = redactPEM(next)
		next = redactFormats(next)
		next = redactTokens(next)
		next = redactAssignments(next)
		next = redactPasswords(next)
		if next == text {
			break
		}
		text = next
	}
	return text
}

// json redacts the strings inside valid JSON and leaves every other byte: the
// result is valid JSON with the same numbers, order and spaces. A member's name
// counts for all strings in its value, and a private key that is split into an
// array of lines is found line by line.
func (r *redactor) json(raw []byte) []byte {
	var (
		out    []byte // nil while nothing has changed
		copied int    // raw[:copied] is in out
		name   string // the last key
		pem    pemState
	)
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			i++
			continue
		}
		end := stringEnd(raw, i)
		text := unquote(raw[i:end])
		clean := r.text(text)
		if isKey(raw[end:]) {
			name, pem = text, pemOutside
		} else if pem.next(text) || holdsSecret(name, text) {
			clean = mask
		}
		if clean != text {
			quoted, _ := json.Marshal(clean) // a string always can be
			out = append(append(out, raw[copied:i]...), quoted...)
			copied = end
		}
		i = end
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

// stringEnd returns the index after the string that starts at raw[start].
func stringEnd(raw []byte, start int) int {
	for i := start + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

func unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; !slices.Contains(inner, '\\') {
		return string(inner)
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return string(quoted)
	}
	return text
}

// isKey reports whether a string with this after it is the name of a member.
func isKey(after []byte) bool {
	for _, c := range after {
		switch c {
		case ' ', '\t', '\n', '\r':
		default:
			return c == ':'
		}
	}
	return false
}
