package workspace

import (
	"io/fs"
	"sync"
	"time"
)

const (
	// maxIndexed is how many bytes of text the index of a workspace keeps. The source of
	// most projects fits, and an editor's language servers use several times as
	// much; what does not fit is read from disk each time.
	maxIndexed = 128 << 20

	// maxIndexedText is the size in bytes of the largest text that the index keeps:
	// larger ones are generated or data, and a few of them would fill it.
	maxIndexedText = 1 << 20

	// maxUnread is how many files that are no text, or too large, the index
	// remembers, so that they are not read again to find that out.
	maxUnread = 200_000

	// indexedRounds is how many searches a text is kept for that none of them
	// looked at, when there is no room for another one.
	indexedRounds = 8
)

// index keeps what the files of a workspace hold on disk, for all that read many
// of them: search, lists with hashes, outlines, the validators' project. An entry counts
// only while the disk says that the file is the same, so nobody has to tell the
// index of a change, and losing it costs time only. What is staged or open in the editor is in memory
// already and never enters it.
type index struct {
	mu      sync.Mutex
	entries map[string]*indexed // by key
	bytes   int64               // of all texts
	most    int64               // maxIndexed
	clock   func() time.Time
	unread  int // entries without a text
	round   uint64
	swept   uint64 // the round of the last sweep
}

// version is what the disk says of a file, and differs between two contents of it.
type version struct {
	size     int64
	modified time.Time
	changed  time.Time // of the content or of the file's properties; no program can set it
	mode     fs.FileMode
	id       fileID
}

func versionOf(info fs.FileInfo) version {
	id, _ := identify(info)
	return version{info.Size(), info.ModTime(), changedAt(info), info.Mode(), id}
}

// settledBy reports whether a change after t would have another version: file
// systems count time in steps, and within one of them two versions are alike.
func (v version) settledBy(t time.Time) bool {
	latest := v.modified
	if v.changed.After(latest) {
		latest = v.changed
	}
	return t.Sub(latest) > settled
}

// indexed is what a file held. It is not changed, but for its round.
type indexed struct {
	version version
	text    string
	enc     Encoding
	hash    string
	err     error // why it is no text
	round   uint64
}

// file returns the entry as a file.
func (e *indexed) file(key string) (File, error) {
	if e.err != nil {
		return File{}, e.err
	}
	return File{Path: key, Text: e.text, Encoding: e.enc, Mode: e.version.mode.Perm(), Hash: e.hash}, nil
}

// next begins another search, or something else that looks at all files.
func (x *index) next() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.round++
}

// find returns what a file holds that is on disk as info says; nil: not known.
func (x *index) find(key string, info fs.FileInfo) *indexed {
	if info == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.entries[key]
	if e == nil || e.version != versionOf(info) {
		return nil
	}
	e.round = x.round
	return e
}

// room reports whether a text of a size would be kept.
func (x *index) room(size int64) bool {
	if size > maxIndexedText {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bytes+size > x.most {
		x.sweep()
	}
	return x.bytes+size <= x.most
}

// sweep drops what nothing has looked at for a while, once a round. The lock is held.
func (x *index) sweep() {
	if x.swept == x.round {
		return
	}
	x.swept = x.round
	for key, e := range x.entries {
		if e.round+indexedRounds < x.round {
			x.drop(key)
		}
	}
}

// drop forgets a file. The lock is held.
func (x *index) drop(key string) {
	e := x.entries[key]
	if e == nil {
		return
	}
	if e.err != nil {
		x.unread--
	}
	x.bytes -= int64(len(e.text))
	delete(x.entries, key)
}

// keep takes in what a file held. info is from after it was opened and begun from before.
// A file that changed a moment ago is not kept: it may change again
// without the disk saying so.
func (x *index) keep(key string, data []byte, info fs.FileInfo, begun time.Time) *indexed {
	e := &indexed{version: versionOf(info), hash: hashOf(data)}
	e.text, e.enc, e.err = Decode(data)
	if refused, ok := e.err.(*NotText); ok {
		refused.Path = key
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(key)
	if len(e.text) > maxIndexedText || !e.version.settledBy(begun) || int64(len(data)) != info.Size() {
		return e
	}
	if x.bytes+int64(len(e.text)) > x.most || x.unread >= maxUnread {
		x.sweep()
	}
	if x.bytes+int64(len(e.text)) > x.most || x.unread >= maxUnread && e.err != nil {
		return e
	}
	e.round = x.round
	x.entries[key] = e
	x.bytes += int64(len(e.text))
	if e.err != nil {
		x.unread++
	}
	return e
}

// indexed returns what a file on disk holds, if it has at most MaxText bytes. The
// errors are those of load.
func (p place) indexed(w *Workspace) (*indexed, error) {
	info, err := p.folder.root.Stat(p.rel)
	if err == nil {
		err = readable(info, p.key, MaxText)
	}
	if err != nil {
		return nil, fileError(p.key, err)
	}
	if e := w.index.find(p.key, info); e != nil {
		return e, nil
	}
	begun := w.index.clock()
	data, info, err := p.folder.read(p.rel, p.key, MaxText)
	if err != nil {
		return nil, err
	}
	return w.index.keep(p.key, data, info, begun), nil
}
