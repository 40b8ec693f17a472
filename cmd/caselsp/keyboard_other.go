//go:build !linux

package main

import (
	"errors"
	"os"
)

// editHere is for Linux; elsewhere the terminal edits lines.
func editHere(*os.File, bool) (restore func(), err error) { return nil, errors.ErrUnsupported }

// There is no signal of a changed size here: the size is read whenever the region is drawn.
func changes() []os.Signal { return nil }

func suspends(os.Signal) bool { return false }

func suspend() {}
