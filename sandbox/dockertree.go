package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"caselsp/sandbox/inside"
)

// checksum is of a file's content: it stands for the content in what is known of
// a container's work tree, so that no second copy of the tree is kept here.
type checksum = [sha256.Size]byte

// stamp is what a file of a tree is.
type stamp struct {
	mode fs.FileMode
	sum  checksum
}

// stamps uses every processor: the user waits, and of a large project's run this
// is the larger part that is ours.
func stamps(tree []File) map[string]stamp {
	sums := make([]checksum, len(tree))
	var work sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for first := range n {
		work.Go(func() {
			for i := first; i < len(tree); i += n {
				sums[i] = sha256.Sum256(tree[i].Data)
			}
		})
	}
	work.Wait()
	all := make(map[string]stamp, len(tree))
	for i, f := range tree {
		all[f.Path] = stamp{mode: f.Mode.Perm(), sum: sums[i]}
		if f.Link != "" {
			all[f.Path] = stamp{mode: fs.ModeSymlink, sum: sums[i]}
		}
	}
	return all
}

// entry is what the container says of one path of its work tree.
type entry struct {
	kind  byte // as find has it: f, d, l, p, c, b, s
	mode  fs.FileMode
	links int
	size  int64
	ctime float64
	sum   checksum
	known bool   // sum is its content's
	link  string // the text of a link
}

// untouched reports whether a file is as it was put there. The checksum alone
// does not tell: times, attributes and second names are changes, too. The time
// of change alone does not either: writing through a mapping leaves it alone.
func (e entry) untouched(s stamp, began float64) bool {
	return e.same(s) && e.mode == s.mode && e.links == 1 && e.ctime <= began
}

// same reports whether a file has the content of another.
func (e entry) same(s stamp) bool { return e.kind == 'f' && e.known && e.sum == s.sum }

// delta is what makes a work tree equal to the next run's.
type delta struct {
	open   []string // folders that get their usual mode back, parents first
	remove []string
	write  []File
}

// deltaLimit is how many paths a delta may remove. A command that leaves more
// has unpacked something: a new container is quicker than removing all that.
const deltaLimit = 10_000

// changed returns what makes the work tree that a run left into the next one's,
// or false where that is too much. A file that the run touched in any way is
// written anew.
func (v *view) changed(tree []File, next map[string]stamp) (*delta, bool) {
	d := &delta{}
	folders := make(map[string]bool)
	for _, f := range tree {
		for dir := range inside.Parents(f.Path) {
			folders[dir] = true
		}
		if e, ok := v.entries[f.Path]; !ok || !e.untouched(next[f.Path], v.began) {
			d.write = append(d.write, f)
		}
	}
	removed := ""
	for _, path := range slices.Sorted(maps.Keys(v.entries)) {
		e := v.entries[path]
		if e.kind == 'd' && e.mode != 0o755 {
			d.open = append(d.open, "./"+path)
		}
		s, wanted := next[path]
		wanted = wanted && s.mode != fs.ModeSymlink // links are made anew
		if e.kind == 'd' {
			wanted = path == "" || folders[path]
		} else if e.kind != 'f' {
			wanted = false
		}
		if wanted || removed != "" && strings.HasPrefix(path, removed) {
			continue
		}
		d.remove = append(d.remove, "./"+path)
		if e.kind == 'd' {
			removed = path + "/"
		}
	}
	return d, len(d.remove)+len(d.open) <= deltaLimit
}

// view is what is known of a work tree in which nothing runs any more.
type view struct {
	began   float64          // when the command began
	before  map[string]stamp // what it had been given
	entries map[string]entry
}

// listLimit bounds what a listing may take here: as many files as the work tree
// can hold, with long names.
const listLimit = 128 << 20

// errList says that a work tree cannot be listed as it is: somebody without
// special rights may not read all of it, or the image lacks the tools.
var errList = errors.New("the work tree cannot be listed")

// asker runs a script of ours in the container.
type asker func(ctx context.Context, script string, take func(io.Reader) error) (int, error)

// list looks at every file of the work tree. largest is the size of the largest
// one that may have to be compared.
func (v *view) list(ctx context.Context, ask asker, largest int64) error {
	v.entries = make(map[string]entry, len(v.before))
	// A link's text follows it, behind the sign that no other line begins with.
	script := fmt.Sprintf("{ cd %s && find . -printf '%%y %%m %%n %%s %%C@ %%P\\0' -type l -printf '>%%l\\0' && printf '\\0' && "+
		"find . -type f -size -%dc -print0 | xargs -0 -r sha256sum -z --; } 2>/dev/null", inside.WorkFolder, max(largest, changedFileLimit)+1)
	code, err := ask(ctx, script, func(r io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(r, listLimit))
		if err != nil || int64(len(text)) == listLimit {
			return errors.Join(errList, err)
		}
		return v.parse(text)
	})
	if err == nil && code != 0 {
		err = errList
	}
	return err
}

