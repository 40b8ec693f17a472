package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// offered asks for the code actions from start to end of a document, and returns
// them as they came.
func (s *session) offered(path string, start, end int, diagnostics string, only ...string) []json.RawMessage {
	s.t.Helper()
	if diagnostics == "" {
		diagnostics = "[]"
	}
	about := map[string]any{"diagnostics": json.RawMessage(diagnostics)}
	if only != nil {
		about["only"], about["triggerKind"] = only, protocol.CodeActionTriggerKindInvoked
	}
	return s.offeredIn(path, start, end, about)
}

// offeredIn asks for the code actions in a context.
func (s *session) offeredIn(path string, start, end int, about map[string]any) []json.RawMessage {
	s.t.Helper()
	text := s.Text(path)
	params, err := json.Marshal(map[string]any{
		"textDocument": map[string]string{"uri": string(s.uri(path))}, "context": about,
		"range": protocol.Range{Start: lsptest.Position(text, start, s.Encoding()), End: lsptest.Position(text, end, s.Encoding())},
	})
	s.must(err)
	var list []json.RawMessage
	s.must(s.Request(s.t.Context(), protocol.MethodTextDocumentCodeAction, json.RawMessage(params), &list))
	return list
}

// offering is what the tests look at of a code action or of a plain command.
type offering struct {
	Title, Kind string
	Command     json.RawMessage // an object in an action, a string in a command
	Arguments   json.RawMessage
	Diagnostics json.RawMessage

	IsPreferred, Disabled, Data json.RawMessage
}

// run returns the command and its argument.
func (o offering) run() (id string, argument map[string]json.RawMessage) {
	var c struct {
		Command   string
		Arguments []map[string]json.RawMessage
	}
	if json.Unmarshal(o.Command, &c) != nil {
		json.Unmarshal(o.Command, &c.Command)
		json.Unmarshal(o.Arguments, &c.Arguments)
	}
	if len(c.Arguments) != 1 {
		return c.Command, nil
	}
	return c.Command, c.Arguments[0]
}

// summary says of each offer its kind, title, command and the text that its
// range covers.
func (s *session) summary(path string, raw []json.RawMessage) []string {
	s.t.Helper()
	list := []string{}
	for _, one := range raw {
		var o offering
		s.must(json.Unmarshal(one, &o))
		id, argument := o.run()
		line := fmt.Sprintf("%s|%s|%s", o.Kind, o.Title, strings.TrimPrefix(id, "caselsp."))
		var r protocol.Range
		if argument["range"] != nil {
			s.must(protocol.Unmarshal(argument["range"], &r))
			start, err := lsptest.Offset(s.Text(path), r.Start, s.Encoding())
			s.must(err)
			end, err := lsptest.Offset(s.Text(path), r.End, s.Encoding())
			s.must(err)
			line += "|" + s.Text(path)[start:end]
		}
		if u := fmt.Sprintf("%q", s.uri(path)); string(argument["uri"]) != u || o.IsPreferred != nil || o.Disabled != nil || o.Data != nil {
			s.t.Errorf("%s: of %s, not %s, or with fields that nobody needs: %s", path, argument["uri"], u, one)
		}
		list = append(list, line)
	}
	return list
}

// noted returns a diagnostic of a server as JSON.
func noted(source, code, message string) string {
	return fmt.Sprintf(`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":1,"source":%q,"code":%q,"message":%q}`, source, code, message)
}

