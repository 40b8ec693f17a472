package workspace

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Sweep removes what an application that was killed left next to the file at p:
// temporary files that hold one of the known contents, or the beginning of one.
// The others are left, because they may hold what is nowhere else, and returned.
// It must not run while an application does.
func Sweep(w *Workspace, p string, known ...[]byte) (left []string, err error) {
	at, err := w.locateWrite(p)
	if err != nil {
		return nil, err
	}
	dir := path.Dir(at.rel)
	for _, entry := range at.folder.entries(dir) {
		if !entry.Type().IsRegular() || !strings.HasPrefix(entry.Name(), tempPrefix) {
			continue
		}
		temp := place{folder: at.folder, rel: path.Join(dir, entry.Name()), key: path.Join(path.Dir(at.key), entry.Name())}
		c, failed := temp.load(MaxContent)
		if failed == nil && c != nil && slices.ContainsFunc(known, func(k []byte) bool { return bytes.HasPrefix(k, c.Data) }) {
			failed = temp.folder.root.Remove(temp.rel)
		} else if failed == nil && c != nil {
			left = append(left, temp.key)
		}
		if failed != nil && err == nil {
			err = failed
		}
	}
	return left, err
}
