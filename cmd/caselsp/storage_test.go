package main

import (
	"os"
	"path/filepath"
	"testing"

	"caselsp/lsp/lsptest"
)

const storageModel = `
on tars
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["one.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "File", "description": "Write one.txt."}]}
on case
hold
call WRITE_FILE {"thought": "t", "path": "one.txt", "content": "lost\n"}
on case
not lost
call WRITE_FILE {"thought": "t", "path": "one.txt", "content": "one\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// TestServeStorageFails loses the database in the middle of a task that an
// editor follows: the user reads what to do and, once it is done, resumes the
// task in the same server.
func TestServeStorageFails(t *testing.T) {
	s := startServer(t, t.TempDir(), map[string]string{"a.py": "a = 1\n"}, storageModel, lsptest.Options{})
	id := s.command("caselsp.run", "write a file")
	s.model.Held()
	stores, err := filepath.Glob(filepath.Join(s.home, ".state/caselsp/workspaces/*/caselsp.db"))
	if err != nil || len(stores) != 1 {
		t.Fatalf("stores: %v, %v", stores, err)
	}
	aside := filepath.Join(s.home, "aside")
	s.must(os.Rename(stores[0], aside))
	s.model.Release()
	s.expect(lsptest.ShownMessage("the file was moved or deleted: move it back"))
	s.disk(map[string]string{"one.txt": ""})

	s.must(os.Rename(aside, stores[0]))
	s.command("caselsp.resume", id)
	s.expect(lsptest.ShownMessage("hunk"))
	s.command("caselsp.accept")
	s.expect(lsptest.ShownMessage("Accepted"))
	s.disk(map[string]string{"one.txt": "one\n"})
}
