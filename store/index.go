package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/philippgille/chromem-go"
	bolt "go.etcd.io/bbolt"
)

const (
	// maxEmbedded is how much of a text is embedded, in bytes: models of the
	// network refuse more, and the start of a task or an error says what it is.
	maxEmbedded = 16 << 10

	// embedBatch is how many texts go to the embedder in one call: what servers
	// of embeddings accept at least.
	embedBatch = 64

	// maxRefreshes is how often the index is read again because another process
	// has added patterns meanwhile. What is missing then is read by the next call.
	maxRefreshes = 3
)

// index is the searchable copy of the vectors, made from the database and
// never changed: chromem-go's Delete is not used at all, an empty filter makes
// it delete everything.
type index struct {
	generation  uint64
	dimension   int
	collections map[string]*chromem.Collection // by kind: a kind is searched alone
}

// match is a pattern's id and the cosine of its vector to the query.
type match struct {
	id         string
	similarity float64
}

// entry is a pattern with what the database knows of its vector.
type entry struct {
	id, kind, text string
	vector         []float32 // nil: not embedded, or of an older text or another embedder
}

// refresh brings the index up to date with the database, for queries of the
// given dimension. Patterns without a vector that fits are embedded first:
// chromem-go fails every query of a collection for one document of another
// dimension.
func (m *Memory) refresh(ctx context.Context, dimension int) error {
	for try := 1; ; try++ {
		entries, now, err := m.load(dimension)
		if err != nil || entries == nil {
			return err
		}
		var missing []entry
		for _, e := range entries {
			if e.vector == nil {
				missing = append(missing, e)
			}
		}
		if len(missing) > 0 && try == maxRefreshes {
			missing, now = nil, 0 // 0 is no generation: the next call reads again
		}
		if len(missing) == 0 {
			m.index, err = newIndex(ctx, entries, now, dimension)
			return err
		}
		if err := m.embedMissing(ctx, missing, dimension); err != nil {
			return err
		}
	}
}

// load reads all patterns and their vectors; nil when the index has them.
func (m *Memory) load(dimension int) (entries []entry, now uint64, err error) {
	err = m.with(func(db *database) error {
		return db.view(func(tx *bolt.Tx) error {
			now = generation(tx)
			if m.index != nil && m.index.generation == now && m.index.dimension == dimension {
				return nil
			}
			entries = []entry{}
			vectors := tx.Bucket(vectorsBucket).Bucket([]byte(m.embedder.Name()))
			return tx.Bucket(patternsBucket).ForEach(func(k, v []byte) error {
				p, err := decodePattern(string(k), v)
				if err != nil {
					return err
				}
				e := entry{id: p.ID, kind: p.Kind, text: p.Text}
				if vectors != nil {
					e.vector = decodeVector(vectors.Get(k), p.Text, dimension)
				}
				entries = append(entries, e)
				return nil
			})
		})
	})
	return entries, now, err
}

// embedMissing embeds patterns and writes their vectors. The database is closed
// meanwhile: an embedder may take its time, and other editors wait for it.
func (m *Memory) embedMissing(ctx context.Context, missing []entry, dimension int) error {
	for batch := range slices.Chunk(missing, embedBatch) {
		texts := make([]string, len(batch))
		for i, e := range batch {
			texts[i] = e.text
		}
		vectors, err := embedAll(ctx, m.embedder, texts)
		if err != nil {
			return err
		}
		for _, v := range vectors {
			if len(v) != dimension {
				return fmt.Errorf("the embedder %s gives vectors of %d and of %d numbers: it cannot be used", m.embedder.Name(), dimension, len(v))
			}
		}
		err = m.with(func(db *database) error {
			return db.update(func(tx *bolt.Tx) error {
				bucket, err := tx.Bucket(vectorsBucket).CreateBucketIfNotExists([]byte(m.embedder.Name()))
				if err != nil {
					return err
				}
				for i, e := range batch {
					if err := bucket.Put([]byte(e.id), encodeVector(vectors[i], e.text)); err != nil {
						return err
					}
				}
				return nextGeneration(tx)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// embedAll returns vectors of length one, or of zeros.
func embedAll(ctx context.Context, e Embedder, texts []string) ([][]float32, error) {
	cut := make([]string, len(texts))
	for i, t := range texts {
		end := min(len(t), maxEmbedded)
		for end < len(t) && !utf8.RuneStart(t[end]) {
			end--
		}
		cut[i] = t[:end]
	}
	vectors, err := e.Embed(ctx, cut)
	if err != nil {
		return nil, fmt.Errorf("embed with %s: %w", e.Name(), err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("the embedder %s gave %d vectors for %d texts: it cannot be used", e.Name(), len(vectors), len(texts))
	}
	for i, v := range vectors {
		vectors[i] = unit(v)
	}
	return vectors, nil
}

// newIndex fills chromem-go. Vectors of zeros stay out: their cosine to
// anything is not a number.
func newIndex(ctx context.Context, entries []entry, now uint64, dimension int) (*index, error) {
	x := &index{generation: now, dimension: dimension, collections: map[string]*chromem.Collection{}}
	db := chromem.NewDB()
	// Without a function chromem-go takes one that calls OpenAI.
	never := func(context.Context, string) ([]float32, error) {
		return nil, errors.New("documents come with their vectors")
	}
	for _, e := range entries {
		if isZero(e.vector) {
			continue
		}
		c := x.collections[e.kind]
		if c == nil {
			var err error
			if c, err = db.CreateCollection(e.kind, nil, never); err != nil {
				return nil, err
			}
			x.collections[e.kind] = c
		}
		if err := c.AddDocument(ctx, chromem.Document{ID: e.id, Embedding: e.vector}); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// search returns at most n patterns of a kind that are similar to query, the
// most similar first. (chromem-go takes a larger n than it has documents for an
// error.)
func (x *index) search(ctx context.Context, kind string, query []float32, n int) ([]match, error) {
	c := x.collections[kind]
	if c == nil {
		return nil, nil
	}
	results, err := c.QueryEmbedding(ctx, query, min(n, c.Count()), nil, nil)
	if err != nil {
		return nil, err
	}
	var found []match
	for _, r := range results {
		if float64(r.Similarity) >= minSimilarity {
			found = append(found, match{r.ID, min(float64(r.Similarity), 1)})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id))
	})
	return found, nil
}

func isZero(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}

// encodeVector returns the hash of the text that was embedded and the vector in
// little-endian order.
func encodeVector(v []float32, text string) []byte {
	sum := sha256.Sum256([]byte(text))
	out := sum[:]
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// decodeVector returns the vector if it is one of this text and dimension,
// else nil.
func decodeVector(raw []byte, text string, dimension int) []float32 {
	sum := sha256.Sum256([]byte(text))
	if len(raw) != sha256.Size+4*dimension || !bytes.Equal(raw[:sha256.Size], sum[:]) {
		return nil
	}
	v := make([]float32, dimension)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[sha256.Size+4*i:]))
	}
	return v
}
