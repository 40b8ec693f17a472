package workspace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// splitLines cuts a text after every "\n". The last line may lack it; there is
// no empty last line. A lone "\r" ends no line here, as in every diff format.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// span is a change of lines: a[lo:hi] became b[newLo:newHi].
type span struct{ lo, hi, newLo, newHi int }

// diffLines returns the changes that make b of a: in order, with at least one
// equal line between two of them.
//
// The library's search gives up after 100 changed lines and then takes all that
// is left for one change. So the lines that both have exactly once are paired
// first (the idea of the patience diff), and only what lies between them is
// searched; it also makes diffs of code that people find natural.
func diffLines(a, b []string) []span {
	var spans []span
	loA, loB := 0, 0
	for _, m := range append(anchors(a, b), [2]int{len(a), len(b)}) {
		for loA < m[0] && loB < m[1] && a[loA] == b[loB] { // an anchor, and what follows it
			loA, loB = loA+1, loB+1
		}
		switch {
		case loA == m[0] && loB == m[1]:
		case loA == m[0] || loB == m[1]:
			spans = append(spans, span{loA, m[0], loB, m[1]})
		default:
			for _, d := range lcs.DiffLines(a[loA:m[0]], b[loB:m[1]]) {
				spans = append(spans, span{loA + d.Start, loA + d.End, loB + d.ReplStart, loB + d.ReplEnd})
			}
		}
		loA, loB = m[0], m[1]
	}
	return joinSpans(spans)
}

// joinSpans joins changes that touch.
func joinSpans(spans []span) []span {
	var joined []span
	for _, s := range spans {
		if n := len(joined); n > 0 && joined[n-1].hi == s.lo && joined[n-1].newHi == s.newLo {
			joined[n-1].hi, joined[n-1].newHi = s.hi, s.newHi
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// anchors returns the places of the lines that occur once in a and once in b,
// the longest list of them that is in order in both. The equal beginning and end
// of the texts count as found.
func anchors(a, b []string) [][2]int {
	front := 0
	for front < len(a) && front < len(b) && a[front] == b[front] {
		front++
	}
	back := 0
	for back < len(a)-front && back < len(b)-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	// Where a line is; -1: it is there more than once.
	index := func(lines []string) map[string]int {
		at := make(map[string]int, len(lines))
		for i, line := range lines {
			if _, again := at[line]; again {
				i = -1 - front
			}
			at[line] = i + front
		}
		return at
	}
	inB := index(b[front : len(b)-back])
	var pairs [][2]int
	for line, i := range index(a[front : len(a)-back]) {
		if j, ok := inB[line]; ok && i >= 0 && j >= 0 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
	found := [][2]int{{front, front}}
	found = append(found, rising(pairs)...)
	return append(found, [2]int{len(a) - back, len(b) - back})
}

// rising returns a longest list of pairs whose second numbers rise, by patience
// sorting.
func rising(pairs [][2]int) [][2]int {
	var tops []int // the pair on top of each pile
	under := make([]int, len(pairs))
	for i, p := range pairs {
		pile, _ := slices.BinarySearchFunc(tops, p[1], func(top, j int) int { return cmp.Compare(pairs[top][1], j) })
		under[i] = -1
		if pile > 0 {
			under[i] = tops[pile-1]
		}
		if pile == len(tops) {
			tops = append(tops, i)
		} else {
			tops[pile] = i
		}
	}
	list := make([][2]int, len(tops))
	for n, i := len(tops)-1, last(tops); n >= 0; n-- {
		list[n], i = pairs[i], under[i]
	}
	return list
}

func last(list []int) int {
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1]
}
