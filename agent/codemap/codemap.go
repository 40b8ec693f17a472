// Package codemap chooses the part of a project that a feature touches, and shows
// it within a number of tokens: files in the order in which they are likely to
// matter, the first with their signatures.
//
// The idea is that of the repository map of aider (https://aider.chat/docs/repomap.html):
// files refer to each other by the names that one declares and another uses, and
// a PageRank over these references, personalized to what the task speaks of, says which
// matter. Here the references count in both directions, because a change goes from a
// declaration to its users as often as the other way, and what the task speaks of
// is found by the words of its text in paths, names and documentation, weighed by how rare they are.
//
// It is a package of its own because it is one idea that needs nothing of the agent: facts
// about files go in and a text comes out. It does no input or output and no model is asked.
//
// REPOS=a.git:b.git go test -tags corpus -run Recall -v ./agent/codemap measures how many of the
// files that real commits changed stand in the map of their subjects within 2,000 tokens, beside aider's
// ranking and plain search. Of 100 commits of ten repositories on which the numbers of the
// ranking were chosen (prometheus, celery, Vue's core) or looked at, the map has 0.99 of the files,
// aider's ranking 0.74, a search that shows lines 0.88, and one that shows paths alone 0.94; of 100 of
// ten others (sphinx, tokio, jquery, gson, click, starlette, fzf, sinatra, commander.js, mustermann) 0.96, 0.57,
// 0.86 and 0.95. Among the first ten files of each order are 0.73, 0.29 and 0.75 of those of the others:
// by order alone, the map is as good as search, and shows what the files declare as well.
package codemap

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// File is a file of the project with what it declares and uses.
type File struct {
	Path string
	*syntax.Facts
}

// Query is what the map is for.
type Query struct {
	Text  string   // the words of the task or the feature
	Paths []string // files that are known to matter, such as those that a plan names
}

const (
	// follow is the share of a file's weight that goes on to the files that it refers to and
	// that refer to it. With more, the map is of what is central to the project, and less
	// of what the task speaks of.
	follow = 0.35

	// backward is the weight of a reference from a declaration to its user, against one
	// the other way.
	backward = 0.7

	// rounds of the ranking: after a dozen, what is passed on is a ten-thousandth.
	rounds = 12

	// maxDeclared is how many files may declare a name that still links them: a name
	// such as "run" or "init" that more have says nothing about which one is meant.
	maxDeclared = 6

	// everywhere is the share of the weight that all files begin with alike, so that what is
	// central comes first among those of which the query says nothing.
	everywhere = 0.02

	// named is the weight of a file that the query names, against the best one by words.
	named = 2.0
)

// Ranked is a file with its share of all weight.
type Ranked struct {
	File
	Score float64
	hits  map[string]bool // words of the query that it has
}

