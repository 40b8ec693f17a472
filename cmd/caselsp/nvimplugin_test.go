package main

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestPluginNeovim runs the scenarios of testdata/nvimplugin in each Neovim that is supported, the
// oldest and the newest, with the plugin as `make install-nvim` installs it. They are as those of
// [TestNeovim]; the file words.lua has more words for the user, init.lua in an archive is the user's
// configuration, and there is none where it is left out.
func TestPluginNeovim(t *testing.T) {
	scenarios, err := filepath.Glob("testdata/nvimplugin/*.txtar")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, editor := range []string{"nvim", "nvim010"} {
		for _, file := range scenarios {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"_"+editor, func(t *testing.T) {
				t.Parallel()
				need(t, editor)
				archive, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				(&nvimRun{t: t, editor: editor, plugin: true, dir: t.TempDir(), archive: archive}).run()
			})
		}
	}
}
