package peer

import "golang.org/x/sys/unix"

// Known reports whether the system tells who is at the other end.
const Known = true

// user returns the user of the process at the other end of the socket fd.
func user(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