// TestOffers is about what is offered where; the selection stands in «».
func TestOffers(t *testing.T) {
	two := "[" + noted("pyright", "reportX", "\"é\" is not\n\tdefined") + "," + noted("ruff", "E1", strings.Repeat("long ", 20)) + "]"
	for _, tt := range []struct {
		path, text, diagnostics string
		only                    []string
		want                    []string
	}{
		{"a.py", "x«» = 1\n", "", nil, nil},
		{"a.py", "x«» = 1\n", "[" + noted("pyright", "reportX", "not defined") + "]", nil, []string{"quickfix|Fix with CASE|fix"}},
		{"a.py", "x«» = 1\n", "[" + noted(Name, "syntax", "invalid") + "]", nil, []string{"quickfix|Fix with CASE|fix"}},
		{"a.py", "x«» = 1\n", two, nil, []string{
			"quickfix|Fix with CASE: \"é\" is not defined|fix",
			"quickfix|Fix with CASE: " + strings.Repeat("long ", 11) + "long…|fix",
		}},
		{"a.py", "x«» = 1\n", "[" + noted(Name, codePending, "hunk") + "," + noted(Name, "syntax", "in CASE's change: invalid") + "]", nil, nil},
		{"a.py", "x«» = 1\n", "[" + strings.Repeat(noted("s", "c", "m")+",", 99) + noted("s", "c", "m") + "]", nil,
			slices.Repeat([]string{"quickfix|Fix with CASE: m|fix"}, maxOffers)},
		{"a.py", "é = '𝒳'  # case: «»rename é\n", "", nil, []string{"quickfix|Run CASE on this comment|todo|# case: rename é"}},
		{"a.py", "«»  # case: rename 𝒳\n  # and é\nx = 1\n", "", nil, []string{"quickfix|Run CASE on this comment|todo|# case: rename 𝒳\n  # and é"}},
		{"a.go", "package a\n\n/* 𝒳 */ /* TODO: split\n   é */ var x«» = 1\n", "", nil, []string{"quickfix|CASE: do this TODO|todo|/* TODO: split\n   é */"}},
		{"a.py", "# case: one«»\n\n# case: two\n", "", nil, []string{"quickfix|Run CASE on this comment|todo|# case: one"}},
		{"a.py", "«# case: one\n\n# TODO: two\n»", "", nil, []string{
			"quickfix|Run CASE on this comment: one|todo|# case: one", "quickfix|CASE: do this TODO: two|todo|# TODO: two",
			"refactor|CASE: …|new|# case: one\n\n# TODO: two\n",
			"refactor|CASE: ask about this|ask|# case: one\n\n# TODO: two\n",
			"refactor|CASE: write tests for this|test|# case: one\n\n# TODO: two\n",
		}},
		{"a.unknown", "'𝒳' «é = 1»", "", nil, []string{"refactor|CASE: …|new|é = 1", "refactor|CASE: ask about this|ask|é = 1", "refactor|CASE: write tests for this|test|é = 1"}},
		{"a.py", "x = 1«\n  \n»y = 1", "", nil, nil},
		{"a.py", "«x» = 1 # case: é\n", two, []string{"refactor"}, []string{"refactor|CASE: …|new|x", "refactor|CASE: ask about this|ask|x", "refactor|CASE: write tests for this|test|x"}},
		{"a.py", "«x» = 1 # case: é\n", "", []string{"quickfix", "source"}, []string{"quickfix|Run CASE on this comment|todo|# case: é"}},
		{"a.py", "«x» = 1 # case: é\n", two, []string{"refactor.extract", "quick", "source.fixAll"}, nil},
		{"a.py", "«x» = 1\n", "", []string{""}, []string{"refactor|CASE: …|new|x", "refactor|CASE: ask about this|ask|x", "refactor|CASE: write tests for this|test|x"}},
	} {
		start := strings.Index(tt.text, "«")
		end := strings.Index(tt.text, "»") - len("«")
		text := strings.NewReplacer("«", "", "»", "").Replace(tt.text)
		for _, e := range encodings {
			s := begin(t, lsptest.Options{Initialize: speaking(e)}, full)
			s.must(s.OpenText(tt.path, text))
			if got := s.summary(tt.path, s.offered(tt.path, start, end, tt.diagnostics, tt.only...)); !slices.Equal(got, tt.want) {
				t.Errorf("%s %q in %s, only %q:\n got %q\nwant %q", tt.path, tt.text, e, tt.only, got, tt.want)
			}
		}
	}
}

// TestFixAnywhereOnTheLine offers to fix our own findings from any place on their
// line: not every editor tells of the diagnostics beside the cursor.
func TestFixAnywhereOnTheLine(t *testing.T) {
	s := begin(t, lsptest.Options{}, full)
	s.must(s.OpenText("a.py", "def f(x)\n    return x\n"))
	s.expect(lsptest.Diagnosed("a.py", "expected ':'"))
	for at, want := range map[int][]string{0: {"quickfix|Fix with CASE|fix"}, 12: {}} {
		if got := s.summary("a.py", s.offered("a.py", at, at, "")); !slices.Equal(got, want) {
			t.Errorf("at %d: got %q, want %q", at, got, want)
		}
	}
}

