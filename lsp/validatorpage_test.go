package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/agent/fixcheck"
	setting "caselsp/agent/settings"
	"caselsp/lsp/lsptest"
	"caselsp/store"
)

// hostileWords is the description of a validator that a model has written: none of its lines may be taken for a heading.
const hostileWords = "checks that a scale multiplies\n## validator python-name"

// keepGenerated keeps a validator in a state directory as a task does that has had it written.
func keepGenerated(t *testing.T, state, name string) *store.Memory {
	t.Helper()
	memory, err := store.UserMemory(store.Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	g := agent.Generated{Trial: fixcheck.Trial{Right: 3, Tried: 3}, Program: fixcheck.Program{
		Name: name, Description: hostileWords, ErrorType: "scale.WrongScale", Language: "python", Code: "import json\n## validator python-key\nprint(json.dumps({}))\n",
	}}
	text, err := json.Marshal(g)
	if err := errors.Join(err, memory.KeepValidator(name, text)); err != nil {
		t.Fatal(err)
	}
	return memory
}

// titles are those of the lenses on the line that has a part.
func (sc *scene) titles(page, part string) (list []string) {
	sc.t.Helper()
	at := strings.Index(sc.Text(page), part)
	if at < 0 {
		sc.t.Fatalf("%s has no %q:\n%s", page, part, sc.Text(page))
	}
	line := uint32(strings.Count(sc.Text(page)[:at], "\n"))
	lenses, err := sc.CodeLenses(sc.t.Context(), page)
	sc.must(err)
	for _, l := range lenses {
		if l.Range.Start.Line == line {
			list = append(list, l.Command.Title)
		}
	}
	return list
}

// TestValidatorsPage lists the fix validators, shows one that a model has written, approves and removes it.
func TestValidatorsPage(t *testing.T) {
	state := t.TempDir()
	memory := keepGenerated(t, state, "scale-twice")
	if err := memory.KeepValidator("torn", []byte(`{"name": "torn", "code": "imp`)); err != nil {
		t.Fatal(err)
	}
	sc := play(t, plot{files: hello, open: []string{"a.py"}, state: state})
	sc.command(cmdValidators)
	page := sc.shown("validators.md")
	for part, want := range map[string][]string{
		"## validator scale-twice\n": {"Show scale-twice", "Try scale-twice", "Approve scale-twice", "Remove scale-twice"},
		"## validator torn\n":        {"Remove torn"},
		"## validator unchanged\n":   {"Show unchanged"},
	} {
		if got := sc.titles(page, part); !slices.Equal(got, want) {
			t.Errorf("%s: lenses %q, want %q", part, got, want)
		}
	}
	sc.expect(lsptest.TextHas(page, "* it is only shown until you approve it; weight 1.00\n* in its trial “it judged 3 of 3 known claims as the tests did”\n\n> checks that a scale multiplies"),
		lsptest.TextHas(page, "* it cannot be used: “unexpected end of JSON input”"), lsptest.TextHas(page, "# Built in\n"))

	sc.act(page, "checks that a scale", "Show scale-twice")
	one := sc.shown("validator-scale-twice.md")
	sc.expect(lsptest.TextHas(one, "\n    ## validator python-key\n"))
	if got, want := sc.titles(one, "# Fix validator"), []string{"Try scale-twice", "Approve scale-twice", "Remove scale-twice"}; !slices.Equal(got, want) {
		t.Errorf("lenses of the one that is shown: %q, want %q", got, want)
	}
	sc.act(one, "Its program", "Try scale-twice")
	sc.expect(lsptest.TextHas(one, "# Tried\n\nNo task of this workspace has a claim on its error"))

	sc.act(one, "Its program", "Approve scale-twice")
	sc.said("scale-twice counts from now on, in all workspaces.")
	sc.expect(lsptest.TextHas(page, "* it counts: you have approved it; weight 1.00"), lsptest.TextHas(one, "* it counts: you have approved it"))
	if g, err := agent.GeneratedValidator(memory, "scale-twice"); err != nil || !g.Approved {
		t.Errorf("%+v, %v", g, err)
	}
	sc.act(page, "checks that a scale", "Remove scale-twice")
	sc.said("Removed: scale-twice.")
	sc.expect(lsptest.TextHas(one, "It was removed."))
	sc.act(page, "it cannot be used", "Remove torn")
	sc.said("Removed: torn.")
	sc.expect(lsptest.Expectation{What: "the list without them", Check: func(now *lsptest.State) lsptest.Verdict {
		if strings.Contains(now.Buffers[page].Text, "# Generated") {
			return lsptest.Unmet
		}
		return lsptest.Met
	}})
	if left, err := memory.KeptValidators(); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	sc.refused("no generated validator has this name", cmdValidators, map[string]any{"validator": "scale-twice", "approve": true})
	sc.refused("no validator is named", cmdValidators, map[string]any{"remove": true})
	sc.refused("only one of", cmdValidators, map[string]any{"validator": "a", "remove": true, "approve": true})
	sc.command(cmdValidators, "scale-twice")
	sc.said("There is no fix validator “scale-twice”")
}

// TestValidatorsPageFolders lists validators of folders and what is left out, and tries one on its samples.
func TestValidatorsPageFolders(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "missing-key")
	manifest := "name: missing-key\ntype: executable\ndescription: '## validator unchanged'\ncommand: python3\nargs: [check.py]\nmetadata: {validates_error_type: KeyError}\n"
	for name, text := range map[string]string{"missing-key.yaml": manifest, "check.py": "pass\n"} {
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	list, problems := fixcheck.Load(os.DirFS(folder), fixcheck.User)
	if len(problems) > 0 || len(list) != 1 {
		t.Fatal(problems)
	}
	list[0].Where = filepath.Join(folder, list[0].Where)
	sc := play(t, plot{files: hello, open: []string{"a.py"}, validators: list})
	sc.srv.engines.backend = finding(sc.srv.engines.backend)
	sc.command(cmdValidators)
	page := sc.shown("validators.md")
	sc.expect(lsptest.TextHas(page, "# Left out\n\n> broken.yaml: it is empty\n"), lsptest.TextHas(page, "* judges fixes of “KeyError”\n* an invalid verdict of at least 0.70 sends the fix back; weight 1.00\n"))
	if got, want := sc.titles(page, "## validator missing-key"), []string{"Show missing-key", "Try missing-key"}; !slices.Equal(got, want) {
		t.Errorf("lenses %q, want %q", got, want)
	}
	if n := strings.Count(sc.Text(page), "\n## validator unchanged"); n != 1 {
		t.Errorf("%d headings of unchanged in\n%s", n, sc.Text(page))
	}
	sc.act(page, "## validator missing-key", "Try missing-key")
	one := sc.shown("validator-missing-key.md")
	sc.expect(lsptest.TextHas(one, "# Tried\n\n    ok    good.json: missing-key\n"), lsptest.TextHas(one, "* its manifest is “"+list[0].Where+"”"))
	sc.command(cmdValidators, map[string]any{"validator": "unchanged", "try": true})
	sc.said("There are no sample claims to try unchanged on")
}

// finding adds to a backend what cmd/caselsp knows of the folders of validators.
func finding(backend Backend) Backend {
	return func(ctx context.Context, dirs []string, layers []setting.Layer, face Face) (*Engine, error) {
		e, err := backend(ctx, dirs, layers, face)
		if err == nil {
			e.ValidatorProblems = func() []string { return []string{"broken.yaml: it is empty"} }
			e.TryValidator = func(_ context.Context, name string) (string, error) { return "ok    good.json: " + name + "\n", nil }
		}
		return e, err
	}
}
