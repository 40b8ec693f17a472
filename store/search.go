package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// A search takes the rows with the highest BM25 by the lists of the query's rarest words, and compares each
// of them exactly: by the cosine of the features, weighted by their rarity, and by the whole BM25.
// What the figures below were measured on is in README.md.

const (
	// bm25Saturation, bm25Length and bm25Query are the parameters k1, b and k3 of BM25.
	bm25Saturation, bm25Length, bm25Query = 1.2, 0.75, 2.0
	// gramWeight is what a piece of a word counts beside a word, or a pair or triple of words: a word of
	// eight letters has fifteen pieces.
	gramWeight = 0.4
	// shortPower and longPower dampen the rarity of features in the cosine, where it counts twice: for
	// queries of up to shortQuery different words and from longQuery on. A rare word of a question is what it is about,
	// one of a page of output is a detail.
	shortPower, longPower = 0.9, 0.4
	shortQuery, longQuery = 8, 30
	// cosineShare is the share of the cosine in the similarity; the rest is BM25's.
	cosineShare = 0.9
	// minCovered is the share of BM25's maximum from which a text is similar, too, however long it is: a
	// function has much besides what was asked for.
	minCovered = 0.3
	// preselected is how many rows are compared exactly.
	preselected = 64
	// maxEntries bounds the entries of lists that a query reads: 30,000 take some 1 ms. The
	// words that are left are common ones, and count when rows are compared.
	maxEntries = 30_000
	// knownRarities is how many codes there are for numbers of rows, see rounded.
	knownRarities = 24 << 9
	// maxLists is how many words of a query are looked up, the rarest first.
	maxLists = 128
	// rowsName is what the rows of a search are among vectors: chromem-go wants a name.
	rowsName = "rows"
	// priorRows is how many rows of ordinary text the rarity of a word is judged by before there
	// are many: in a memory of five records, "the" would be as rare as "dockerfile".
	priorRows = 100
)

// match is a pattern's id and its similarity to the query, from 0 to 1.
type match struct {
	id         string
	similarity float64
}

// tail is what an index holds of the rows that are not merged: it is read once, and then only what is new.
type tail struct {
	removals     []byte // as they were when it was read
	merged, next uint32
	counts       []uint32 // the table of rarity, with the rows that are not merged
	rows         []tailRow
}

// tails are those of all kinds.
type tails map[string]*tail

type tailRow struct {
	number uint32
	length int
	words  []feature
}

// searcher compares the rows of one kind to a query.
type searcher struct {
	kind    *bolt.Bucket
	tally   tally
	tail    *tail
	query   features
	terms   []term                 // words, then pairs, then pieces, each sorted by hash
	best    float64                // the most that BM25 can be
	mean    float64                // length of a text, in words
	power   float64                // dampens the rarity
	known   [knownRarities]float64 // weights by the number of rows that have a feature
	lengths [256]float64           // what lengthened returns for a coded length
	among   map[string]bool        // the ids of the rows that are compared; nil: all
}

// term is a feature of the query.
type term struct {
	feature
	idf    float64 // of a word
	weight float64 // in the vector, of one occurrence
	bm25   float64 // what one occurrence adds at most
}

// search returns at most n patterns of a kind that are similar to a text, the most similar first; of those whose ids among
// has, where it is not nil.
func (all tails) search(ctx context.Context, tx *bolt.Tx, kind, text string, n int, among map[string]bool) ([]match, error) {
	search := tx.Bucket(searchBucket)
	if search == nil || search.Bucket([]byte(kind)) == nil {
		return nil, nil
	}
	s := &searcher{kind: search.Bucket([]byte(kind)), query: featuresOf(searched(text)), among: among}
	s.tally = readTally(s.kind)
	if s.tally.Rows == 0 || len(s.query.words) == 0 {
		return nil, nil
	}
	var err error
	if s.tail, err = all.of(search, kind, s.tally); err != nil {
		return nil, err
	}
	s.weigh()
	return s.compare(ctx, s.preselect(), n)
}

// of reads the rows that are not merged, of which those that were known are kept.
func (all tails) of(search *bolt.Bucket, kind string, t tally) (*tail, error) {
	known, removals := all[kind], search.Get(removalsKey)
	if known == nil || known.merged != t.Merged || known.next > t.Next || string(known.removals) != string(removals) {
		known = &tail{removals: slices.Clone(removals), merged: t.Merged, next: t.Merged, counts: make([]uint32, 1<<rarityBits)}
		if table := search.Bucket([]byte(kind)).Get(rarityKey); len(table) == 4<<rarityBits {
			for i := range known.counts {
				known.counts[i] = binary.BigEndian.Uint32(table[4*i:])
			}
		}
	}
	c := search.Bucket([]byte(kind)).Bucket(rowsBucket).Cursor()
	for k, v := c.Seek(number(known.next)); k != nil; k, v = c.Next() {
		var f features // kept
		if _, err := decodeRow(v, &f); err != nil {
			return nil, err
		}
		for _, class := range [][]feature{f.words, f.pairs, f.grams} {
			for _, y := range class {
				known.counts[y.hash&(1<<rarityBits-1)]++
			}
		}
		known.rows = append(known.rows, tailRow{binary.BigEndian.Uint32(k), f.length, f.words})
		known.next = binary.BigEndian.Uint32(k) + 1
	}
	all[kind] = known
	return known, nil
}

