//go:build !linux && !darwin && !freebsd

package wire

import (
	"errors"
	"net"
)

// knowsPeers says that the kernel tells who is at the other end of a Unix socket.
const knowsPeers = false

// samePeer refuses every connection: whose it is cannot be known here.
func samePeer(net.Conn) error { return errors.ErrUnsupported }

// privateDir refuses every folder.
func privateDir(string) (string, error) { return "", errors.ErrUnsupported }
