package wire

import "golang.org/x/sys/unix"

// knowsPeers says that the kernel tells who is at the other end of a Unix socket.
const knowsPeers = true

// peerUser returns the user of the process that connected the socket fd.
func peerUser(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
