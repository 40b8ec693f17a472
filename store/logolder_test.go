package store

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLogOlder shows that a log is read with the files that were set aside before it, in their order.
func TestLogOlder(t *testing.T) {
	o := Options{StateDir: t.TempDir(), Workspace: "w"}
	dir := filepath.Join(o.StateDir, "workspaces", "w", "logs")
	if text, err := Log(o); text != "" || err != nil {
		t.Errorf("without a log: %q, %v", text, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"caselsp.log": "{3}\n", "caselsp-2026-02-01T00-00-00.000.log": "{2}\n", "caselsp-2025-11-30T12-00-00.000.log": "{1}\n", "other.log": "no\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := Log(o); text != "{1}\n{2}\n{3}\n" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}
