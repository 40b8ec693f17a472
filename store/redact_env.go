package store

import (
	"strings"

	"caselsp/store/secret"
)

// minOrdinary is the least length in bytes of a value of one kind of letters that is
// taken for a secret because of its variable's name. A shorter value may be a word
// that occurs in any text, such as postgres.
const minOrdinary = 12

// SecretsOf returns the secret values among variables given as NAME=value: the name
// says that it holds a secret, and the value is not an ordinary word, a path or a
// number. [Store.Conceal] masks its values wherever they occur, so this is stricter
// than [Store.Redact].
func SecretsOf(variables []string) []string {
	var values []string
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		value = strings.Trim(value, `"'`)
		switch {
		case !secret.Name(name), len(value) < minEncoded, secret.NoPassword(value), strings.HasPrefix(value, "/"), strings.Contains(value, "://"):
		case secret.Random(value), chosen(value), len(value) >= minOrdinary && !strings.ContainsAny(value, " /"):
			values = append(values, value)
		}
	}
	return values
}

// SecretsIn returns the random values that a text assigns to names of secrets. A
// value from a project's settings may occur later without its name, for example in
// a failed assertion.
func SecretsIn(text string) []string {
	var values []string
	for _, at := range assigned(text) {
		values = append(values, text[at[0]:at[1]])
	}
	return values
}

// Holds reports whether data contains one of the values, in any writing that
// [Store.Redact] recognises.
func Holds(data []byte, values ...string) bool {
	r, text := newRedactor(values), string(data)
	return r.known != nil && (r.known.Replace(text) != text || r.redactSplit(text) != text)
}
