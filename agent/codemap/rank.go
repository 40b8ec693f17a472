package codemap

import (
	"cmp"
	"math"
	"slices"
)

// Rank returns the files in the order in which they matter to a query, the first one most;
// among equals, by path.
func Rank(files []File, q Query) []Ranked { return new(Graph).Rank(files, q) }

// Rank is [Rank] of the files as they are now. What it knows of those that have the same facts as
// the last time is not found out again. Paths are unique.
func (g *Graph) Rank(files []File, q Query) []Ranked {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.learn(files)
	words := wordsOf(q.Text)
	begin := g.relevance(q, words)
	for i := range begin {
		begin[i] = (1-everywhere)*begin[i] + everywhere/float64(len(files))
	}
	score := g.links.spread(begin)
	list := make([]Ranked, len(files))
	for i, f := range files {
		list[i] = Ranked{File: f, Score: score[i], hits: words}
	}
	slices.SortFunc(list, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// relevance is how much each file has to do with the words of a query and the files
// that it names; all together 1, or all 0.
func (g *Graph) relevance(q Query, words map[string]bool) []float64 {
	type wanted struct {
		id    int32
		whole bool      // a compound name
		at    []int32   // the files that have it
		n     []float64 // what it counts for in each
	}
	var list []wanted
	for w := range words {
		if id, ok := g.names[w]; ok {
			list = append(list, wanted{id: id, whole: g.about[id].compound})
		}
	}
	slices.SortFunc(list, func(a, b wanted) int { return cmp.Compare(a.id, b.id) })
	for i, p := range g.profiles {
		for j := range list {
			if n := p.has(list[j].id, list[j].whole); n > 0 {
				list[j].at, list[j].n = append(list[j].at, int32(i)), append(list[j].n, n)
			}
		}
	}
	score, best := make([]float64, len(g.profiles)), 0.0
	for _, w := range list {
		rare := math.Log(1 + float64(len(score))/float64(len(w.at)))
		for i, file := range w.at {
			score[file] += rare * rare * w.n[i] / (w.n[i] + 2)
			best = max(best, score[file])
		}
	}
	meant := namedBy(q)
	sum := 0.0
	for i, p := range g.profiles {
		if meant(p.file.Path) {
			score[i] += named * max(best, 1)
		}
		score[i] *= score[i] // the best few count, not the many that share a word
		sum += score[i]
	}
	for i := range score {
		if sum > 0 {
			score[i] /= sum
		}
	}
	return score
}

// links are the references between files, those of one file after those of another.
type links struct {
	from   []int32   // by file: its first link; the last is how many there are
	to     []int32   // by link
	weight []float32 // by link: its share of all that its file passes on
}

// reference is a use in one file of what another one has.
type reference struct {
	from, to int32
	weight   float32
}

// linksOf joins n files in both directions.
func linksOf(n int, list []reference) links {
	l := links{make([]int32, n+1), make([]int32, 2*len(list)), make([]float32, 2*len(list))}
	for _, r := range list {
		l.from[r.from+1]++
		l.from[r.to+1]++
	}
	for i := range n {
		l.from[i+1] += l.from[i]
	}
	next, sums := slices.Clone(l.from[:n]), make([]float32, n)
	add := func(from, to int32, weight float32) {
		l.to[next[from]], l.weight[next[from]] = to, weight
		next[from]++
		sums[from] += weight
	}
	for _, r := range list {
		add(r.from, r.to, r.weight)
		add(r.to, r.from, r.weight*backward)
	}
	for i, sum := range sums {
		for at := l.from[i]; at < l.from[i+1]; at++ {
			l.weight[at] /= sum
		}
	}
	return l
}

// spread lets weight go along the links, and returns where it comes to rest.
func (l links) spread(begin []float64) []float64 {
	now, next := slices.Clone(begin), make([]float64, len(begin))
	for range rounds {
		for i := range next {
			next[i] = (1 - follow) * begin[i]
		}
		for i, weight := range now {
			weight *= follow
			from, to := l.from[i], l.from[i+1]
			if from == to {
				next[i] += weight
				continue
			}
			shares := l.weight[from:to]
			for j, other := range l.to[from:to] {
				next[other] += weight * float64(shares[j])
			}
		}
		now, next = next, now
	}
	return now
}
