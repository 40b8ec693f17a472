package codemap

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
)

// Graph keeps between rankings what was found out about files, because most of them are the same each
// time: the words of their names and who refers to whom. A file counts as the same while its facts are
// the same piece of memory. The zero Graph knows nothing and is ready. It is safe for concurrent use; one ranking
// waits for another. It takes one to three kilobytes a file.
type Graph struct {
	mu    sync.Mutex
	names map[string]int32 // the number of each name, and of each stem of a word
	about []about          // by number
	sums  []float32        // by number; all 0 but while a file is read

	known    map[string]*profile // by path
	profiles []*profile          // of the last ranking's files, in their order
	links    links               // between them
	whole    int                 // how many names there were when all of them were new
}

// about is what is known of a name.
type about struct {
	stems    []int32 // of its words; nil: it was not asked for
	telling  float32 // 0: no file declares it
	compound bool    // it has several words, so that a query which has it whole means it
}

// maxStale is how many names of texts that are gone are kept beside as many as the files had once.
const maxStale = 50_000

// profile is what a ranking asks of a file. Names and words are numbers of the graph's.
type profile struct {
	file     File
	words    []word  // sorted
	declared []int32 // names; the file's base name is one, as a string names it
	used     []use   // sorted
	imports  []int32 // indices of files; found out anew when other files are there
}

type word struct {
	id    int32
	count float32 // what it counts for
}

type use struct {
	id    int32
	count float32 // the root of how often
}

// learn finds out what is new. g.mu is held.
func (g *Graph) learn(files []File) {
	if g.names == nil || len(g.names) > 2*g.whole+maxStale {
		g.names, g.about, g.known, g.profiles, g.whole = map[string]int32{}, nil, map[string]*profile{}, nil, 0
	}
	same, others := len(files) == len(g.profiles), len(files) != len(g.profiles)
	profiles := make([]*profile, len(files))
	for i, f := range files {
		p := g.known[f.Path]
		if p == nil || p.file.Facts != f.Facts {
			p = g.profileOf(f)
			g.known[f.Path] = p
			same = false
		}
		profiles[i] = p
		others = others || g.profiles[i].file.Path != f.Path
	}
	if same && !others {
		return
	}
	before := g.profiles
	g.profiles = profiles
	g.whole = cmp.Or(g.whole, len(g.names))
	if len(g.known) > 2*len(files) {
		clear(g.known)
		for _, p := range profiles {
			g.known[p.file.Path] = p
		}
	}
	modules := modulesOf(files)
	for i, p := range profiles {
		if others || before[i] != p {
			p.imports = modules.imports(p.file)
		}
	}
	g.links = linksOf(len(files), g.references())
}

// number is that of a name.
func (g *Graph) number(name string) int32 {
	id, ok := g.names[name]
	if !ok {
		id = int32(len(g.about))
		g.names[strings.Clone(name)] = id // it is a part of all that the facts say
		g.about = append(g.about, about{})
	}
	return id
}

// stemsOf are words as numbers of their stems, without those that no query asks for.
func (g *Graph) stemsOf(words []string) []int32 {
	list := make([]int32, 0, len(words))
	for _, w := range words {
		if s := stem(w); len(s) > 1 && !empty[s] && !numeric(s) {
			list = append(list, g.number(s))
		}
	}
	return list
}

// name is a name's number, with what is known of it.
func (g *Graph) name(name string) (int32, about) {
	id := g.number(name)
	if g.about[id].stems == nil {
		words := parts(name)
		stems := g.stemsOf(words) // which may move what is known
		g.about[id].stems, g.about[id].compound = stems, len(words) > 1
	}
	return id, g.about[id]
}

// declare is the number of a name that a file declares.
func (g *Graph) declare(name string) int32 {
	id := g.number(name)
	if g.about[id].telling == 0 {
		g.about[id].telling = telling(name)
	}
	return id
}

// profileOf reads a file's facts: which words stand in it, and how much each counts for.
func (g *Graph) profileOf(f File) *profile {
	p := &profile{file: f, declared: make([]int32, 0, len(f.Symbols)+1), used: make([]use, 0, len(f.Uses))}
	var found []int32
	add := func(weight float32, words ...int32) {
		for _, id := range words {
			for int(id) >= len(g.sums) {
				g.sums = append(g.sums, make([]float32, len(g.about))...)
			}
			if g.sums[id] == 0 {
				found = append(found, id)
			}
			g.sums[id] += weight
		}
	}
	add(inPath, g.stemsOf(parts(trimExt(f.Path)))...)
	for _, s := range f.Symbols {
		p.declared = append(p.declared, g.declare(s.Name))
		if s.Kind == "test" {
			continue // a sentence, and not what the file declares
		}
		id, name := g.name(s.Name)
		add(inName, name.stems...)
		add(inDoc, g.stemsOf(parts(s.Doc))...)
		if name.compound {
			add(inExact, id)
		}
	}
	p.declared = append(p.declared, g.declare(path.Base(f.Path)))
	slices.Sort(p.declared)
	p.declared = slices.Clip(slices.Compact(p.declared))
	for _, u := range f.Uses {
		id, name := g.name(u.Name)
		count := float32(math.Sqrt(float64(u.Count)))
		p.used = append(p.used, use{id, count})
		add(inUse*count, name.stems...)
	}
	slices.SortFunc(p.used, func(a, b use) int { return cmp.Compare(a.id, b.id) })
	slices.Sort(found)
	p.words = make([]word, len(found))
	for i, id := range found {
		p.words[i] = word{id, g.sums[id]}
		g.sums[id] = 0
	}
	return p
}

// has is what a word of a query counts for in the file; whole says that it is a compound name, as it is
// written there.
func (p *profile) has(id int32, whole bool) (n float64) {
	if at, ok := slices.BinarySearchFunc(p.words, id, func(w word, id int32) int { return cmp.Compare(w.id, id) }); ok {
		n = float64(p.words[at].count)
	}
	if whole {
		if _, ok := slices.BinarySearchFunc(p.used, id, func(u use, id int32) int { return cmp.Compare(u.id, id) }); ok {
			n += inWhole
		}
	}
	return n
}

// references are those from each file to others: by the names that it uses, and by its imports.
func (g *Graph) references() (list []reference) {
	// Where each name is declared: from[id] to from[id+1]. A name that too many declare links none.
	from := make([]int32, len(g.about)+1)
	for _, p := range g.profiles {
		for _, id := range p.declared {
			from[id+1]++
		}
	}
	for id := range g.about {
		if from[id+1] > maxDeclared {
			from[id+1] = 0
		}
		from[id+1] += from[id]
	}
	in, next := make([]int32, from[len(g.about)]), slices.Clone(from)
	for i, p := range g.profiles {
		for _, id := range p.declared {
			if next[id] < from[id+1] {
				in[next[id]] = int32(i)
				next[id]++
			}
		}
	}
	for i, p := range g.profiles {
		for _, u := range p.used {
			where := in[from[u.id]:from[u.id+1]]
			for _, to := range where {
				if to != int32(i) {
					list = append(list, reference{int32(i), to, u.count * g.about[u.id].telling / float32(len(where))})
				}
			}
		}
		for _, to := range p.imports {
			if to != int32(i) {
				list = append(list, reference{int32(i), to, 1})
			}
		}
	}
	return list
}
