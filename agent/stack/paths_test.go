package stack

import (
	"slices"
	"strings"
	"testing"
)

// TestTestPaths lists command lines with the files and folders that they certainly name.
func TestTestPaths(t *testing.T) {
	for line, want := range map[string]string{
		"pytest":                                     "",
		"pytest -q tests/test_a.py":                  "tests/test_a.py",
		"python3 -m pytest 'tests/a.py::T::x'":       "tests/a.py",
		"pytest tests/unit ./more/":                  "tests/unit more",
		"pytest -k name/x --junitxml=out.py":         "",
		"pytest tests/*.py":                          "",
		"python3 -m unittest tests.test_a":           "",
		"go test ./...":                              "",
		"go test ./pkg/sub":                          "pkg/sub",
		"go test example.org/pkg":                    "",
		"go test -run TestX ./pkg":                   "pkg",
		"node --import ./types.mjs --test a.test.ts": "types.mjs a.test.ts",
		"npm test -- src/cart.test.js":               "src/cart.test.js",
		"npx jest src/components":                    "",
		"cd app && pytest tests/a.py":                "", // of another folder
		"pytest $FILE tests/a.py":                    "",
		"python3 check.py":                           "",
		"make test":                                  "",
	} {
		if got := TestPaths(line); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q names %q, want %q", line, got, want)
		}
	}
}
