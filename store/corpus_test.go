//go:build corpus

package store

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	bolt "go.etcd.io/bbolt"
)

// corpusRecord is a line of a set that testdata/corpus makes.
type corpusRecord struct {
	Repo, Fault, Test, Type, Signatures, Output, Query, Code, Source string
}

// corpusSet is a set of texts with queries. Each query has texts that are right, and may be a text itself.
type corpusSet struct {
	texts   []string
	repos   []string
	queries []corpusQuery
}

type corpusQuery struct {
	text  string
	self  int // -1: none
	right map[int]bool
}

// engine returns the texts for a query, the best first.
type engine func(query string) []scored

type scored struct {
	text  int
	score float64
}

// TestCorpus measures the search beside BM25 alone and plain hashing, on the sets in the folder
// CASELSP_CORPUS: failures*.jsonl and code*.jsonl as testdata/corpus writes them. Repositories are split by a
// hash of their names: what is tuned is tuned on the first half.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("CASELSP_CORPUS")
	if dir == "" {
		t.Fatal("CASELSP_CORPUS names no folder with sets")
	}
	failures, code := readCorpus(t, dir, "failures*.jsonl"), readCorpus(t, dir, "code*.jsonl")
	fmt.Println("| set | half of the repositories | records | queries | BM25 alone | plain hashing | caselsp | recalled |\n|---|---|---|---|---|---|---|---|")
	for _, half := range []string{"development", "held back"} {
		for _, name := range []string{"failures, whole output", "failures, signatures", "code by documentation", "code by commit"} {
			if only := os.Getenv("CASELSP_CORPUS_HALF"); only != "" && only != half {
				continue
			}
			set := setOf(name, half, failures, code)
			if len(set.queries) == 0 {
				continue
			}
			line := fmt.Sprintf("| %s | %s, %d repositories | %d | %d |", name, half, repositories(set), len(set.texts), len(set.queries))
			ours, recalled := oursOn(t, set)
			for _, e := range []engine{bm25Alone(set), plainHashing(set), ours, recalled} {
				at5, mrr := measure(set, e)
				line += fmt.Sprintf(" %.3f / %.3f |", at5, mrr)
			}
			fmt.Println(line)
		}
	}
}

func readCorpus(t *testing.T, dir, pattern string) (records []corpusRecord) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r corpusRecord
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			records = append(records, r)
		}
		_ = f.Close() // it was only read
	}
	return records
}

// halfOf is the half that a repository belongs to.
func halfOf(repo string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(repo)) // never fails
	return []string{"development", "held back"}[h.Sum32()%2]
}

// setOf makes the set of a name from one half of the repositories.
func setOf(name, half string, failures, code []corpusRecord) (set corpusSet) {
	source, isCode := map[string]string{"code by documentation": "documentation", "code by commit": "commit"}[name]
	if isCode {
		for _, r := range code {
			if r.Source == source && halfOf(r.Repo) == half {
				set.queries = append(set.queries, corpusQuery{r.Query, -1, map[int]bool{len(set.texts): true}})
				set.texts, set.repos = append(set.texts, r.Code), append(set.repos, r.Repo)
			}
		}
		return set
	}
	alike := map[string][]int{}
	var faults []string
	for _, r := range failures {
		if halfOf(r.Repo) != half {
			continue
		}
		text := r.Output
		if name == "failures, signatures" {
			text = r.Signatures
		}
		fault := r.Repo + " " + r.Fault
		alike[fault], faults = append(alike[fault], len(set.texts)), append(faults, fault)
		set.texts, set.repos = append(set.texts, text), append(set.repos, r.Repo)
	}
	for i, fault := range faults {
		right := map[int]bool{}
		for _, j := range alike[fault] {
			if j != i {
				right[j] = true
			}
		}
		if len(right) > 0 {
			set.queries = append(set.queries, corpusQuery{set.texts[i], i, right})
		}
	}
	return set
}

func repositories(set corpusSet) int {
	return len(slices.Compact(slices.Sorted(slices.Values(set.repos))))
}

// measure returns the recall at 5, which is the share of queries with a right text among the first five, and the mean
// reciprocal rank. Texts with equal scores stand in every order alike (McSherry and Najork, "Computing information retrieval
// performance measures efficiently in the presence of tied scores", 2008): signatures of different failures are often the same text.
func measure(set corpusSet, find engine) (at5, mrr float64) {
	for _, q := range set.queries {
		found := slices.DeleteFunc(find(q.text), func(x scored) bool { return x.text == q.self })
		first := slices.IndexFunc(found, func(x scored) bool { return q.right[x.text] })
		if first < 0 {
			continue
		}
		above, tied, right := 0, 0, 0
		for _, x := range found {
			switch score := found[first].score; {
			case x.score > score:
				above++
			case x.score == score && q.right[x.text]:
				tied, right = tied+1, right+1
			case x.score == score:
				tied++
			}
		}
		none := 1.0 // the chance that no right text is among the tied ones so far
		for i := range tied - right + 1 {
			here := none * float64(right) / float64(tied-i)
			none -= here
			mrr += here / float64(above+i+1)
			if above+i < 5 {
				at5 += here
			}
		}
	}
	n := float64(len(set.queries))
	return at5 / n, mrr / n
}