// Rank returns the files in the order in which they matter to a query, the first one most;
// among equals, by path.
func Rank(files []File, q Query) []Ranked {
	spoken := relevance(files, q)
	for i := range spoken {
		spoken[i] = (1-everywhere)*spoken[i] + everywhere/float64(len(files))
	}
	score := spread(graph(files), spoken)
	list := make([]Ranked, len(files))
	words := wordsOf(q.Text)
	for i, f := range files {
		list[i] = Ranked{File: f, Score: score[i], hits: words}
	}
	slices.SortStableFunc(list, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// link is a reference between two files.
type link struct {
	to     int32
	weight float64
}

// declaration is where a name is declared.
type declaration struct {
	files   []int32 // one more than maxDeclared at most
	telling float64
}

// declarations are those of all files, by name; each file's base name is one, as a string names it.
func declarations(files []File) map[string]*declaration {
	declared := make(map[string]*declaration, len(files))
	add := func(name string, file int32) {
		d := declared[name]
		if d == nil {
			d = &declaration{telling: telling(name)}
			declared[name] = d
		}
		if n := len(d.files); n <= maxDeclared && (n == 0 || d.files[n-1] != file) {
			d.files = append(d.files, file)
		}
	}
	for i, f := range files {
		for _, s := range f.Symbols {
			add(s.Name, int32(i))
		}
		add(path.Base(f.Path), int32(i))
	}
	return declared
}

// graph returns the references from and to each file.
func graph(files []File) [][]link {
	declared := declarations(files)
	modules := modulesOf(files)
	links := make([][]link, len(files))
	join := func(from, to int32, weight float64) {
		if from != to {
			links[from] = append(links[from], link{to, weight})
			links[to] = append(links[to], link{from, weight * backward})
		}
	}
	for i, f := range files {
		for _, u := range f.Uses {
			d := declared[u.Name]
			if d == nil || len(d.files) > maxDeclared {
				continue
			}
			for _, to := range d.files {
				join(int32(i), to, math.Sqrt(float64(u.Count))*d.telling/float64(len(d.files)))
			}
		}
		for _, name := range f.Imports {
			if to, ok := modules.find(f.Path, name); ok {
				join(int32(i), to, 1)
			}
		}
	}
	return links
}

// telling is how much a name says about what is meant by it: one of several words is
// hardly ever used for two things.
func telling(name string) float64 {
	switch words := parts(name); {
	case strings.HasPrefix(name, "_"):
		return 0.3
	case len(words) > 1 && len(name) >= 8:
		return 3
	case len(name) < 4:
		return 0.3
	}
	return 1
}

// spread lets weight go along the links, and returns where it comes to rest.
func spread(links [][]link, begin []float64) []float64 {
	sums := make([]float64, len(links))
	for i, out := range links {
		for _, l := range out {
			sums[i] += l.weight
		}
	}
	now := slices.Clone(begin)
	next := make([]float64, len(links))
	for range rounds {
		for i := range next {
			next[i] = (1 - follow) * begin[i]
		}
		for i, out := range links {
			if sums[i] == 0 {
				next[i] += follow * now[i]
				continue
			}
			for _, l := range out {
				next[l.to] += follow * now[i] * l.weight / sums[i]
			}
		}
		now, next = next, now
	}
	return now
}

// modules finds files by the names that imports give them.
type modules map[string][]int32 // by the last part of the path, without its extension

type moduleSet struct {
	files []File
	by    modules
}

func modulesOf(files []File) moduleSet {
	m := moduleSet{files, modules{}}
	for i, f := range files {
		stem := trimExt(f.Path)
		last := path.Base(stem)
		if last == "__init__" || last == "index" || last == "mod" {
			last = path.Base(path.Dir(stem))
		}
		m.by[last] = append(m.by[last], int32(i))
	}
	return m
}

func trimExt(p string) string { return strings.TrimSuffix(p, path.Ext(p)) }

// separators are those of modules in PHP, C++, Rust and Ruby.
var separators = strings.NewReplacer("::", "/", `\`, "/")

// find returns the one file that an import of another one means; false where none or several fit.
func (m moduleSet) find(from, name string) (int32, bool) {
	name = separators.Replace(name)
	relative := strings.HasPrefix(name, ".")
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(strings.Trim(name, "."), ".", "/") // of Python and Java
	} else if ext := path.Ext(name); len(ext) < 5 {
		name = strings.TrimSuffix(name, ext)
	}
	if relative {
		name = strings.TrimLeft(path.Clean(name), "./")
	}
	found, best := int32(-1), -1
	for _, i := range m.by[path.Base(name)] {
		stem := trimExt(m.files[i].Path)
		for _, whole := range []string{"/__init__", "/index", "/mod"} {
			stem = strings.TrimSuffix(stem, whole)
		}
		if stem != name && !strings.HasSuffix(stem, "/"+name) {
			continue
		}
		near := shared(path.Dir(from), path.Dir(m.files[i].Path))
		switch {
		case near > best:
			found, best = i, near
		case near == best:
			found = -1
		}
	}
	return found, found >= 0
}

// shared is how many folders two paths begin with in common.
func shared(a, b string) int {
	n := 0
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
