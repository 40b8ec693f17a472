package workspace

import (
	"io/fs"
	"path"
	"strings"
)

// Link is a link of the workspace: the file or folder at Target is found at Path, too.
type Link struct{ Path, Target string }

// linkDepth is how deep folders with a dot are searched for links: as deep as programs have
// their settings in them, such as .claude/skills/x.
const linkDepth = 3

// Links returns the links where programs look for their settings: at the top of the workspace
// and in folders there that begin with a dot. Those that lead out of it are left out.
func (w *Workspace) Links() []Link {
	var list []Link
	for _, f := range w.folders {
		list = w.linksIn(list, f, ".", linkDepth)
	}
	return list
}

func (w *Workspace) linksIn(list []Link, f *folder, dir string, depth int) []Link {
	entries, _ := fs.ReadDir(f.root.FS(), dir) // what cannot be read is no place that a task can change
	for _, e := range entries {
		rel := path.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if at, err := w.follow(f, rel); err == nil {
				list = append(list, Link{Path: w.key(f, rel), Target: at.key})
			}
		case e.IsDir() && depth > 0 && (dir != "." || strings.HasPrefix(e.Name(), ".")) && !ownVersionControl(rel):
			list = w.linksIn(list, f, rel, depth-1)
		}
	}
	return list
}

// Of returns the path by which the link leads to a file, "" where it does not.
func (l Link) Of(key string) string {
	rest, below := strings.CutPrefix(key, l.Target)
	if !below || rest != "" && rest[0] != '/' {
		return ""
	}
	return l.Path + rest
}
