package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// FileEdit is a change of one file that an applier is to make. It names what it
// was made for: where something else is there, nothing is changed.
type FileEdit struct {
	Op      Op       `json:"op"`
	Path    string   `json:"path"`
	From    string   `json:"from,omitempty"`    // of a Rename
	Expect  string   `json:"expect,omitempty"`  // hash of what must be at Path, or at From of a Rename; empty: nothing may be there
	Content *Content `json:"content,omitempty"` // the new bytes; nil for Delete; a Mode of 0 keeps the file's
}

// Applied is what became of one edit. Reason is for the user: why not, and what to do.
type Applied struct {
	Path   string `json:"path"`
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"`
	// Deleted says that the edit was to delete the file; older versions and an interrupted one do not tell.
	Deleted bool `json:"deleted,omitempty"`
	// Unsaved says that the text was changed in the editor, which has not saved it.
	Unsaved bool `json:"unsaved,omitempty"`
}

// Applier changes the user's files. It never claims OK for what it has not looked
// at afterwards. There is one Applied for each edit, in their order; the error is
// ctx's or begin's, when that ended before all were made, or what kept it from all of them.
type Applier interface {
	Apply(ctx context.Context, edits []FileEdit, begin Begin) ([]Applied, error)
}

// Begin is told of each file before it is touched, or of several that are touched at once, with
// what became of those before: whoever keeps it in a journal knows after a crash which files are
// uncertain. Its error ends the work before these files are touched. It may be nil.
type Begin func(done []Applied, next ...string) error

// Tell calls b, if there is one.
func (b Begin) Tell(done []Applied, next ...string) error {
	if b == nil {
		return nil
	}
	return b(done, next...)
}

// After returns b for the rest of an application whose first files are done: it is told of
// them with the next one.
func (b Begin) After(done []Applied) Begin {
	return func(more []Applied, next ...string) error {
		all := slices.Concat(done, more)
		done = nil
		return b.Tell(all, next...)
	}
}

// Disk returns the applier that writes to the file system. Each file changes as
// a whole or not at all: the new bytes are written next to it, flushed, and take
// its place after one more look at what is replaced; on Linux the two are
// exchanged, so that even a change in that instant is seen and put back. The
// file's permissions stay, except for the executable bit that Content.Mode says.
// A link stays one, and the file that it leads to is written. Missing folders are
// made. What is read-only, open in the editor with unsaved changes, or not what
// Expect says is left alone, with the reason. An edit that is there already is OK.
func Disk(w *Workspace) Applier { return &disk{w: w} }

type disk struct {
	w *Workspace

	// For tests: called before the last look at what is replaced, and after it.
	before, after func()
}

// Apply implements Applier.
func (d *disk) Apply(ctx context.Context, edits []FileEdit, begin Begin) ([]Applied, error) {
	var done []Applied
	var stopped error
	for i, e := range edits {
		if stopped == nil {
			stopped = ctx.Err()
		}
		if stopped == nil {
			stopped = begin.Tell(done[max(0, i-1):], e.Path)
		}
		var err error
		if stopped != nil {
			err = fmt.Errorf("stopped before it was written: %w", stopped)
		} else {
			err = d.apply(e)
		}
		a := Applied{Path: e.Path, OK: err == nil}
		if err != nil {
			a.Reason = err.Error()
		}
		done = append(done, a)
	}
	return done, cmp.Or(stopped, ctx.Err())
}

func (d *disk) apply(e FileEdit) error {
	if (e.Content == nil) != (e.Op == Delete) {
		return fmt.Errorf("an edit that is to %s %s must have new content, and a deletion none", e.Op, e.Path)
	}
	switch e.Op {
	case Create, Modify:
		at, err := d.w.locateWrite(e.Path)
		if err != nil {
			return err
		}
		return d.write(at, e.Expect, e.Content)
	case Delete:
		at, err := d.w.locateName(e.Path)
		if err != nil {
			return err
		}
		return d.delete(at, e.Expect)
	case Rename:
		return d.rename(e)
	}
	return fmt.Errorf("%q is not a file operation", e.Op)
}

// Reasons for which an edit is not made.
var (
	errThere    = errors.New("a file is already there: look at it, then choose another name or change that file")
	errGone     = errors.New("the file is no longer there: make the change again if it is still wanted")
	errChanged  = errors.New("the file changed on disk since the edit was made: review the edit again")
	errReadOnly = errors.New("the file is read-only: make it writable, then accept again")
	errUnsaved  = errors.New("the file is open in the editor with unsaved changes: save them, or accept the edit in the editor")
)

