package syntax

// Closest returns the word of a list that a misspelt one is most like; "" where
// none is near: more than two letters away, or more than a third of the word.
func Closest(word string, list []string) string {
	best, distance := "", min(2, len(word)/3)+1
	for _, w := range list {
		if d := editDistance(word, w, distance); d < distance {
			best, distance = w, d
		}
	}
	return best
}

// editDistance is Damerau's and Levenshtein's distance of two words (the
// variant that edits no part twice); limit where it is not below it.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, last, now := rows[(i-1)%3], rows[i%3], rows[(i+1)%3]
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], older[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
