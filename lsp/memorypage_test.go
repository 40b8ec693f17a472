package lsp

import (
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
