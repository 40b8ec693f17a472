package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushInput forgets what was typed at a terminal and not read, also the beginning of a line.
func flushInput(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
