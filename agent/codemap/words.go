package codemap

import (
	"math"
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

// relevance is how much each file has to do with the words of a query and the files
// that it names; all together 1, or all 0.
func relevance(files []File, q Query) []float64 {
	words := wordsOf(q.Text)
	hits := make([]map[string]float64, len(files))
	has := map[string]int{}
	known := spoken{words, map[string][]string{}}
	for i, f := range files {
		hits[i] = f.hits(known)
		for w := range hits[i] {
			has[w]++
		}
	}
	score, best := make([]float64, len(files)), 0.0
	for i, h := range hits {
		for w, n := range h {
			rare := math.Log(1 + float64(len(files))/float64(has[w]))
			score[i] += rare * rare * n / (n + 2)
		}
		best = max(best, score[i])
	}
	for i, f := range files {
		if names(q, f.Path) {
			score[i] += named * max(best, 1)
		}
	}
	sum := 0.0
	for i := range score {
		score[i] *= score[i] // the best few count, not the many that share a word
		sum += score[i]
	}
	for i := range score {
		if sum > 0 {
			score[i] /= sum
		}
	}
	return score
}

// names reports whether a query names a file: among its paths, or by path or
// whole name in its text.
func names(q Query, file string) bool {
	if slices.Contains(q.Paths, file) {
		return true
	}
	for token := range strings.FieldsFuncSeq(q.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`(),;:<>", r) }) {
		token = strings.TrimRight(token, ".")
		if path.Ext(token) != "" && (token == file || strings.HasSuffix(file, "/"+strings.TrimPrefix(token, "/"))) {
			return true
		}
	}
	return false
}

// spoken are the words of a query, and which of them names have that were looked at: the same
// names are used in many files.
type spoken struct {
	words map[string]bool
	known map[string][]string
}

// in returns the words that a text has, as often as it has them.
func (s spoken) in(text string) (list []string) {
	for _, w := range parts(text) {
		if w := stem(w); s.words[w] {
			list = append(list, w)
		}
	}
	return list
}

// inName is in for names.
func (s spoken) inName(name string) []string {
	list, ok := s.known[name]
	if !ok {
		list = s.in(name)
		s.known[name] = list
	}
	return list
}

// hits says which of the words stand in a file, and how much that counts for.
func (f File) hits(q spoken) map[string]float64 {
	found := map[string]float64{}
	add := func(words []string, weight float64) {
		for _, w := range words {
			found[w] += weight
		}
	}
	add(q.in(trimExt(f.Path)), inPath)
	for _, s := range f.Symbols {
		if s.Kind == "test" {
			continue // a sentence, and not what the file declares
		}
		add(q.inName(s.Name), inName)
		add(q.in(s.Doc), inDoc)
		if q.words[s.Name] && len(parts(s.Name)) > 1 {
			found[s.Name] += inExact
		}
	}
	for _, u := range f.Uses {
		if words := q.inName(u.Name); len(words) > 0 {
			add(words, inUse*math.Sqrt(float64(u.Count)))
		}
		if q.words[u.Name] && len(parts(u.Name)) > 1 {
			found[u.Name] += 1
		}
	}
	return found
}
