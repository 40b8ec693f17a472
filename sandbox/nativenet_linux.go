//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"net"
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
// and hands the listening socket out through the hatch: who has it accepts
// the sandbox's connections, wherever it runs. So the proxy serves the command
// without a network between them, and no process in the sandbox carries bytes.
func handOutListener() error {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: proxyPort})
	if err != nil {
		return err
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		return err
	}
	defer f.Close()
	return giveFiles(hatchFile, f)
}

// takeListener takes the socket that handOutListener handed out.
func takeListener(hatch *os.File) (net.Listener, error) {
	files, err := takeFiles(int(hatch.Fd()))
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("the sandbox handed out %d sockets", len(files))
	}
	f := os.NewFile(uintptr(files[0]), "listener")
	defer f.Close() // the listener has its own
	return net.FileListener(f)
}

// hatchFiles is the most files that pass at once: what a command writes to, and
// a door for each controller.
const hatchFiles = 8

// giveFiles hands files to who is behind a socket.
func giveFiles(hatch int, files ...*os.File) error {
	var all []int
	for _, f := range files {
		all = append(all, int(f.Fd()))
	}
	return unix.Sendmsg(hatch, []byte{0}, unix.UnixRights(all...), nil, 0)
}

// takeFiles takes them; none where the other side has gone.
func takeFiles(hatch int) ([]int, error) {
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

// socketPair returns the two ends of a connection. The near one does not block
// its readers' threads.
func socketPair() (near, far *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		unix.Close(pair[1])
		return nil, nil, err
	}
	return os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control"), nil
}
