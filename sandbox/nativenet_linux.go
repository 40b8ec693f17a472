//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"caselsp/sandbox/inside"
)

// takeListener takes the socket that handOutListener handed out.
func takeListener(hatch *os.File) (net.Listener, error) {
	files, err := inside.TakeFiles(int(hatch.Fd()))
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
