package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// editHere has a terminal hand over each key as it is typed, without showing it. Keys that send signals still do.
func editHere(tty *os.File) (restore func(), err error) {
	fd := int(tty.Fd())
	old, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	now := *old
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if now == *old {
		return func() {}, nil
	}
	return func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, old) }, unix.IoctlSetTermios(fd, unix.TCSETS, &now)
}

// resizes are the signals by which a terminal says that its size has changed, and a shell that this process has it again.
func resizes() []os.Signal { return []os.Signal{unix.SIGWINCH, unix.SIGCONT} }

// continued reports whether a signal says that this process has the terminal again.
func continued(s os.Signal) bool { return s == unix.SIGCONT }
