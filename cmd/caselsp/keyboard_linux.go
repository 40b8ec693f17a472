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
