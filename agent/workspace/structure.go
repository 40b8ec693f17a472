package workspace

import (
	"cmp"
	"context"
	"encoding/json"
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
	kept  Kept
	fresh map[string][]byte // what the present round computed, as it is kept; nil: nothing is kept
}

// Kept is where the facts of texts are kept from one process to the next, by keys.
type Kept struct {
	Version string // of the program: others may find other facts
	Fact    func(key string) []byte
	Keep    func(map[string][]byte) error
}

// KeepFacts makes the workspace look for the facts of a text there before it parses it.
func (w *Workspace) KeepFacts(k Kept) {
	w.known.mu.Lock()
	defer w.known.mu.Unlock()
	w.known.kept = k
}

// keptFormat is the version of what is kept; it changes with keptFacts.
const keptFormat = "1"

// keptFacts are facts with what their JSON form leaves out.
type keptFacts struct {
	*syntax.Facts
	Uses []syntax.Use
}

// load returns the facts that were kept; nil for none.
func (k Kept) load(id string) *syntax.Facts {
	if k.Fact == nil {
		return nil
	}
	raw := k.Fact(keptFormat + " " + k.Version + " " + id)
	kept := keptFacts{Facts: &syntax.Facts{}}
	if raw == nil || json.Unmarshal(raw, &kept) != nil || kept.Language == "" {
		return nil
	}
	kept.Facts.Uses = kept.Uses
	return kept.Facts
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
	kept := k.kept
	k.mu.Unlock()
	f := &factsOf{Facts: kept.load(id)}
	var raw []byte
	if f.Facts == nil {
		f.Facts = syntax.FactsOf(key, text)
		if kept.Keep != nil {
			raw, _ = json.Marshal(keptFacts{f.Facts, f.Uses}) // of strings and numbers only: it cannot fail
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if raw != nil && k.fresh != nil {
		k.fresh[keptFormat+" "+kept.Version+" "+id] = raw
	}
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
	o.w.known.begin()
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
	o.w.known.end()
	return slices.DeleteFunc(list, func(f FileFacts) bool { return f.Facts == nil }), more, err
}

// begin begins a round.
func (k *known) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.round++
	if k.fresh == nil && k.kept.Keep != nil {
		k.fresh = map[string][]byte{}
	}
}

// end keeps what was computed since a round began.
func (k *known) end() {
	k.mu.Lock()
	fresh, keep := k.fresh, k.kept.Keep
	k.fresh = nil
	k.mu.Unlock()
	if len(fresh) > 0 {
		_ = keep(fresh) // a cache: what is not kept is computed again
	}
}

// Found is a symbol that a search found.
type Found struct {
	Path string `json:"path"`
	syntax.Declaration
}

// Symbols returns the symbols whose names hold a text, whatever the case of its letters: those that are it
// exactly first, then those that begin with it. Tests that are calls have no name to refer to and are
// left out. more says that there are others.
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
			if s.Kind != "test" && strings.Contains(strings.ToLower(s.Name), want) {
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
