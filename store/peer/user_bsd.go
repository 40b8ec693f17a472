//go:build darwin || freebsd

package store

import "golang.org/x/sys/unix"

// localLevel is SOL_LOCAL, the level of options of Unix sockets.
const localLevel = 0

// peerUser returns the user of the process at the other end of the socket fd.
func peerUser(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, localLevel, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
