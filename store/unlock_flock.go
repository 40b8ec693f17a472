//go:build unix && !aix && !android && !solaris

package store

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// relocks reports whether a database can stay open without its lock. OpenBSD's memory maps do not show what other
// processes write.
const relocks = runtime.GOOS != "openbsd"

// lock takes the lock that bbolt takes; false if another process has it.
func lock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// unlock releases bbolt's lock on a file that stays mapped: the map keeps the
// open file alive, and the lock with it, after the descriptor is closed.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
