package sandbox

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"caselsp/sandbox/inside"
)

// Limits on what comes back from a command. What is over them stays behind and
// is listed in Result.Skipped: a person reviews every change.
const (
	changedFileLimit  = 10 << 20 // bytes; no source file is larger, and editors refuse much more
	changedBytesLimit = 64 << 20 // in all: it is journalled, and kept while the task lasts
	changesLimit      = 10_000   // a generator's output fits, an unpacked archive of the world does not
	skippedLimit      = 100      // lines; more would tell a reader nothing new
)

// writeTree writes the tree as a tar archive whose files and folders belong to
// user. The times are the present: tools that compare times (make, Python's
// compiled files) then see files that are older than what they make. An archive
// has whole seconds; they are rounded down, because tar and make complain about
// times in the future.
func writeTree(w io.Writer, tree []File, user int) error {
	tw := tar.NewWriter(w)
	now := time.Now().Truncate(time.Second)
	done := make(map[string]bool)
	for _, f := range linksLast(tree) {
		folders := slices.Collect(inside.Parents(f.Path))
		for _, dir := range slices.Backward(folders) {
			if done[dir] {
				continue
			}
			done[dir] = true
			err := tw.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, Uid: user, Gid: user, ModTime: now})
			if err != nil {
				return err
			}
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: int64(len(f.Data)),
			Mode: int64(f.Mode.Perm()), Uid: user, Gid: user, ModTime: now}
		if f.Link != "" {
			h.Typeflag, h.Linkname, h.Size, h.Mode = tar.TypeSymlink, f.Link, 0, 0o777
		}
		err := tw.WriteHeader(h)
		if err == nil && f.Link == "" {
			_, err = tw.Write(f.Data)
		}
		if err != nil {
			return fmt.Errorf("file %q: %w", f.Path, err)
		}
	}
	return tw.Close()
}

// comparison finds what changed between the tree that went into a sandbox and
// the archive that came out of it. What comes out was made by untrusted
// code: it is only ever read as data, never written to a disk here.
type comparison struct {
	before   map[string]File
	links    map[string]File   // those of before that are links
	replaced []replaced        // files in the place of links to files
	seen     map[string]bool   // paths that still exist, as whatever
	contents map[string][]byte // of the regular files that came out, for their hard links
	bytes    int64             // in changes
	changes  []Change
	skipped  []string
	unlisted int             // what skipped has no room for
	folders  map[string]bool // skipped as a whole
}

