package workspace

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"caselsp/agent/syntax"
)

const (
	// maxFacts is how many bytes of facts about files a workspace keeps in memory, as
	// syntax.Facts estimates them: those of some ten thousand files.
	maxFacts = 64 << 20

	// MaxStructure is how many files one structure has at most. Parsing takes a few
	// milliseconds each, so that more would take minutes the first time.
	MaxStructure = 20_000

	// MaxSymbols is how many symbols Symbols returns at most.
	MaxSymbols = 1000
)

// FileFacts is a file of a structure.
type FileFacts struct {
	Path string `json:"path"`
	*syntax.Facts
}

// known keeps the facts of texts by their checksum and language, so that only what
// changed is parsed again, whatever the path and whether it is on disk, staged or in the editor.
type known struct {
	mu    sync.Mutex
	facts map[string]*factsOf
	bytes int
	round uint64
	swept uint64 // the round of the last sweep
}

type factsOf struct {
	*syntax.Facts
	round uint64
}

// of returns the facts of a text.
func (k *known) of(key, hash, text string) *syntax.Facts {
	if !syntax.Outlined(key) {
		return nil
	}
	id := string(syntax.OutlineLanguageOf(key)) + " " + hash
	k.mu.Lock()
	if old := k.facts[id]; old != nil {
		old.round = k.round
		k.mu.Unlock()
		return old.Facts
	}
	k.mu.Unlock()
	f := &factsOf{Facts: syntax.FactsOf(key, text)}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes+f.Size() > maxFacts && k.swept != k.round {
		k.swept = k.round
		for old, g := range k.facts {
			if g.round+indexedRounds < k.round {
				k.bytes -= g.Size()
				delete(k.facts, old)
			}
		}
	}
	if k.bytes+f.Size() <= maxFacts && k.facts[id] == nil {
		f.round = k.round
		k.facts[id] = f
		k.bytes += f.Size()
	}
	return f.Facts
}

// Structure returns what the files declare and use that List would return, sorted by
// path, without those that skip names, those in no language that has an outline, and those above a
// megabyte. more says that there are others than it returns. The facts are shared: do not change them.
func (o *Overlay) Structure(ctx context.Context, pattern string, skip func(path string) bool) (list []FileFacts, more bool, err error) {
	g, err := parseGlob(pattern)
	if err != nil {
		return nil, false, err
	}
	files, more, err := o.walkIn(ctx, false, g.within())
	if err != nil {
		return nil, false, err
	}
	files = slices.DeleteFunc(files, func(f found) bool {
		return !syntax.Outlined(f.key) || !g.match(f.key) || skip != nil && skip(f.key) || f.size() > maxIndexedText
	})
	if len(files) > MaxStructure {
		files, more = files[:MaxStructure], true
	}
	o.w.index.next()
	o.w.known.mu.Lock()
	o.w.known.round++
	o.w.known.mu.Unlock()
	list = make([]FileFacts, len(files))
	err = inBatches(ctx, len(files), func(from, to int) bool {
		r := reader{w: o.w}
		defer r.close()
		for i := from; i < to; i++ {
			if text, hash, ok := r.hashed(files[i]); ok {
				list[i] = FileFacts{files[i].key, o.w.known.of(files[i].key, hash, text)}
			}
		}
		return true
	})
	return slices.DeleteFunc(list, func(f FileFacts) bool { return f.Facts == nil }), more, err
}

// Found is a symbol that a search found.
type Found struct {
	Path string `json:"path"`
	syntax.Declaration
}

// Symbols returns the symbols whose names hold a text, whatever the case of its letters: those that are it
// exactly first, then those that begin with it. more says that there are others.
func (o *Overlay) Symbols(ctx context.Context, name, pattern string, skip func(path string) bool) (list []Found, more bool, err error) {
	files, more, err := o.Structure(ctx, pattern, skip)
	if err != nil {
		return nil, false, err
	}
	want := strings.ToLower(name)
	rank := func(s string) int {
		lower := strings.ToLower(s)
		switch {
		case s == name:
			return 0
		case lower == want:
			return 1
		case strings.HasPrefix(lower, want):
			return 2
		}
		return 3
	}
	for _, f := range files {
		for _, s := range f.Symbols {
			if strings.Contains(strings.ToLower(s.Name), want) {
				list = append(list, Found{f.Path, s})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Found) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
	if len(list) > MaxSymbols {
		list, more = list[:MaxSymbols], true
	}
	return list, more, nil
}
