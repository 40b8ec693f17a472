package workspace

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPlanted has files written together into a project: those that would make a git
// repository of a folder, under whatever name, may not be.
func TestPlanted(t *testing.T) {
	for name, c := range map[string]struct{ has, writes, refused string }{
		"a bare repository":          {"", "a/HEAD a/config a/objects/x a/refs/x a/b/c.txt", "a/HEAD a/b/c.txt a/config a/objects/x a/refs/x"},
		"the workspace itself":       {"", "HEAD objects/x refs/x", "HEAD objects/x refs/x"},
		"with the user's folders":    {"a/objects/x a/refs/x", "a/HEAD b.txt", "a/HEAD"},
		"with the user's HEAD":       {"a/HEAD a/objects/x a/config", "a/refs/x", "a/refs/x"},
		"in other case":              {"a/Objects/x", "a/head a/REFS/x", "a/REFS/x a/head"},
		"a work tree's folder":       {"a/HEAD", "a/commondir a/x", "a/commondir a/x"},
		"invisible characters":       {"", "a/HE\u200cAD a/objects/x a/refs/x", "a/HE\u200cAD a/objects/x a/refs/x"},
		"dots behind the name":       {"", "a/HEAD a/objects./x a/refs/x", "a/HEAD a/objects./x a/refs/x"},
		"no HEAD":                    {"", "a/config a/objects/x a/refs/x", ""},
		"HEAD is a folder":           {"", "a/HEAD/x a/objects/x a/refs/x", ""},
		"folders of their own":       {"", "a/HEAD b/objects/x b/refs/x", ""},
		"the user's own, as data":    {"a/HEAD a/objects/x a/refs/x", "a/packed-refs a/refs/y a/HEAD a/description", ""},
		"the user's own, what runs":  {"a/HEAD a/objects/x a/refs/x", "a/config a/hooks/x a/info/attributes a/commondir a/CONFIG.worktree", "a/CONFIG.worktree a/commondir a/config a/hooks/x a/info/attributes"},
		"a project with such folder": {"src/config src/hooks/x", "src/config src/hooks/y src/refs/x", ""},
		"another name of .git":       {"", "a/GIT~3/x a/.G\u200dit/x a/.git./x", "a/.G\u200dit/x a/.git./x a/GIT~3/x"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for p := range strings.FieldsSeq(c.has) {
				put(t, dir, p, "x\n")
			}
			w, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			got := strings.Join(slices.Sorted(maps.Keys(w.Planted(strings.Fields(c.writes)))), " ")
			if got != c.refused {
				t.Errorf("refused: %q, want %q", got, c.refused)
			}
			for order := range 2 { // whichever part comes last is refused, at the latest
				o := w.NewOverlay()
				writes := strings.Fields(c.writes)
				if order == 1 {
					slices.Reverse(writes)
				}
				refused := false
				for _, p := range writes {
					_, err := o.Write(p, "y\n")
					refused = refused || err != nil
				}
				if refused != (c.refused != "") {
					t.Errorf("written one by one: refused %v", refused)
				}
				o.Close()
			}
		})
	}
}
