//go:build unix

package workspace

import (
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
