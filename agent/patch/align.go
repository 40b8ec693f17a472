package patch

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/content"
)

// Where no layer fits a hunk line by line, its old lines are aligned with the
// file: some may be missing on either side, and some misquoted.
//
// The lines that can tell places apart are matched first, the rare ones through
// an index; no window is slid over the file. Chains of matches in the order of
// both texts are scored, what lies between two matches is aligned locally, and
// the result counts only when it is proven (prove.go).

// pair is an old line of the hunk that may be a line of the file.
type pair struct {
	old, line int
	weight    float64
}

// aligner aligns one hunk with the file.
type aligner struct {
	v      *views
	h      *Hunk
	old    []string // the hunk's old lines, folded
	texts  []string // the same lines as they are
	kinds  []Kind
	depths depths      // of the chain being filled
	elided []bool      // the old line stands for lines that were left out
	weigh  []float64   // what each says; 0 for an elision
	total  float64     // what all of them say
	pairs  []pair      // by line, then by old
	points map[int]int // of the alignment being proven, see place
}

func newAligner(v *views, h *Hunk, rough words) *aligner {
	a := &aligner{v: v, h: h}
	for _, l := range h.Lines {
		if l.Kind == Added {
			continue
		}
		text := fold(l.Text)
		a.old = append(a.old, text)
		a.texts = append(a.texts, l.Text)
		a.kinds = append(a.kinds, l.Kind)
		a.elided = append(a.elided, elides(text) && len(v.ix.lines(text)) == 0)
		w := weight(text)
		if a.elided[len(a.old)-1] {
			w = 0
		}
		a.weigh = append(a.weigh, w)
		a.total += w
	}
	for i, places := 0, anchorPlaces; i == 0 || len(a.pairs) > pairLimit && places > 0; i, places = i+1, places/4 {
		a.match(places, rough)
	}
	slices.SortFunc(a.pairs, func(x, y pair) int { return cmp.Or(x.line-y.line, x.old-y.old) })
	return a
}

// elides reports whether a folded line says that lines were left out.
func elides(line string) bool { return content.OnlyDots(line) || content.LeavesOut(line, true) }

// match collects the pairs of the lines that stand in at most places lines of
// the file. A line that is in none is looked for by its rarest words.
func (a *aligner) match(places int, rough words) {
	a.pairs = a.pairs[:0]
	for i, l := range a.old {
		if a.weigh[i] < 0.5 {
			continue
		}
		at := a.v.ix.lines(l)
		if len(at) > 0 && len(at) <= places {
			for _, line := range at {
				a.pairs = append(a.pairs, pair{i, int(line), a.weigh[i]})
			}
		}
		if len(at) > 0 {
			continue
		}
		for _, line := range rough.lines(l, places/4) {
			if s := a.like(i, line); s > 0 {
				a.pairs = append(a.pairs, pair{i, line, s * a.weigh[i]})
			}
		}
	}
}

// like returns how well an old line of the hunk is a line of the file: 1, or
// less for one that is misquoted, or 0.
func (a *aligner) like(old, line int) float64 {
	want, have := a.old[old], a.v.folded[line]
	switch {
	case want == have && a.depths.contradicts(a.texts[old], a.v.bare[line]):
		return otherDepth
	case want == have:
		return 1
	case a.kinds[old] == Removed && !(misspelt(want, have) && a.slips(want, have)):
		return 0
	case a.weigh[old] < 0.5:
		return 0
	}
	if !a.v.effort.spend(min(len(want)*len(have), compareLimit*compareLimit)) {
		return 0
	}
	return misquoted * likeness(want, have, alike)
}

// slips reports whether a misspelling stands once in the hunk. A word that the
// new lines have as well is what the model saw: the file has changed there.
func (a *aligner) slips(want, have string) bool {
	known, added := wordsOf(have), wordsOf(fold(strings.Join(a.h.added(), " ")))
	return !slices.ContainsFunc(wordsOf(want), func(w string) bool { return !slices.Contains(known, w) && slices.Contains(added, w) })
}

// cost is what a chain loses for what lies between two of its pairs.
func (a *aligner) cost(x, y pair) float64 {
	skew := (y.line - x.line) - (y.old - x.old)
	if skew > 0 && slices.Contains(a.elided[x.old+1:y.old], true) {
		return 0
	}
	return min(skewCost*float64(max(skew, -skew)), 1)
}

// chain returns the pairs of the best chain that uses none of the barred, and
// its score.
func (a *aligner) chain(barred map[pair]bool) ([]pair, float64) {
	if !a.v.effort.spend(len(a.pairs) * min(len(a.pairs), pairWindow)) {
		return nil, 0
	}
	score := make([]float64, len(a.pairs))
	prev := make([]int, len(a.pairs))
	best := -1
	for k, y := range a.pairs {
		prev[k] = -1
		if barred[y] {
			continue
		}
		score[k] = y.weight
		for m := k - 1; m >= max(0, k-pairWindow); m-- {
			x := a.pairs[m]
			if x.old >= y.old || x.line >= y.line || barred[x] {
				continue
			}
			if s := score[m] + y.weight - a.cost(x, y); s > score[k] {
				score[k], prev[k] = s, m
			}
		}
		if best < 0 || score[k] > score[best] {
			best = k
		}
	}
	if best < 0 {
		return nil, 0
	}
	var chain []pair
	for k := best; k >= 0; k = prev[k] {
		chain = append(chain, a.pairs[k])
	}
	slices.Reverse(chain)
	return chain, score[best]
}

