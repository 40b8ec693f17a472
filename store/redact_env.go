package store

import (
	"slices"
	"strings"

	"caselsp/store/secret"
)

// minOrdinary is the least length in bytes of a value of one kind of letters that is
// taken for a secret because of its variable's name. A shorter value may be a word
// that occurs in any text, such as postgres.
const minOrdinary = 12

// MaxSecretFile is the size in bytes of the largest file that is looked through for secrets.
const MaxSecretFile = secret.MaxFile

// Variables returns the secret values among variables given as NAME=value: the name
// says that it holds a secret, and the value is not an ordinary word, a path or a
// short number. [Store.Conceal] masks its values wherever they occur, so this is stricter
// than [Store.Redact].
func Variables(variables []string) []string {
	var values []string
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		value = strings.Trim(value, `"'`)
		switch {
		case secret.Numeric(name, value):
			values = append(values, value)
		case !secret.Name(name), len(value) < minEncoded, secret.NoPassword(value), strings.HasPrefix(value, "/"), strings.Contains(value, "://"):
		case secret.Random(value), chosen(value), len(value) >= minOrdinary && !strings.ContainsAny(value, " /"):
			values = append(values, value)
		}
	}
	return values
}

// MostRead returns up to which size in bytes a file of the workspace is looked through for
// secrets because of its name: files that are kept from the model, settings, data and
// tables, which it may read. 0: not because of its name.
func MostRead(path string) int { return secret.MostRead(path) }

// Hidden reports whether a file is kept from the model by its name.
func Hidden(path string) bool { return secret.Hidden(path) }

// LooksSecret reports whether a file is one of secrets by what is in it, whatever its
// name: mainly variables that hold secrets, a private key, the account of a service.
// Samples and source code do not count.
func LooksSecret(path, text string) bool {
	return secret.MayTell(path) && secret.Sniff(text)
}

// SecretsOf returns the secret values in a file of the workspace, by what kind of file
// it is and how it is written, and those that only the whole file shows to be secrets, as
// lines under a name. What a model wrote itself is none, except in files that are kept
// for secrets.
func (s *Store) SecretsOf(path, text string) []string { return s.redactor.Load().secretsOf(path, text) }

// SecretsIn is [Store.SecretsOf] where no store is open.
func SecretsIn(path, text string) []string { return newRedactor(nil).secretsOf(path, text) }

func (r *redactor) secretsOf(path, text string) []string {
	values := append(secret.Values(path, text), r.spread(text)...)
	if secret.Hidden(path) {
		return values
	}
	return slices.DeleteFunc(values, func(v string) bool { return r.own[v] })
}

// SpreadSecrets returns the values of which only a whole file shows that they are
// secrets: an excerpt, a diff and numbered lines may have them without what shows it.
func (s *Store) SpreadSecrets(text string) []string { return s.redactor.Load().spread(text) }

func (r *redactor) spread(text string) []string {
	if len(text) > MaxSecretFile || !maySpread(text) {
		return nil
	}
	return r.contextual(text)
}

// maySpread reports whether only the whole of a text may show what is a secret in it: a
// private key, or what follows in the lines after a name.
func maySpread(text string) bool {
	const most = 40 // bytes from a name to the end of its line
	if strings.Contains(text, privateKey) {
		return true
	}
	lower := strings.ToLower(text)
	for _, name := range []string{"pass", "pwd", "secret", "token", "key", "code"} {
		for at := 0; ; {
			n := strings.Index(lower[at:], name)
			if n < 0 {
				break
			}
			at += n + len(name)
			if strings.IndexByte(lower[at:min(len(lower), at+most+1)], '\n') >= 0 {
				return true
			}
		}
	}
	return false
}

// SecretsIn returns the random values that a text assigns to names of secrets. A
// value from a project's settings may occur later without its name, for example in
// a failed assertion.
func (s *Store) SecretsIn(text string) []string {
	var values []string
	r := s.redactor.Load()
	for _, at := range r.seen.assigned(text) {
		if value := text[at[0]:at[1]]; !r.own[value] {
			values = append(values, value)
		}
	}
	return values
}

// Holds reports whether data contains one of the values, in any writing that
// [Store.Redact] recognises.
func Holds(data []byte, values ...string) bool {
	r := newRedactor(values)
	return r.known != nil && len(r.known.spans(r.known.read(string(data)), 0)) > 0
}
