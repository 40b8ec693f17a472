package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/llm/llmtest"
	"caselsp/lsp"

	"golang.org/x/tools/txtar"
)

// emacsNames are the Emacs commands for subcommands of Neovim's :Case that have other names there; "" for those that
// Emacs does not need, each with its reason.
var emacsNames = map[string]string{
	"fixall":   "caselsp-fix-all",
	"messages": "", // *Messages* has them
	"dismiss":  "", // messages stay for seconds, not until they are taken away
}

// emacsLeft are the server's commands that the package does not send by name, each with its reason.
var emacsLeft = map[string]string{
	"caselsp.confirm": "a code action in the document of caselsp-settings",
	"caselsp.revoke":  "a code action in the document of caselsp-approvals",
	"caselsp.next":    "caselsp-next, by the data of the review",
}

// TestEmacsCommands compares the commands that a real Emacs has of the package with the subcommands of the Neovim plugin and
// with the commands of the server: whoever adds one there decides here what becomes of it in Emacs. All of them are in the
// menu, or are shown by caselsp-show.
func TestEmacsCommands(t *testing.T) {
	t.Parallel()
	commands, text := emacsCommands(t)
	for _, name := range nvimSubcommands(t) {
		want, special := emacsNames[name]
		if !special {
			want = "caselsp-" + name
		}
		if want != "" && !slices.Contains(commands, want) {
			t.Errorf(":Case %s of Neovim has no command %s in Emacs: define it, or say in emacsNames why not", name, want)
		}
	}
	known := map[string]bool{}
	for _, c := range lsp.Commands() {
		known[c.ID] = true
		name := strings.TrimPrefix(c.ID, "caselsp.")
		sent := strings.Contains(text, `"`+c.ID+`"`) || strings.Contains(text, "(caselsp--define-page "+name+" ")
		if _, left := emacsLeft[c.ID]; sent == left {
			t.Errorf("the server's %s: sent by the package: %v, left to something else by emacsLeft: %v", c.ID, sent, left)
		}
	}
	for _, m := range regexp.MustCompile(`"(caselsp\.[a-zA-Z]+)"`).FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			t.Errorf("the package names %s, which the server does not have", m[1])
		}
	}
	_, menu, _ := strings.Cut(text, "(transient-define-prefix caselsp ")
	menu, _, _ = strings.Cut(menu, "\n\n")
	_, pages, _ := strings.Cut(text, `(completing-read "Show: `)
	pages, _, _ = strings.Cut(pages, "\n")
	apart := regexp.MustCompile(`^caselsp($|-.*mode$|-review-|-send$)`) // the menu itself, and what has keys where it is of use
	for _, name := range commands {
		if !apart.MatchString(name) && !strings.Contains(menu, " "+name+")") && !strings.Contains(pages, `"`+strings.TrimPrefix(name, "caselsp-")+`"`) {
			t.Errorf("%s is neither in the menu nor in the list of caselsp-show", name)
		}
	}
}

// nvimSubcommands are those of :Case.
func nvimSubcommands(t *testing.T) (names []string) {
	text, err := os.ReadFile("../../editors/nvim/lua/caselsp/command.lua")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\nM.subcommands = {\n")
	table, _, _ = strings.Cut(table, "\n}\n")
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) = `).FindAllStringSubmatch(table, -1) {
		names = append(names, m[1])
	}
	if len(names) < 20 {
		t.Fatalf("the subcommands of :Case are not found: %q", names)
	}
	return names
}

// emacsCommands are the commands that Emacs has once the package is loaded, and the text of the package.
func emacsCommands(t *testing.T) (names []string, text string) {
	t.Helper()
	need(t, "emacs")
	file, err := filepath.Abs("../../editors/emacs/caselsp.el")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := &nvimRun{t: t, dir: t.TempDir(), model: llmtest.New(llmtest.Script{}), archive: &txtar.Archive{}}
	t.Cleanup(n.model.Close)
	if err := os.Mkdir(n.at("project"), 0o755); err != nil {
		t.Fatal(err)
	}
	list := `(mapatoms (lambda (s) (when (and (commandp s) (string-match-p "\\` + "`" + `caselsp\\(-[^-]\\|\\'\\)" (symbol-name s))) (princ (format "%s\n" s)))))`
	out, err := n.command(t.Context(), editorProgram("emacs"), "-Q", "--batch", "-l", file, "--eval", list).Output()
	if err != nil {
		t.Fatalf("emacs: %v\n%s", err, out)
	}
	return strings.Fields(string(out)), string(raw)
}
