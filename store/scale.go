package store

import (
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// scale says what the cosines of a model mean. They differ: unrelated texts have 0.1 with one model
// and 0.75 with another, so that one threshold for all would recall nothing here and anything there.
type scale struct {
	Unlike float64 `json:"unlike"` // the mean of texts that have nothing to do with each other
	Alike  float64 `json:"alike"`  // and of two wordings of the same
}

const (
	// alikeSimilarity is the similarity that two wordings of the same have: what halves the way from
	// MinSimilarity to 1.
	alikeSimilarity = (1 + MinSimilarity) / 2
	// leastContrast is the least difference of the two means: with less, a model cannot tell wordings of the
	// same from anything else. Models for embeddings have 0.2 and more.
	leastContrast = 0.05
)

// similarity is a cosine on the scale of all similarities, in two straight lines: MinSimilarity half way between the
// two means, alikeSimilarity at the upper one, and 1 for the same text.
func (s *scale) similarity(cosine float64) float64 {
	if cosine >= s.Alike {
		return alikeSimilarity + (1-alikeSimilarity)*min((cosine-s.Alike)/max(1-s.Alike, leastContrast), 1)
	}
	middle := (s.Unlike + s.Alike) / 2
	return MinSimilarity + (alikeSimilarity-MinSimilarity)*(cosine-middle)/(s.Alike-middle)
}

// wordings are pairs of the same said twice; two of different pairs have nothing to do with each other.
var wordings = [...][2]string{
	{"Retry a failed download three times with a growing pause", "When fetching a file does not work, try again up to 3 times and wait longer each time"},
	{"Add pagination to the list of orders", "The orders should be shown page by page instead of all at once"},
	{"Hash passwords with bcrypt before they are saved", "Store only a bcrypt hash of the user's password, never the password itself"},
	{"Write a test for the date parser with leap years", "The function that parses dates needs a unit test that covers 29 February"},
	{"ModuleNotFoundError: no module of this name", "ImportError: the module cannot be imported because it is not installed"},
	{"Make the navigation bar collapse on small screens", "On a phone, the menu at the top should fold into a button"},
	{"Read the configuration from a YAML file", "Load settings out of config.yaml at start-up"},
	{"Fix the data race on the cache's map", "Two goroutines access the cached map at once; guard it with a mutex"},
}

// calibrate finds out the embedder's dimension and what its cosines mean, once for each embedder.
func (e *endpoint) calibrate(ctx context.Context, spent func() Cost) (dimension int, err error) {
	var a account
	if err := e.view(func(tx *bolt.Tx) (err error) { a, err = e.readAccount(tx); return err }); err != nil {
		return 0, err
	}
	var texts []string
	for _, pair := range wordings {
		texts = append(texts, pair[0], pair[1])
	}
	if a.Scale != nil {
		// One text tells whether the server still has the model that it had.
		vectors, err := e.embed(ctx, texts[:1])
		if err != nil {
			return 0, err
		}
		if len(vectors[0]) == a.Dimension {
			return a.Dimension, nil
		}
	}
	vectors, err := e.embed(ctx, texts)
	if err != nil {
		return 0, err
	}
	s := measured(vectors)
	if s.Alike-s.Unlike < leastContrast {
		return 0, fmt.Errorf("the model of %s cannot tell texts apart: two wordings of the same have the cosine %.2f, and unrelated texts %.2f. Set memory.model to a model for embeddings", e.Name(), s.Alike, s.Unlike)
	}
	cost := spent()
	return len(vectors[0]), e.update(func(tx *bolt.Tx) error {
		now, err := e.readAccount(tx)
		if err != nil {
			return err
		}
		now.Scale, now.Dimension = s, len(vectors[0])
		now.Tokens, now.Dollars = now.Tokens+cost.Tokens, now.Dollars+cost.Dollars
		return e.putAccount(tx, now)
	})
}

// measured is the scale that the vectors of the wordings make.
func measured(vectors [][]float32) *scale {
	s, alike, unlike := &scale{}, 0, 0
	for i, v := range vectors {
		for j, w := range vectors[:i] {
			if i/2 == j/2 {
				s.Alike += cosine(v, w)
				alike++
			} else {
				s.Unlike += cosine(v, w)
				unlike++
			}
		}
	}
	s.Alike, s.Unlike = s.Alike/float64(alike), s.Unlike/float64(unlike)
	return s
}

// cosine is that of two vectors of length one.
func cosine(a, b []float32) float64 {
	sum := float32(0)
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}
