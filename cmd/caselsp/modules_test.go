package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestModules shows that go mod tidy would change nothing. It works from the module
// cache, which must hold what the tests of our modules import, too.
func TestModules(t *testing.T) {
	// The go command's reading is not the test's: what is read here has the result
	// forgotten when it changes.
	err := fs.WalkDir(house(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && (strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "go.")) {
			_, err = fs.ReadFile(house(), path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "mod", "tidy", "-diff")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod")
	var diff, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &diff, &errors
	err = cmd.Run()
	if err != nil && diff.Len() == 0 && strings.Contains(errors.String(), "GOPROXY=off") {
		need(t, "modules")
	}
	if err != nil {
		t.Errorf("go mod tidy: %v\n%s%s", err, &diff, &errors)
	}
}