// fill returns the line of the file that each old line is, given a chain; -1
// if there is none.
func (a *aligner) fill(chain []pair) []int {
	at := make([]int, len(a.old))
	for i := range at {
		at[i] = -1
	}
	a.depths = depths{}
	for _, p := range chain {
		at[p.old] = p.line
		a.depths.learn(a.texts[p.old], a.v.bare[p.line])
	}
	first, last := chain[0], chain[len(chain)-1]
	a.before(at, first.old, first.line)
	for k := 1; k < len(chain); k++ {
		a.between(at, chain[k-1], chain[k])
	}
	a.behind(at, last.old+1, last.line+1)
	a.gather(at)
	return at
}

// gather moves the lines to be removed next to each other where the file has
// equal lines there: which of two blank lines goes makes no difference.
func (a *aligner) gather(at []int) {
	for i := len(at) - 2; i >= 0; i-- {
		if a.kinds[i] != Removed || a.kinds[i+1] != Removed || at[i] < 0 || at[i+1] <= at[i]+1 {
			continue
		}
		if to := at[i+1] - 1; a.v.folded[to] == a.v.folded[at[i]] {
			at[i] = to
		}
	}
}

// before aligns the old lines before the first anchor, behind those after the
// last one. An elision there says nothing: what is on its other side has no anchor.
func (a *aligner) before(at []int, old, line int) {
	from := old
	for from > 0 && !a.elided[from-1] {
		from--
	}
	a.align(at, from, old, max(0, line-(old-from)-slack), line)
}

func (a *aligner) behind(at []int, old, line int) {
	to := old
	for to < len(a.old) && !a.elided[to] {
		to++
	}
	a.align(at, old, to, line, min(len(a.v.bare), line+(to-old)+slack))
}

func (a *aligner) between(at []int, x, y pair) {
	cut := slices.Index(a.elided[x.old+1:y.old], true)
	if cut < 0 && (y.old-x.old)*(y.line-x.line) <= gapCells {
		a.align(at, x.old+1, y.old, x.line+1, y.line)
		return
	}
	// What lies between is large, or was left out: only what adjoins counts.
	i, j := x.old+1, x.line+1
	for i < y.old && j < y.line && !a.elided[i] && a.like(i, j) > 0 {
		at[i] = j
		i, j = i+1, j+1
	}
	k, l := y.old-1, y.line-1
	for k >= i && l >= j && !a.elided[k] && a.like(k, l) > 0 {
		at[k] = l
		k, l = k-1, l-1
	}
}

// align maps the old lines [i0, i1) to lines in [j0, j1), in order, such that
// most is matched (Needleman and Wunsch).
func (a *aligner) align(at []int, i0, i1, j0, j1 int) {
	n, m := i1-i0, j1-j0
	if n <= 0 || m <= 0 || n*m > gapCells {
		return
	}
	score := make([]float64, (n+1)*(m+1))
	cell := func(i, j int) *float64 { return &score[i*(m+1)+j] }
	pass := func(i, j int) float64 { return *cell(i, j+1) } // the line j of the file is no line of the hunk
	take := func(i, j int) float64 {                        // it is the i-th line of the hunk
		if s := a.like(i0+i, j0+j); s > 0 {
			return *cell(i+1, j+1) + s*a.weigh[i0+i]
		}
		return -1
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			*cell(i, j) = max(*cell(i+1, j), pass(i, j), take(i, j))
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch *cell(i, j) {
		case take(i, j):
			at[i0+i] = j0 + j
			i, j = i+1, j+1
		case pass(i, j):
			j++
		default:
			i++
		}
	}
}

// words finds lines by their rarest words. It is made for the lines that no
// layer knows, in one pass over the file.
type words map[string][]int

// newWords indexes the words of some lines in the file's.
func newWords(wanted, file []string) words {
	w := words{}
	for _, l := range wanted {
		for _, word := range wordsOf(l) {
			w[word] = nil
		}
	}
	if len(w) == 0 {
		return w
	}
	for i, l := range file {
		for _, word := range wordsOf(l) {
			if at, ok := w[word]; ok && len(at) <= commonWord && (len(at) == 0 || at[len(at)-1] != i) {
				w[word] = append(at, i)
			}
		}
	}
	return w
}

// lines returns the lines, at most n, that share most of l's rare words, each
// word counting the more the rarer it is.
func (w words) lines(l string, n int) []int {
	votes := map[int]float64{}
	for _, word := range wordsOf(l) {
		if at := w[word]; len(at) > 0 && len(at) <= commonWord {
			for _, line := range at {
				votes[line] += 1 / float64(len(at))
			}
		}
	}
	found := slices.Collect(maps.Keys(votes))
	slices.SortFunc(found, func(x, y int) int { return cmp.Or(cmp.Compare(votes[y], votes[x]), x-y) })
	for n < len(found) && n > 0 && n < anchorPlaces && votes[found[n]] == votes[found[n-1]] {
		n++ // none of those that are as likely is left out
	}
	return found[:min(n, len(found))]
}

func wordsOf(line string) []string { return strings.FieldsFunc(line, notWord) }