func (v *view) parse(text []byte) error {
	listing, sums, ok := bytes.Cut(text, []byte("\x00\x00"))
	if !ok {
		return errList
	}
	last := ""
	for line := range bytes.SplitSeq(listing, []byte{0}) {
		if text, ok := bytes.CutPrefix(line, []byte(">")); ok {
			e := v.entries[last]
			e.link = string(text)
			v.entries[last] = e
			continue
		}
		f := strings.SplitN(string(line), " ", 6)
		if len(f) != 6 || len(f[0]) != 1 {
			return errList
		}
		mode, err1 := strconv.ParseUint(f[1], 8, 12)
		links, err2 := strconv.Atoi(f[2])
		size, err3 := strconv.ParseInt(f[3], 10, 64)
		ctime, err4 := strconv.ParseFloat(f[4], 64)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return fmt.Errorf("%w: %w", errList, err)
		}
		last = f[5]
		v.entries[last] = entry{kind: f[0][0], mode: fs.FileMode(mode), links: links, size: size, ctime: ctime}
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(sums, []byte{0}), []byte{0}) {
		if len(line) == 0 {
			continue // no file at all
		}
		sum, path, _ := strings.Cut(string(line), "  ./")
		e, ok := v.entries[path]
		if n, err := hex.Decode(e.sum[:], []byte(sum)); !ok || err != nil || n != sha256.Size {
			return errList
		}
		e.known = true
		v.entries[path] = e
	}
	return nil
}

// packLimit is how many changed files are asked for by name; beyond it the whole
// tree is copied out.
const packLimit = 1000

// errPack says that the changed files cannot be asked for one by one.
var errPack = errors.New("too many or too odd files have changed")

// collect returns what the command changed, as compareTree does, and copies
// nothing else out.
func (v *view) collect(ctx context.Context, ask asker, tree []File) ([]Change, []string, error) {
	c := newComparison(tree)
	var wanted []string
	for _, path := range slices.Sorted(maps.Keys(v.entries)) {
		e := v.entries[path]
		old, known := c.before[path]
		switch {
		case path == "" || e.kind == 'd' && gitFolder(path) == "" && badPath(path) == "" && old.Link == "":
			// A folder has no life of its own.
		case known && e.same(v.before[path]):
			c.seen[path] = true
			c.compare(path, e.mode.Perm(), old.Data)
		case e.kind == 'f' && gitFolder(path) == "" && (badPath(path) == "" || known):
			c.seen[path] = true
			if strings.ContainsRune(path, '\n') {
				return nil, nil, errPack
			}
			if e.size > changedFileLimit {
				c.large(path, e.size)
				continue
			}
			wanted = append(wanted, path)
		default:
			// Nothing whose content would be taken.
			if err := c.entry(&tar.Header{Typeflag: kinds[e.kind], Name: treeRoot + "/" + path, Linkname: e.link}, nil, treeRoot); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(wanted) > packLimit {
		return nil, nil, errPack
	}
	if len(wanted) > 0 {
		if err := c.fetch(ctx, ask, wanted); err != nil {
			return nil, nil, err
		}
	}
	c.deleted(tree)
	changes, skipped := c.sorted()
	return changes, skipped, nil
}

// kinds are find's letters as tar has them.
var kinds = map[byte]byte{'f': tar.TypeReg, 'd': tar.TypeDir, 'l': tar.TypeSymlink, 'p': tar.TypeFifo, 'c': tar.TypeChar, 'b': tar.TypeBlock, 's': 's'}

// fetch copies files out and compares them.
func (c *comparison) fetch(ctx context.Context, ask asker, paths []string) error {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = treeRoot + "/" + p
	}
	// A second name of a file is a file like any other.
	script := "cd / && printf '%s\\0' " + quoteAll(names) +
		" | tar -c -f - --hard-dereference --no-recursion --null -T - 2>/dev/null"
	code, err := ask(ctx, script, func(r io.Reader) error {
		for tr := tar.NewReader(r); ; {
			h, err := tr.Next()
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = c.entry(h, tr, treeRoot)
			}
			if err != nil {
				return err
			}
		}
	})
	if err == nil && code != 0 {
		err = errPack
	}
	return err
}
