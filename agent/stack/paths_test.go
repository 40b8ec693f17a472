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

// TestRunsTestsOf holds which lines certainly run the tests of files.
func TestRunsTestsOf(t *testing.T) {
	for _, c := range []struct {
		line, files string
		want        bool
	}{
		{"pytest", "tests/test_a.py", true},
		{"pytest -q tests/test_a.py", "tests/test_a.py", true},
		{"python3 -m pytest tests/", "tests/test_a.py tests/unit/test_b.py", true},
		{"pytest tests/test_b.py", "tests/test_a.py", false},
		{"pytest tests/test_a.py", "tests/test_a.py tests/test_b.py", false},
		{"pytest tests/test_a.py::test_x", "tests/test_a.py", false},
		{"pytest -k parse", "tests/test_a.py", false},
		{"pytest --lf", "tests/test_a.py", false},
		{"pytest || true", "tests/test_a.py", false},
		{"cd sub && pytest", "tests/test_a.py", false},
		{"python3 -m unittest", "test_a.py", true},
		{"python3 -m unittest", "tests/test_a.py", false},
		{"make check", "test_a.py", false},
		{"go test ./a", "a/a_test.go", true},
		{"go test ./a", "a/b/b_test.go", false},
		{"python3 -m unittest test_b", "test_a.py", false},
		{"go test ./...", "a/a_test.go", true},
		{"go test -race -count=1 ./...", "a/a_test.go", true},
		{"go test", "a/a_test.go", false},
		{"go test -run X ./...", "a/a_test.go", false},
		{"npx jest", "a.test.js", true},
		{"npx jest -t name", "a.test.js", false},
		{"python3 check.py", "check.py", false},
	} {
		if got := RunsTestsOf(c.line, strings.Fields(c.files)); got != c.want {
			t.Errorf("%s: %v for %s", c.line, got, c.files)
		}
	}
	if RunsTestsOf("pytest", []string{""}) {
		t.Error("a test whose file is not known counts as run")
	}
}
