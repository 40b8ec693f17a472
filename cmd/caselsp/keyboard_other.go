//go:build !linux

package main

import (
	"errors"
	"os"
)

// editHere is for Linux; elsewhere the terminal edits lines.
func editHere(*os.File) (restore func(), err error) { return nil, errors.ErrUnsupported }

// changes are none: the size is looked at whenever the region is drawn.
func changes() []os.Signal { return nil }

func suspends(os.Signal) bool { return false }

func suspend() {}
