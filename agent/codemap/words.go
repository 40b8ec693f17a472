package codemap

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// What a word of the query counts for where it stands.
const (
	inPath   = 3.0
	inName   = 2.0 // of what a file declares
	inDoc    = 1.0
	inUse    = 0.5
	inExact  = 4.0 // a whole name of several words, as it is declared
	inWhole  = 1.0 // and as it is used
	maxWords = 200 // of a query: what is longer is a log, not a wish
)

// parts are the words of a name: of parse_date, parseDate and parse-date it is parse and date.
func parts(name string) (words []string) {
	begin := 0
	flush := func(to int) {
		if to > begin {
			words = append(words, strings.ToLower(name[begin:to]))
		}
	}
	var before rune
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			begin = i + len(string(r))
		case unicode.IsUpper(r) && unicode.IsLower(before):
			flush(i)
			begin = i
		}
		before = r
	}
	flush(len(name))
	return words
}

// stem takes off the endings that differ between what people write and what names say:
// formatted, formatting and formats are format.
func stem(word string) string {
	for _, end := range []string{"ing", "ies", "ed", "es", "s"} {
		cut := strings.TrimSuffix(word, end)
		if cut == word || len(cut) < 4 {
			continue
		}
		if n := len(cut); end != "s" && cut[n-1] == cut[n-2] {
			cut = cut[:n-1]
		}
		word = cut
		break
	}
	if cut := strings.TrimRight(word, "ey"); len(cut) >= 3 {
		return cut
	}
	return word
}

// empty are words of tasks that say nothing about where.
var empty = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`the a an and or of to in on for from with without is are be was it its this that these those as at by not no if when
		then than so we you i add fix make use new change update remove should must can will do does into only also more all any some which
		test tests code file files bug issue feature support allow instead pull request merge co authored com signed off`) {
		m[stem(w)] = true
	}
	return m
}()

// wordsOf returns the words of a text, as stems, and its names of several words whole.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, token := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		list := parts(token)
		if len(list) > 1 {
			words[token] = true
		}
		for _, w := range list {
			if s := stem(w); len(words) < maxWords && len(w) > 1 && !empty[s] && !numeric(w) {
				words[s] = true
			}
		}
	}
	return words
}

func numeric(s string) bool { return strings.Trim(s, "0123456789") == "" }

// namedBy returns whether a query names a file: among its paths, or by path or
// whole name in its text.
func namedBy(q Query) func(file string) bool {
	var tokens []string
	for token := range strings.FieldsFuncSeq(q.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`(),;:<>", r) }) {
		if token = strings.TrimRight(token, "."); path.Ext(token) != "" {
			tokens = append(tokens, token)
		}
	}
	return func(file string) bool {
		return slices.Contains(q.Paths, file) || slices.ContainsFunc(tokens, func(token string) bool {
			return token == file || strings.HasSuffix(file, "/"+strings.TrimPrefix(token, "/"))
		})
	}
}
