package store

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

// What a text is found by: its words, its identifiers, pairs and triples of words, and pieces of words, each as a
// hash with a count. Hashes are of 32 bits: among a million features some hundred collide.

const (
	// minGram and maxGram are the lengths of the pieces of words: three find a common stem, more
	// than four only repeat the word.
	minGram, maxGram = 3, 4
	// longGram is the longest word that is cut into pieces, in characters: longer ones are data.
	longGram = 40
	// maxFeatures is how many different features of a text are kept, of each class: a page of a
	// traceback has some hundred. The first ones count: an error is told before its details.
	maxFeatures = 2000
)

// The classes of features, which are part of their hashes.
const (
	wordFeature       = 'w'
	identifierFeature = 'i'
	pairFeature       = 'p'
	gramFeature       = 'g'
)

// feature is something that a text has, and how often.
type feature struct {
	hash  uint32
	count uint32
	class byte // wordFeature stands for identifiers, too
}

// features are those of a text: each class sorted by hash.
type features struct {
	words  []feature // words and identifiers: BM25 counts these alone
	pairs  []feature // and triples of words
	grams  []feature
	length int // of all words
}

// featureHash is FNV-1a of the class and the texts.
func featureHash(class byte, texts ...string) uint32 {
	h := (uint32(2166136261) ^ uint32(class)) * 16777619
	for _, s := range texts {
		for i := range len(s) {
			h = (h ^ uint32(s[i])) * 16777619
		}
		h = (h ^ ' ') * 16777619
	}
	return h
}

// featuresOf reads a text. Numbers and addresses are all alike and folders do not count, since those differ
// between two occurrences of one failure.
func featuresOf(text string) features {
	words, pairs, grams := map[uint32]uint32{}, map[uint32]uint32{}, map[uint32]uint32{}
	add := func(to map[uint32]uint32, hash uint32) {
		if _, known := to[hash]; known || len(to) < maxFeatures {
			to[hash]++
		}
	}
	length, before, earlier := 0, "", ""
	for _, identifier := range identifierInText.FindAllString(alike(text), -1) {
		parts := partsOf(identifier)
		if len(parts) > 1 {
			add(words, featureHash(identifierFeature, strings.ToLower(strings.Trim(identifier, "_"))))
			length++
		}
		for _, part := range parts {
			word := stem(part)
			add(words, featureHash(wordFeature, word))
			length++
			if before != "" {
				add(pairs, featureHash(pairFeature, before, word))
			}
			if earlier != "" {
				add(pairs, featureHash(pairFeature, earlier, before, word))
			}
			earlier, before = before, word
			padded := []rune("^" + part + "$")
			for n := minGram; n <= maxGram && len(padded) <= longGram; n++ {
				for i := 0; i+n <= len(padded); i++ {
					add(grams, featureHash(gramFeature, string(padded[i:i+n])))
				}
			}
		}
	}
	return features{sorted(words, wordFeature), sorted(pairs, pairFeature), sorted(grams, gramFeature), length}
}

func sorted(counts map[uint32]uint32, class byte) []feature {
	list := make([]feature, 0, len(counts))
	for hash, n := range counts {
		list = append(list, feature{hash, n, class})
	}
	slices.SortFunc(list, func(a, b feature) int { return compareHash(a, b.hash) })
	return list
}

func compareHash(f feature, hash uint32) int {
	switch {
	case f.hash < hash:
		return -1
	case f.hash > hash:
		return 1
	}
	return 0
}

var identifierInText = lazyregexp.New(`[\pL\pN_]+`)

var (
	// testSection is the line with which pytest begins what it says about a test, and frameSection the one between two functions.
	testSection  = lazyregexp.New(`^_{3,} .* _{3,}$`)
	frameSection = strings.Repeat("_ ", 8)
)

// quotedCode is how far pytest indents the code that it quotes; the lines that it marks have the mark in the first place.
const quotedCode = "    "

// withoutTests leaves out the code of tests that pytest quotes above the functions that they call. It says which test
// failed, and two causes of one test's failure would be more alike than two tests that fail by one cause. A test in which
// the error itself is keeps its code.
func withoutTests(text string) string {
	if !strings.Contains(text, frameSection) {
		return text
	}
	var kept, test []string // test: lines of which it is not known yet whether a function is called
	inTest := true
	for line := range strings.Lines(text) {
		switch end := strings.TrimRight(line, "\r\n"); {
		case testSection.MatchString(end):
			kept, test, inTest = append(append(kept, test...), line), nil, true
		case inTest && strings.HasPrefix(line, frameSection):
			test = slices.DeleteFunc(test, func(line string) bool { return strings.HasPrefix(line, quotedCode) })
			kept, test, inTest = append(append(kept, test...), line), nil, false
		case inTest:
			test = append(test, line)
		default:
			kept = append(kept, line)
		}
	}
	return strings.Join(append(kept, test...), "")
}

// testNamed are the lines, and the beginnings of lines, with which test runners say which test they mean.
var testNamed = lazyregexp.New(`(?m)^[ \t]*(?:(?:` + strings.Join([]string{
	`--- (?:FAIL|PASS|SKIP): .*`, `=== (?:RUN|PAUSE|CONT|NAME) .*`, `(?:FAIL|ok  )\t.*`, `FAIL`, // go test
	`_{3,} .* _{3,}`, `def test_\w*\(.*`, // pytest
	`(?:FAIL|ERROR): \w+ \([\w.]+\).*`,      // unittest
	`# Subtest: .*`, `(?:not )?ok \d+ - .*`, // TAP
	`[✖✔✕✓×] .*`, `● .* › .*`, `(?:FAIL|PASS) +\S+\.[cm]?[jt]sx?\b.*`, // node, jest and vitest
}, "|") + `)\r?$|(?:FAILED|ERROR) \S+::\S+(?: - )?)`) // pytest's summary

