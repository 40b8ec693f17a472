package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Root is a folder of the workspace.
type Root struct {
	Name string // unique in the workspace; the first element of its paths where there are several folders
	Dir  string // absolute, as it was opened
}

type folder struct {
	Root
	real string // Dir with its links followed
	root *os.Root
}

// Workspace is one or several folders as the user sees them. It is safe for
// concurrent use.
type Workspace struct {
	folders []*folder
	index   index
	known   known
	watched watched
	alone   bool // see Alone
	aside   bool // what is parsed gives way to everything else of the process, see Index

	// One lock for the buffers and all that is staged, because a keystroke changes
	// both as one. Nothing is read from disk under it.
	mu       sync.Mutex
	buffers  map[string]*buffer
	overlays []*Overlay
}

// buffer is a state of an open document. Each change makes a new one, so that
// its address says whether the user typed meanwhile.
type buffer struct {
	place
	Buffer
}

// Buffer is the editor's text of an open document.
type Buffer struct {
	Text    string
	Version int32 // as the editor counts
}

// File is a file as it is seen: staged, in the editor, or on disk.
type File struct {
	Path     string // where links led; the path to use for it from now on
	Text     string
	Encoding Encoding
	Mode     fs.FileMode
	Hash     string // sha256 in hex of the bytes that Encoding makes of Text
	Buffer   bool   // the editor has it open
	Version  int32  // of the buffer
	Staged   bool   // the text is the agent's
}

