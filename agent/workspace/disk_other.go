//go:build !linux

package workspace

import "errors"

// exchange is what only Linux can do through a folder that is held open.
func (p place) exchange(string) error { return errors.ErrUnsupported }
