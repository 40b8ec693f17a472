package workspace

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxWalk is how many files a walk lists before it stops and says that there is
// more. It is five times what a workspace is expected to have; beyond it, memory
// is worth more than completeness.
const maxWalk = 500_000

// found is a file of a walk.
type found struct {
	key    string
	place  place       // where it lies on disk; a link is followed
	link   string      // the text of a link; "" for a file
	dir    bool        // the link leads to a folder
	info   fs.FileInfo // of its folder's entry; nil: not asked for
	staged *Content
	buffer *buffer
}

// walker lists the files of a workspace as an overlay shows them. It works on a
// copy of what is staged and open, so that it needs no lock on its way.
type walker struct {
	ctx     context.Context
	w       *Workspace
	slots   map[string]*slot
	buffers map[string]*buffer
	links   bool   // links are listed too
	glob    glob   // files on disk that do not match are left out; "": none
	within  string // only folders that lead here or lie in it; see glob.within
	flat    bool   // and none that lies in it
	files   []found
	more    bool
	ignored []found // what git ignores and a generator may have made, in folders that are listed

	misnamed map[string]error // what lies there under a name that no path may have
}

// walk returns the files that the overlay shows, sorted by path: those on disk
// that are not ignored, those that are open and not yet saved, and the staged
// ones wherever they are. Links to folders are not followed, what is neither file
// nor folder is left out, as are names that no path may have and folders that
// the user may not read. The second result says that there are more.
func (o *Overlay) walk(ctx context.Context, links bool) ([]found, bool, error) {
	return o.walkIn(ctx, links, "")
}

// walkIn is walk for callers that want only what matches: other files are left out where that saves
// looking at them.
func (o *Overlay) walkIn(ctx context.Context, links bool, g glob) ([]found, bool, error) {
	k, err := o.walked(ctx, links, g)
	if err != nil {
		return nil, false, err
	}
	return k.files, k.more, nil
}

// Misnamed returns what lies in the workspace under a name that no path may have, such
// as that of a device on Windows, with the reason. Nothing lists or reads it.
func (o *Overlay) Misnamed(ctx context.Context) (map[string]error, error) {
	k, err := o.walkNow(ctx, false, "")
	if err != nil {
		return nil, err
	}
	return k.misnamed, nil
}

// onceKey is the key of a context's walk.
type onceKey struct{}

// oneWalk is the walk of a context: of all files of one overlay.
type oneWalk struct {
	mu    sync.Mutex
	of    *Overlay
	files []found
	more  bool
}

// AtOnce makes a moment of what is done in a context: the folders are walked once for all that looks at every file of
// an overlay. Nothing is staged in such a context.
func AtOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, &oneWalk{})
}

// walked is a walker at its end.
func (o *Overlay) walked(ctx context.Context, links bool, g glob) (*walker, error) {
	once, ok := ctx.Value(onceKey{}).(*oneWalk)
	if !ok || links || g != everyFile && g != "" {
		return o.walkNow(ctx, links, g)
	}
	once.mu.Lock()
	defer once.mu.Unlock()
	if once.of != o {
		k, err := o.walkNow(ctx, links, g)
		if err != nil {
			return nil, err
		}
		once.of, once.files, once.more = o, slices.Clone(k.files), k.more
		return k, nil
	}
	return &walker{files: slices.Clone(once.files), more: once.more}, nil
}

// walkNow is walked, whatever was found before.
func (o *Overlay) walkNow(ctx context.Context, links bool, g glob) (*walker, error) {
	k := &walker{ctx: ctx, w: o.w, links: links, within: g.within(), flat: g.flat(), slots: make(map[string]*slot), buffers: make(map[string]*buffer), misnamed: make(map[string]error)}
	if g != everyFile {
		k.glob = g
	}
	o.w.mu.Lock()
	for key, s := range o.slots {
		k.slots[key] = s
	}
	for key, b := range o.w.buffers {
		k.buffers[key] = b
	}
	o.w.mu.Unlock()
	o.w.watched.begin()
	var roots []descent
	for _, f := range o.w.folders {
		rules, prefix := f.rulesAbove()
		roots = append(roots, descent{f, "", prefix, o.w.watched.top(f, rules)})
	}
	if err := k.descend(roots); err != nil {
		return nil, err
	}
	byKey := func(x, y found) int { return cmp.Compare(x.key, y.key) }
	slices.SortFunc(k.files, byKey)
	if k.addUnlisted() {
		slices.SortFunc(k.files, byKey)
	}
	return k, nil
}