// TestFixKeepsDiagnostic shows that a diagnostic of another server comes back as
// it was.
func TestFixKeepsDiagnostic(t *testing.T) {
	const theirs = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":2,"code":42,"codeDescription":{"href":"https://example.org/a"},"source":"s","message":"m","tags":[1],"relatedInformation":[{"location":{"uri":"file:///b","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}},"message":"r"}],"data":{"a":[1]}}`
	s := begin(t, lsptest.Options{}, full)
	s.must(s.OpenText("a.py", "x\n"))
	for _, raw := range s.offered("a.py", 0, 0, "["+theirs+"]") {
		var o offering
		s.must(json.Unmarshal(raw, &o))
		_, argument := o.run()
		if !sameJSON(argument["diagnostic"], []byte(theirs)) || !sameJSON(o.Diagnostics, []byte("["+theirs+"]")) {
			t.Errorf("it became %s", raw)
		}
	}
}

// sameJSON reports whether two texts hold the same values.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// TestOffersOfClients shows that a client gets the form that it knows, and that
// what it is told to run is what the server runs.
func TestOffersOfClients(t *testing.T) {
	all := recordings(t)
	all["oldest"] = json.RawMessage(`{"capabilities":{}}`)
	for name, init := range all {
		s := connect(t, lsptest.Options{Initialize: init}, full)
		hello, err := s.Initialize(t.Context())
		s.must(err)
		if provider := hello.Capabilities.CodeActionProvider; provider == nil || (provider == protocol.Boolean(true)) == s.srv.ed.client.CodeActionLiterals {
			t.Errorf("%s: the provider is %#v", name, provider)
		}
		root := s.srv.folders.all()
		s.must(s.OpenText("a.py", "x = 1 # case: y\n"))
		list := s.offered("a.py", 0, 1, "["+noted("s", "c", "m")+"]")
		if want := 5; len(list) != want && len(root) > 0 {
			t.Errorf("%s: %d offers, want %d: %s", name, len(list), want, list)
		}
		for _, raw := range list {
			var o offering
			s.must(json.Unmarshal(raw, &o))
			if id, argument := o.run(); (o.Kind != "") != s.srv.ed.client.CodeActionLiterals || (o.Command[0] == '{') != s.srv.ed.client.CodeActionLiterals || argument["uri"] == nil || !strings.HasPrefix(id, "caselsp.") {
				t.Errorf("%s: %s", name, raw)
			}
		}
	}
}

// TestNoOffers is about documents that no task may be about.
func TestNoOffers(t *testing.T) {
	root := t.TempDir()
	elsewhere := t.TempDir() + "/b.py"
	s := begin(t, lsptest.Options{Root: root, Folders: []string{root, root + "/c"}}, full)
	const text = "x = = 1 # case: y\n"
	s.must(s.OpenText(elsewhere, text))
	s.expect(lsptest.Diagnosed(elsewhere, "invalid"))
	s.must(s.OpenText(root+"x/c.py", text))
	s.must(s.OpenText("broken.py", text))
	s.must(s.Notify(protocol.MethodTextDocumentDidChange, json.RawMessage(
		`{"textDocument":{"uri":"`+string(s.uri("broken.py"))+`","version":2},"contentChanges":[{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"text":""}]}`)))
	for _, path := range []string{elsewhere, root + "x/c.py", "broken.py", "closed.py"} {
		if list := s.offered(path, 0, 0, "["+noted("s", "c", "m")+"]"); list == nil || len(list) != 0 {
			t.Errorf("%s: %s", path, list)
		}
	}
}

// TestOffersSeeTheirText shows that a request is answered from the text that it
// was sent with, unsaved as it is, however fast the user goes on.
func TestOffersSeeTheirText(t *testing.T) {
	s := begin(t, lsptest.Options{}, full)
	s.must(s.OpenText("a.py", "# nothing\n"))
	params := json.RawMessage(`{"textDocument":{"uri":"` + string(s.uri("a.py")) + `"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"context":{"diagnostics":[]}}`)
	for i := range 50 {
		s.must(s.SetText("a.py", "# case: "+strings.Repeat("x", i+1)+"\n"))
		p, err := s.Send(protocol.MethodTextDocumentCodeAction, params)
		s.must(err)
		s.must(s.SetText("a.py", "# nothing\n"))
		var list []json.RawMessage
		s.must(p.Wait(t.Context(), &list))
		if want := fmt.Sprintf(`"character":%d}`, 9+i); len(list) != 1 || !strings.Contains(string(list[0]), want) {
			t.Fatalf("request %d: %s, want %s", i, list, want)
		}
	}
}

