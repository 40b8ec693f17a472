package workspace

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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
	most  int // maxFacts
	round uint64
	swept uint64 // the round of the last sweep
	kept  Kept
	seen  map[string]sum // by path: checksums that were looked up or kept before
}

// sum is the checksum of a version of a file on disk.
type sum struct {
	version version
	hash    string
	id      string // of the facts
}

// maxSeen is how many of them are remembered: more files than a structure has. They take some 200 bytes each.
const maxSeen = 4 * MaxStructure

// Kept is where the facts of texts are kept from one process to the next, by keys. Its functions are
// called concurrently.
type Kept struct {
	Fact func(key string) []byte // nil: none; lasts until Done
	Keep func(key string, value []byte)
	Done func() error // ends a round: what was kept is written
}

// KeepFacts makes the workspace look for the facts of a text there before it parses it.
func (w *Workspace) KeepFacts(k Kept) {
	w.known.mu.Lock()
	defer w.known.mu.Unlock()
	w.known.kept = k
}

// end ends a round.
func (k Kept) end() {
	if k.Done != nil {
		_ = k.Done() // a cache: what is not kept is computed again
	}
}

// load returns the facts that were kept; nil for none.
func (k Kept) load(id string) *syntax.Facts {
	if k.Fact == nil {
		return nil
	}
	return syntax.DecodeFacts(k.Fact(id))
}

type factsOf struct {
	*syntax.Facts
	round uint64
}

// factsID is the key of facts: texts of one checksum differ by their languages.
func factsID(key, hash string) string { return string(syntax.OutlineLanguageOf(key)) + " " + hash }

// find returns the facts that are in memory, or were kept; nil for none.
func (k *known) find(id string) *syntax.Facts {
	k.mu.Lock()
	if old := k.facts[id]; old != nil {
		old.round = k.round
		k.mu.Unlock()
		return old.Facts
	}
	kept := k.kept
	k.mu.Unlock()
	f := kept.load(id)
	if f != nil {
		k.take(id, f)
	}
	return f
}

// take takes facts into memory, if there is room.
func (k *known) take(id string, f *syntax.Facts) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes+f.Size() > k.most && k.swept != k.round {
		k.swept = k.round
		for old, g := range k.facts {
			if g.round+indexedRounds < k.round {
				k.bytes -= g.Size()
				delete(k.facts, old)
			}
		}
	}
	if k.bytes+f.Size() <= k.most && k.facts[id] == nil {
		k.facts[id] = &factsOf{f, k.round}
		k.bytes += f.Size()
	}
}

// of returns the facts of a text.
func (k *known) of(key, hash, text string) *syntax.Facts {
	id := factsID(key, hash)
	if f := k.find(id); f != nil {
		return f
	}
	f := syntax.FactsOf(key, text)
	if f == nil {
		return nil
	}
	k.take(id, f)
	if kept := k.keeper(); kept.Keep != nil {
		kept.Keep(id, f.Encode())
	}
	return f
}

func (k *known) keeper() Kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept
}

// unread returns the facts of a file that is on disk as it was when they were kept, without
// reading it; nil: it has to be read.
func (k *known) unread(f found) *syntax.Facts {
	if hash, ok := k.hashOf(f); ok {
		return k.find(factsID(f.key, hash))
	}
	return nil
}

// hashOf returns the checksum of a file that is on disk as it was when the checksum was kept; false: it
// has to be read.
func (k *known) hashOf(f found) (hash string, ok bool) {
	kept := k.keeper()
	if f.info == nil || f.staged != nil || f.buffer != nil || kept.Fact == nil {
		return "", false
	}
	v := versionOf(f.info)
	if v.id == (fileID{}) {
		return "", false
	}
	k.mu.Lock()
	before := k.seen[f.key]
	k.mu.Unlock()
	if before.version == v {
		return before.hash, true
	}
	if hash, ok = strings.CutPrefix(string(kept.Fact(v.key())), v.line()); ok {
		k.see(f.key, v, hash)
	}
	return hash, ok
}

// see remembers a checksum that was kept.
func (k *known) see(key string, v version, hash string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == nil || len(k.seen) >= maxSeen {
		k.seen = map[string]sum{}
	}
	k.seen[key] = sum{v, hash, factsID(key, hash)}
}

// atHand takes the facts that are in memory of files that are on disk as they were, and returns which
// others there are. It is one look for all of them: with one for each, several workers wait for each other longer
// than they look.
func (k *known) atHand(files []found, take func(i int, f *syntax.Facts)) (others []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range files {
		f := &files[i]
		if f.info != nil && f.staged == nil && f.buffer == nil {
			before, ok := k.seen[f.key]
			if facts := k.facts[before.id]; ok && facts != nil && before.version == versionOf(f.info) {
				facts.round = k.round
				take(i, facts.Facts)
				continue
			}
		}
		others = append(others, i)
	}
	return others
}