// addUnlisted adds what is only staged or only in the editor, or ignored, behind the files that were listed, which are
// sorted. It reports whether there was any.
func (k *walker) addUnlisted() (any bool) {
	list := k.files
	listed := func(key string) bool {
		_, found := slices.BinarySearchFunc(list, key, func(f found, key string) int { return cmp.Compare(f.key, key) })
		return found
	}
	for key, s := range k.slots {
		if s.now != nil && !listed(key) {
			k.files = append(k.files, found{key: key, staged: s.now})
		}
	}
	for key, b := range k.buffers {
		if k.slots[key] != nil || listed(key) {
			continue
		}
		if _, err := b.folder.root.Lstat(b.rel); missing(err) { // an ignored file stays ignored when it is open
			k.files = append(k.files, found{key: key, place: b.place, buffer: b})
		}
	}
	return len(k.files) > len(list)
}

// folders is how many of them a worker of a walk lists at a time: one may hold as many files as all others, and a
// level of some dozens has to keep all processors busy.
const folders = 2

// descent is a folder that is to be listed. prefix leads from the repository to the
// workspace's folder.
type descent struct {
	folder *folder
	rel    string
	prefix string
	rules  *ruleset
}

// listed is what lies in a folder.
type listed struct {
	files    []found
	folders  []descent
	ignored  []found
	misnamed map[string]error
}

// descend lists folders and those below them, level by level: the folders of a level at the
// same time, because waiting for the disk takes longest.
func (k *walker) descend(level []descent) error {
	for len(level) > 0 {
		lists := make([]listed, len(level))
		err := inBatchesBy(k.ctx, runtime.GOMAXPROCS(0), folders, len(level), func(from, to int) bool {
			for i := from; i < to; i++ {
				lists[i] = k.list(level[i])
				runtime.Gosched() // see readFacts
			}
			return true
		})
		if err != nil {
			return err
		}
		level = level[:0:0]
		more := 0
		for _, l := range lists {
			more += len(l.files)
		}
		k.files = slices.Grow(k.files, more)
		for _, l := range lists {
			k.files = append(k.files, l.files...)
			level = append(level, l.folders...)
			k.ignored = append(k.ignored, l.ignored...)
			maps.Copy(k.misnamed, l.misnamed)
		}
		if len(k.files) > maxWalk {
			k.files, k.more = k.files[:maxWalk], true
			return nil
		}
	}
	return nil
}

// list lists one folder, as the overlay shows it.
func (k *walker) list(d descent) (l listed) {
	j := k.judged(d)
	l.misnamed = j.misnamed
	for _, sub := range j.folders {
		if k.leads(sub.key) {
			l.folders = append(l.folders, descent{d.folder, sub.rel, d.prefix, j.rules})
		}
	}
	l.files = make([]found, 0, len(j.files))
	for i := range j.files {
		if k.glob == "" || k.glob.match(j.files[i].key) {
			l.files = k.add(l.files, &j.files[i])
		}
	}
	for i := range j.ignored {
		l.ignored = k.add(l.ignored, &j.ignored[i])
	}
	if k.links {
		for _, at := range j.links {
			if k.glob == "" || k.glob.match(at.key) {
				l.files = k.addLink(l.files, at.folder, at.rel)
			}
		}
	}
	return l
}

// judgement is what lies in a folder on disk, by the rules that hold in it: the same for all overlays.
type judgement struct {
	rules    *ruleset // that hold here
	files    []found  // regular ones that nothing ignores
	folders  []place
	links    []place
	ignored  []found // that may be generated
	misnamed map[string]error
}

// noFolder is one in which nobody looks.
var noFolder = &judgement{}

// judged judges what lies in a folder, where it is not known yet.
func (k *walker) judged(d descent) *judgement {
	seen := k.w.watched.entries(d.folder, d.rel)
	if d.rel != "" && seen.has(environmentMark) {
		return noFolder
	}
	here := strings.TrimSuffix(d.prefix+d.rel, "/")
	rules := k.w.watched.rules(d.rules, k.ignoreText(d.folder, d.rel, seen.has(".gitignore")), here)
	if j := seen.judged; j != nil && j.rules == rules {
		return j
	}
	j := k.judge(d, here, rules, seen.list)
	k.w.watched.keepJudgement(seen, j)
	return j
}

