//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and group of the one at p, as far as the
// system lets it: in a container that runs as root, the user's files would be
// root's after the first edit.
func (p place) keepOwner(file *os.File) {
	info, err := p.folder.root.Stat(p.rel)
	if err != nil {
		return
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(s.Uid), int(s.Gid))
	}
}

// fileID names a file whatever path leads to it.
type fileID struct{ device, inode uint64 }

// identify returns which file this is, and whether it has several names.
func identify(info fs.FileInfo) (id fileID, several bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return id, false
	}
	return fileID{uint64(s.Dev), s.Ino}, s.Nlink > 1
}
