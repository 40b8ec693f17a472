//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
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
// and hands the listening socket out through the file way: who has it accepts
// the sandbox's connections, wherever it runs. So the proxy serves the command
// without a network between them, and no process in the sandbox carries bytes.
func handOutListener(way int) error {
	defer unix.Close(way)
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
	return unix.Sendmsg(way, []byte{0}, unix.UnixRights(int(f.Fd())), nil, 0)
}

// takeListener takes the socket that handOutListener handed out.
func takeListener(way *os.File) (net.Listener, error) {
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(way.Fd()), make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil {
		return nil, err
	}
	if len(messages) != 1 {
		return nil, errors.New("the sandbox handed out no socket")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, fmt.Errorf("the sandbox handed out %d sockets, %w", len(fds), err)
	}
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close() // the listener has its own
	return net.FileListener(f)
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
