//go:build corpus

package codemap_test

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/syntax"
)

// The ranking of aider's repository map, as its documentation and its talk of it describe: files are the
// nodes of a graph, an edge leads from a file that refers to a name to each file that defines
// it, and PageRank, personalized to the files whose path the task's words name, says how much each
// file matters. Each file's rank goes on to the definitions that it refers to; definitions are
// shown in the order of what they get, under the paths of their files, until the tokens
// are spent. A name counts more where the task mentions it or where it has several words, less
// where it begins with an underscore or where many files define it, and by the root of how
// often it is referred to.

const (
	aiderDamping = 0.85
	aiderRounds  = 50
	aiderMany    = 5 // files that define a name: with more it says little
	aiderLine    = 100
)

// aiderEdge is the references of one file to a name that another one defines.
type aiderEdge struct {
	from, to int
	name     string
	weight   float64
}

func aider(_ repository, files []source, subject string, tokens int) (string, []string) {
	mentioned := map[string]bool{}
	for _, w := range strings.FieldsFunc(subject, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		mentioned[w] = true
	}
	edges := aiderEdges(files, mentioned)
	begin := make([]float64, len(files))
	named := 0.0
	for i, f := range files {
		if aiderNamed(f.Path, subject, mentioned) {
			begin[i] = 1
			named++
		}
	}
	for i := range begin {
		if named > 0 {
			begin[i] /= named
		} else {
			begin[i] = 1 / float64(len(files))
		}
	}
	rank := pageRank(len(files), edges, begin)
	return aiderShow(files, aiderDefinitions(files, edges, rank), rank, tokens)
}

// aiderNamed reports whether a task names a file: its path, its base name, or a part of its path.
func aiderNamed(file, subject string, mentioned map[string]bool) bool {
	if strings.Contains(subject, file) || strings.Contains(subject, path.Base(file)) {
		return true
	}
	for part := range strings.SplitSeq(file, "/") {
		if mentioned[part] || mentioned[strings.TrimSuffix(part, path.Ext(part))] {
			return true
		}
	}
	return false
}

func aiderEdges(files []source, mentioned map[string]bool) (edges []aiderEdge) {
	defines := map[string][]int{}
	for i, f := range files {
		for _, s := range f.Symbols {
			if at := defines[s.Name]; len(at) == 0 || at[len(at)-1] != i {
				defines[s.Name] = append(at, i)
			}
		}
	}
	for i, f := range files {
		for _, u := range f.Uses {
			to := defines[u.Name]
			weight := math.Sqrt(float64(u.Count))
			if mentioned[u.Name] {
				weight *= 10
			}
			if len(u.Name) >= 8 && severalWords(u.Name) {
				weight *= 10
			}
			if strings.HasPrefix(u.Name, "_") {
				weight *= 0.1
			}
			if len(to) > aiderMany {
				weight *= 0.1
			}
			for _, j := range to {
				edges = append(edges, aiderEdge{i, j, u.Name, weight})
			}
		}
	}
	return edges
}

// severalWords reports whether a name is in snake, kebab or camel case.
func severalWords(name string) bool {
	letters := strings.ContainsFunc(name, unicode.IsLetter)
	lower, upper := strings.ContainsFunc(name, unicode.IsLower), strings.ContainsFunc(name, unicode.IsUpper)
	return letters && strings.ContainsAny(name, "_-") || lower && upper
}

func pageRank(n int, edges []aiderEdge, begin []float64) []float64 {
	out := make([]float64, n)
	for _, e := range edges {
		out[e.from] += e.weight
	}
	rank := slices.Clone(begin)
	for range aiderRounds {
		next := make([]float64, n)
		lost := 0.0
		for i := range rank {
			if out[i] == 0 {
				lost += rank[i]
			}
		}
		for _, e := range edges {
			next[e.to] += aiderDamping * rank[e.from] * e.weight / out[e.from]
		}
		for i := range next {
			next[i] += (1 - aiderDamping + aiderDamping*lost) * begin[i]
		}
		rank = next
	}
	return rank
}

// aiderDefinition is a name that a file defines, with the rank that came to it.
type aiderDefinition struct {
	file int
	name string
	rank float64
}

func aiderDefinitions(files []source, edges []aiderEdge, rank []float64) (list []aiderDefinition) {
	out := make([]float64, len(files))
	for _, e := range edges {
		out[e.from] += e.weight
	}
	type definition struct {
		file int
		name string
	}
	got := map[definition]float64{}
	for _, e := range edges {
		got[definition{e.to, e.name}] += rank[e.from] * e.weight / out[e.from]
	}
	for d, r := range got {
		list = append(list, aiderDefinition{d.file, d.name, r})
	}
	slices.SortFunc(list, func(a, b aiderDefinition) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.file, b.file), strings.Compare(a.name, b.name))
	})
	return list
}

// aiderShow shows definitions within the tokens, and the files without any by their paths, by rank.
func aiderShow(files []source, list []aiderDefinition, rank []float64, tokens int) (string, []string) {
	var order []int
	shown := map[int][]string{}
	room := tokens * 7 / 2
	for _, d := range list {
		line, ok := aiderLineOf(files[d.file].Facts, d.name)
		if !ok {
			continue
		}
		cost := len(line)
		if shown[d.file] == nil {
			cost += len(files[d.file].Path) + 1
		}
		if cost > room {
			break
		}
		room -= cost
		if shown[d.file] == nil {
			order = append(order, d.file)
		}
		shown[d.file] = append(shown[d.file], line)
	}
	rest := make([]int, 0, len(files))
	for i := range files {
		if shown[i] == nil {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(rank[b], rank[a]) })
	var b strings.Builder
	var paths []string
	for _, i := range append(order, rest...) {
		paths = append(paths, files[i].Path)
		if shown[i] == nil {
			if len(files[i].Path)+1 > room {
				continue
			}
			room -= len(files[i].Path) + 1
		}
		fmt.Fprintf(&b, "%s\n%s", files[i].Path, strings.Join(shown[i], ""))
	}
	return b.String(), paths
}

// aiderLineOf is the line of a definition.
func aiderLineOf(f *syntax.Facts, name string) (string, bool) {
	for _, s := range f.Symbols {
		if s.Name == name {
			line := cmp.Or(s.Signature, s.Name)
			return "  " + line[:min(len(line), aiderLine)] + "\n", true
		}
	}
	return "", false
}
