package fixcheck

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// families are the languages that a tag can limit a validator to, by tag. A family's validators judge all of it.
var families = map[string]string{
	"python": "python", "go": "go",
	"javascript": "javascript", "typescript": "javascript", "tsx": "javascript",
}

// Match returns the validators that judge a claim's failure, the one with the highest priority first, then by name.
//
// A validator judges a failure whose error type is one of its own, or whose message has one of them as whole words. One
// with tags that are languages judges no failure of another language.
func Match(list []Validator, c Claim) []Validator {
	var found []Validator
	message := words(c.ErrorMessage)
	for _, v := range list {
		if v.judgesLanguage(c.Language) && slices.ContainsFunc(v.ErrorTypes, func(t string) bool { return sameType(t, c.ErrorType) || hasPhrase(message, words(t)) }) {
			found = append(found, v)
		}
	}
	slices.SortStableFunc(found, func(a, b Validator) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// judgesLanguage reports whether the tags let the validator judge failures in a language; "" is one that is not known.
func (v Validator) judgesLanguage(language string) bool {
	language = strings.ToLower(language)
	limited := false
	for _, tag := range v.Tags {
		if family, is := families[strings.ToLower(tag)]; is {
			limited = true
			if family == families[language] {
				return true
			}
		}
	}
	return !limited || language == ""
}

// sameType reports whether an error type is that of a failure. Either may be qualified: json.JSONDecodeError is a
// JSONDecodeError, and json.decoder.JSONDecodeError is both.
func sameType(own, failed string) bool {
	own, failed = strings.ToLower(strings.TrimSpace(own)), strings.ToLower(strings.TrimSpace(failed))
	if own == "" || failed == "" {
		return false
	}
	return own == failed || lastPart(own) == lastPart(failed) && (strings.Contains(own, ".") || strings.Contains(failed, "."))
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// words are the words of a text in lower case, with what else it holds between them as a word each.
func words(text string) (list []string) {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			r, size := utf8.DecodeRuneInString(text)
			if !unicode.IsSpace(r) {
				list = append(list, text[:size])
			}
			text = text[size:]
			continue
		}
		list = append(list, strings.ToLower(text[:end]))
		text = text[end:]
	}
	return list
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasPhrase reports whether words follow each other in a text.
func hasPhrase(text, phrase []string) bool {
	if len(phrase) == 0 {
		return false
	}
	for i := 0; i+len(phrase) <= len(text); i++ {
		if slices.Equal(text[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}