func (k *walker) judge(d descent, here string, rules *ruleset, entries []fs.DirEntry) *judgement {
	j := &judgement{rules: rules}
	names := strings.Split(here+"/", "/") // the last is each entry's turn
	if here == "" {
		names = names[1:]
	}
	for _, e := range entries {
		at := place{folder: d.folder, rel: below(d.rel, e.Name())}
		at.key = k.w.key(at.folder, at.rel)
		names[len(names)-1] = e.Name()
		if ignored(rules.list, names, e.IsDir()) {
			if e.Type().IsRegular() && mayBeGenerated(e.Name()) {
				j.ignored = append(j.ignored, found{key: at.key, place: at})
			}
			continue
		}
		if _, err := cleanPath(e.Name()); err != nil {
			if j.misnamed == nil {
				j.misnamed = map[string]error{}
			}
			j.misnamed[at.key] = err
			continue
		}
		switch {
		case e.IsDir() && !slices.Contains(versionControl, e.Name()):
			j.folders = append(j.folders, at)
		case e.Type().IsRegular():
			info, _ := e.Info() // nil: size asks again
			j.files = append(j.files, found{key: at.key, place: at, info: info})
		case e.Type()&fs.ModeSymlink != 0:
			j.links = append(j.links, at)
		}
	}
	j.files = slices.Clip(j.files)
	return j
}

// below is path.Join for a folder that is clean and a name in it.
func below(rel, name string) string {
	if rel == "" {
		return name
	}
	return rel + "/" + name
}

// leads reports whether a folder leads to what is wanted, or lies in it.
func (k *walker) leads(key string) bool {
	return strings.HasPrefix(k.within, key+"/") || !k.flat && strings.HasPrefix(key+"/", k.within)
}

// ignoreText returns the text of a folder's .gitignore, as staged or open as any
// other file.
func (k *walker) ignoreText(f *folder, rel string, onDisk bool) string {
	at := place{folder: f, rel: path.Join(rel, ".gitignore")}
	at.key = k.w.key(f, at.rel)
	if s := k.slots[at.key]; s != nil {
		if s.now == nil {
			return ""
		}
		return string(s.now.Data)
	}
	if b := k.buffers[at.key]; b != nil {
		return b.Text
	}
	if !onDisk {
		return ""
	}
	data, _, err := f.read(at.rel, at.key, maxIgnore)
	if err != nil {
		return "" // git takes no notice of one that it cannot read either
	}
	return string(data)
}

// add adds a file, as it is staged or open where it is.
func (k *walker) add(list []found, f *found) []found {
	list = append(list, *f)
	file := &list[len(list)-1]
	file.buffer = k.buffers[f.key]
	if s := k.slots[f.key]; s != nil {
		if s.now == nil {
			return list[:len(list)-1]
		}
		file.staged = s.now
	}
	return list
}

// addLink lists a link to a file or a folder of the workspace under the link's own name.
func (k *walker) addLink(list []found, f *folder, rel string) []found {
	at, err := k.w.follow(f, rel)
	if err != nil {
		return list // it leads out, or nowhere
	}
	info, err := at.folder.root.Lstat(at.rel)
	text, unread := f.root.Readlink(rel)
	if err != nil || unread != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return list
	}
	link := found{key: at.key, place: at, link: filepath.ToSlash(text), dir: info.IsDir()}
	n := len(list)
	if link.dir {
		list = append(list, link)
	} else {
		list = k.add(list, &link)
	}
	if len(list) > n {
		list[n].key = k.w.key(f, rel)
	}
	return list
}

// content returns what a file of a walk holds; nil: it vanished meanwhile.
func (f found) content(w *Workspace, limit int64) (*Content, error) {
	if f.staged != nil {
		return f.staged, nil
	}
	if f.buffer != nil {
		return w.base(f.place, f.buffer)
	}
	return f.place.load(limit)
}

// size returns the size of a file in bytes.
func (f found) size() int64 {
	if f.staged != nil {
		return int64(len(f.staged.Data))
	}
	if f.buffer != nil {
		return int64(len(f.buffer.Text))
	}
	if f.info != nil {
		return f.info.Size()
	}
	info, err := f.place.folder.root.Lstat(f.place.rel)
	if err != nil {
		return 0
	}
	return info.Size()
}

// modified returns when a file on disk was last changed.
func (f found) modified() time.Time {
	if f.staged != nil || f.buffer != nil || f.info == nil {
		return time.Time{}
	}
	return f.info.ModTime()
}
