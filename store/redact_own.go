package store

import (
	"encoding/json"
	"maps"

	"caselsp/store/secret"
)

// What a model writes itself cannot be a secret that it was told: it was told none.
// So the passwords of its fixtures stay, in its own words and wherever they come up
// later, unless they are known or have the exact format of a service.

// keep reports whether a value that looks like a secret stays.
type keep func(value string) bool

func (r *redactor) isOwn(value string) bool { return r.own[value] }

// Authored is the body of a record whose strings a model wrote. Only values that are
// known, private keys and the exact formats of services are masked in it; dummies that
// a service documents stay.
type Authored interface {
	// Authored returns the texts that the model wrote, as it sent them.
	Authored() []string
}

// Adopt takes note of what looks like secrets in texts that a model wrote itself: from
// now on it is not redacted for its look.
func (s *Store) Adopt(texts ...string) {
	own := map[string]bool{}
	for _, t := range texts {
		lookalikes(t, own)
	}
	s.adopt(own)
}

// maxTyped is the length below which a password was typed rather than generated for a service,
// however random it looks: tests have some that validators of passwords accept.
const maxTyped = 16

// AdoptPasswords takes note of the passwords that people chose in a text, of which it is known that
// they protect nothing, such as those of a test's accounts: from now on they are not redacted for
// their names. What is long and looks random, as keys and tokens do, still is.
func (s *Store) AdoptPasswords(text string) {
	own := map[string]bool{}
	redactPasswords(text, func(value string) bool {
		own[value] = !secret.Random(value) || len(value) < maxTyped
		return true
	})
	maps.DeleteFunc(own, func(_ string, weak bool) bool { return !weak })
	s.adopt(own)
}

func (s *Store) adopt(own map[string]bool) {
	if len(own) == 0 {
		return
	}
	s.secrets.Lock()
	defer s.secrets.Unlock()
	r := *s.redactor.Load()
	maps.Copy(own, r.own)
	r.own = own
	s.redactor.Store(&r)
}

// RedactAuthored is [Store.RedactJSON] for JSON that holds such a record.
func (s *Store) RedactAuthored(_ Authored, raw []byte) []byte {
	return s.redactor.Load().authoredJSON(raw)
}

// lookalikes collects what would be redacted for its look in a text, and in the
// strings in it if it is JSON, as the arguments of a call are.
func lookalikes(text string, own map[string]bool) {
	note := func(value string) bool {
		own[value] = true
		return true
	}
	redactFormats(text, func(value string) bool { return note(value) })
	redactTokens(text, note)
	redactAssignments(text, note)
	redactPasswords(text, note)
	redactProse(text, note)
	var tree any
	if len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Unmarshal([]byte(text), &tree) == nil {
		stringsIn("", tree, func(name, inner string) {
			if holdsSecret(name, inner) {
				own[inner] = true
			}
			lookalikes(inner, own)
		})
	}
}

// stringsIn goes through the strings of a JSON value, with the names that they are under.
func stringsIn(name string, node any, each func(name, text string)) {
	switch node := node.(type) {
	case map[string]any:
		for key, child := range node {
			stringsIn(key, child, each)
		}
	case []any:
		for _, child := range node {
			stringsIn(name, child, each)
		}
	case string:
		each(name, node)
	}
}

// authored redacts a text that a model wrote.
func (r *redactor) authored(text string) string {
	for range maxPasses {
		next := text
		if r.known != nil {
			next = r.known.redact(next)
		}
		next = redactFormats(redactPEM(next), func(string) bool { return true })
		if next == text {
			break
		}
		text = next
	}
	return text
}

// Formats names the services whose exact formats a text has, each once, with a dummy
// that may stand in a fixture instead.
func Formats(text string) (list []string) {
	seen := map[string]bool{}
	for _, m := range secret.Find(text) {
		if !m.Dummy && !seen[m.Format.Service] {
			seen[m.Format.Service] = true
			list = append(list, m.Format.Service+" (write "+m.Format.Dummy()+" instead)")
		}
	}
	return list
}
