package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

const (
	maxPath = 4096 // bytes: what Linux opens at most
	maxHops = 40   // links followed for one path: Linux's own limit, so a circle ends
)

// PathError says why a path is refused, and what to do instead.
type PathError struct {
	Path   string
	Reason string
	Advice string
	Err    error // the cause; may be nil
}

// Error implements error.
func (e *PathError) Error() string {
	shown := e.Path
	if r := []rune(shown); len(r) > 200 {
		shown = string(r[:200]) + "…"
	}
	s := fmt.Sprintf("path %q is refused: %s", shown, e.Reason)
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }

// Advices that several reasons share.
const (
	adviceRelative = "give a path relative to the workspace, with forward slashes, such as src/app.py"
	adviceRename   = "choose another name"
)

var (
	driveLetter = lazyregexp.New(`^[A-Za-z]:`)
	// A device name is one on Windows whatever extension follows it, and a project
	// that holds one cannot be checked out there: refused on every system.
	deviceName = lazyregexp.New(`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ .]*([.:].*)?$`)
)

// maybeDevice reports whether a name begins as one that deviceName knows: the expression takes most of the time of a
// walk otherwise.
func maybeDevice(name string) bool {
	if len(name) < 3 {
		return false
	}
	switch strings.ToLower(name[:3]) {
	case "con", "prn", "aux", "nul", "com", "lpt":
		return true
	}
	return false
}

