package permit

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// named reports whether the user's own words name a file to be made or changed: what they
// typed of the task, and of answers. Text of a comment, a diagnostic or a selection is data
// and names nothing, and neither does the place that the task was given at.
func (p *Permit) named(key string) bool { return namedIn(p.State.UserTexts, key) }

// namedIn takes only plain orders: a word of changing, then what it is about, then the path
// of exactly this file, and nothing in the sentence that protects or asks. Whatever else it
// is, in whatever language, costs a question.
func namedIn(texts []string, key string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		for _, sentence := range sentences.Split(text, -1) {
			if !slices.ContainsFunc(wordsOf(sentence), protects) && slices.ContainsFunc(clauses.Split(sentence, -1), func(clause string) bool { return orders(wordsOf(clause), key) }) {
				return true
			}
		}
		return false
	})
}

var (
	// sentences end at a mark. Not at the end of a line: "do not\n- edit x" is one.
	sentences = lazyregexp.New(`[.!]+(\s|$)`)
	// clauses are where a new thought may begin: a word of changing speaks of nothing behind it.
	clauses = lazyregexp.New(`[;:](\s|$)|\n|\bbut\b`)
	// marks stand between words, and around them.
	marks = strings.NewReplacer(",", " , ", "?", " ? ", "(", " ", ")", " ", "\"", " ", "`", " ", "<", " ", ">", " ", "’", "'")
)

// wordsOf returns the words of a text, commas and question marks among them.
func wordsOf(text string) []string {
	words := strings.Fields(marks.Replace(text))
	for i, w := range words {
		if trimmed := strings.Trim(w, "'*[]{}!:;"); trimmed != "" {
			words[i] = trimmed
		}
	}
	return words
}

// orders reports whether a clause orders to make or change a file.
func orders(words []string, key string) bool {
	open := false
	for i, w := range words {
		switch lower := strings.ToLower(w); {
		case isNameOf(w, key):
			if allowed(words[i+1:]) {
				return true
			}
			if open && (i+1 == len(words) || follows[strings.ToLower(words[i+1])] || isPath.MatchString(words[i+1])) {
				return true
			}
		case changing[lower]:
			open = true
		case aside[lower]:
			open = false
		}
	}
	return false
}

// allowed reports whether what stands behind a file's name says that it may be, or is to be, changed: "may be rewritten",
// also behind the names of further files.
func allowed(words []string) bool {
	i := 0
	for i < len(words) && (words[i] == "," || strings.EqualFold(words[i], "and") || isPath.MatchString(words[i])) {
		i++
	}
	if i == len(words) || !permitting[strings.ToLower(words[i])] {
		return false
	}
	for _, w := range words[i+1 : min(len(words), i+1+mayWords)] {
		if lower := strings.ToLower(w); participles[lower] {
			return true
		} else if !betweenThem[lower] {
			return false
		}
	}
	return false
}

// mayWords is how many words may stand between may and what may be done: "may also be".
const mayWords = 4

// isPath is a word that looks like a further file.
var isPath = lazyregexp.New(`[./]`)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

var (
	// changing are the words that order a change.
	changing = setOf("write add create make edit change update modify fix set configure extend rename move delete remove put append bump generate translate " +
		"implement replace rewrite refactor insert correct adapt adjust complete improve commit drop")
	// permitting, betweenThem and participles are the words of an order whose object comes first.
	permitting  = setOf("may can must should shall could needs need")
	betweenThem = setOf("also be to all both too then now just still")
	participles = setOf("changed edited updated rewritten extended adapted adjusted removed deleted replaced corrected merged moved split shortened simplified change go")
	// aside are words behind which no object of the order stands, but what it is to fit.
	aside = setOf("with without from like as per using use uses that which so because for of by against via on under follow follows following match matches matching " +
		"run runs work works when if until while before after than see read have has is are was were be must should may can will")
	// follows are the words that an object of the order can have behind it.
	follows = setOf(", and or with to so for in into at from file please too also as such by of")
	// protecting are words of sentences that protect something, or only ask. One that is
	// taken for such a word costs a question.
	protecting = setOf("? not no never none nothing without except avoid leave leaves leaving keep keeps keeping stay stays remain remains unchanged untouched intact alone " +
		"off nor neither instead cannot dont ignore ignoring skip only protect protects protected preserve unless besides beside taboo forbidden frozen exclude excluding " +
		"apart refrain stop beware why how what whether explain describe hands")
)

// protects reports whether a word may say that something is not wanted, or not ordered.
func protects(word string) bool {
	word = strings.ToLower(word)
	return protecting[word] || strings.HasSuffix(word, "n't")
}

// isNameOf reports whether a word of the user's is the path of a file, exactly: a name
// alone is that of a file at the top, not of one that is called so in some folder.
func isNameOf(word, key string) bool {
	return strings.TrimRight(strings.TrimPrefix(word, "./"), ".:/;") == key
}
