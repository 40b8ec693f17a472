package workspace

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxLookedInto is how many folders a lookout goes into, maxWatched how many
	// files of each rank it reads. Beyond these no people keep such files by hand, and the first
	// ones count: what lies nearer to the top comes first.
	maxLookedInto = 50_000
	maxWatched    = 10_000

	// maxConfig is the size in bytes of the largest file of git that is read.
	maxConfig = 1 << 20

	// lookers is how many folders are read at a time, the first time: reading waits
	// for the disk. Later, when few are read, one after the other is faster.
	lookers = 4

	// settled is how old a folder's change must be before the folder is not read
	// again: the clocks of file systems are coarse.
	settled = 2 * time.Second
)

// unwatched are folders of other people's code and of caches, in which a lookout
// does not look. Build output is looked into: programs copy their settings there.
var unwatched = []string{
	"node_modules", "bower_components", "jspm_packages", "site-packages", "__pycache__", ".tox", ".nox", ".eggs",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".gradle", ".parcel-cache", ".turbo", ".nyc_output", ".pnpm-store", ".yarn",
}

// Lookout finds the files of a workspace that are wanted by their names, whether git
// ignores them or not, and says which are new or have changed since it last looked.
// It is not safe for concurrent use.
type Lookout struct {
	w       *Workspace
	want    func(key string) Want
	folders map[string]*lookedInto // by folder and path
	seen    map[string]stamp       // of files, by key
	watched map[bool]int           // how many files have been read, by Want.Kept
	aliases map[string]bool
	linked  map[fileID]bool // kept files with several names
	before  bool            // it has looked before
}

// Want is what a lookout does with the files of a name.
type Want struct {
	Most int64 // the size in bytes of the largest one that is read; 0: they are not wanted
	Kept bool  // no other name may lead to one unnoticed, see Alias
}

// wantedFile is a wanted file of a folder.
type wantedFile struct {
	name string
	Want
}

// lookedInto is what a folder held.
type lookedInto struct {
	modified time.Time
	at       time.Time // when it was read
	folders  []string  // names
	files    []wantedFile
	links    []wantedFile
	others   []string // regular files that are not kept
}

// stamp tells two versions of a file apart.
type stamp struct {
	size     int64
	modified time.Time
	version  int32 // of the editor's buffer
	buffer   bool
}

// Sighted is a wanted file that is new or has changed.
type Sighted struct {
	Path string
	Text string
}

// NewLookout returns a lookout for files that are wanted by their names. Several
// goroutines may call want at once.
func (w *Workspace) NewLookout(want func(key string) Want) *Lookout {
	return &Lookout{w: w, want: want, folders: map[string]*lookedInto{}, seen: map[string]stamp{}, watched: map[bool]int{}, aliases: map[string]bool{}, linked: map[fileID]bool{}}
}

// Alias reports whether a path is another name of a kept file: a link of that name
// leads to it, or it is the same file on disk.
func (l *Lookout) Alias(key string) bool { return l.aliases[key] }

// Look returns the wanted files that are new or have changed. Folders that have not
// changed are not read again, nor files.
func (l *Lookout) Look(ctx context.Context) ([]Sighted, error) {
	var list []Sighted
	known := len(l.linked)
	looked := 0
	for _, f := range l.w.folders {
		level := []string{""}
		for len(level) > 0 && looked < maxLookedInto {
			level = level[:min(len(level), maxLookedInto-looked)]
			looked += len(level)
			var next []string
			for i, in := range l.level(ctx, f, level) {
				for _, name := range in.folders {
					next = append(next, path.Join(level[i], name))
				}
				list = l.files(list, f, level[i], in)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			level = next
		}
	}
	if len(l.linked) > 0 && len(l.linked) != known {
		l.otherNames()
	}
	l.before = true
	return l.buffers(list), nil
}

// level returns what folders hold. It returns less when the context ends.
func (l *Lookout) level(ctx context.Context, f *folder, level []string) []*lookedInto {
	ins := make([]*lookedInto, len(level))
	var turn atomic.Int64
	var workers sync.WaitGroup
	count := lookers
	if l.before {
		count = 1
	}
	for range min(count, len(level)) {
		workers.Go(func() {
			for i := int(turn.Add(1)) - 1; i < len(level) && ctx.Err() == nil; i = int(turn.Add(1)) - 1 {
				ins[i] = l.into(f, level[i])
			}
		})
	}
	workers.Wait()
	for i, in := range ins {
		if in == nil {
			return ins[:i]
		}
		if id := f.real + "\x00" + level[i]; in.modified.IsZero() {
			delete(l.folders, id)
		} else {
			l.folders[id] = in
		}
	}
	return ins
}

// into returns what a folder holds. Several goroutines may call it at once.
func (l *Lookout) into(f *folder, rel string) *lookedInto {
	full := filepath.Join(f.real, filepath.FromSlash(rel))
	info, err := os.Lstat(full)
	if err != nil {
		return &lookedInto{}
	}
	if old := l.folders[f.real+"\x00"+rel]; old != nil && old.modified.Equal(info.ModTime()) && old.at.Sub(old.modified) > settled {
		return old
	}
	in := &lookedInto{modified: info.ModTime(), at: time.Now()}
	// Not by f.root, which asks for each file by itself what the folder says of all.
	entries, _ := os.ReadDir(full) // what was read before an error counts
	if rel != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == environmentMark }) {
		entries = nil
	}
	for _, e := range entries {
		name := e.Name()
		if _, err := cleanPath(name); err != nil {
			continue
		}
		regular, link := e.Type().IsRegular(), e.Type()&fs.ModeSymlink != 0
		var want Want
		if regular || link {
			want = l.want(l.w.key(f, path.Join(rel, name)))
		}
		if regular && !want.Kept {
			in.others = append(in.others, name)
		}
		switch {
		case e.IsDir() && slices.Contains(versionControl, name):
			for _, inside := range []string{"config", "credentials"} {
				in.files = append(in.files, wantedFile{path.Join(name, inside), Want{Most: maxConfig, Kept: true}})
			}
		case e.IsDir() && !slices.Contains(unwatched, name):
			in.folders = append(in.folders, name)
		case regular && want.Most > 0:
			in.files = append(in.files, wantedFile{name, want})
		case link && want.Most > 0:
			in.links = append(in.links, wantedFile{name, want})
		}
	}
	return in
}

