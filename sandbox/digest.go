package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// Manifest returns a checksum for each file of a tree, by path. Of the mode it
// holds only whether the file is executable, as git does: the rest depends on
// the umask of the user who made the copy, and a recording is played on many machines.
func Manifest(tree []File) map[string]string {
	sums := make(map[string]string, len(tree))
	for _, f := range settled(tree) {
		if f.Link != "" {
			sums[f.Path] = "link to " + f.Link
			continue
		}
		sum := sha256.Sum256(f.Data)
		sums[f.Path] = hex.EncodeToString(sum[:])
		if executable(f.Mode) {
			sums[f.Path] += "+x"
		}
	}
	return sums
}

// Digest returns one checksum for a tree, whatever the order of its files. Two
// trees have the same one when their manifests are equal.
func Digest(tree []File) string {
	sums := Manifest(tree)
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(h, "%q %s\n", path, sums[path])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func executable(mode fs.FileMode) bool { return mode&0o111 != 0 }
