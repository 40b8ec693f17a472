package workspace

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxWatchedFolders and maxWatchedEntries are how many folders of a workspace are watched, and of how many files
	// their lists are kept, at some 600 bytes each. The system counts all of a user's watches: old ones
	// allow 8,192, and the user's editor needs some. Other folders are listed each time.
	maxWatchedFolders = 4096
	maxWatchedEntries = 50_000

	// verifyEvery is how often at most the lists of watched folders are compared with the disk while they are in use. That is
	// some ten milliseconds for 10,000 files, which nobody waits for.
	verifyEvery = 10 * time.Second
)

// watched keeps what lies in folders that the system watches. A walk of 10,000 files asks the disk of each of
// them otherwise, which takes longer than searching them.
//
// A list counts while the system has told of no change in the folder, and the folder itself is the same. The
// system tells of a write before the writer goes on, so that a walk sees all that was written before it began.
// It does not tell of what is written through a mapping that is still there, by another name of a file in
// another folder, or past the local file system. So a folder is not kept that has a file with several names or lies on another
// file system, and lists in use are compared with the disk now and then: a folder whose list turns out to be wrong is
// listed each time from then on.
//
// Nothing is kept of the first walk: most commands walk once. The zero watched is ready.
type watched struct {
	mu      sync.Mutex
	walks   int
	by      *watcher // nil: nothing is kept
	folders map[folderID]*watchedFolder
	ids     map[int32]*watchedFolder
	count   int // entries of all lists
	tops    map[*folder]*ruleset
	parsed  map[ruleText]*ruleset

	verified  time.Time
	verifying sync.WaitGroup
	closed    atomic.Bool
	listed    int // lists that were read; for tests
}

// ruleText is the text of a .gitignore in the folder base, below folders with other rules.
type ruleText struct {
	above      *ruleset
	base, text string
}

// sight is what lies in a folder, sorted.
type sight struct {
	list   []fs.DirEntry
	judged *judgement     // of the list, by the rules of then; nil: none
	in     *watchedFolder // where it is kept; nil: nowhere
	turn   uint64         // of it
}

// has reports whether something of a name lies in the folder.
func (s sight) has(name string) bool {
	_, found := slices.BinarySearchFunc(s.list, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	return found
}

// folderID is a folder by its path.
type folderID struct {
	folder *folder
	rel    string
}

// watchedFolder is a folder with its list. watched.mu guards it.
type watchedFolder struct {
	folderID
	watch   int32
	self    version // of the folder, from before it was listed
	turn    uint64  // another one after each change and with each list that is begun
	list    []fs.DirEntry
	kept    bool       // the list is there, and nothing has changed since it was begun
	judged  *judgement // of the list
	refused bool       // the list was wrong once
}

// close ends the watch.
func (x *watched) close() {
	x.closed.Store(true)
	x.verifying.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by != nil {
		x.by.close()
		x.by, x.folders = nil, nil
	}
}

// begin takes in what has changed; a walk calls it first.
func (x *watched) begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.walks++; x.walks == 2 && !x.closed.Load() {
		x.by, x.folders, x.ids = newWatcher(), map[folderID]*watchedFolder{}, map[int32]*watchedFolder{}
		x.verified = time.Now()
	}
	if x.by == nil {
		return
	}
	x.drain()
	if time.Since(x.verified) > verifyEvery && !x.closed.Load() {
		x.verified = time.Now()
		x.verifying.Go(x.verify)
	}
}

// drain takes in what has changed. x.mu is held.
func (x *watched) drain() {
	changed, gone, all := x.by.drain()
	for _, id := range changed {
		if f := x.ids[id]; f != nil {
			x.empty(f)
		}
	}
	for _, id := range gone {
		if f := x.ids[id]; f != nil {
			x.forget(f)
		}
	}
	if all {
		for _, f := range x.folders {
			x.empty(f)
		}
	}
}

// empty forgets a folder's list, and the one that is being read. x.mu is held.
func (x *watched) empty(f *watchedFolder) {
	x.count -= len(f.list)
	f.list, f.judged, f.kept = nil, nil, false
	f.turn++
}

// forget ends the watch of a folder that is gone, and of those in it. x.mu is held.
func (x *watched) forget(gone *watchedFolder) {
	for id, f := range x.folders {
		if f == gone || id.folder == gone.folder && (gone.rel == "" || strings.HasPrefix(id.rel, gone.rel+"/")) {
			x.empty(f)
			x.by.remove(f.watch)
			delete(x.ids, f.watch)
			delete(x.folders, id)
		}
	}
}

// entries returns what lies in a folder; nothing where it cannot be read. The list is shared: do not change it.
func (x *watched) entries(f *folder, rel string) sight {
	id := folderID{f, rel}
	if s, ok := x.known(id); ok {
		return s
	}
	dir, err := f.root.Open(cmp.Or(rel, "."))
	if err != nil {
		return sight{}
	}
	defer dir.Close()
	at, turn := x.expect(id, dir)
	list, err := entriesOf(dir)
	if at != nil && err == nil && !slices.ContainsFunc(list, severalNames) {
		x.keep(at, turn, list)
		return sight{list: list, in: at, turn: turn}
	}
	return sight{list: list}
}