// compareTree reads the archive, whose paths lie below root, and returns the
// changes and what was skipped, each sorted. The archive may end early by limit
// bytes: a few sparse files are terabytes of zeros in an archive.
func compareTree(tree []File, archive io.Reader, root string, limit int64) ([]Change, []string, error) {
	c := newComparison(tree)
	limited := &io.LimitedReader{R: archive, N: limit}
	tr := tar.NewReader(limited)
	whole := false
	for {
		h, err := tr.Next()
		if err == io.EOF {
			whole = true
			break
		}
		if err == nil {
			err = c.entry(h, tr, root)
		}
		if err != nil && limited.N == 0 {
			c.skip("", fmt.Sprintf("what lies behind the first %d MiB of the work tree was not looked at", limit>>20))
			break
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if whole {
		c.deleted(tree)
	}
	changes, skipped := c.sorted()
	return changes, skipped, nil
}

func newComparison(tree []File) *comparison {
	c := &comparison{
		before:   make(map[string]File, len(tree)),
		links:    make(map[string]File),
		seen:     make(map[string]bool, len(tree)),
		contents: make(map[string][]byte),
		folders:  make(map[string]bool),
	}
	for _, f := range tree {
		c.before[f.Path] = f
		if f.Link != "" {
			c.links[f.Path] = f
		}
	}
	return c
}

// sorted ends a comparison.
func (c *comparison) sorted() ([]Change, []string) {
	c.overLinks()
	slices.SortFunc(c.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(c.skipped)
	if c.unlisted > 0 {
		c.skipped = append(c.skipped, fmt.Sprintf("and %d more", c.unlisted))
	}
	return c.changes, c.skipped
}

// entry takes one entry of the archive.
func (c *comparison) entry(h *tar.Header, content io.Reader, root string) error {
	path, ok := strings.CutPrefix(h.Name, root+"/")
	path = strings.TrimSuffix(path, "/")
	if path == "" || strings.TrimSuffix(h.Name, "/") == root {
		return nil
	}
	if !ok {
		c.skip(h.Name, "lies outside the work tree")
		return nil
	}
	c.seen[path] = true
	if dir := gitFolder(path); dir != "" {
		if !c.folders[dir] {
			c.folders[dir] = true
			c.skip(dir, "a repository made by a command can run programs on the host")
		}
		return nil
	}
	_, known := c.before[path]
	if reason := badPath(path); reason != "" && !known {
		c.skip(path, reason)
		return nil
	}
	if c.linked(path, h.Typeflag, h.Linkname) {
		return nil
	}
	switch h.Typeflag {
	case tar.TypeDir:
		delete(c.seen, path) // a folder in a file's place means that the file is gone
	case tar.TypeReg:
		return c.regular(path, h, content)
	case tar.TypeLink:
		c.hardLink(path, h, root)
	case tar.TypeSymlink:
		if path != inside.NodeName { // that one is the sandbox's own
			c.skip(path, "a symbolic link")
		}
	case tar.TypeFifo:
		c.skip(path, "a named pipe")
	case tar.TypeChar, tar.TypeBlock:
		c.skip(path, "a device")
	default:
		c.skip(path, "not a regular file")
	}
	return nil
}

// regular compares a file with what it was.
func (c *comparison) regular(path string, h *tar.Header, content io.Reader) error {
	old, known := c.before[path]
	mode := fs.FileMode(h.Mode).Perm()
	if h.Size > changedFileLimit {
		if known && h.Size == int64(len(old.Data)) {
			same, err := equal(content, old.Data)
			if err != nil {
				return err
			}
			if same {
				c.compare(path, mode, old.Data)
				return nil
			}
		}
		c.large(path, h.Size)
		return nil
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	c.compare(path, mode, data)
	return nil
}

func (c *comparison) large(path string, size int64) {
	c.skip(path, fmt.Sprintf("has %d bytes, the limit is %d", size, changedFileLimit))
}

// hardLink takes a second name of a file that the archive has already shown: it
// is a file of its own once it is copied.
func (c *comparison) hardLink(path string, h *tar.Header, root string) {
	data, ok := c.contents[strings.TrimPrefix(strings.TrimPrefix(h.Linkname, "/"), root+"/")]
	if !ok {
		c.skip(path, "a hard link to something that was not taken")
		return
	}
	c.compare(path, fs.FileMode(h.Mode).Perm(), data)
}

// compare adds a file that is new or not what it was, where the limits leave
// room for it.
func (c *comparison) compare(path string, mode fs.FileMode, data []byte) {
	old, known := c.before[path]
	if known && old.Link == "" && mode == old.Mode.Perm() && bytes.Equal(data, old.Data) {
		c.contents[path] = old.Data // not data: it need not be kept twice
		return
	}
	switch {
	case len(c.changes) >= changesLimit:
		c.skip(path, fmt.Sprintf("more than %d files changed", changesLimit))
	case c.bytes+int64(len(data)) > changedBytesLimit:
		c.skip(path, fmt.Sprintf("more than %d MiB changed", changedBytesLimit>>20))
	default:
		c.bytes += int64(len(data))
		c.contents[path] = data
		if change := (Change{Path: path, Mode: mode, Data: data}); old.Link != "" {
			c.replaced = append(c.replaced, replaced{old, change})
		} else {
			c.changes = append(c.changes, change)
		}
	}
}

// deleted adds the files that are gone. Only a whole archive can tell.
func (c *comparison) deleted(tree []File) {
	for _, f := range tree {
		if c.seen[f.Path] {
			continue
		}
		if dir := gitFolder(f.Path); dir != "" {
			continue
		}
		if f.Link != "" {
			c.skip(f.Path, "its symbolic link was removed")
			continue
		}
		c.changes = append(c.changes, Change{Path: f.Path, Deleted: true})
	}
}

// skip adds a line to Result.Skipped. A name that a terminal or a log could
// take for something else is quoted.
func (c *comparison) skip(path, reason string) {
	if len(c.skipped) >= skippedLimit {
		c.unlisted++
		return
	}
	if path == "" {
		c.skipped = append(c.skipped, reason)
		return
	}
	if q := strconv.Quote(path); q != `"`+path+`"` {
		path = q
	}
	c.skipped = append(c.skipped, path+": "+reason)
}

// badPath says why a path that a command made is not taken, or "".
func badPath(path string) string {
	switch {
	case !utf8.ValidString(path):
		return "its name is not UTF-8"
	case !fs.ValidPath(path):
		return "its path does not lie inside the tree"
	case strings.ContainsFunc(path, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }):
		return "its name holds control characters"
	}
	return ""
}

// gitFolder returns the path down to the first element that git would take for
// a repository, or "": git runs what a repository's configuration names, on the
// next git status of the user. Case and the short name of the FAT file system
// do not matter to git, nor do the characters that HFS+ ignores.
func gitFolder(path string) string {
	for end := range len(path) + 1 {
		if end < len(path) && path[end] != '/' {
			continue
		}
		name := path[strings.LastIndexByte(path[:end], '/')+1 : end]
		name = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, strings.TrimRight(name, ". "))
		if strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1") {
			return path[:end]
		}
	}
	return ""
}

// equal reports whether r has exactly the bytes of want.
func equal(r io.Reader, want []byte) (bool, error) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > len(want) || !bytes.Equal(buf[:n], want[:n]) {
			return false, nil
		}
		want = want[n:]
		if errors.Is(err, io.EOF) {
			return len(want) == 0, nil
		}
		if err != nil {
			return false, err
		}
	}
}
