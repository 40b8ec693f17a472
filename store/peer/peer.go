// Package peer tells whether the process at the other end of a Unix socket is one of this user's. The permissions of the
// socket's file say the same, but they can be changed, and the socket is there before they are.
//
// It hides what each system has for it, and opens no connection.
package peer

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// Same returns an error unless the process at the other end runs as this user. The error is [errors.ErrUnsupported] where the
// system does not tell, see [Known]; what then keeps others away is for the caller to say.
func Same(conn net.Conn) error {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("not a Unix socket")
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	uid, failed := -1, error(nil)
	if err := raw.Control(func(fd uintptr) { uid, failed = user(int(fd)) }); err != nil {
		return err
	}
	switch {
	case failed != nil:
		return fmt.Errorf("its user is not known: %w", failed)
	case uid != os.Geteuid():
		return fmt.Errorf("it belongs to the user with the id %d, not to you", uid)
	}
	return nil
}