// runnerWords are words in the lines that name a test which do not say what is tested.
var runnerWords = map[string]bool{
	"test": true, "tests": true, "example": true, "run": true, "cont": true, "pause": true, "name": true, "pass": true, "ok": true, "fail": true, "failed": true,
	"error": true, "def": true, "self": true, "s": true, "py": true,
}

// withoutNames leaves out the lines that say which test failed, unless there are no others: the same error in another test is what is
// looked for, and another error in the same test is not. Of the names their words stay, each once: they say what is tested.
func withoutNames(text string) string {
	kept := testNamed.ReplaceAllString(text, "")
	if strings.TrimSpace(kept) == "" || kept == text {
		return text
	}
	var words []string
	for _, line := range testNamed.FindAllString(text, -1) {
		for _, identifier := range identifierInText.FindAllString(line, -1) {
			for _, word := range partsOf(identifier) {
				if !runnerWords[word] && !slices.Contains(words, word) && word[0] > '9' && len(words) < maxNameWords {
					words = append(words, word)
				}
			}
		}
	}
	return kept + "\n" + strings.Join(words, " ")
}

// maxNameWords bounds the words of tests' names: a run in which hundreds fail tells by its errors.
const maxNameWords = 64

// alike is a text with the last parts of its paths only, and 0 for numbers and addresses, without the code of tests and the lines that name them.
func alike(text string) string {
	text = pathInText.ReplaceAllStringFunc(withoutNames(withoutTests(text)), func(path string) string {
		return " " + path[strings.LastIndexAny(path, `/\`)+1:] + " "
	})
	return numberInText.ReplaceAllString(text, " 0 ")
}

// partsOf are the words of an identifier in lower case: those of snake_case and camelCase.
func partsOf(identifier string) (parts []string) {
	start, before := 0, rune(0)
	flush := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(identifier[start:end]))
		}
	}
	for i, r := range identifier {
		switch {
		case r == '_':
			flush(i)
			start = i + 1
		case unicode.IsUpper(r) && unicode.IsLower(before):
			flush(i)
			start = i
		}
		before = r
	}
	flush(len(identifier))
	return parts
}

// stem takes the endings of English from a word, so that "users" finds "user" and "parsing" finds "parse".
// It does less than Porter's algorithm, which makes one word of different identifiers.
func stem(w string) string {
	if len(w) <= 3 || utf8.RuneCountInString(w) != len(w) {
		return w
	}
	cut := func(ending string) bool {
		short, found := strings.CutSuffix(w, ending)
		if found && len(short) >= 3 {
			w = short
			return true
		}
		return false
	}
	switch {
	case strings.HasSuffix(w, "ss"):
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	default:
		cut("s")
	}
	if cut("ing") || cut("ed") {
		if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
			w = w[:n-1]
		}
	}
	cut("e")
	return w
}

// appendRow encodes a row: its id, the length of the text, and of each class the number of features, then differences of hashes with
// counts.
func appendRow(out []byte, id string, f features) []byte {
	out = append(binary.AppendUvarint(out, uint64(len(id))), id...)
	out = binary.AppendUvarint(out, uint64(f.length))
	for _, class := range [][]feature{f.words, f.pairs, f.grams} {
		out = binary.AppendUvarint(out, uint64(len(class)))
		last := uint32(0)
		for _, x := range class {
			out = binary.AppendUvarint(out, uint64(x.hash-last))
			out = binary.AppendUvarint(out, uint64(x.count))
			last = x.hash
		}
	}
	return out
}

var errFeatures = errors.New("the search index cannot be read")

// varints reads numbers of variable length. Behind the end, and where one is too large, they are 0 and it is broken.
type varints struct {
	raw    []byte
	broken bool
}

func (r *varints) next() uint64 {
	if len(r.raw) > 0 && r.raw[0] < 0x80 {
		v := r.raw[0]
		r.raw = r.raw[1:]
		return uint64(v)
	}
	return r.long()
}

func (r *varints) long() uint64 {
	v, n := binary.Uvarint(r.raw)
	if n <= 0 {
		r.raw, r.broken = nil, true
		return 0
	}
	r.raw = r.raw[n:]
	return v
}

// upTo reads a number that cannot be larger than most.
func (r *varints) upTo(most uint64) int {
	n := r.next()
	if n > most {
		r.raw, r.broken = nil, true
		return 0
	}
	return int(n)
}

// idOf reads the id of a row; its features follow.
func idOf(raw []byte) (id string, r varints, err error) {
	r.raw = raw
	n := r.upTo(uint64(len(raw)))
	if r.broken || n > len(r.raw) {
		return "", varints{broken: true}, errFeatures
	}
	id, r.raw = string(r.raw[:n]), r.raw[n:]
	return id, r, nil
}

// decodeRow reads a row into the room that f has.
func decodeRow(raw []byte, f *features) (id string, err error) {
	id, r, err := idOf(raw)
	f.length = r.upTo(math.MaxInt32)
	for _, class := range []struct {
		list *[]feature
		of   byte
	}{{&f.words, wordFeature}, {&f.pairs, pairFeature}, {&f.grams, gramFeature}} {
		n := r.upTo(maxFeatures)
		list, last := slices.Grow((*class.list)[:0], n), uint32(0)
		for range n {
			last += uint32(r.next())
			list = append(list, feature{last, uint32(r.next()), class.of})
		}
		*class.list = list
	}
	if r.broken {
		err = errFeatures
	}
	return id, err
}