// expected checks what is at a place against what an edit was made for.
func (d *disk) expected(at place, cur *Content, expect string) error {
	switch {
	case cur == nil && expect != "":
		return errGone
	case cur != nil && expect == "":
		return errThere
	case cur != nil && cur.Hash != expect:
		return errChanged
	case cur != nil && cur.Mode&0o200 == 0:
		return errReadOnly
	}
	if b := d.w.buffer(at.key); b != nil {
		seen, _ := underBuffer(at, b)
		if cur == nil && b.Text != "" || cur != nil && seen.Hash != cur.Hash {
			return errUnsaved
		}
	}
	return nil
}

// write makes content the file at a place.
func (d *disk) write(at place, expect string, content *Content) error {
	hash := hashOf(content.Data)
	cur, err := at.load(MaxContent)
	if err != nil {
		return err
	}
	if cur != nil && cur.Hash == hash && (content.Mode == 0 || executable(cur.Mode) == executable(content.Mode)) {
		return nil
	}
	if err := d.expected(at, cur, expect); err != nil {
		return err
	}
	made, err := at.makeParents()
	if err == nil {
		release := at.hold(path.Dir(at.rel))
		err = d.replace(at, cur, content)
		release()
	}
	if err != nil {
		at.removeParents(made)
		return err
	}
	at.sync(made)
	after, err := at.load(MaxContent)
	switch {
	case err != nil:
		return fmt.Errorf("looking at the file after writing it: %w", err)
	case after == nil || after.Hash != hash:
		return errors.New("another program changed the file right after it was written: look at it")
	}
	return nil
}

// replace puts content in the place of cur, which is nil where no file may be.
func (d *disk) replace(at place, cur, content *Content) error {
	temp, err := at.writeTemp(cur, content)
	if err != nil {
		return err
	}
	temp, err = d.swap(at, temp, cur, content)
	if kept := (*keptError)(nil); !errors.As(err, &kept) {
		_ = at.folder.root.Remove(temp) // gone already, unless something went wrong
	}
	return err
}

// swap gives a temporary file its place, and returns the name that the file has now, or had.
func (d *disk) swap(at place, temp string, cur, content *Content) (string, error) {
	if d.before != nil {
		d.before()
	}
	if cur == nil {
		return temp, at.putNew(temp)
	}
	again, err := at.load(MaxContent)
	switch {
	case err != nil:
		return temp, err
	case again == nil:
		return temp, errGone
	case again.Hash != cur.Hash:
		return temp, errChanged
	}
	if d.after != nil {
		d.after()
	}
	wrote := hashOf(content.Data)
	next := at.oldTemp(cur.Hash, wrote)
	if err := at.folder.root.Rename(temp, next); err != nil {
		return temp, fmt.Errorf("writing %s: %w", at.key, err)
	}
	temp = next
	err = at.exchange(temp)
	if err == nil {
		return temp, at.settle(temp, cur.Hash, wrote)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = at.folder.root.Rename(temp, at.rel)
	}
	if err != nil {
		return temp, fmt.Errorf("writing %s: %w", at.key, err)
	}
	return temp, nil
}

// settle looks at what an exchange took out of the file's place. If that is not
// what was expected, another program changed the file in that instant, and its
// version is put back.
func (p place) settle(temp, expect, wrote string) error {
	old := place{folder: p.folder, rel: temp, key: p.key}
	if taken, err := old.load(MaxContent); err == nil && taken != nil && taken.Hash == expect {
		return nil
	}
	if err := p.exchange(temp); err != nil {
		return p.keep(temp, fmt.Errorf("%w (%w)", errChanged, err))
	}
	if ours, err := old.load(MaxContent); err != nil || ours == nil || ours.Hash != wrote {
		return p.keep(temp, errChanged)
	}
	return errChanged
}

// keptError says that a version of a file lies under another name now.
type keptError struct {
	why error
	key string
}

func (e *keptError) Error() string {
	return fmt.Sprintf("%v; a version of it was saved as %s", e.why, e.key)
}

func (e *keptError) Unwrap() error { return e.why }

// keep leaves what lies under a temporary name, because its content is not known
// to be anywhere else.
func (p place) keep(temp string, why error) error {
	if kept := p.keptTemp(); p.folder.root.Rename(temp, kept) == nil {
		temp = kept
	}
	return &keptError{why, path.Join(path.Dir(p.key), path.Base(temp))}
}