// known returns what lies in a folder whose list counts.
func (x *watched) known(id folderID) (sight, bool) {
	x.mu.Lock()
	f := x.folders[id]
	if f == nil || !f.kept {
		x.mu.Unlock()
		return sight{}, false
	}
	s, self := sight{f.list, f.judged, f, f.turn}, f.self
	x.mu.Unlock()
	// The path may lead to another folder by now: below a renamed one, or where another file system is mounted. Not
	// by the root, which opens each folder on the way; nothing but this is asked of it.
	info, err := os.Lstat(filepath.Join(id.folder.real, filepath.FromSlash(id.rel)))
	return s, err == nil && versionOf(info) == self
}

// keepJudgement takes in what the list of a folder comes to.
func (x *watched) keepJudgement(s sight, j *judgement) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.in != nil && s.in.kept && s.in.turn == s.turn {
		s.in.judged = j
	}
}

// top returns the rules that hold at the top of a folder, at the address of the last ones if they are the same.
func (x *watched) top(f *folder, rules []rule) *ruleset {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old := x.tops[f]; old != nil && slices.EqualFunc(old.list, rules, rule.same) {
		return old
	}
	if x.tops == nil {
		x.tops = map[*folder]*ruleset{}
	}
	x.tops[f] = &ruleset{rules}
	return x.tops[f]
}

// rules returns the rules that hold in the folder base, by those above it and its own .gitignore.
func (x *watched) rules(above *ruleset, text, base string) *ruleset {
	if text == "" {
		return above
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	id := ruleText{above, base, text}
	if old := x.parsed[id]; old != nil {
		return old
	}
	if x.parsed == nil || len(x.parsed) >= maxWatchedFolders {
		x.parsed = map[ruleText]*ruleset{}
	}
	rules := &ruleset{slices.Concat(above.list, parseRules(text, base))}
	x.parsed[id] = rules
	return rules
}

// expect begins to watch a folder before it is listed; nil: its list is not kept.
func (x *watched) expect(id folderID, dir *os.File) (*watchedFolder, uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.listed++
	f := x.folders[id]
	if x.by == nil || f == nil && len(x.folders) >= maxWatchedFolders || f != nil && f.refused {
		return nil, 0
	}
	info, err := dir.Stat()
	if err != nil {
		return nil, 0
	}
	watch, ok := x.by.add(dir)
	if other := x.ids[watch]; !ok || other != nil && other != f {
		return nil, 0
	}
	if f == nil {
		f = &watchedFolder{folderID: id}
		x.folders[id] = f
	} else if f.watch != watch {
		delete(x.ids, f.watch)
		x.by.remove(f.watch)
	}
	x.empty(f)
	f.watch, f.self = watch, versionOf(info)
	x.ids[watch] = f
	return f, f.turn
}

// keep takes in the list of a folder, unless a change was told meanwhile.
func (x *watched) keep(f *watchedFolder, turn uint64, list []fs.DirEntry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f.turn == turn && !f.kept && x.count+len(list) <= maxWatchedEntries {
		x.count += len(list)
		f.list, f.kept = list, true
	}
}

// severalNames reports whether a file may be changed by a name in another folder.
func severalNames(e fs.DirEntry) bool {
	if !e.Type().IsRegular() {
		return false
	}
	info, err := e.Info()
	if err != nil {
		return true
	}
	_, several := identify(info)
	return several
}

// verify compares the lists with the disk.
func (x *watched) verify() {
	x.mu.Lock()
	var all []watchedFolder
	for _, f := range x.folders {
		if f.kept {
			all = append(all, *f)
		}
	}
	x.mu.Unlock()
	for _, f := range all {
		if x.closed.Load() {
			return
		}
		dir, err := f.folder.root.Open(cmp.Or(f.rel, "."))
		if err != nil {
			continue // it is gone: what it was is not asked for
		}
		now, err := entriesOf(dir)
		dir.Close()
		if err != nil || !slices.EqualFunc(now, f.list, sameEntry) {
			x.refuse(f)
		}
	}
}

// refuse no longer keeps the list of a folder, unless the system has told that it is wrong.
func (x *watched) refuse(old watchedFolder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by == nil {
		return
	}
	x.drain()
	if f := x.folders[old.folderID]; f != nil && f.turn == old.turn {
		x.empty(f)
		f.refused = true
	}
}

// sameEntry reports whether the disk says the same of an entry twice.
func sameEntry(a, b fs.DirEntry) bool {
	if a.Name() != b.Name() || a.Type() != b.Type() {
		return false
	}
	if !a.Type().IsRegular() {
		return true
	}
	was, err := a.Info()
	is, err2 := b.Info()
	return err == nil && err2 == nil && versionOf(was) == versionOf(is)
}

// entries returns what lies in a folder, sorted; nothing where it cannot be read.
func (f *folder) entries(rel string) []fs.DirEntry {
	dir, err := f.root.Open(cmp.Or(rel, "."))
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := entriesOf(dir)
	return entries
}

// entriesOf lists an open folder, as far as it can be read. What the disk says of each entry is from now.
func entriesOf(dir *os.File) ([]fs.DirEntry, error) {
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return entries, err
}
