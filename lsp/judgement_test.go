package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	setting "caselsp/agent/settings"
	"caselsp/agent/validate/rules"
	"caselsp/agent/workspace"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// judging is a server that judges the documents of its folders together; the
// client's settings are the severities of rules.
func judging(s *server) {
	s.judgement.validators = func(dirs []string, layers []setting.Layer) (*Validators, error) {
		merged := setting.Judge{Harmless: rules.Default().Harmless}.Merge(layers...)
		suite, err := rules.Default().Configure(merged.Settings.Validate.Rules)
		if err != nil {
			return nil, err
		}
		w, err := workspace.Open(dirs...)
		return &Validators{Suite: suite, Workspace: w, Problems: merged.Problems}, err
	}
	s.install()
}

// folder returns a folder with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const pageHead = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Shop</title></head>\n"

// TestProject shows that a document is judged with the files beside it: as they
// are on disk, as others are open, and as they become.
func TestProject(t *testing.T) {
	for name, init := range map[string]string{"pushed": string(lsptest.Modern), "pulled": strings.Replace(string(lsptest.Modern), `"textDocument": {`, `"textDocument": {"diagnostic": {},`, 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{
				"more.html": pageHead + "<body><h2 id=\"prices\">Prices</h2></body></html>\n",
			})
			s := begin(t, lsptest.Options{Root: dir, Initialize: json.RawMessage(init)}, judging)
			s.must(s.OpenText("index.html", pageHead+"<body><a href=\"more.html#prices\">Prices</a> <a href=\"gone.html\">Gone</a></body></html>\n"))
			s.found("index.html", "The file gone.html does not exist.")
			s.must(os.WriteFile(s.Abs("gone.html"), []byte(pageHead+"<body></body></html>\n"), 0o644))
			s.must(s.Notify(protocol.MethodWorkspaceDidChangeWatchedFiles, map[string]any{
				"changes": []map[string]any{{"uri": string(s.uri("gone.html")), "type": 1}},
			}))
			s.found("index.html")
			s.must(s.OpenText("more.html", pageHead+"<body><h2 id=\"costs\">Prices</h2></body></html>\n"))
			s.found("index.html", "No element of more.html has the id prices.")
			s.must(s.CloseDocument("more.html"))
			s.found("index.html")
		})
	}
}

// found waits until exactly these messages are shown of a document, whichever
// way they come.
func (s *session) found(path string, want ...string) {
	s.t.Helper()
	if !s.srv.ed.client.PullDiagnostics {
		s.expect(messages(path, want...))
		return
	}
	params := map[string]any{"textDocument": map[string]string{"uri": string(s.uri(path))}}
	for {
		refreshed := len(s.State().Refreshed)
		var report struct{ Items []struct{ Message string } }
		var raw json.RawMessage
		s.must(s.Request(s.t.Context(), protocol.MethodTextDocumentDiagnostic, params, &raw))
		s.must(json.Unmarshal(raw, &report))
		var got []string
		for _, item := range report.Items {
			got = append(got, item.Message)
		}
		if slices.Equal(got, want) {
			return
		}
		s.expect(lsptest.Expectation{What: fmt.Sprintf("%s pulled again, which has %q", path, got), Check: func(s *lsptest.State) lsptest.Verdict {
			if len(s.Refreshed) > refreshed {
				return lsptest.Met
			}
			return lsptest.Unmet
		}})
	}
}

// TestSeverities shows that the user's settings reach what is open, also when
// they change.
func TestSeverities(t *testing.T) {
	s := begin(t, lsptest.Options{Settings: settings(`{"validate":{"rules":{"img-alt":"off"}}}`)}, judging)
	s.must(s.OpenText("index.html", pageHead+"<body><img src=\"data:,\"><button></button></body></html>\n"))
	const button = "This button has no name: give it text, or describe its action in aria-label."
	s.expect(messages("index.html", button))
	s.must(s.SetSettings(settings(`{"validate":{"rules":{"accessibility":"off"}}}`)))
	s.expect(lsptest.Clean("index.html"))
}

// TestCertainFixes shows what is offered for a finding with a fix, what the
// editor's own way to fix everything does, and the command for those without one.
func TestCertainFixes(t *testing.T) {
	const text = pageHead + "<body>\n<script type=\"text/javascript\" src=\"data:,\" defer></script>\n<p class=\"a é b é\">x</p>\n</body></html>\n"
	s := begin(t, lsptest.Options{}, judging)
	s.must(s.OpenText("index.html", text))
	at := len(pageHead) + len("<body>\n<script ")
	actions, err := s.CodeActions(t.Context(), "index.html", at, at)
	s.must(err)
	var titles []string
	for _, a := range actions {
		if a.IsPreferred != nil && (a.Edit == nil || a.Command.Command != "") {
			t.Errorf("%s is preferred", a.Title)
		}
		titles = append(titles, a.Title)
	}
	want := []string{"Remove the type", "Carry out all certain fixes (2)", "Fix with CASE", "Switch redundant-type off on this line"}
	if !slices.Equal(titles, want) {
		t.Fatalf("offered %q, want %q", titles, want)
	}
	_, err = s.Do(t.Context(), actions[0])
	s.must(err)
	const one = pageHead + "<body>\n<script src=\"data:,\" defer></script>\n<p class=\"a é b é\">x</p>\n</body></html>\n"
	s.expect(lsptest.HasText("index.html", one))
	s.must(s.SetText("index.html", text))
	if list := s.offered("index.html", 0, 0, "", "source.fixAll"); len(list) != 1 {
		t.Errorf("on saving: %s", list)
	}
	_, err = s.Command(t.Context(), cmdFixAll, map[string]any{"uri": string(s.uri("index.html"))})
	s.must(err)
	s.expect(lsptest.HasText("index.html", pageHead+"<body>\n<script src=\"data:,\" defer></script>\n<p class=\"a é b\">x</p>\n</body></html>\n"))
	s.expect(lsptest.Clean("index.html"))
}
