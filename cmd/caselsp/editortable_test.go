package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// editorColumns are the real editors that scenarios are run in, by the folders of testdata that hold those of each.
var editorColumns = []struct{ title, folder string }{
	{"Neovim, plugin", "nvimplugin"}, {"Neovim", "nvim"}, {"Emacs", "emacs"}, {"VS Code", "vscode"}, {"Helix", "helix"}, {"Vim, ALE", "vim"},
}

// editorRows say which scenario shows what: FOLDER/NAME, or typing/EDITOR for TestTyping, as it names its editors.
var editorRows = []struct {
	does  string
	shown []string
}{
	{"a task from text to result", []string{"nvimplugin/task", "nvim/marked", "emacs/task", "vscode/start", "helix/task", "vim/task"}},
	{"a task from a comment", []string{"nvimplugin/comment", "nvim/comment", "emacs/comment", "vscode/comment", "helix/comment", "vim/comment"}},
	{"a diagnostic fixed", []string{"nvimplugin/words", "nvim/fix", "emacs/fix", "vscode/preview", "helix/fix", "vim/fix"}},
	{"a question answered", []string{"nvimplugin/task", "nvim/following", "emacs/task", "vscode/start", "helix/comment", "vim/comment"}},
	{"commands allowed and denied", []string{"nvimplugin/task", "nvim/approvals", "emacs/task", "vscode/start", "helix/task", "vim/approvals"}},
	{"typed keys answer no question", []string{"typing/nvim install-nvim", "typing/nvim", "typing/emacs install-emacs", "vscode/typing", "typing/helix", "vim/typing"}},
	{"review hunk by hunk", []string{"nvimplugin/task", "nvim/comment", "emacs/task", "vscode/start", "helix/comment", "vim/comment"}},
	{"notes on hunks, sent back", []string{"nvimplugin/notes", "nvim/notes", "emacs/notes", "vscode/notes", "helix/notes", "vim/notes"}},
	{"one undo takes an acceptance back", []string{"nvimplugin/undo", "nvim/undo", "emacs/undo", "vscode/documents", "helix/comment", "vim/fix"}},
	{"an acceptance undone later", []string{"nvimplugin/undo", "nvim/undecided", "emacs/task", "vscode/start", "helix/restart", "vim/resume"}},
	{"edits followed live", []string{"nvimplugin/following", "nvim/following", "emacs/following", "vscode/documents"}},
	{"stopped and resumed", []string{"nvimplugin/projects", "nvim/follow", "emacs/task", "vscode/folders", "helix/task", "vim/resume"}},
	{"two projects in one editor", []string{"nvimplugin/projects", "nvim/projects", "emacs/projects", "vscode/folders", "helix/projects", "vim/projects"}},
}

// editorTable is which scenarios run in which real editor. It fails where one that is named is not there.
func editorTable(t *testing.T) string {
	var b strings.Builder
	head, line, counts := "| in the real editor |", "|---|", "| scenarios |"
	for _, c := range editorColumns {
		n := 0
		for _, u := range editorUses {
			if columnOfTyping(u) == c.folder {
				n++
			}
		}
		found, err := filepath.Glob(filepath.Join("testdata", c.folder, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		head, line, counts = head+" "+c.title+" |", line+"---|", fmt.Sprintf("%s %d |", counts, n+len(found))
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, line)
	for _, row := range editorRows {
		yes := map[string]bool{}
		for _, name := range row.shown {
			yes[columnOfScenario(t, name)] = true
		}
		fmt.Fprintf(&b, "| %s |", row.does)
		for _, c := range editorColumns {
			if yes[c.folder] {
				b.WriteString(" ✓ |")
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
	return b.String() + counts + "\n"
}

// columnOfTyping is the column of an editor of TestTyping.
func columnOfTyping(u editorUse) string {
	switch {
	case u.name == "nvim" && u.plugin != "":
		return "nvimplugin"
	default:
		return u.name
	}
}

// columnOfScenario is the column of a scenario, which must be there.
func columnOfScenario(t *testing.T, name string) string {
	t.Helper()
	folder, rest, _ := strings.Cut(name, "/")
	if folder == "typing" {
		i := slices.IndexFunc(editorUses, func(u editorUse) bool { return strings.TrimSpace(u.name+" "+u.plugin) == rest })
		if i < 0 {
			t.Fatalf("TestTyping has no editor %q", rest)
		}
		return columnOfTyping(editorUses[i])
	}
	if _, err := os.Stat(filepath.Join("testdata", folder, rest+".txtar")); err != nil {
		t.Fatalf("the table of editors names the scenario %s: %v", name, err)
	}
	return folder
}
