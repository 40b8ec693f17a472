//go:build darwin || freebsd

package peer

import "golang.org/x/sys/unix"

// Known reports whether the system tells who is at the other end.
const Known = true

// localLevel is SOL_LOCAL, the level of options of Unix sockets.
const localLevel = 0

// user returns the user of the process at the other end of the socket fd.
func user(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, localLevel, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
