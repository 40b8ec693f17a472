//go:build !linux

package main

import (
	"errors"
	"os"
)

// editHere is for Linux; elsewhere the terminal edits lines.
func editHere(*os.File) (restore func(), err error) { return nil, errors.ErrUnsupported }
