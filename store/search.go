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
	// sifted is how many rows are looked at for those that are wanted: a pattern takes 10 µs to read, and where one in
	// four is wanted, as many are compared as of all.
	sifted = 4 * preselected
	// maxEntries bounds the entries of lists that a query reads: 30,000 take some 1 ms. The
	// words that are left are common ones, and count when rows are compared.
	maxEntries = 30_000
	// codeDigits is to how many binary digits numbers of rows are rounded, and codes how many codes there are for them.
	codeDigits = 10
	codes      = 24 << (codeDigits - 1)
	// maxLists is how many words of a query are looked up, the rarest first.
	maxLists = 128
	// rowsName is what the rows of a search are among vectors: chromem-go wants a name.
	rowsName = "rows"
	// priorRows is how many rows of ordinary text the rarity of a word is judged by before there
	// are many: in a memory of five records, "the" would be as rare as "dockerfile".
	priorRows = 100
)

// tail is what an index holds of the rows that are not merged: it is read once, and then only what is new.
type tail struct {
	removals     []byte // as they were when it was read
	merged, next uint32
	counts       []uint32 // the table of rarity, with the rows that are not merged
	codes        []uint16 // of the counts, see codeOf: half as large, for what is read at random
	rows         []tailRow
	scores       []float32 // by the number of a row: all zero between two searches
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
	terms   []term                    // words, then pairs, then pieces, each sorted by hash
	best    float64                   // the most that BM25 can be
	mean    float64                   // length of a text, in words
	power   float64                   // dampens the rarity
	known   [codes]float64            // weights by the code of the number of rows that have a feature
	lengths [256]float64              // what lengthened returns for a coded length
	row     [maxFeatures]codedFeature // room for one row
	among   map[string]bool           // the ids of the rows that are compared; nil: all
	keeps   func(id string) bool      // asked of the best of them alone, for it reads the pattern; nil: all
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
func (all tails) search(ctx context.Context, tx *bolt.Tx, w wanted, n int, among map[string]bool) ([]match, error) {
	found, err := all.rank(ctx, tx, w, among)
	found = slices.DeleteFunc(found, match.unlike)
	return found[:min(n, len(found))], err
}

// rank returns what shares a word with a text, the most similar first.
func (all tails) rank(ctx context.Context, tx *bolt.Tx, w wanted, among map[string]bool) ([]match, error) {
	search := tx.Bucket(searchBucket)
	if search == nil || search.Bucket([]byte(w.kind)) == nil {
		return nil, nil
	}
	s := &searcher{kind: search.Bucket([]byte(w.kind)), query: featuresOf(searched(w.text)), among: among}
	if w.keep != nil {
		s.keeps = func(id string) bool { return w.keeps(tx, id) }
	}
	s.tally = readTally(s.kind)
	if s.tally.Rows == 0 || len(s.query.words) == 0 {
		return nil, nil
	}
	var err error
	if s.tail, err = all.of(search, w.kind, s.tally); err != nil {
		return nil, err
	}
	s.weigh()
	return s.compare(ctx, s.preselect())
}

// of reads the rows that are not merged, of which those that were known are kept.
func (all tails) of(search *bolt.Bucket, kind string, t tally) (*tail, error) {
	known, removals := all[kind], search.Get(removalsKey)
	if known == nil || known.merged != t.Merged || known.next > t.Next || string(known.removals) != string(removals) {
		known = &tail{removals: slices.Clone(removals), merged: t.Merged, next: t.Merged, counts: make([]uint32, 1<<rarityBits), codes: make([]uint16, 1<<rarityBits)}
		if table := search.Bucket([]byte(kind)).Get(rarityKey); len(table) == 4<<rarityBits {
			for i := range known.counts {
				known.counts[i] = binary.BigEndian.Uint32(table[4*i:])
				known.codes[i] = codeOf(known.counts[i])
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
				at := y.hash & (1<<rarityBits - 1)
				known.counts[at]++
				known.codes[at] = codeOf(known.counts[at])
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
func (s *searcher) weight(hash uint32, code uint16, class byte) float64 {
	if class == wordFeature {
		if share, common := commonness[hash]; common {
			return math.Pow(s.idf(decoded(code), priorRows*share), s.power)
		}
	}
	weight := s.known[code]
	if weight == 0 {
		weight = math.Pow(s.idf(decoded(code), 0), s.power)
		s.known[code] = weight
	}
	if class == gramFeature {
		weight *= gramWeight
	}
	return weight
}

// codeOf is a number rounded to ten binary digits, as a short code.
func codeOf(n uint32) uint16 {
	shift := max(bits.Len32(n)-codeDigits, 0)
	return uint16(shift<<(codeDigits-1) + int(n>>shift))
}

// decoded is the number of a code.
func decoded(code uint16) uint32 {
	shift := max(int(code)>>(codeDigits-1)-1, 0)
	return (uint32(code) - uint32(shift)<<(codeDigits-1)) << shift
}

// damped is what a number of occurrences counts: the tenth says little more than the second.
func damped(count uint32) float64 {
	if count < uint32(len(fewDamped)) {
		return fewDamped[count]
	}
	return 1 + math.Log(float64(count))
}

// fewDamped is damped of small numbers.
var fewDamped = func() (few [64]float64) {
	for count := range few {
		few[count] = 1 + math.Log(max(float64(count), 1))
	}
	return few
}()

// weigh finds what the features of the query count.
func (s *searcher) weigh() {
	share := math.Log(float64(len(s.query.words))/shortQuery) / math.Log(float64(longQuery)/shortQuery)
	s.power = shortPower + (longPower-shortPower)*min(max(share, 0), 1)
	for _, class := range [][]feature{s.query.words, s.query.pairs, s.query.grams} {
		for _, f := range class {
			t := term{feature: f, weight: s.weight(f.hash, s.tail.codes[f.hash&(1<<rarityBits-1)], f.class)}
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
	if missing := int(s.tally.Next) - len(s.tail.scores); missing > 0 {
		s.tail.scores = append(s.tail.scores, make([]float32, missing+mergeRows)...)
	}
	scores, touched := s.tail.scores[:s.tally.Next], make([]uint32, 0, maxEntries)
	words := slices.Clone(s.terms[:len(s.query.words)])
	for _, row := range s.tail.rows {
		i, score := 0, 0.0
		for _, f := range row.words {
			for i < len(words) && words[i].hash < f.hash {
				i++
			}
			if i < len(words) && words[i].hash == f.hash {
				score += words[i].bm25 * saturated(float64(f.count), s.lengthened(float64(row.length)))
			}
		}
		if score > 0 && row.number < uint32(len(scores)) {
			scores[row.number], touched = float32(score), append(touched, row.number)
		}
	}
	if lists := s.kind.Bucket(listsBucket); lists != nil {
		slices.SortStableFunc(words, func(a, b term) int { return cmp.Compare(b.idf, a.idf) })
		entries := 0
		for _, t := range words[:min(len(words), maxLists)] {
			n, _ := s.rows(t.hash, t.class)
			if entries > 0 && entries+int(n) > maxEntries {
				break
			}
			entries += int(n)
			touched = s.list(lists, t, scores, touched)
		}
	}
	wanted := touched
	if s.among != nil { // before the rows are cut to the best, so that others take no place
		wanted = slices.DeleteFunc(slices.Clone(touched), func(n uint32) bool { return !s.compared(n) })
	}
	most := preselected
	if s.keeps != nil {
		most = sifted
	}
	best := highest(wanted, most, func(a, b uint32) bool {
		return scores[a] > scores[b] || scores[a] == scores[b] && a > b
	})
	for _, n := range touched {
		scores[n] = 0
	}
	return s.sift(best)
}

// sift returns the first rows that are wanted, as many as are compared.
func (s *searcher) sift(best []uint32) (kept []uint32) {
	if s.keeps == nil {
		return best
	}
	for _, n := range best {
		if id, _, err := idOf(s.kind.Bucket(rowsBucket).Get(number(n))); err == nil && len(kept) < preselected && s.keeps(id) {
			kept = append(kept, n)
		}
	}
	return kept
}

// compared reports whether a row is one of those that are asked for.
func (s *searcher) compared(n uint32) bool {
	id, _, err := idOf(s.kind.Bucket(rowsBucket).Get(number(n)))
	return err == nil && s.among[id]
}

// highest returns the n that come before all others, in their order. It leaves the list as it is.
func highest[T any](list []T, n int, before func(a, b T) bool) []T {
	heap := make([]T, 0, n) // the last one is at the top
	down := func(i int) {
		for {
			last := i
			for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
				if before(heap[last], heap[child]) {
					last = child
				}
			}
			if last == i {
				return
			}
			heap[i], heap[last] = heap[last], heap[i]
			i = last
		}
	}
	for _, x := range list {
		switch {
		case len(heap) < n:
			if heap = append(heap, x); len(heap) == n {
				for i := n/2 - 1; i >= 0; i-- {
					down(i)
				}
			}
		case before(x, heap[0]):
			heap[0] = x
			down(0)
		}
	}
	slices.SortFunc(heap, func(a, b T) int {
		switch {
		case before(a, b):
			return -1
		case before(b, a):
			return 1
		}
		return 0
	})
	return heap
}

// list adds what a word gives the rows of its list, and returns the rows that have a score.
func (s *searcher) list(lists *bolt.Bucket, t term, scores []float32, touched []uint32) []uint32 {
	c, prefix := lists.Cursor(), number(t.hash)
	for k, v := c.Seek(prefix); len(k) == 8 && string(k[:4]) == string(prefix); k, v = c.Next() {
		n, r := binary.BigEndian.Uint32(k[4:]), varints{raw: v}
		for len(r.raw) > 2 {
			n += uint32(r.next())
			if len(r.raw) < 2 || n >= uint32(len(scores)) {
				break
			}
			if scores[n] == 0 {
				touched = append(touched, n)
			}
			scores[n] += float32(t.bm25 * saturated(float64(r.raw[0]), s.lengths[r.raw[1]]))
			r.raw = r.raw[2:]
		}
	}
	return touched
}

// compare finds the similarity of rows exactly. chromem-go gets what they share with the query
// as vectors of a length of one: one dimension for each feature of the query, and one for all other features. The
// cosine is that of all features.
func (s *searcher) compare(ctx context.Context, numbers []uint32) ([]match, error) {
	rows, lexical, index := s.kind.Bucket(rowsBucket), map[string]float64{}, newNearest(len(s.terms)+1)
	for _, at := range numbers {
		raw := rows.Get(number(at))
		if raw == nil {
			continue // it was removed
		}
		id, vector, bm25, err := s.project(raw)
		if err != nil {
			return nil, err
		}
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
		found = append(found, match{r.id, min(similarity, 1), lexical[r.id]})
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id))
	})
	return found, nil
}

// project reads a row and returns its vector as the query sees it, and its BM25.
func (s *searcher) project(raw []byte) (id string, vector []float32, bm25 float64, err error) {
	id, r, err := idOf(raw)
	vector = make([]float32, len(s.terms)+1)
	square, rest, offset, lengthened := 0.0, 0.0, 0, s.lengthened(float64(r.upTo(math.MaxInt32)))
	for _, class := range []struct {
		of    byte
		terms []feature
	}{{wordFeature, s.query.words}, {pairFeature, s.query.pairs}, {gramFeature, s.query.grams}} {
		i := 0
		for _, x := range s.coded(&r) {
			for i < len(class.terms) && class.terms[i].hash < x.hash {
				i++
			}
			if i == len(class.terms) || class.terms[i].hash != x.hash {
				w := damped(x.count) * s.weight(x.hash, x.code, class.of)
				rest += w * w
				continue
			}
			t := &s.terms[offset+i]
			w := damped(x.count) * t.weight
			vector[offset+i], square = float32(w), square+w*w
			bm25 += t.bm25 * saturated(float64(x.count), lengthened) // 0 but for words
		}
		offset += len(class.terms)
	}
	if r.broken {
		err = errFeatures
	}
	vector[len(s.terms)] = float32(math.Sqrt(rest))
	if length := math.Sqrt(square + rest); length > 0 {
		for i := range vector {
			vector[i] = float32(float64(vector[i]) / length)
		}
	}
	return id, vector, bm25, err
}

// codedFeature is a feature of a row, with the code of how many rows have it.
type codedFeature struct {
	hash, count uint32
	code        uint16
}

// coded reads a row's features of one class. The table of rarity is read in a loop of its own: it is too large for the fastest
// cache, and so the processor waits for many entries at once.
func (s *searcher) coded(r *varints) []codedFeature {
	list, hash := s.row[:r.upTo(maxFeatures)], uint32(0)
	for i := range list {
		hash += uint32(r.next())
		list[i].hash, list[i].count = hash, uint32(r.next())
	}
	codes := (*[1 << rarityBits]uint16)(s.tail.codes)
	for i := range list {
		list[i].code = codes[list[i].hash&(1<<rarityBits-1)]
	}
	return list
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
