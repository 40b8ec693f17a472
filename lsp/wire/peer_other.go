//go:build !linux && !darwin && !freebsd

package wire

import (
	"context"
	"errors"
	"net"
)

// knowsPeers says that the kernel tells who is at the other end of a Unix socket.
const knowsPeers = false

// samePeer refuses every connection: whose it is cannot be known here.
func samePeer(net.Conn) error { return errors.ErrUnsupported }

// privateDir refuses every folder.
func privateDir(string) (string, error) { return "", errors.ErrUnsupported }

// lockDir locks no folder.
func lockDir(string) (func(), error) { return nil, errors.ErrUnsupported }

// stale knows of no socket.
func stale(context.Context, string) bool { return false }
