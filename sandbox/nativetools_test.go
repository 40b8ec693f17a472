//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machineWith makes programs that do nothing but fail, each where it is said, and
// returns the folder above all of them. It lies where commands could see it.
func machineWith(t *testing.T, paths ...string) string {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "caselsp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	for _, path := range paths {
		path = filepath.Join(base, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

// TestNativeAdvice shows what the user is told when a command did not find what
// the image would have had.
func TestNativeAdvice(t *testing.T) {
	base := machineWith(t, "pyenv/shims/python3.99", "pyenv/versions/3.99.1/bin/python3.99", "node-99/bin/tool99", "home/.local/bin/mine99", "odd/mine98")
	t.Setenv("HOME", filepath.Join(base, "home"))
	var path []string
	for _, dir := range []string{"pyenv/shims", "node-99/bin", "home/.local/bin", "odd"} {
		path = append(path, filepath.Join(base, dir))
	}
	t.Setenv("PATH", strings.Join(path, ":"))
	n := &NativeEngine{}
	for _, tt := range []struct {
		name, output, want string
		code               int
	}{
		{"a test runner", "/usr/bin/python3: No module named pytest\n", "this machine has no pytest where commands see it", 1},
		{"what to do", "/usr/bin/python3: No module named pytest\n", "apt-get install python3-pytest, or name it in the project's requirements", 1},
		{"imported", "ModuleNotFoundError: No module named 'hypothesis'\n", "python3-hypothesis", 1},
		{"a package of Python's as a program", "/bin/sh: 1: pylint: not found\n", "apt-get install pylint", 127},
		{"coverage in pytest", "pytest: error: unrecognized arguments: --cov=x\n", "python3-pytest-cov", 4},
		{"no Python", "/bin/sh: 1: python: not found\n", "Python 3.11 or newer", 127},
		{"bash", "bash: line 1: go: command not found\n", "golang-go, or name the folder above its bin folder in sandbox.folders", 127},
		{"a script's interpreter", "/usr/bin/env: 'node': No such file or directory\n", "nodejs", 127},
		{"a version manager's", "/bin/sh: 1: python3.99: not found\n", `add "` + base + `/pyenv/versions/3.99.1" to sandbox.folders`, 127},
		{"in a folder of its own", "/bin/sh: 1: tool99: not found\n", `add "` + base + `/node-99" to sandbox.folders`, 127},
		{"among the user's own", "/bin/sh: 1: mine99: not found\n", "", 127},
		{"in no bin folder", "/bin/sh: 1: mine98: not found\n", "", 127},
		{"nowhere", "/bin/sh: 1: foo: not found\n", "", 127},
		{"the project's own", "ModuleNotFoundError: No module named 'shop.models'\n", "", 1},
		{"no failure", "/bin/sh: 1: go: not found\n", "", 0},
		{"a name that is none", "/bin/sh: 1: ../../go: not found\n", "", 127},
	} {
		got := n.advise(&Result{Status: Exited, ExitCode: tt.code, Output: "x\n" + tt.output})
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNativeTools(t *testing.T) {
	machine{}.need(t)
	n, err := Native(t.Context(), NativeOptions{Folders: []string{filepath.Join(machineWith(t, "tools/bin/python3"), "tools")}})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := n.Tools(t.Context())
	if err != nil || len(sets) != len(Profiles) {
		t.Fatalf("got %+v, %v", sets, err)
	}
	if s := sets[0]; s.Profile != Python || s.Has != nil || !slices.Contains(s.Lacks, "pytest") || !strings.Contains(s.Advice, "Python 3.11 or newer") {
		t.Errorf("with a Python that does not start: %+v", s)
	}
	res, err := n.Run(t.Context(), Command{Line: "nodejs-99 || go99 || env npm99"})
	if err != nil || res.Advice != "" || res.Engine != "native" {
		t.Errorf("what nobody knows: %+v, %v", res, err)
	}
}
