//go:build unix && !aix && !android && !solaris

package store

import (
	"os"
	"syscall"
)

// unlock releases bbolt's lock on a file that stays mapped: the map keeps the
// open file alive, and the lock with it, after the descriptor is closed.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
