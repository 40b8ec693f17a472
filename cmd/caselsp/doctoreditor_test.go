package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestPluginVersions: the doctor knows the versions of the plugins that lie beside this program.
func TestPluginVersions(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "editors", "vscode", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(raw, &manifest); err != nil || manifest.Version != vscodeVersion {
		t.Errorf("the VS Code extension has version %q, %v; the doctor expects %q", manifest.Version, err, vscodeVersion)
	}
	if got := versionInLisp(filepath.Join("..", "..", "editors", "emacs", "caselsp.el")); got != emacsVersion {
		t.Errorf("the Emacs package has version %q; the doctor expects %q", got, emacsVersion)
	}
}