// keepVersion keeps the checksum of a file on disk, so that it need not be read for its facts
// again. What changed a moment ago may change once more without the disk saying so.
func (k *known) keepVersion(key string, v version, hash string, begun time.Time) {
	kept := k.keeper()
	if kept.Keep == nil || v.id == (fileID{}) || !v.settledBy(begun) {
		return
	}
	if value := v.line() + hash; string(kept.Fact(v.key())) != value {
		kept.Keep(v.key(), []byte(value))
	}
	k.see(key, v, hash)
}

// key names a file, whatever path leads to it.
func (v version) key() string { return fmt.Sprintf("file %x %x", v.id.device, v.id.inode) }

// line says what the disk says of it.
func (v version) line() string {
	return fmt.Sprintf("%d %d %d %o ", v.size, v.modified.UnixNano(), v.changed.UnixNano(), v.mode)
}

// Structure returns what the files declare and use that List would return, sorted by
// path, without those that skip names, those in no language that has an outline, and those above a
// megabyte. more says that there are others than it returns. The facts are shared: do not change them.
func (o *Overlay) Structure(ctx context.Context, pattern string, skip func(path string) bool) (list []FileFacts, more bool, err error) {
	files, more, err := o.outlined(ctx, pattern, skip)
	if err != nil {
		return nil, false, err
	}
	list = make([]FileFacts, len(files))
	err = o.w.readFacts(ctx, files, func(i int, f *syntax.Facts) { list[i] = FileFacts{files[i].key, f} })
	return slices.DeleteFunc(list, func(f FileFacts) bool { return f.Facts == nil }), more, err
}

// outlined are the files of a structure.
func (o *Overlay) outlined(ctx context.Context, pattern string, skip func(path string) bool) (files []found, more bool, err error) {
	g, err := parseGlob(pattern)
	if err != nil {
		return nil, false, err
	}
	if files, more, err = o.walkIn(ctx, false, g); err != nil {
		return nil, false, err
	}
	files = slices.DeleteFunc(files, func(f found) bool {
		return !syntax.Outlined(f.key) || !g.match(f.key) || skip != nil && skip(f.key) || f.size() > maxIndexedText
	})
	if len(files) > MaxStructure {
		files, more = slices.Clone(files[:MaxStructure]), true // without the others, which may be many
	}
	return files, more, nil
}

// readFacts takes the facts of files, those of several at the same time; nil: a file has none. When it
// returns, they are kept.
func (w *Workspace) readFacts(ctx context.Context, files []found, take func(i int, f *syntax.Facts)) error {
	w.index.next()
	w.known.next()
	others := w.known.atHand(files, take)
	err := inBatchesBy(ctx, w.parsers(), batch, len(others), func(from, to int) bool {
		if w.aside {
			yieldThread()
		}
		r := reader{w: w}
		defer r.close()
		for _, i := range others[from:to] {
			if ctx.Err() != nil {
				break
			}
			take(i, r.facts(files[i]))
			runtime.Gosched() // to whoever waits: the scheduler alone lets a request wait for ten milliseconds each time
		}
		return true
	})
	w.known.keeper().end()
	return err
}

// Index finds out the facts that Structure would return for all files, for others that look for them where
// they are kept. It holds those of one file at a time. It is called before anything else, and returns
// how many files have facts.
func (w *Workspace) Index(ctx context.Context, k Kept) (n int, err error) {
	w.KeepFacts(k)
	w.aside = true
	w.known.most, w.index.most = 0, 0
	o := w.NewOverlay()
	defer o.Close()
	files, _, err := o.outlined(ctx, "", nil)
	if err != nil {
		return 0, err
	}
	var having atomic.Int64
	err = w.readFacts(ctx, files, func(_ int, f *syntax.Facts) {
		if f != nil {
			having.Add(1)
		}
	})
	return int(having.Load()), err
}

// Alone says that nobody waits for anything else of this process, so that all processors may parse.
// It is called before the workspace is used.
func (w *Workspace) Alone() { w.alone = true }

// parsers is how many files are parsed at a time. One processor is left to the editor that may wait
// for an answer meanwhile: a parse cannot be interrupted.
func (w *Workspace) parsers() int {
	if w.alone {
		return runtime.GOMAXPROCS(0)
	}
	return max(1, runtime.GOMAXPROCS(0)-1)
}

// facts returns the facts of a file; nil where it has none.
func (r *reader) facts(f found) *syntax.Facts {
	known := &r.w.known
	if facts := known.unread(f); facts != nil {
		return facts
	}
	begun := r.w.index.clock()
	text, hash, ok := r.hashed(f)
	if !ok {
		return nil
	}
	facts := known.of(f.key, hash, text)
	known.keepVersion(f.key, r.seen, hash, begun)
	return facts
}

// next begins a round.
func (k *known) next() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.round++
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
