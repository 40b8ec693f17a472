package workspace

import (
	"bytes"
	"path"
	"slices"
)

// Sweep removes what a write that was killed left in the folder of the file at p, where no write
// works in that folder: temporary files that hold what their names say or, of older versions, one
// of the known contents or the beginning of one. The others are left, because they may hold what
// is nowhere else, and returned.
func Sweep(w *Workspace, p string, known ...[]byte) (left []string, err error) {
	at, err := w.locateWrite(p)
	if err != nil {
		return nil, err
	}
	dir := path.Dir(at.rel)
	release, ok := at.alone(dir)
	defer release()
	if !ok {
		return nil, nil // the next one finds them
	}
	for _, entry := range at.folder.entries(dir) {
		if !entry.Type().IsRegular() || !tempFile.MatchString(entry.Name()) {
			continue
		}
		temp := place{folder: at.folder, rel: path.Join(dir, entry.Name()), key: path.Join(path.Dir(at.key), entry.Name())}
		c, failed := temp.load(MaxContent)
		if failed == nil && c != nil && disposable(entry.Name(), c, known) {
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

// beginsOne reports whether data is the beginning of one of the contents.
func beginsOne(contents [][]byte, data []byte) bool {
	return slices.ContainsFunc(contents, func(k []byte) bool { return bytes.HasPrefix(k, data) })
}
