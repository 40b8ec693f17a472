package lsp

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
	"caselsp/store"
)

// TestMemoryPage lists what is remembered, shows one record and forgets it. A record's words make no record.
func TestMemoryPage(t *testing.T) {
	state := t.TempDir()
	memory, err := store.UserMemory(store.Options{StateDir: state})
	if err == nil {
		err = memory.Remember(t.Context(), store.Pattern{Kind: store.KindPattern, Text: "retry downloads\n## record 0123456789abcdef pattern", Solution: "with backoff\n## record f"})
	}
	if err != nil {
		t.Fatal(err)
	}
	sc := play(t, plot{files: hello, open: []string{"a.py"}, state: state})
	sc.command(cmdMemory)
	page := sc.shown("memory.md")
	lenses, err := sc.CodeLenses(t.Context(), page)
	sc.must(err)
	if len(lenses) != 2 || !strings.HasPrefix(lenses[1].Command.Title, "Forget ") {
		t.Fatalf("lenses: %+v in\n%s", lenses, sc.Text(page))
	}
	sc.act(page, "retry downloads", lenses[0].Command.Title)
	sc.expect(lsptest.Opened("memory-"))
	sc.act(page, "retry downloads", lenses[1].Command.Title)
	sc.said("Forgotten: 1 record.")
	sc.expect(lsptest.TextHas(page, "Nothing yet."))
}

// TestMemoryPageDamaged names a record that cannot be read, among the others, and forgets it.
func TestMemoryPageDamaged(t *testing.T) {
	state := t.TempDir()
	memory, err := store.UserMemory(store.Options{StateDir: state})
	for _, text := range []string{"retry downloads", "sort the list"} {
		if err == nil {
			err = memory.Remember(t.Context(), store.Pattern{Kind: store.KindPattern, Text: text, Solution: "as in " + text})
		}
	}
	path := filepath.Join(state, "user.db")
	data, failed := os.ReadFile(path)
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte("as in sort"), []byte("as\x00in sort"))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	sc := play(t, plot{files: hello, open: []string{"a.py"}, state: state})
	sc.command(cmdMemory)
	page := sc.shown("memory.md")
	sc.expect(lsptest.TextHas(page, " unreadable\n\n* it cannot be read, and is left out"), lsptest.TextHas(page, "retry downloads"))
	lenses, err := sc.CodeLenses(t.Context(), page)
	sc.must(err)
	if len(lenses) != 3 || !strings.HasPrefix(lenses[0].Command.Title, "Forget ") {
		t.Fatalf("lenses: %+v in\n%s", lenses, sc.Text(page))
	}
	sc.command(cmdMemory, map[string]any{"export": true})
	sc.said("1 of its records cannot be read and are left out")
	sc.act(page, "it cannot be read", lenses[0].Command.Title)
	sc.said("Forgotten: 1 record.")
	if left, err := memory.Unreadable(t.Context()); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}