// Open opens folders as one workspace. With one, paths are relative to it; with
// several, a path begins with the unique name of its folder. It fails without a
// folder, with one that is missing or no folder, and with one inside another,
// which would give a file two paths.
func Open(dirs ...string) (*Workspace, error) {
	if len(dirs) == 0 {
		return nil, errors.New("a workspace needs a folder: open one in the editor, or name one")
	}
	w := &Workspace{buffers: make(map[string]*buffer), index: index{entries: map[string]*indexed{}, most: maxIndexed, clock: time.Now}, known: known{facts: map[string]*factsOf{}, most: maxFacts}}
	for _, dir := range dirs {
		if err := w.add(dir); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	if err := w.checkNesting(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	w.name()
	return w, nil
}

func (w *Workspace) add(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("opening folder %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("folder %s does not exist: create it first, or name another: %w", dir, fs.ErrNotExist)
	}
	if err != nil {
		return fmt.Errorf("opening folder %s: %w", dir, err)
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder: name the folder that it lies in", dir)
	}
	if slices.ContainsFunc(w.folders, func(f *folder) bool { return f.real == real }) {
		return nil // editors list a folder twice when it was opened by two names
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return fmt.Errorf("opening folder %s: %w", dir, err)
	}
	w.folders = append(w.folders, &folder{Root: Root{Dir: abs}, real: real, root: root})
	return nil
}

func (w *Workspace) checkNesting() error {
	for _, outer := range w.folders {
		for _, inner := range w.folders {
			if rel, err := filepath.Rel(outer.real, inner.real); err == nil && outer != inner && filepath.IsLocal(rel) {
				return fmt.Errorf("folder %s lies inside folder %s: open one of them only", inner.Dir, outer.Dir)
			}
		}
	}
	return nil
}

// name gives each folder a unique name that does not depend on the order in
// which an editor lists them.
func (w *Workspace) name() {
	byDir := slices.SortedFunc(slices.Values(w.folders), func(a, b *folder) int { return cmp.Compare(a.real, b.real) })
	taken := make(map[string]bool)
	for _, f := range byDir {
		taken[folderName(f.real)] = true
	}
	used := make(map[string]bool)
	for _, f := range byDir {
		base := folderName(f.real)
		f.Name = base
		for n := 2; used[f.Name]; n++ {
			if next := base + "-" + strconv.Itoa(n); !taken[next] {
				f.Name = next
			}
		}
		used[f.Name] = true
	}
}

// folderName returns a folder's own name as it can begin a path.
func folderName(dir string) string {
	name := filepath.Base(dir)
	if clean, err := cleanPath(name); err != nil || clean != name {
		return "root"
	}
	return name
}

// Close releases the folders. Overlays of the workspace are of no use afterwards.
func (w *Workspace) Close() error {
	w.watched.close()
	var errs []error
	for _, f := range w.folders {
		errs = append(errs, f.root.Close())
	}
	return errors.Join(errs...)
}

// Roots returns the folders in the order in which they were opened.
func (w *Workspace) Roots() []Root {
	var list []Root
	for _, f := range w.folders {
		list = append(list, f.Root)
	}
	return list
}

// ID returns a name for the set of folders, the same whenever they are opened
// again in whatever order: 32 hex digits.
func (w *Workspace) ID() string {
	var dirs []string
	for _, f := range w.folders {
		dirs = append(dirs, f.real)
	}
	slices.Sort(dirs)
	return hashOf([]byte(strings.Join(dirs, "\x00")))[:32]
}

// OpenBuffer takes in that the editor opened a document or changed it: text is
// the whole new text. What overlays staged for the file is rebased at once. A
// path that is not one of the workspace is ignored.
func (w *Workspace) OpenBuffer(path, text string, version int32) {
	at, err := w.locate(path)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buffers[at.key] = &buffer{at, Buffer{text, version}}
	for _, o := range w.overlays {
		s := o.slots[at.key]
		if s == nil {
			continue
		}
		enc, mode := Encoding{}, newFileMode
		if s.base != nil {
			_, enc, _ = s.base.decode(at.key) // what is no text has no encoding: UTF-8
			mode = s.base.Mode
		}
		o.rebase(at.key, bufferContent(text, enc, mode))
	}
}

// CloseBuffer takes in that the editor closed a document: its file is what is on
// disk again. What overlays staged for it is rebased.
func (w *Workspace) CloseBuffer(path string) {
	at, err := w.locate(path)
	if err != nil {
		return
	}
	w.mu.Lock()
	delete(w.buffers, at.key)
	overlays := slices.Clone(w.overlays)
	w.mu.Unlock()
	for _, o := range overlays {
		// An unreadable file keeps what is staged as it is; the next access says why.
		_, _ = o.look(at)
	}
}

// Buffer returns the editor's text of a document, if it is open.
func (w *Workspace) Buffer(path string) (Buffer, bool) {
	at, err := w.locate(path)
	if err != nil {
		return Buffer{}, false
	}
	if b := w.buffer(at.key); b != nil {
		return b.Buffer, true
	}
	return Buffer{}, false
}

// Unsaved reports whether the editor's text of a file differs from what is on disk.
func (w *Workspace) Unsaved(path string) bool {
	at, err := w.locate(path)
	if err != nil {
		return false
	}
	b := w.buffer(at.key)
	if b == nil {
		return false
	}
	disk, err := at.load(MaxContent)
	if err != nil {
		return true
	}
	text, _ := underBuffer(at, b)
	return disk == nil || disk.Hash != text.Hash
}

func (w *Workspace) buffer(key string) *buffer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buffers[key]
}

// Read returns a file as the user sees it: the open buffer, else the disk. The
// error is, or wraps, fs.ErrNotExist, a *PathError, a *NotText, a *TooLarge, or
// what the disk said.
func (w *Workspace) Read(path string) (File, error) {
	at, err := w.locate(path)
	if err != nil {
		return File{}, err
	}
	b := w.buffer(at.key)
	if b == nil {
		e, err := at.indexed(w)
		if err != nil {
			return File{}, err
		}
		return e.file(at.key)
	}
	return bufferFile(at, b)
}

func bufferFile(at place, b *buffer) (File, error) {
	if len(b.Text) > MaxText {
		return File{}, &TooLarge{at.key, int64(len(b.Text)), MaxText}
	}
	c, enc := underBuffer(at, b)
	if _, _, err := c.decode(at.key); err != nil {
		return File{}, err
	}
	return File{Path: at.key, Text: b.Text, Encoding: enc, Mode: c.Mode, Hash: c.Hash, Buffer: true, Version: b.Version}, nil
}

// underBuffer returns a buffer's content with the encoding and the mode of the
// file that it will be saved to, and that encoding. A file that is not text, or
// not there, says nothing about either.
func underBuffer(at place, b *buffer) (*Content, Encoding) {
	enc, mode := Encoding{Charset: UTF8}, newFileMode
	if disk, err := at.load(MaxText); err == nil && disk != nil {
		mode = disk.Mode
		if _, found, err := disk.decode(at.key); err == nil {
			enc = found
		}
	}
	c := bufferContent(b.Text, enc, mode)
	if _, found, err := c.decode(at.key); err == nil && found.evident(b.Text) {
		enc = found
	}
	return c, enc
}

// fileOf returns a content as a file; nil is a file that does not exist.
func fileOf(key string, c *Content) (File, error) {
	if c == nil {
		return File{}, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	text, enc, err := c.decode(key)
	if err != nil {
		return File{}, err
	}
	return File{Path: key, Text: text, Encoding: enc, Mode: c.Mode, Hash: c.Hash}, nil
}

// base returns what the user sees at a place: nil where there is no file.
func (w *Workspace) base(at place, b *buffer) (*Content, error) {
	if b != nil {
		c, _ := underBuffer(at, b)
		return c, nil
	}
	return at.load(MaxContent)
}