// cleanPath checks a path by its letters alone and returns it without empty and
// "." elements.
func cleanPath(p string) (string, error) {
	refuse := func(reason, advice string) (string, error) {
		return "", &PathError{Path: p, Reason: reason, Advice: advice}
	}
	switch {
	case p == "":
		return refuse("it is empty", adviceRelative)
	case len(p) > maxPath:
		return refuse(fmt.Sprintf("it is longer than %d bytes", maxPath), adviceRename)
	case !utf8.ValidString(p):
		return refuse("it is not valid UTF-8", adviceRename)
	case strings.ContainsRune(p, 0):
		return refuse("it holds a NUL character", adviceRename)
	case strings.ContainsFunc(p, unicode.IsControl):
		return refuse("it holds a control character", adviceRename)
	case strings.Contains(p, "://"):
		return refuse("it is a URI", adviceRelative)
	case strings.Contains(p, `\`):
		return refuse("it holds a backslash", adviceRelative)
	case p[0] == '/' || driveLetter.MatchString(p):
		return refuse("it is absolute", adviceRelative)
	case strings.HasSuffix(p, "/"):
		return refuse("it ends in a slash and so names a folder", "name a file in it")
	}
	for name := range strings.SplitSeq(p, "/") {
		switch {
		case name == "..":
			return refuse(`it holds ".."`, adviceRelative)
		case maybeDevice(name) && deviceName.MatchString(name):
			return refuse(fmt.Sprintf("%q is a device on Windows", name), adviceRename)
		}
	}
	clean := path.Clean(p)
	if clean == "." {
		return refuse("it names the workspace itself", "name a file in it")
	}
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return refuse("on this system it does not stay inside the workspace", adviceRename)
	}
	return clean, nil
}

// place is where a path of the workspace leads: links are followed, so that a
// file has one key whatever name it was asked for by.
type place struct {
	folder *folder
	rel    string // inside the folder
	key    string // inside the workspace
	asked  string // as it was asked for, cleaned
}

// locate finds the place of a workspace path. The file need not exist.
func (w *Workspace) locate(p string) (place, error) {
	clean, err := cleanPath(p)
	if err != nil {
		return place{}, err
	}
	f, rel, err := w.split(clean)
	if err != nil {
		return place{}, err
	}
	return w.follow(f, rel)
}

// locateWrite is locate for a path that is to be changed.
func (w *Workspace) locateWrite(p string) (place, error) {
	at, err := w.locate(p)
	if err == nil && (ownVersionControl(at.asked) || ownVersionControl(at.rel)) {
		return place{}, &PathError{Path: p, Reason: "it belongs to version control, which runs what its files name", Advice: "change files of the project only"}
	}
	return at, err
}

// locateName is locateWrite for a change of the name itself. A link is refused:
// its name and its file are two things, and only one of them was meant.
func (w *Workspace) locateName(p string) (place, error) {
	at, err := w.locateWrite(p)
	if err != nil {
		return place{}, err
	}
	_, rel, _ := w.split(at.asked)
	if info, err := at.folder.root.Lstat(rel); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return place{}, &PathError{Path: p, Reason: "it is a link", Advice: fmt.Sprintf("name the file that it leads to, %s, if you mean that", at.key)}
	}
	return at, nil
}

// split finds the folder that a clean workspace path lies in.
func (w *Workspace) split(clean string) (*folder, string, error) {
	if len(w.folders) == 1 {
		return w.folders[0], clean, nil
	}
	name, rel, ok := strings.Cut(clean, "/")
	for _, f := range w.folders {
		if f.Name == name && ok {
			return f, rel, nil
		}
	}
	var names []string
	for _, f := range w.folders {
		names = append(names, f.Name)
	}
	return nil, "", &PathError{Path: clean, Reason: "the workspace has several folders and the path names a file in none of them", Advice: "begin it with one of " + strings.Join(names, "/, ") + "/"}
}

// key puts a path inside a folder into the workspace.
func (w *Workspace) key(f *folder, rel string) string {
	if len(w.folders) == 1 {
		return rel
	}
	return f.Name + "/" + rel
}

// follow resolves the links of a path inside a folder. [os.Root] would follow
// them too, but it does not say where they ended. That a link is exchanged
// after this look is no danger: every access goes through the root.
func (w *Workspace) follow(f *folder, rel string) (place, error) {
	asked := w.key(f, rel)
	refuse := func(reason string, err error) (place, error) {
		return place{}, &PathError{Path: asked, Reason: reason, Advice: "use a file that lies in the workspace itself", Err: err}
	}
	pending, done, hops := strings.Split(rel, "/"), []string(nil), 0
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			if len(done) == 0 {
				return refuse("a link in it leads out of the workspace", nil)
			}
			done = done[:len(done)-1]
			continue
		}
		next := append(slices.Clip(done), name)
		info, err := f.root.Lstat(path.Join(next...))
		switch {
		case missing(err):
			done = next
		case err != nil:
			return refuse("it cannot be looked at", err)
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
		default:
			if hops++; hops > maxHops {
				return refuse("its symbolic links form a loop", nil)
			}
			target, err := f.root.Readlink(path.Join(next...))
			if err != nil {
				return refuse("a link in it cannot be read", err)
			}
			if filepath.IsAbs(target) {
				inside, ok := f.within(target)
				if !ok {
					return refuse("a link in it leads out of the workspace", nil)
				}
				done, target = nil, inside
			}
			pending = append(strings.Split(filepath.ToSlash(target), "/"), pending...)
		}
	}
	end := strings.Join(done, "/")
	if end == "" {
		return refuse("it leads to the workspace's own folder", nil)
	}
	if _, err := cleanPath(end); err != nil {
		return place{}, err
	}
	return place{folder: f, rel: end, key: w.key(f, end), asked: asked}, nil
}

// within returns an absolute path as one relative to the folder, if it lies in
// it by its letters.
func (f *folder) within(abs string) (string, bool) {
	for _, dir := range []string{f.Dir, f.real} {
		if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// Rel returns the workspace path of an absolute file path. Links are followed,
// those above the workspace too; the file need not exist. The error is a
// *PathError.
func (w *Workspace) Rel(abs string) (string, error) {
	if strings.ContainsRune(abs, 0) || !filepath.IsAbs(abs) {
		return "", &PathError{Path: abs, Reason: "it is not an absolute path", Advice: "give the whole path of a file in the workspace"}
	}
	for _, p := range []string{filepath.Clean(abs), realPath(filepath.Clean(abs))} {
		for _, f := range w.folders {
			rel, ok := f.within(p)
			if !ok {
				continue
			}
			clean, err := cleanPath(rel)
			if err != nil {
				return "", err
			}
			at, err := w.follow(f, clean)
			return at.key, err
		}
	}
	return "", &PathError{Path: abs, Reason: "it lies outside of the workspace", Advice: "open its folder as part of the workspace"}
}

// realPath follows the links of as much of an absolute path as exists.
func realPath(abs string) string {
	rest := ""
	for dir := abs; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return abs
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

// Key returns the workspace path of the file that a workspace path leads to, when
// links are followed. The file need not exist. The error is a *PathError.
func (w *Workspace) Key(p string) (string, error) {
	at, err := w.locate(p)
	return at.key, err
}

// Abs returns the absolute path of the file that a workspace path leads to,
// after the same checks as any access. The file need not exist.
func (w *Workspace) Abs(p string) (string, error) {
	at, err := w.locate(p)
	if err != nil {
		return "", err
	}
	return filepath.Join(at.folder.Dir, filepath.FromSlash(at.rel)), nil
}

// missing reports whether an error means that there is no such file. A file
// where a folder is needed means that too.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
