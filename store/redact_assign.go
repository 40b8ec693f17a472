package store

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

const (
	// minRandom and maxRandom are the least and largest length in bytes of an
	// assigned value that can be a secret: shorter ones cannot be told from words,
	// longer ones are content.
	minRandom = 16
	maxRandom = 8 << 10

	// nameReach is how far before a value its name is searched, in bytes: enough
	// for a long name and its type.
	nameReach = 120
)

// redactAssignments masks random values that are assigned to the name of a secret,
// in any language: NAME=value, name: "value", name: str = 'value', config["name"] =
// "value", setenv("name", "value"), ?name=value&.
func redactAssignments(text string, own keep) string {
	return masked(text, slices.DeleteFunc(assigned(text), func(at [2]int) bool { return own(text[at[0]:at[1]]) }))
}

// assigned returns where such values begin and end, in order.
//
// It searches for the operators and checks the value first: one regular expression
// over the whole text is thirty times slower, and most values are not random.
func assigned(text string) (all [][2]int) {
	done := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '=' && c != ':' && c != ',' && c != '>' || c == '=' && i > 0 && text[i-1] == '=' {
			continue // a line of a thousand = would take a million steps
		}
		start, end := valueAfter(text, i+1)
		value := text[start:end]
		if !secretValue(value) && !amazonSecret.MatchString(value) || text[start-1] == ' ' && variable(text[start:], value) {
			continue
		}
		before := text[max(done, i-nameReach):i]
		if name := nameBefore(before, c); holdsSecret(name, value) || holdsSecret(secret.Beside(name, before), value) {
			all = append(all, [2]int{start, end})
			done = end
			i = end - 1
		}
	}
	return all
}

// variable reports whether an unquoted value after a space, at the beginning of
// rest, is a name with digits rather than a secret: it is in a list of arguments or
// a literal, and less random than a key.
func variable(rest, value string) bool {
	_, share := secret.Variety(value)
	return len(rest) > len(value) && strings.IndexByte(",;)", rest[len(value)]) >= 0 && share < 0.3
}

// valueAfter returns where the value after an operator starts and ends. A value is
// quoted or one word. An expression is no value: start and end are equal.
func valueAfter(text string, i int) (start, end int) {
	for i < len(text) && text[i] == '=' {
		i++
	}
	if i < len(text) && text[i] == '>' {
		i++
	}
	for spaces := 0; i < len(text) && (text[i] == ' ' || text[i] == '\t') && spaces < 4; spaces++ {
		i++
	}
	for i < len(text) && text[i] == '\\' {
		i++
	}
	i += rawPrefix(text[i:min(len(text), i+maxPrefix)])
	quote := byte(0)
	if i < len(text) && (text[i] == '"' || text[i] == '\'' || text[i] == '`') {
		quote = text[i]
		i++
	}
	start = i
	for ; i < len(text) && i-start <= maxRandom; i++ {
		c := text[i]
		if quote != 0 && (c == quote || c == '\\') || c <= ' ' {
			break
		}
		if quote == 0 && valueEnds[c] {
			break
		}
		if quote == 0 && (c == '(' || c == '[' || c == '{' || c == '$') {
			return start, start // a call, an index, a variable
		}
	}
	if quote != 0 && i < len(text) && text[i] != quote && text[i] != '\\' {
		return start, start // spaces in quotes: a sentence
	}
	return start, i
}

// valueEnds ends a value without quotes.
var valueEnds = bytesOf("\"'`\\,;)]}&<>|")

// maxPrefix is the length in bytes of the longest text that stands before a string.
const maxPrefix = 8

var stringPrefix = bytesOf("rbucfRBUF@")

// rawPrefix returns the length of what stands before the quote of a string and says how
// it is written: b'...', r"...", r#"..."#.
func rawPrefix(text string) int {
	i := 0
	for i < len(text) && i < 2 && stringPrefix[text[i]] {
		i++
	}
	for i < len(text) && i < maxPrefix-2 && text[i] == '#' {
		i++
	}
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		return i
	}
	return 0
}

// nameAtEnd finds the name that a value is assigned to at the end of the text
// before the operator, typedAtEnd a name that is followed by its type.
var (
	nameAtEnd  = lazyregexp.New(`([A-Za-z0-9_.-]+)(?:\\*["'\x60])?\]?\s*[:!+?|]?$`)
	typedAtEnd = lazyregexp.New(`([A-Za-z0-9_.-]+)\s*:\s*[A-Za-z0-9_.&<>\[\]|' ]{1,40}$`)
)

// nameBefore returns the name at the end of the text before the operator.
func nameBefore(text string, operator byte) string {
	text = text[strings.LastIndexByte(text, '\n')+1:]
	m := nameAtEnd.FindStringSubmatchIndex(text)
	if m == nil {
		return ""
	}
	if operator == ',' && (m[3] == len(text) || strings.IndexByte("\"'`\\", text[m[3]]) < 0) {
		return "" // setenv("NAME", ...) quotes the name: other commas only separate
	}
	if operator == '>' && (m[2] == 0 || text[m[2]-1] != '<' || m[3] != len(text)) {
		return "" // <NAME>: other signs of this kind compare
	}
	name := text[m[2]:m[3]]
	if typed := typedAtEnd.FindStringSubmatch(text); operator == '=' && typed != nil && !secret.Name(name) {
		return typed[1]
	}
	return name
}

// amazonSecret is the shape of AWS's secret keys. They are told by their name as
// well, since the one in AWS's manual is made of words.
var amazonSecret = lazyregexp.New(`^[A-Za-z0-9/+]{40}$`)

// holdsSecret reports whether value is a secret under this name.
func holdsSecret(name, value string) bool {
	if !secret.Name(name) {
		return false
	}
	return secretValue(value) ||
		strings.Contains(secret.Squeeze(name), "secretaccesskey") && amazonSecret.MatchString(value)
}

// secretValue reports whether the value under a secret name is a secret rather
// than an expression, a sentence, the start of something, a hash that says so, a
// UUID, or Django's key for development, which its generator marks as insecure and
// which every new project has in its settings.
func secretValue(value string) bool {
	switch {
	case len(value) < minRandom || len(value) > maxRandom,
		strings.Contains(value, "://"), strings.Contains(value, "..."),
		strings.HasPrefix(value, "django-insecure-"),
		labelledHash.MatchString(value), uuid.MatchString(value):
		return false
	}
	return secret.Random(value) || oneTime(value)
}

// oneTime reports whether a value may be what one-time codes are made of. That is in
// base32, without small letters, and so less mixed than other keys.
func oneTime(value string) bool {
	const least = 2 // digits
	digits, _ := secret.Variety(value)
	return digits >= least && base32Key.MatchString(value)
}

var (
	base32Key    = lazyregexp.New(`^[A-Z2-7]{16,64}={0,6}$`)
	labelledHash = lazyregexp.New(`(?i)\b(?:sha(?:1|224|256|384|512)|md5|h1)[:-]`)
	uuid         = lazyregexp.New(`(?i)^(?:(?:urn:)?uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)
