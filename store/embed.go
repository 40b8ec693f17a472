package store

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"caselsp/store/lazyregexp"
)

const (
	// maxEmbedded is how much of a text is searched or embedded, in bytes: models of the
	// network refuse more, and the start of a task or an error says what it is.
	maxEmbedded = 16 << 10

	// embedBatch is how many texts go to the embedder in one call: what servers
	// of embeddings accept at least.
	embedBatch = 64
)

// Embedder turns texts into vectors whose cosine is the similarity of the texts.
// Implementations are safe for concurrent use.
//
// Embed returns one vector for each text, all of one length; a vector of zeros
// means that the text has nothing to compare. Name names the model and its
// version: memories are embedded anew when it changes.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Name() string
}

func isZero(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}

// unit returns v with length one. Zeros stay zeros. A vector that is not a number
// becomes zeros, because every comparison with it would give NaN.
func unit[F float32 | float64](v []F) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	out := make([]float32, len(v))
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return out
	}
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(square))
	}
	return out
}

var (
	pathInText   = lazyregexp.New(`(?:[A-Za-z]:)?[\w.~@+-]*(?:[/\\][\w.~@+-]+)+`)
	numberInText = lazyregexp.New(`\b(?:0[xX][0-9a-fA-F]+|[0-9a-f]*[0-9][0-9a-f]{6,}|[0-9]+(?:\.[0-9]+)*)\b`)
)

// words returns the words of a text in lower case, identifiers in their parts,
// with a file's extension in place of its path and 0 in place of numbers. The ids of lessons are
// made of them: they must not change.
func words(text string) []string {
	text = pathInText.ReplaceAllStringFunc(text, func(path string) string {
		base := path[strings.LastIndexAny(path, `/\`)+1:]
		return " pathof" + base[strings.LastIndexByte(base, '.')+1:] + " "
	})
	text = numberInText.ReplaceAllString(text, " 0 ")
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	var before rune
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
		} else {
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				flush() // camelCase
			}
			word = append(word, r)
		}
		before = r
	}
	flush()
	return words
}
