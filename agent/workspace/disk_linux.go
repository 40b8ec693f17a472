package workspace

import (
	"errors"
	"path"

	"golang.org/x/sys/unix"
)

// exchange lets a file and a temporary one next to it swap their names in one
// step. The error is errors.ErrUnsupported where the file system cannot.
func (p place) exchange(temp string) error {
	dir, err := p.folder.root.Open(path.Dir(p.rel))
	if err != nil {
		return err
	}
	defer dir.Close()
	conn, err := dir.SyscallConn()
	if err != nil {
		return err
	}
	var swap error
	err = conn.Control(func(fd uintptr) {
		swap = unix.Renameat2(int(fd), path.Base(temp), int(fd), path.Base(p.rel), unix.RENAME_EXCHANGE)
	})
	if errors.Is(swap, unix.EINVAL) || errors.Is(swap, unix.ENOSYS) {
		swap = errors.ErrUnsupported
	}
	return errors.Join(err, swap)
}