// oursOn remembers the texts in a real memory. It returns its ranking of all that shares a word with the query, as the
// other engines rank, and what is recalled: without what counts as unlike.
func oursOn(t *testing.T, set corpusSet) (ranking, recalled engine) {
	t.Helper()
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	err := m.change(func(tx *bolt.Tx) error {
		for i, text := range set.texts {
			if err := m.put(tx, Pattern{ID: strconv.Itoa(i), Kind: KindFailure, Text: text}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	recalled = func(query string) (list []scored) {
		found, err := m.Look(ctx, KindFailure, query, maxRecalled)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found {
			i, _ := strconv.Atoi(r.ID)
			list = append(list, scored{i, r.Similarity})
		}
		return list
	}
	ranking = func(query string) (list []scored) {
		_ = recalled(query) // makes the index
		err := m.view(func(tx *bolt.Tx) error {
			found, err := m.tails.rank(ctx, tx, wanted{kind: KindFailure, text: query}, nil)
			for _, r := range found[:min(len(found), maxRecalled)] {
				i, _ := strconv.Atoi(r.id)
				list = append(list, scored{i, r.similarity})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	return ranking, recalled
}

// ranked are the texts with a score above 0, the best first.
func ranked(scores []float64) (list []scored) {
	for i, s := range scores {
		if s > 0 {
			list = append(list, scored{i, s})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return list[:min(len(list), maxRecalled)]
}

var plainWord = regexp.MustCompile(`\pL+|\pN+`)

// bm25Alone is Okapi BM25 with its usual parameters over words in lower case.
func bm25Alone(set corpusSet) engine {
	postings, lengths, mean := map[string]map[int]float64{}, make([]float64, len(set.texts)), 0.0
	for i, text := range set.texts {
		for _, w := range plainWord.FindAllString(strings.ToLower(text), -1) {
			if postings[w] == nil {
				postings[w] = map[int]float64{}
			}
			postings[w][i]++
			lengths[i]++
		}
		mean += lengths[i] / float64(len(set.texts))
	}
	return func(query string) []scored {
		scores := make([]float64, len(set.texts))
		for _, w := range plainWord.FindAllString(strings.ToLower(query), -1) {
			n := float64(len(postings[w]))
			idf := math.Log(1 + (float64(len(set.texts))-n+0.5)/(n+0.5))
			for i, count := range postings[w] {
				scores[i] += idf * count * 2.2 / (count + 1.2*(0.25+0.75*lengths[i]/mean))
			}
		}
		return ranked(scores)
	}
}

// plainHashing is the cosine of hashed words, pairs of words and pieces of words, without their rarity.
func plainHashing(set corpusSet) engine {
	const dimension = 768
	embed := func(text string) []float32 {
		counts, weights := map[string]float64{}, map[string]float64{}
		add := func(f string, weight float64) { counts[f]++; weights[f] = weight }
		before := ""
		for _, w := range words(text) {
			rarity := math.Sqrt(float64(min(utf8.RuneCountInString(w), 9)) / 9)
			add("w "+w, rarity)
			if before != "" {
				add("p "+before+" "+w, 0.5*rarity)
			}
			before = w
			padded := []rune("^" + w + "$")
			for n := 3; n <= 4; n++ {
				for i := 0; i+n <= len(padded); i++ {
					add("g "+string(padded[i:i+n]), 0.25*rarity)
				}
			}
		}
		sums := make([]float64, dimension)
		for f, n := range counts {
			h := fnv.New64a()
			_, _ = h.Write([]byte(f)) // never fails
			value := weights[f] * (1 + math.Log(n))
			if h.Sum64()>>63 == 1 {
				value = -value
			}
			sums[h.Sum64()%dimension] += value
		}
		return unit(sums)
	}
	var vectors [][]float32
	for _, text := range set.texts {
		vectors = append(vectors, embed(text))
	}
	return func(query string) []scored {
		q, scores := embed(query), make([]float64, len(set.texts))
		for i, v := range vectors {
			for k := range v {
				scores[i] += float64(v[k] * q[k])
			}
		}
		return ranked(scores)
	}
}
