package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	setting "caselsp/agent/settings"
	"caselsp/agent/validate/rules"
	"caselsp/agent/workspace"
	"caselsp/lsp/lsptest"
)

// TestIndexing: the folders are indexed without a task, the editor is served meanwhile, and a task that
// begins does not begin before the index has ended.
func TestIndexing(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.py"), []byte("def f():\n    pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	begun, ended := make(chan []string), make(chan struct{})
	s := begin(t, lsptest.Options{Root: root}, func(s *server) {
		s.judgement.validators = func(dirs []string, _ []setting.Layer) (*Validators, error) {
			ws, err := workspace.Open(dirs...)
			return &Validators{Suite: rules.Default(), Workspace: ws}, err
		}
		s.indexing.index = func(ctx context.Context, dirs []string) (int, error) {
			begun <- dirs
			<-ctx.Done()
			close(ended)
			return 0, ctx.Err()
		}
		s.install()
	})
	if dirs := <-begun; len(dirs) != 1 || dirs[0] != root {
		t.Errorf("indexed: %q", dirs)
	}
	_, err := s.CodeActions(t.Context(), "a.py", 0, 0)
	s.must(errors.Join(err, s.Open("a.py"), s.Change("a.py", lsptest.Replacement{Text: "("})))
	s.expect(lsptest.Diagnosed("a.py", ""))
	s.srv.indexing.stop()
	select {
	case <-ended:
	default:
		t.Error("the index is still under way")
	}
}