// TestAction is about what a source may offer and a client not take.
func TestAction(t *testing.T) {
	edit := &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{}}
	run := protocol.Command{Title: "t", Command: "c"}
	for _, tt := range []struct {
		c    client
		a    protocol.CodeAction
		want string
	}{
		{client{}, protocol.CodeAction{Command: run, Data: protocol.LSPAny(`1`)}, `{"title":"t","command":"c"}`},
		{client{}, protocol.CodeAction{Command: run, Edit: edit}, `null`},
		{client{}, protocol.CodeAction{Edit: edit}, `null`},
		{client{CodeActionLiterals: true}, protocol.CodeAction{Title: "a", Command: run, IsPreferred: new(true), Data: protocol.LSPAny(`1`)}, `{"title":"a","command":{"title":"t","command":"c"}}`},
		{client{CodeActionLiterals: true, CodeActionData: true}, protocol.CodeAction{Title: "a", Data: protocol.LSPAny(`1`)}, `{"title":"a","data":1}`},
		{client{CodeActionLiterals: true}, protocol.CodeAction{Title: "a", Disabled: protocol.CodeActionDisabled{Reason: "r"}}, `null`},
		{client{CodeActionLiterals: true, CodeActionDisabled: true}, protocol.CodeAction{Title: "a", Disabled: protocol.CodeActionDisabled{Reason: "r"}}, `{"title":"a","disabled":{"reason":"r"}}`},
	} {
		got := "null"
		if fitted := tt.c.action(tt.a); fitted != nil {
			got = string(wire.Encode(fitted))
		}
		if !sameJSON([]byte(got), []byte(tt.want)) {
			t.Errorf("%+v for %+v: %s, want %s", tt.a, tt.c, got, tt.want)
		}
	}
}

// TestOffersAtSave shows that nothing that decides or starts work is offered to a client
// that carries actions out by itself, as a project can have it do at each save.
func TestOffersAtSave(t *testing.T) {
	sc := play(t, plot{files: hello, open: []string{"a.py"}, script: write, wary: true,
		editor: lsptest.Options{Answer: func(lsptest.Question) string { return "" }}})
	sc.run("write it")
	sc.said("Nothing happens until you answer")
	for _, tt := range []struct {
		trigger protocol.CodeActionTriggerKind
		only    []string
		offers  bool
	}{
		{protocol.CodeActionTriggerKindAutomatic, []string{"quickfix"}, false},
		{protocol.CodeActionTriggerKindAutomatic, []string{"source"}, false},
		{0, []string{"", "quickfix", "source", "refactor"}, false},
		{protocol.CodeActionTriggerKindInvoked, []string{"", "quickfix", "source"}, true},
		{0, nil, true}, // a menu that says nothing of itself
		{protocol.CodeActionTriggerKindAutomatic, nil, true}, // a light bulb, which the user clicks
	} {
		about := map[string]any{"diagnostics": []any{}}
		if tt.only != nil {
			about["only"] = tt.only
		}
		if tt.trigger != 0 {
			about["triggerKind"] = tt.trigger
		}
		if list := sc.offeredIn("a.py", 0, 1, about); len(list) > 0 != tt.offers {
			t.Errorf("%v, trigger %d: %s", tt.only, tt.trigger, list)
		}
	}
}

// TestActionsBeforeOpen asks for code actions before the document is open, as Helix does of what is typed while the
// server starts.
func TestActionsBeforeOpen(t *testing.T) {
	clock := lsptest.NewClock()
	s := begin(t, lsptest.Options{}, func(s *server) {
		full(s)
		s.ed.Clock = wire.Clock{Now: clock.Now, After: clock.After}
	})
	ask := func() <-chan []json.RawMessage {
		answer := make(chan []json.RawMessage, 1)
		go func() {
			var list []json.RawMessage
			place := map[string]any{"line": 0, "character": 0}
			_ = s.Request(s.t.Context(), protocol.MethodTextDocumentCodeAction, map[string]any{
				"textDocument": map[string]string{"uri": string(s.uri("a.py"))}, "context": map[string]any{"diagnostics": []any{}},
				"range": map[string]any{"start": place, "end": place},
			}, &list)
			answer <- list
		}()
		clock.Await(openTime)
		return answer
	}
	answer := ask()
	clock.Advance(openTime)
	if got := <-answer; len(got) != 0 {
		t.Errorf("of a document that stays closed: %s", got)
	}
	answer = ask()
	s.must(s.OpenText("a.py", "# case: count from one\n"))
	if got := <-answer; len(got) == 0 || !strings.Contains(string(got[0]), "on this comment") {
		t.Errorf("of a document that is opened: %s", got)
	}
}