// putNew gives a temporary file its name, unless there is a file of that name.
func (p place) putNew(temp string) error {
	err := p.folder.root.Link(temp, p.rel)
	if err == nil {
		return nil
	}
	if _, found := p.folder.root.Lstat(p.rel); found == nil {
		return errThere
	}
	// A file system without hard links: between that look and this there is a gap.
	if err := p.folder.root.Rename(temp, p.rel); err != nil {
		return fmt.Errorf("creating %s: %w", p.key, err)
	}
	return nil
}

// writeTemp writes content next to its place, with the permissions and the owner
// of the file that it is to replace, and flushes it.
func (p place) writeTemp(cur, content *Content) (string, error) {
	mode := newFileMode
	if cur != nil {
		mode = cur.Mode
	}
	if content.Mode != 0 {
		mode = withExecutable(mode, executable(content.Mode))
	}
	first := mode // less what the user's umask takes away
	if cur != nil {
		first = 0o600 // a secret file's new text is not readable by others before it has the old one's permissions
	}
	name := p.newTemp()
	file, err := p.folder.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, first)
	if err != nil {
		return "", fmt.Errorf("writing into the folder of %s: %w", p.key, err)
	}
	if _, err = file.Write(content.Data); err == nil && cur != nil {
		p.keepOwner(file)
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = p.folder.root.Remove(name)
		return "", fmt.Errorf("writing %s: %w", p.key, err)
	}
	return name, nil
}

// makeParents makes the folders that a file needs and returns those it made, the
// innermost first.
func (p place) makeParents() ([]string, error) {
	var missingDirs []string
	for dir := path.Dir(p.rel); dir != "."; dir = path.Dir(dir) {
		info, err := p.folder.root.Lstat(dir)
		if err == nil && !info.IsDir() {
			return nil, &PathError{Path: p.key, Reason: dir + " is a file, not a folder", Advice: "move that file away first", Err: fs.ErrExist}
		}
		if err == nil {
			break
		}
		missingDirs = append(missingDirs, dir)
	}
	var made []string
	for _, dir := range slices.Backward(missingDirs) {
		if err := p.folder.root.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			p.removeParents(made)
			return nil, fmt.Errorf("making folder %s: %w", dir, err)
		}
		made = append([]string{dir}, made...)
	}
	return made, nil
}

// removeParents removes what makeParents made, where it is empty.
func (p place) removeParents(made []string) {
	for _, dir := range made {
		if p.folder.root.Remove(dir) != nil {
			return
		}
	}
}

// sync flushes the folders in which names changed. What cannot be flushed is
// passed over: not every system can, and the file itself has been.
func (p place) sync(made []string) {
	dirs := []string{path.Dir(p.rel)}
	for _, dir := range made {
		dirs = append(dirs, path.Dir(dir))
	}
	for _, dir := range dirs {
		if f, err := p.folder.root.Open(dir); err == nil {
			_ = f.Sync()
			_ = f.Close()
		}
	}
}

// delete removes the file at a place. It is moved aside first and looked at
// there, so that what is removed is what was expected.
func (d *disk) delete(at place, expect string) error {
	cur, err := at.load(MaxContent)
	if err != nil || cur == nil {
		return err // nothing there is what was wanted
	}
	if err := d.expected(at, cur, expect); err != nil {
		return err
	}
	if d.before != nil {
		d.before()
	}
	defer at.hold(path.Dir(at.rel))()
	aside := place{folder: at.folder, rel: at.oldTemp(cur.Hash, cur.Hash), key: at.key}
	if err := at.folder.root.Rename(at.rel, aside.rel); err != nil {
		return fmt.Errorf("deleting %s: %w", at.key, err)
	}
	taken, err := aside.load(MaxContent)
	if err != nil || taken == nil || taken.Hash != cur.Hash {
		return at.putBack(aside.rel, errChanged)
	}
	if err := at.folder.root.Remove(aside.rel); err != nil {
		return at.putBack(aside.rel, fmt.Errorf("deleting %s: %w", at.key, err))
	}
	at.sync(nil)
	if _, err := at.folder.root.Lstat(at.rel); !missing(err) {
		return errors.New("another program made the file again right after it was deleted: look at it")
	}
	return nil
}

// putBack undoes moving a file aside.
func (p place) putBack(aside string, why error) error {
	if p.putNew(aside) != nil {
		return p.keep(aside, why)
	}
	_ = p.folder.root.Remove(aside) // the second name of a link; gone where it was renamed
	return why
}
