package sandbox

import (
	"archive/tar"
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/sandbox/inside"
)

// linkHops is how many links one path may lead through: Linux's own limit, so that a circle ends.
const linkHops = 40

// settled returns a tree in which every link leads to a file or a folder of that tree, as all engines lay it out.
// A link that does not, because its target is elsewhere, left out, or behind an absolute path, is the regular file
// that was found through it, and nothing where it leads to a folder: no link of a work tree leads out of it.
func settled(tree []File) []File {
	isLink := func(f File) bool { return f.Link != "" }
	if !slices.ContainsFunc(tree, isLink) {
		return tree
	}
	t := newLinkTree(tree)
	settled := make([]File, 0, len(tree))
	for _, f := range tree {
		if f.Link != "" {
			f.target = ""
			if target, ok := t.resolve(f.Path, f.Link); ok && !t.folders[f.Path] && t.folders[target] == f.Mode.IsDir() {
				f.target = target
				if !f.Mode.IsDir() {
					f.Mode, f.Data = t.files[target].Mode, t.files[target].Data
				}
			} else if f = f.flat(); f.Mode.IsDir() {
				continue
			}
		}
		settled = append(settled, f)
	}
	return settled
}

// flattened returns a tree without links: as sandboxes had it in recordings of older versions.
func flattened(tree []File) []File {
	var flat []File
	for _, f := range tree {
		if f = f.flat(); !f.Mode.IsDir() {
			flat = append(flat, f)
		}
	}
	return flat
}

// flat is what is found through a link, in its place.
func (f File) flat() File {
	f.Link, f.target = "", ""
	return f
}

// linksLast is a tree in the order in which it is written: nothing is ever written through a link.
func linksLast(tree []File) []File {
	tree = slices.Clone(tree)
	slices.SortStableFunc(tree, func(a, b File) int { return min(len(a.Link), 1) - min(len(b.Link), 1) })
	return tree
}

// linkTree is a tree as its links see it.
type linkTree struct {
	files   map[string]File
	links   map[string]string
	folders map[string]bool
}

func newLinkTree(tree []File) *linkTree {
	t := &linkTree{files: map[string]File{}, links: map[string]string{}, folders: map[string]bool{"": true}}
	for _, f := range tree {
		if f.Link != "" {
			t.links[f.Path] = f.Link
		} else {
			t.files[f.Path] = f
		}
		if f.Mode.IsDir() {
			continue // it may be left out, and then nothing needs the folder that it lies in
		}
		for dir := range inside.Parents(f.Path) {
			if t.folders[dir] {
				break
			}
			t.folders[dir] = true
		}
	}
	return t
}

// resolve follows a link inside of the tree and returns the file or folder that it ends at; "" is the tree itself.
// A way that leaves the tree on paper only is not taken either: Docker refuses to unpack it.
func (t *linkTree) resolve(name, text string) (target string, ok bool) {
	var done []string
	pending, hops := strings.Split(name, "/"), 0
	for len(pending) > 0 {
		part := pending[0]
		pending = pending[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", false
			}
			done = done[:len(done)-1]
			continue
		}
		here := strings.Join(append(slices.Clip(done), part), "/")
		link, isLink := t.links[here]
		_, isFile := t.files[here]
		switch {
		case isLink:
			if hops++; hops > linkHops || !staysInside(here, link) {
				return "", false
			}
			pending = append(strings.Split(link, "/"), pending...)
		case t.folders[here], isFile && len(pending) == 0:
			done = append(done, part)
		default:
			return "", false
		}
	}
	return strings.Join(done, "/"), true
}

// staysInside reports whether a link's text is one that a work tree can have.
func staysInside(name, text string) bool {
	joined := path.Join(path.Dir(name), text)
	return !path.IsAbs(text) && !strings.ContainsRune(text, 0) && joined != ".." && !strings.HasPrefix(joined, "../")
}

// replaced is what a command put in the place of a link to a file.
type replaced struct {
	link File
	Change
}

// overLinks takes the files that took a link's place, such as sed -i leaves. The user's link stays, and its
// target gets the new content, where nothing else happened to that: of two contents for one file none is taken unseen.
func (c *comparison) overLinks() {
	taken := map[string]Change{}
	for _, r := range c.replaced {
		i := slices.IndexFunc(c.changes, func(o Change) bool { return o.Path == r.link.target })
		if i >= 0 && c.changes[i].Deleted {
			c.changes = slices.Delete(c.changes, i, i+1)
			c.skip(r.link.target, "was moved over "+r.Path+", a symbolic link to it: both names stay")
			i = -1
		}
		other, again := taken[r.link.target]
		if i >= 0 {
			other = c.changes[i]
		}
		switch {
		case i >= 0 || again:
			if other.Mode != r.Mode || !bytes.Equal(other.Data, r.Data) {
				c.skip(r.Path, "its symbolic link was replaced by a file, and "+r.link.target+" was changed too")
			}
		case r.Mode != r.link.Mode.Perm() || !bytes.Equal(r.Data, r.link.Data):
			r.Path = r.link.target
			taken[r.Path] = r.Change
		}
	}
	for _, target := range slices.Sorted(maps.Keys(taken)) {
		c.changes = append(c.changes, taken[target])
	}
}

// linked takes what lies in the place of a link of the tree, or below one, unless it is a file in the place of a link to
// one: that is compared as any other.
func (c *comparison) linked(name string, kind byte, text string) bool {
	if len(c.links) == 0 {
		return false
	}
	for dir := range inside.Parents(name) {
		if _, was := c.links[dir]; was {
			c.skip(name, "lies in the place of a symbolic link")
			return true
		}
	}
	old, was := c.links[name]
	switch {
	case !was, (kind == tar.TypeReg || kind == tar.TypeLink) && !old.Mode.IsDir():
		return false
	case kind != tar.TypeSymlink:
		c.skip(name, "its symbolic link was replaced")
	case text != old.Link:
		c.skip(name, "its symbolic link was changed")
	}
	return true
}
