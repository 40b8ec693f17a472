package store

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
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
	secrets []string        // as given
	known   *known          // nil: no values
	own     map[string]bool // what a model wrote itself: it only looks like secrets
	seen    *seen           // shared by the redactors of a store
}

// newRedactor returns a redactor that masks the values and whatever looks like a
// secret.
func newRedactor(values []string) *redactor {
	r := &redactor{own: map[string]bool{}, seen: &seen{}}
	for _, v := range values {
		if len(v) >= minSecret && !strings.Contains(mask, v) {
			r.secrets = append(r.secrets, v)
		}
	}
	r.known = newKnown(r.secrets)
	return r
}

// Redact returns text with its secrets replaced by [redacted]: the values given to
// [Store.Conceal], and whatever looks like a secret (keys of well-known services,
// private keys, authorization headers, passwords in URLs, random values assigned to
// names of secrets, passwords assigned to names of passwords). Hashes, UUIDs, lock
// files and ordinary code do not change. Redacting twice changes nothing more.
func (s *Store) Redact(text string) string { return s.redactor.Load().text(text) }

// RedactJSON is [Store.Redact] for the strings in valid JSON, also for those that are
// bytes in base64. Everything else of it stays.
func (s *Store) RedactJSON(raw []byte) []byte { return s.redactor.Load().json(raw) }

// lines redacts a text line by line where that keeps their number: editors find their
// places by it.
func (r *redactor) lines(text string) string {
	clean := r.text(text)
	if strings.Count(clean, "\n") == strings.Count(text, "\n") {
		return clean
	}
	var out strings.Builder
	var pem pemState
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		clean := r.text(body)
		if pem.next(body) {
			clean = mask
		}
		out.WriteString(clean + line[len(body):])
	}
	return out.String()
}

// Conceal adds values that are redacted from now on wherever they occur, also
// escaped for JSON, HTML or URLs, in hexadecimal and base64, and wrapped over lines.
// It is for values that the user typed when asked for a secret, and for those of the
// keyring. Values of fewer than four bytes are ignored.
func (s *Store) Conceal(values ...string) {
	s.secrets.Lock()
	defer s.secrets.Unlock()
	old := s.redactor.Load()
	r := newRedactor(slices.Concat(old.secrets, values))
	r.own, r.seen = old.own, old.seen
	s.redactor.Store(r)
}

// textAt redacts text that stands in so many other writings.
func (r *redactor) textAt(text string, depth int) string {
	var p *page
	for range maxPasses {
		p = r.read(text)
		next := text
		if r.known != nil {
			next = r.known.redactPage(p)
		}
		next = redactPEM(next)
		next = redactFormats(next, r.isOwn)
		next = redactEncoded(next)
		next = redactTokens(next, r.isOwn)
		next = redactAssignments(next, r.isOwn)
		next = redactPasswords(next, r.isOwn)
		next = redactProse(next, r.isOwn)
		if next == text {
			break
		}
		text = next
	}
	if p.text != text {
		p = r.read(text)
	}
	return r.redactDecoded(p, depth)
}

// read makes a page of a text.
func (r *redactor) read(text string) *page {
	if r.known == nil {
		return marked(text)
	}
	return r.known.read(text)
}

// json redacts the strings inside valid JSON and leaves every other byte: the
// result is valid JSON with the same numbers, order and spaces. A member's name
// counts for all strings in its value, a private key that is split into an
// array of lines is found line by line, and a string that is bytes in base64, as Go
// writes them, is redacted as what it stands for.
func (r *redactor) json(raw []byte) []byte { return r.walk(raw, r.text, holdsSecret) }

// authoredJSON is json for a record whose strings a model wrote.
func (r *redactor) authoredJSON(raw []byte) []byte {
	return r.walk(raw, r.authored, func(name, value string) bool { return false })
}

func (r *redactor) walk(raw []byte, redact func(string) string, named func(name, value string) bool) []byte {
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
		clean, bytes := r.bytes(text, redact)
		if !bytes {
			clean = redact(text)
		}
		if isKey(raw[end:]) {
			name, pem = text, pemOutside
		} else if pem.next(text) || named(name, text) && !r.isOwn(text) {
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

// minBytes is the length of the shortest string that is taken for bytes in base64.
const minBytes = 16

// bytes redacts a string that is bytes in base64. It reports false where the string
// is none, or where there is nothing to redact in what it stands for.
func (r *redactor) bytes(text string, redact func(string) string) (string, bool) {
	if len(text) < minBytes || len(text)%4 != 0 || !base64Bytes[text[0]] {
		return text, false
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return text, false
	}
	plain := string(data)
	clean := plain
	switch {
	case utf8.Valid(data):
		clean = redact(plain)
	case r.known != nil:
		clean = r.known.redact(plain)
	}
	return base64.StdEncoding.EncodeToString([]byte(clean)), clean != plain
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
