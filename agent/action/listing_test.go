package action

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/workspace"
)

// TestOverviewFolders shortens the list of files until each folder has one line, whatever the order in which its
// own folders become lines of it.
func TestOverviewFolders(t *testing.T) {
	var entries []workspace.Entry
	for i := range 30 {
		for _, folder := range []string{"lib/", "lib/app/", "lib/app/deep/", "lib/bin/", "docs/", "docs/a/b/"} {
			entries = append(entries, workspace.Entry{Path: fmt.Sprintf("%sf%02d.py", folder, i), Size: 10})
		}
	}
	if text := Overview(entries, false, 200); !strings.Contains(text, "\nlib/ (120 files)\n") {
		t.Errorf("the shortest list is\n%s", text)
	}
	for most := 200; most < 8000; most += 100 {
		seen := map[string]bool{}
		for line := range strings.Lines(Overview(entries, false, most)) {
			name, _, _ := strings.Cut(line, " (")
			if seen[name] {
				t.Errorf("%s stands twice in %d bytes", name, most)
			}
			seen[name] = true
		}
	}
}
