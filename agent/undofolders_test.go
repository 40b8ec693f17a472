package agent

import (
	"os"
	"path/filepath"
	"testing"

	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
)

// TestUndoFolders takes an acceptance back: the folders that it made go, where they are empty, and none that the user had.
func TestUndoFolders(t *testing.T) {
	b := newBench(t, `
on case
call WRITE_FILE {"thought": "t", "path": "new/deep/a.txt", "content": "a\n"}
call WRITE_FILE {"thought": "t", "path": "new/b.txt", "content": "b\n"}
call WRITE_FILE {"thought": "t", "path": "mine/c.txt", "content": "c\n"}
call WRITE_FILE {"thought": "t", "path": "used/d.txt", "content": "d\n"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "done"}
`, agreeable{})
	dir := b.Workspace.Roots()[0].Dir
	if err := os.Mkdir(filepath.Join(dir, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write", Single: true}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	disk := workspace.Disk(b.Workspace)
	if out, err := b.Decide(t.Context(), "t", review.Selection{Hunk: review.AllHunks}, true, disk); err != nil || len(out.Failed()) > 0 {
		t.Fatal(out.Failed(), err)
	}
	writeText(t, filepath.Join(dir, "used/own.txt"), "own\n")
	if out, err := b.Undo(t.Context(), "t", disk); err != nil || len(out.Failed()) > 0 {
		t.Fatal(out.Failed(), err)
	}
	for name, want := range map[string]bool{"new": false, "mine": true, "used/own.txt": true, "used/d.txt": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}
