package main

import (
	"testing"

	"caselsp/store/lazyregexp"
)

// TestExpressions compiles the regular expressions of all packages, which the program compiles at their first use.
func TestExpressions(t *testing.T) {
	for _, err := range lazyregexp.Check() {
		t.Error(err)
	}
}
