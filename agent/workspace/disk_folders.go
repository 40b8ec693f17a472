package workspace

import (
	"path"
	"slices"
	"strings"
)

// MissingFolders are the folders that a new file at a path needs and that are not there, the innermost first. They are made with
// the file, see [Disk].
func (w *Workspace) MissingFolders(file string) (missing []string) {
	at, err := w.locate(file)
	if err != nil {
		return nil // it is not written either
	}
	for dir := path.Dir(at.rel); dir != "."; dir = path.Dir(dir) {
		if _, err := at.folder.root.Lstat(dir); err == nil {
			break
		}
		missing = append(missing, strings.TrimSuffix(at.key, at.rel)+dir)
	}
	return missing
}

// RemoveEmptyFolders removes folders that are empty, of those that it is given. A link or a file in the place of one stays.
func (w *Workspace) RemoveEmptyFolders(dirs []string) {
	dirs = slices.Clone(dirs)
	slices.SortFunc(dirs, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") }) // the innermost first
	for _, dir := range dirs {
		at, err := w.locateWrite(dir)
		if err != nil || at.key != at.asked || at.rel == "." {
			continue
		}
		if info, err := at.folder.root.Lstat(at.rel); err == nil && info.IsDir() {
			_ = at.folder.root.Remove(at.rel) // it fails where the folder is not empty
		}
	}
}
