//go:build !linux && !darwin && !freebsd

package peer

import "errors"

// Known reports whether the system tells who is at the other end.
const Known = false

// user cannot tell here who is at the other end.
func user(int) (int, error) { return -1, errors.ErrUnsupported }
