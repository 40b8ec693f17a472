package lsp

import (
	"path/filepath"
	"testing"
	"time"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
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

// TestFolderAdded adds a folder while a task works, of which that knows nothing: another task is refused until it has
// ended, and then has the folder.
func TestFolderAdded(t *testing.T) {
	added := t.TempDir()
	clock := lsptest.NewClock()
	sc := play(t, plot{files: hello, clock: clock, script: "on case\nhold\ntext late\non case\ncall ANSWER {\"text\": \"yes\"}\n"})
	begin := func(text string) {
		const answerGap = 250 * time.Millisecond // of package wire, before the work begins
		sc.run(text)
		clock.Await(answerGap)
		clock.Advance(answerGap)
	}
	begin("take your time")
	sc.model.Held()
	folder := map[string]string{"uri": "file://" + filepath.ToSlash(added), "name": "added"}
	sc.must(sc.Notify(protocol.MethodWorkspaceDidChangeWorkspaceFolders, map[string]any{"event": map[string]any{"added": []any{folder}, "removed": []any{}}}))
	sc.refused("was added while a task works", cmdRun, "another one")
	_, told, err := sc.srv.engines.use(t.Context()) // as what is still telling of the end would
	sc.must(err)
	sc.command(cmdStop)
	sc.said("Stopped")
	go func() {
		clock.Await(freeTime)
		told()
	}()
	begin("another one")
	sc.said("Answered")
}

// TestFolders tells the server of folders that come and go.
func TestFolders(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	changed := make(chan []Root, 2)
	s := begin(t, lsptest.Options{Root: a}, func(s *server) {
		s.folders.changed = func() { changed <- s.folders.all() }
	})
	folder := func(dir string) map[string]string {
		return map[string]string{"uri": "file://" + filepath.ToSlash(dir), "name": "x"}
	}
	change := func(added, removed []map[string]string) []Root {
		s.must(s.Notify(protocol.MethodWorkspaceDidChangeWorkspaceFolders, map[string]any{"event": map[string]any{"added": added, "removed": removed}}))
		return <-changed
	}
	empty := []map[string]string{}
	if got := change([]map[string]string{folder(b), folder(a), {"uri": "untitled:x", "name": ""}}, empty); len(got) != 2 || got[0].Dir != a || got[1].Dir != b {
		t.Errorf("after adding: %+v", got)
	}
	if got := change(empty, []map[string]string{folder(a)}); len(got) != 1 || got[0].Dir != b {
		t.Errorf("after removing: %+v", got)
	}
}
