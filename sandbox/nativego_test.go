//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoBuilt compiles Go's own packages once, in a sandbox without a file of a project: every command
// begins with them, none can change them, and nothing that one compiles is there for the next.
func TestGoBuilt(t *testing.T) {
	t.Parallel()
	n := machine{}.need(t, "go")
	n.built.layers = builtLayers(t.TempDir())
	tree := []File{{Path: "go.mod", Mode: 0o644, Data: []byte("module example.com/shop\n\ngo 1.21\n")},
		{Path: "shop.go", Mode: 0o644, Data: []byte("package shop\n\nimport \"fmt\"\n\nfunc Name() string { return fmt.Sprint(1) }\n")}}
	var told []string
	run := func(line string) string {
		t.Helper()
		res, err := n.Run(t.Context(), Command{Line: line, Tree: tree, Profile: Go, Progress: func(line string) { told = append(told, line) }})
		if err != nil || !res.OK() {
			t.Fatalf("%s: %v, %+v", line, err, res)
		}
		return res.Output
	}
	run("ls")
	if entries, err := os.ReadDir(n.built.layers.folder); err == nil || told != nil {
		t.Fatalf("a command that compiles nothing made %q and told %q", entries, told)
	}

	// fmt is read from there, the project's own package is not.
	const where = `export=$(go list -export -f '{{.Export}}' PKG) && readlink -f "$export"`
	fmtAt := run("go build ./... && " + strings.ReplaceAll(where, "PKG", "fmt"))
	own := run("go build ./... && " + strings.ReplaceAll(where, "PKG", "."))
	if !strings.HasPrefix(fmtAt, "/gobuilt/") || !strings.HasPrefix(own, "/tmp/gocache/") {
		t.Errorf("fmt is at %q, the project's package at %q", fmtAt, own)
	}
	if len(told) != 1 || !strings.Contains(told[0], "compiling Go's own packages") {
		t.Errorf("told %q", told)
	}
	if kept, err := filepath.Glob(n.built.layers.folder + "/*/*/*"); err != nil || len(kept) < 1000 {
		t.Fatalf("%d files are kept, %v", len(kept), err)
	}

	// What is kept cannot be written to, not even by the way of the links.
	before := run("find /gobuilt -type f | sort | xargs sha256sum | sha256sum")
	said := run(`f=$(find /tmp/gocache/ -type l | head -1); echo x 2>&1 >"$f"; rm "$f" && echo x >"$f"; echo x 2>&1 >/gobuilt/x; touch /gobuilt/00/x 2>&1; mv /gobuilt/00 /gobuilt/0 2>&1; chmod -R a+w /gobuilt 2>&1 | head -1`)
	if n := strings.Count(said, "Read-only file system"); n < 5 {
		t.Errorf("%d of 5 attempts were refused:\n%s", n, said)
	}
	if after := run("find /gobuilt -type f | sort | xargs sha256sum | sha256sum"); after != before {
		t.Error("a command changed what is kept")
	}

	// What a command puts beside the links goes with it.
	run("go build ./... && echo planted >/tmp/gocache/planted")
	if said := run("ls /tmp/gocache | grep planted; true"); said != "" {
		t.Errorf("the next command finds %q", said)
	}
}