// rows is how many rows have a feature, and how many more of ordinary text.
func (s *searcher) rows(hash uint32, class byte) (n uint32, more float64) {
	n = s.tail.counts[hash&(1<<rarityBits-1)]
	if class == wordFeature {
		more = priorRows * commonness[hash]
	}
	return n, more
}

// idf is the rarity of a feature that so many rows have.
func (s *searcher) idf(n uint32, more float64) float64 {
	have := float64(n) + more
	all := max(float64(s.tally.Rows), float64(n)) + priorRows // rows that were removed are counted still
	return math.Log(1 + (all-have+0.5)/(have+0.5))
}

// weight is what a feature that occurs once counts in the vector.
func (s *searcher) weight(hash uint32, class byte) float64 {
	n, more := s.rows(hash, class)
	code, n := rounded(n)
	weight := s.known[code]
	switch {
	case more > 0:
		weight = math.Pow(s.idf(n, more), s.power)
	case weight == 0:
		weight = math.Pow(s.idf(n, 0), s.power)
		s.known[code] = weight
	}
	if class == gramFeature {
		weight *= gramWeight
	}
	return weight
}

// rounded is a number to ten binary digits, with a short code for it.
func rounded(n uint32) (code int, about uint32) {
	const digits = 10
	shift := max(bits.Len32(n)-digits, 0)
	return shift<<(digits-1) + int(n>>shift), n >> shift << shift
}

// damped is what a number of occurrences counts: the tenth says little more than the second.
func damped(count uint32) float64 {
	if count == 1 {
		return 1
	}
	return 1 + math.Log(float64(count))
}

// weigh finds what the features of the query count.
func (s *searcher) weigh() {
	share := math.Log(float64(len(s.query.words))/shortQuery) / math.Log(float64(longQuery)/shortQuery)
	s.power = shortPower + (longPower-shortPower)*min(max(share, 0), 1)
	for _, class := range [][]feature{s.query.words, s.query.pairs, s.query.grams} {
		for _, f := range class {
			t := term{feature: f, weight: s.weight(f.hash, f.class)}
			if f.class == wordFeature {
				count := float64(f.count)
				t.idf = s.idf(s.rows(f.hash, f.class))
				t.bm25 = t.idf * count * (bm25Query + 1) / (bm25Query + count)
				s.best += t.bm25
			}
			s.terms = append(s.terms, t)
		}
	}
	s.mean = max(float64(s.tally.Length)/float64(s.tally.Rows), 1)
	for code, length := range codedLengths {
		s.lengths[code] = s.lengthened(length)
	}
}

// lengthened is how much a text's length lowers what occurrences count.
func (s *searcher) lengthened(length float64) float64 {
	return bm25Saturation * (1 - bm25Length + bm25Length*length/s.mean)
}

// saturated is how much of a term's BM25 a number of occurrences gives.
func saturated(count, lengthened float64) float64 {
	return count * (bm25Saturation + 1) / (count + lengthened)
}

// preselect returns the numbers of the rows that have most of the query's rare words.
func (s *searcher) preselect() []uint32 {
	scores := make([]float32, s.tally.Next)
	var touched []uint32
	add := func(n uint32, score float64) {
		if n >= uint32(len(scores)) {
			return
		}
		if scores[n] == 0 {
			touched = append(touched, n)
		}
		scores[n] += float32(score)
	}
	words := slices.Clone(s.terms[:len(s.query.words)])
	for _, row := range s.tail.rows {
		i := 0
		for _, f := range row.words {
			for i < len(words) && words[i].hash < f.hash {
				i++
			}
			if i < len(words) && words[i].hash == f.hash {
				add(row.number, words[i].bm25*saturated(float64(f.count), s.lengthened(float64(row.length))))
			}
		}
	}
	if lists := s.kind.Bucket(listsBucket); lists != nil {
		slices.SortStableFunc(words, func(a, b term) int { return cmp.Compare(b.idf, a.idf) })
		entries := 0
		for _, t := range words[:min(len(words), maxLists)] {
			if entries > maxEntries {
				break
			}
			entries += s.list(lists, t, add)
		}
	}
	touched = slices.DeleteFunc(touched, func(n uint32) bool { return !s.compared(n) })
	higher := func(a, b uint32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a)) }
	return highest(touched, preselected, higher)
}

