package lsp

import (
	"path/filepath"
	"testing"

	"caselsp/lsp/lsptest"
)

// TestTwoFolders carries out a task over two folders: one file is open and not
// saved, the other, in the other folder, is not open. Paths begin with the
// folder's name.
func TestTwoFolders(t *testing.T) {
	dir := t.TempDir()
	front, back := filepath.Join(dir, "front"), filepath.Join(dir, "back")
	sc := play(t, plot{
		files:  map[string]string{"../front/a.txt": "a\n", "../back/b.txt": "b\n"},
		editor: lsptest.Options{Root: front, Folders: []string{front, back}},
		open:   []string{"a.txt"},
		script: `
on case
want change both
call GET_FULL_FILE_CONTENT {"thought": "see it", "path": "front/a.txt"}
on case
want a, not saved
call WRITE_FILE {"thought": "the open one", "path": "front/a.txt", "content": "a, not saved\nand more\n"}
on case
call WRITE_FILE {"thought": "the other", "path": "back/b.txt", "content": "B\n"}
on case
call WRITE_FILE {"thought": "in neither", "path": "c.txt", "content": "c\n"}
on case
want "c.txt"
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`,
	})
	sc.must(sc.SetText("a.txt", "a, not saved\n"))
	id := sc.run("change both")
	sc.shown("review-" + id)
	sc.command(cmdAccept)
	sc.expect(lsptest.HasText("a.txt", "a, not saved\nand more\n"))
	sc.said("Accepted")
	sc.disk(map[string]string{"a.txt": "a\n", "../back/b.txt": "B\n", "c.txt": ""})
}