// files adds the wanted files of a folder that are new or have changed.
func (l *Lookout) files(list []Sighted, f *folder, rel string, in *lookedInto) []Sighted {
	for _, file := range in.files {
		at := place{folder: f, rel: path.Join(rel, file.name)}
		at.key = l.w.key(f, at.rel)
		list = l.look(list, at, file.Want)
	}
	for _, file := range in.links {
		at, err := l.w.follow(f, path.Join(rel, file.name))
		if err != nil {
			continue // it leads out, where nothing of the workspace reads it
		}
		if info, err := at.folder.root.Lstat(at.rel); err == nil && info.Mode().IsRegular() {
			if file.Kept {
				l.aliases[at.key] = true
			}
			list = l.look(list, at, file.Want)
		}
	}
	return list
}

// look adds a file, if it is new or has changed.
func (l *Lookout) look(list []Sighted, at place, want Want) []Sighted {
	// Not by the root, which opens each folder on the way; that reads the file.
	info, err := os.Lstat(filepath.Join(at.folder.real, filepath.FromSlash(at.rel)))
	if err != nil || !info.Mode().IsRegular() || info.Size() > want.Most {
		return list
	}
	if id, several := identify(info); several && want.Kept {
		l.linked[id] = true
	}
	now := stamp{size: info.Size(), modified: info.ModTime()}
	old, ok := l.seen[at.key]
	if ok && old == now || !ok && l.watched[want.Kept] >= maxWatched {
		return list
	}
	if !ok {
		l.watched[want.Kept]++
	}
	l.seen[at.key] = now
	c, err := at.load(want.Most)
	if err != nil || c == nil {
		return list
	}
	text, _, err := c.decode(at.key)
	if err != nil {
		text = string(c.Data)
	}
	return append(list, Sighted{at.key, text})
}

// buffers adds the wanted files that the editor has open and not saved.
func (l *Lookout) buffers(list []Sighted) []Sighted {
	l.w.mu.Lock()
	open := make(map[string]Buffer, len(l.w.buffers))
	for key, b := range l.w.buffers {
		open[key] = b.Buffer
	}
	l.w.mu.Unlock()
	for key, b := range open {
		now := stamp{size: int64(len(b.Text)), version: b.Version, buffer: true}
		if l.want(key).Most == 0 && !l.aliases[key] || l.seen["buffer "+key] == now {
			continue
		}
		l.seen["buffer "+key] = now
		list = append(list, Sighted{key, b.Text})
	}
	slices.SortStableFunc(list, func(a, b Sighted) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// otherNames finds the files that are the same on disk as kept ones.
func (l *Lookout) otherNames() {
	for id, in := range l.folders {
		real, rel, _ := strings.Cut(id, "\x00")
		i := slices.IndexFunc(l.w.folders, func(f *folder) bool { return f.real == real })
		if i < 0 {
			continue
		}
		for _, name := range in.others {
			info, err := os.Lstat(filepath.Join(real, filepath.FromSlash(rel), name))
			if err != nil {
				continue
			}
			if file, several := identify(info); several && l.linked[file] {
				l.aliases[l.w.key(l.w.folders[i], path.Join(rel, name))] = true
			}
		}
	}
}