// compared reports whether a row is one of those that are asked for. It is asked before the rows are cut to the best, so that
// others take no place.
func (s *searcher) compared(n uint32) bool {
	if s.among == nil {
		return true
	}
	var f features
	id, err := decodeRow(s.kind.Bucket(rowsBucket).Get(number(n)), &f)
	return err == nil && s.among[id]
}

// highest returns the first n in the order of compare, without sorting all.
func highest[T any](list []T, n int, compare func(a, b T) int) []T {
	for len(list) > 4*n { // what is below the middle of a sample of 2 n cannot be among the first n of it
		sample := slices.Clone(list[:2*n])
		slices.SortFunc(sample, compare)
		limit := sample[n-1]
		kept := list[:0]
		for _, x := range list {
			if compare(x, limit) <= 0 {
				kept = append(kept, x)
			}
		}
		if len(kept) == len(list) {
			break
		}
		list = kept
	}
	slices.SortFunc(list, compare)
	return list[:min(n, len(list))]
}

// list reads the entries of a word, and returns how many there are.
func (s *searcher) list(lists *bolt.Bucket, t term, add func(uint32, float64)) (entries int) {
	c, prefix := lists.Cursor(), number(t.hash)
	for k, v := c.Seek(prefix); len(k) == 8 && string(k[:4]) == string(prefix); k, v = c.Next() {
		n := binary.BigEndian.Uint32(k[4:])
		for len(v) > 0 {
			step, size := binary.Uvarint(v)
			if size <= 0 || len(v) < size+2 {
				break
			}
			n += uint32(step)
			add(n, t.bm25*saturated(float64(v[size]), s.lengths[v[size+1]]))
			v = v[size+2:]
			entries++
		}
	}
	return entries
}

// compare finds the similarity of rows exactly. chromem-go gets what they share with the query
// as vectors of a length of one: one dimension for each feature of the query, and one for all other features. The
// cosine is that of all features.
func (s *searcher) compare(ctx context.Context, numbers []uint32, n int) ([]match, error) {
	rows, lexical, index := s.kind.Bucket(rowsBucket), map[string]float64{}, newNearest(len(s.terms)+1)
	var f features
	for _, at := range numbers {
		raw := rows.Get(number(at))
		if raw == nil {
			continue // it was removed
		}
		id, err := decodeRow(raw, &f)
		if err != nil {
			return nil, err
		}
		vector, bm25 := s.project(&f)
		lexical[id] = min(bm25/s.best, 1)
		if err := index.add(ctx, rowsName, id, vector); err != nil && !errors.Is(err, errUncomparable) {
			return nil, err
		}
	}
	query := make([]float32, len(s.terms)+1)
	for i, t := range s.terms {
		query[i] = float32(damped(t.count) * t.weight)
	}
	results, err := index.near(ctx, rowsName, unit(query), len(numbers))
	if err != nil {
		return nil, err
	}
	var found []match
	for _, r := range results {
		similarity := cosineShare*r.similarity + (1-cosineShare)*lexical[r.id]
		if similarity >= minSimilarity || lexical[r.id] >= minCovered {
			found = append(found, match{r.id, min(similarity, 1)})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id))
	})
	return found[:min(n, len(found))], nil
}

// project is the vector of a row as the query sees it, and its BM25.
func (s *searcher) project(f *features) (vector []float32, bm25 float64) {
	vector = make([]float32, len(s.terms)+1)
	i, rest, length := 0, 0.0, s.lengthened(float64(f.length))
	for _, class := range [][]feature{f.words, f.pairs, f.grams} {
		for _, x := range class {
			for i < len(s.terms) && before(s.terms[i].feature, x) {
				i++
			}
			if i == len(s.terms) || s.terms[i].hash != x.hash || s.terms[i].class != x.class {
				w := damped(x.count) * s.weight(x.hash, x.class)
				rest += w * w
				continue
			}
			t := &s.terms[i]
			vector[i] = float32(damped(x.count) * t.weight)
			if x.class == wordFeature {
				bm25 += t.bm25 * saturated(float64(x.count), length)
			}
		}
	}
	vector[len(s.terms)] = float32(math.Sqrt(rest))
	return unit(vector), bm25
}

// classOrder is the order in which classes of features are kept.
func classOrder(class byte) int {
	switch class {
	case pairFeature:
		return 1
	case gramFeature:
		return 2
	}
	return 0
}

// before reports whether a comes before b, in the order of classes and hashes.
func before(a, b feature) bool {
	if a.class != b.class {
		return classOrder(a.class) < classOrder(b.class)
	}
	return a.hash < b.hash
}

// commonness is the share of ordinary texts that have a word.
var commonness = func() map[uint32]float64 {
	shares := map[uint32]float64{}
	for share, words := range commonWords {
		for _, w := range words {
			shares[featureHash(wordFeature, stem(w))] = share
		}
	}
	return shares
}()
