package main

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// noChar is none, where a character sends a signal.
const noChar = 0

// interruptChar is the one that sends the signal of Ctrl+C in the user's terminal. It is of whoever edits: see [ownKeys].
var interruptChar uint8 = 'c' & 0x1f

// editHere has a terminal hand over each key as it is typed, without showing it. Keys that send signals still do, but where
// Ctrl+C is a key.
func editHere(tty *os.File, interruptKey bool) (restore func(), err error) {
	fd := int(tty.Fd())
	old, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	if now := old.Cc[unix.VINTR]; now != noChar {
		interruptChar = now
	}
	now := *old
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Iflag &^= unix.ICRNL // Ctrl+J is another key than Enter
	if now.Cc[unix.VINTR] = interruptChar; interruptKey {
		now.Cc[unix.VINTR] = noChar
	}
	now.Lflag |= unix.NOFLSH // else the key that sends a signal discards what was drawn just now
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if now == *old {
		return func() {}, nil
	}
	return func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, old) }, unix.IoctlSetTermios(fd, unix.TCSETS, &now)
}

// changes are the signals by which a terminal says that its size has changed, and that the user stops this process.
func changes() []os.Signal { return []os.Signal{unix.SIGWINCH, unix.SIGTSTP} }

// suspends reports whether a signal says that the user stops this process.
func suspends(s os.Signal) bool { return s == unix.SIGTSTP }

// suspend stops this process until the shell continues it. The call that stops it may return before it is stopped.
func suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(os.Getpid(), unix.SIGSTOP) == nil {
		<-continued
	}
}
