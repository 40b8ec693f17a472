// Package near measures how far one word is from another, for "did you mean" and
// for lines that a model misquotes.
//
// It hides the algorithm: optimal string alignment, which is Levenshtein's distance
// with the exchange of two neighbours as one edit. It never decides what is near
// enough: callers give the limit. Libraries that count exchanges (go-edlib, matchr)
// lost because none of them stops at a limit, and the patch engine, which compares
// every line of a file, needs that.
package near

// Distance returns how many elements must be inserted, deleted, replaced or
// exchanged with their neighbour to turn a into b; limit+1 where it is above limit.
func Distance[T comparable](a, b []T, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for k := range above {
		above[k] = k
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for k := 1; k <= len(b); k++ {
			cost := 1
			if a[i-1] == b[k-1] {
				cost = 0
			}
			d := min(above[k]+1, row[k-1]+1, above[k-1]+cost)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				d = min(d, before[k-2]+1)
			}
			row[k] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, above, row = above, row, before
	}
	return min(above[len(b)], limit+1)
}

// Closest returns the word of a list that is nearest to a misspelt one, the first of
// several; "" where none is within limit.
func Closest(misspelt string, list []string, limit int) string {
	best, asked := "", []rune(misspelt)
	for _, word := range list {
		if d := Distance(asked, []rune(word), limit); d <= limit {
			best, limit = word, d-1
		}
	}
	return best
}

// Common returns how many elements two lists have in common at their beginnings
// and, of the rest, at their ends.
func Common[T comparable](x, y []T) (from, end int) {
	for from < len(x) && from < len(y) && x[from] == y[from] {
		from++
	}
	for end < len(x)-from && end < len(y)-from && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	return from, end
}
