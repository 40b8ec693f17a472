package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/llm/llmtest"

	"golang.org/x/tools/txtar"
)

// TestPluginEmacs runs the scenarios of testdata/emacs in a real Emacs, with eglot and with lsp-mode, with the
// package as `make install-emacs` installs it. They are as those of [TestNeovim], but that user.el says
// what the user does, in the words of testdata/emacs/words.el.
func TestPluginEmacs(t *testing.T) {
	scenarios, err := filepath.Glob("testdata/emacs/*.txtar")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, client := range []string{"eglot", "lsp-mode"} {
		for _, file := range scenarios {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"_"+client, func(t *testing.T) {
				t.Parallel()
				for _, name := range []string{"emacs", "docker", "make"} {
					need(t, name)
				}
				archive, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				(&nvimRun{t: t, plugin: true, dir: t.TempDir(), archive: archive}).runEmacs(client)
			})
		}
	}
}

// runEmacs runs the scenario.
func (n *nvimRun) runEmacs(client string) {
	t := n.t
	script, err := llmtest.ParseScript(n.part("model.txt"))
	if err != nil {
		t.Fatal(err)
	}
	n.model = llmtest.New(script)
	t.Cleanup(n.model.Close)
	n.write()
	if err := os.WriteFile(n.at("scenario.el"), []byte(n.part("user.el")), 0o644); err != nil {
		t.Fatal(err)
	}
	n.install("install-emacs")
	t.Cleanup(func() {
		if t.Failed() {
			n.explain()
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), nvimTime)
	defer cancel()
	// Linters in containers take most of the time on a busy machine, and no scenario of Emacs is about them.
	n.env = append(n.env, "CASELSP_LINT_WHEN=never", "SCENARIO="+n.at("scenario.el"), "SCENARIO_CLIENT="+client)
	out, err := n.command(ctx, editorProgram("emacs"), "-Q", "--batch", "-L", n.at(".data/caselsp/emacs"), "-l", n.absolute("testdata/emacs/words.el")).CombinedOutput()
	if err != nil {
		t.Errorf("emacs: %v\n%s", err, out)
	}
	for _, f := range n.model.Failures() {
		t.Errorf("the model: %s", f)
	}
	if unused := n.model.Unused(); len(unused) > 0 && !t.Failed() {
		t.Errorf("the model was not asked for: %s", strings.Join(unused, ", "))
	}
	n.compare()
	n.states(ctx)
}

// TestPluginEmacsScreen is a person at Emacs in a small terminal, and what is on its screen.
func TestPluginEmacsScreen(t *testing.T) {
	t.Parallel()
	use := editorUses[slices.IndexFunc(editorUses, func(u editorUse) bool { return u.plugin == "install-emacs" })]
	use.more = maps.Clone(use.more)
	use.more[".config/emacs/early-init.el"] += "(setq native-comp-enable-subr-trampolines nil)\n" // the menu would wait for the compiler
	h := newHand(t, use, "testdata/typing/screen.txtar")
	h.sitDown()
	h.must("resize-window", "-x", "100", "-y", "30")
	for line := range strings.Lines(h.part("user.txt")) {
		h.step(strings.TrimSpace(line))
	}
	h.states(t.Context())
}

// TestPluginEmacsCompiles compiles the package with every warning as an error, and has checkdoc read it.
func TestPluginEmacsCompiles(t *testing.T) {
	t.Parallel()
	need(t, "emacs")
	dir := t.TempDir()
	text, err := os.ReadFile("../../editors/emacs/caselsp.el")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "caselsp.el")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	n := &nvimRun{t: t, dir: dir, model: llmtest.New(llmtest.Script{}), archive: &txtar.Archive{}}
	t.Cleanup(n.model.Close)
	if err := os.Mkdir(n.at("project"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := n.command(t.Context(), editorProgram("emacs"), "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)",
		"--eval", "(unless (byte-compile-file \""+file+"\") (kill-emacs 1))", "--eval", "(checkdoc-file \""+file+"\")")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "Warning") {
		t.Errorf("%v\n%s", err, out)
	}
}
