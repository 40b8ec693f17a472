package store

import (
	"context"
	"hash/fnv"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
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

// Local returns the embedder that is built in: it needs no model and no network.
// It finds texts that share words or parts of words, not meanings: hashed words,
// pairs of words and character n-grams, after numbers, addresses and paths were
// masked, since those differ between two occurrences of one failure.
func Local() Embedder { return local{} }

type local struct{}

const (
	// localDimension is the length of the built-in embedder's vectors: at 768 a
	// page of text has few collisions and a memory takes 3 kB.
	localDimension = 768

	// minGram and maxGram are the lengths of the character n-grams: three find a
	// common stem, more than four only repeat the word.
	minGram, maxGram = 3, 4

	// wordWeight, pairWeight and gramWeight say what a shared word, pair of
	// words and n-gram count. A word of eight letters has eleven n-grams.
	wordWeight, pairWeight, gramWeight = 1.0, 0.5, 0.25
)

// Name implements Embedder.
func (local) Name() string { return "caselsp-local-1" }

// Embed implements Embedder.
func (local) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = embed(text)
	}
	return vectors, nil
}

// embed counts the features of a text into a vector of length one, or of zeros
// for a text without words. Counts are dampened: the tenth occurrence of a word
// says little more than the second.
func embed(text string) []float32 {
	counts := map[string]float64{}
	weights := map[string]float64{}
	add := func(feature string, weight float64) {
		counts[feature]++
		weights[feature] = weight
	}
	before := ""
	for _, w := range words(text) {
		rarity := math.Sqrt(float64(min(utf8.RuneCountInString(w), 9)) / 9) // short words are common ones
		add("w "+w, wordWeight*rarity)
		if before != "" {
			add("p "+before+" "+w, pairWeight*rarity)
		}
		before = w
		padded := []rune("^" + w + "$")
		for n := minGram; n <= maxGram; n++ {
			for i := 0; i+n <= len(padded); i++ {
				add("g "+string(padded[i:i+n]), gramWeight*rarity)
			}
		}
	}
	sums := make([]float64, localDimension)
	for feature, n := range counts {
		h := fnv.New64a()
		_, _ = h.Write([]byte(feature)) // never fails
		sum := h.Sum64()
		value := weights[feature] * (1 + math.Log(n))
		if sum>>63 == 1 { // half of the features count down, so that collisions cancel
			value = -value
		}
		sums[sum%localDimension] += value
	}
	return unit(sums)
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
	pathInText   = regexp.MustCompile(`(?:[A-Za-z]:)?[\w.~@+-]*(?:[/\\][\w.~@+-]+)+`)
	numberInText = regexp.MustCompile(`\b(?:0[xX][0-9a-fA-F]+|[0-9a-f]*[0-9][0-9a-f]{6,}|[0-9]+(?:\.[0-9]+)*)\b`)
)

// words returns the words of a text in lower case, identifiers in their parts,
// with a file's extension in place of its path and 0 in place of numbers.
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
