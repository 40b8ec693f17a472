package store

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"
)

// Locked says that another process has the store open. PID is 0 where the
// owner is not known.
type Locked struct {
	PID  int
	Path string
}

// Error implements error.
func (l *Locked) Error() string {
	owner := "another process"
	if l.PID != 0 {
		owner = fmt.Sprintf("process %d", l.PID)
	}
	return fmt.Sprintf("the store %s is in use by %s, probably another editor on this workspace: work there, or close it and try again", l.Path, owner)
}

// Silent says that the process that owns a store does not answer: it was stopped, perhaps, or its machine is
// very busy. What it was asked for may still be done.
type Silent struct {
	PID int // of the owner; 0: unknown
}

// Error implements error.
func (s *Silent) Error() string {
	if s.PID == 0 {
		return "the process that has this workspace open does not answer: what it was asked for may still be done. Continue or end that process, and try again"
	}
	return fmt.Sprintf("process %d, which has this workspace open, does not answer: what it was asked for may still be done. Continue it (kill -CONT %[1]d) or end it, and try again", s.PID)
}

// Broken says that a file of the store is damaged or not a store. The file is left
// unchanged.
type Broken struct {
	Path string
	Err  error
}

// Error implements error.
func (b *Broken) Error() string {
	return fmt.Sprintf("the store %s cannot be read (%v): nothing was deleted; move the file aside, for example to %s.broken, to begin with an empty store, or restore a backup in its place; then start caselsp again", b.Path, b.Err, b.Path)
}

// Unwrap returns the cause.
func (b *Broken) Unwrap() error { return b.Err }

// Unwritable says that a write failed, and what to do about it. Everything that was
// acknowledged before is safe.
type Unwritable struct {
	Path   string
	Advice string
	Err    error
}

// Error implements error.
func (u *Unwritable) Error() string {
	return fmt.Sprintf("cannot write %s: %v: %s", u.Path, u.Err, u.Advice)
}

// Unwrap returns the cause.
func (u *Unwritable) Unwrap() error { return u.Err }

const (
	adviseDir   = "make that directory writable, or set XDG_STATE_HOME to a directory that you can write to"
	adviseSpace = "free some space on that disk, or raise its quota, and try again; nothing that was recorded is lost"
	adviseSize  = "the store has reached its size limit; close caselsp, move the file aside and start again with an empty store"
	adviseMoved = "move it back, or restart caselsp to begin with an empty store"
	adviseRetry = "check the disk and try again; nothing that was recorded is lost"
)

// diskFullOnWindows is ERROR_DISK_FULL, which package syscall does not name.
const diskFullOnWindows = syscall.Errno(112)

// unwritable turns the error of a write to path into one that says what to do.
// Errors of this package are returned unchanged.
func unwritable(path string, err error) error {
	var (
		known  *Unwritable
		broken *Broken
		locked *Locked
	)
	if err == nil || errors.As(err, &known) || errors.As(err, &broken) || errors.As(err, &locked) {
		return err
	}
	advice := adviseRetry
	switch {
	case is(err, fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, fs.ErrNotExist):
		advice = adviseDir
	case is(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG),
		runtime.GOOS == "windows" && is(err, diskFullOnWindows):
		advice = adviseSpace
	case is(err, bolterrors.ErrMaxSizeReached):
		advice = adviseSize
	}
	return &Unwritable{Path: path, Advice: advice, Err: err}
}

// transient reports whether the same call may succeed a moment later.
func transient(err error) bool {
	return is(err, syscall.EINTR, syscall.EAGAIN, syscall.EBUSY, syscall.ETIMEDOUT)
}

// is reports whether err is one of targets.
func is(err error, targets ...error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}
