//go:build !unix || aix || android || solaris

package store

import (
	"errors"
	"os"
)

// relocks reports whether a database can stay open without its lock: here, the lock ends with the descriptor.
const relocks = false

// lock is not called here.
func lock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// unlock has nothing to do where locks end with the descriptor.
func unlock(*os.File) {}
