//go:build !linux && !darwin && !freebsd

package wire

import (
	"context"
	"errors"
)

// privateDir refuses every folder.
func privateDir(string) (string, error) { return "", errors.ErrUnsupported }

// lockDir locks no folder.
func lockDir(string) (func(), error) { return nil, errors.ErrUnsupported }

// stale knows of no socket.
func stale(context.Context, string) bool { return false }
