package store

import (
	"strings"

	"caselsp/store/secret"
)

// minOrdinary is the length in bytes from which also a value of one kind of
// letters is taken for a secret when its variable says so: below it, it may be a
// word that stands in any text, such as postgres.
const minOrdinary = 12

// SecretsOf returns the values that are secrets of variables, which are given as
// NAME=value: those whose name says that they hold one, where the value is not an
// ordinary word, a path or a number. What is passed to [Store.Conceal] is hidden
// wherever it occurs, so this asks for more than [Store.Redact] does of a text.
func SecretsOf(variables []string) []string {
	var values []string
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		value = strings.Trim(value, `"'`)
		switch {
		case !secretName(name), len(value) < minEncoded, emptyWord(value), strings.HasPrefix(value, "/"), strings.Contains(value, "://"):
		case secret.Random(value), chosen(value), len(value) >= minOrdinary && !strings.ContainsAny(value, " /"):
			values = append(values, value)
		}
	}
	return values
}

// SecretsIn returns the values that a text gives to names that say secret, where
// they are too random to stand anywhere by chance: what a project's settings hold
// comes up again without its name, in a failed assertion for instance.
func SecretsIn(text string) []string {
	var values []string
	for _, at := range assigned(text) {
		values = append(values, text[at[0]:at[1]])
	}
	return values
}

// Holds reports whether data holds one of the values, in one of the writings in
// which [Store.Redact] finds it.
func Holds(data []byte, values ...string) bool {
	r, text := newRedactor(values), string(data)
	return r.known != nil && (r.known.Replace(text) != text || r.redactSplit(text) != text)
}
