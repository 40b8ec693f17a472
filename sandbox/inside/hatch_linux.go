//go:build linux && (amd64 || arm64)

package inside

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// loopbackUp gives the sandbox the one network that it has.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		defer unix.Close(fd)
		var lo *unix.Ifreq
		if lo, err = unix.NewIfreq("lo"); err == nil {
			lo.SetUint16(unix.IFF_UP)
			err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
		}
	}
	if err != nil {
		return &setupError{"a network of its own", err}
	}
	return nil
}

// handOutListener listens, within the sandbox, where the command finds its proxy,
// and hands the listening socket out through the hatch: its holder accepts
// the sandbox's connections, wherever it runs. So the proxy serves the command
// without a network between them, and no process in the sandbox carries bytes.
func handOutListener() error {
	// Package net lost: with it this package would be initialised later.
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return err
	}
	l := os.NewFile(uintptr(fd), "listener")
	defer l.Close()
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: ProxyPort}); err != nil {
		return err
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		return err
	}
	return GiveFiles(hatchFile, l)
}

// hatchFiles is the most files that pass at once: what a command writes to, and
// a door for each controller.
const hatchFiles = 8

// GiveFiles sends open files to the process at the other end of a socket.
func GiveFiles(hatch int, files ...*os.File) error {
	var all []int
	for _, f := range files {
		all = append(all, int(f.Fd()))
	}
	return unix.Sendmsg(hatch, []byte{0}, unix.UnixRights(all...), nil, 0)
}

// TakeFiles takes them; none if the other side has closed the connection.
func TakeFiles(hatch int) ([]int, error) {
	oob := make([]byte, unix.CmsgSpace(4*hatchFiles))
	for {
		_, n, _, _, err := unix.Recvmsg(hatch, make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil, err
		}
		messages, err := unix.ParseSocketControlMessage(oob[:n])
		if err != nil || len(messages) != 1 {
			return nil, fmt.Errorf("%d messages with files, %w", len(messages), err)
		}
		return unix.ParseUnixRights(&messages[0])
	}
}
