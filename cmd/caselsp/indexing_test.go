package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"caselsp/lsp/lsptest"
)

// TestIndexedBeforeTask: when the editor has opened a folder, what its files declare is kept without any
// task, where the first task finds it.
func TestIndexedBeforeTask(t *testing.T) {
	home := t.TempDir()
	files := map[string]string{"wheel.py": "def turn_wheel(angle):\n    return angle\n", "page.html": "<p id=\"start\">x</p>\n"}
	s := startServer(t, home, files, "", lsptest.Options{})
	s.expect(lsptest.Logged("the folders are indexed"))
	kept, err := filepath.Glob(filepath.Join(home, ".state", "caselsp", "workspaces", "*", "facts.db"))
	s.must(err)
	if len(kept) != 1 {
		t.Fatalf("facts are kept in %q", kept)
	}
	text, err := os.ReadFile(kept[0])
	s.must(err)
	if !bytes.Contains(text, []byte("def turn_wheel(angle)")) {
		t.Errorf("what the files declare is not kept: %q", text)
	}
}
