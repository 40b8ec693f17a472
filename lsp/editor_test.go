package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/lsp/lsptest"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// silent is an editor that never answers.
var silent = lsptest.Hostile{Silent: []string{"*"}}

// TestAsk shows that only a choice that was offered decides.
func TestAsk(t *testing.T) {
	for _, tt := range []struct {
		name   string
		o      lsptest.Options
		chosen string
	}{
		{"a choice", lsptest.Options{Answer: func(lsptest.Question) string { return "Run once" }}, "Run once"},
		{"the last choice", lsptest.Options{Answer: func(q lsptest.Question) string { return q.Choices[len(q.Choices)-1] }}, "Deny"},
		{"dismissed", lsptest.Options{}, ""},
		{"null", lsptest.Options{Answer: func(lsptest.Question) string { return "Run once" }, Hostile: lsptest.Hostile{NullAnswers: true}}, ""},
		{"not offered", lsptest.Options{Answer: func(lsptest.Question) string { return "Sudo" }}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, tt.o, nil)
			choices := []string{"Run once", "Deny"}
			chosen, decided := s.srv.ed.ask(t.Context(), "Run make?", choices...)
			if chosen != slices.Index(choices, tt.chosen) || decided != (tt.chosen != "") {
				t.Errorf("%d, %v", chosen, decided)
			}
		})
	}
}

// TestSilentClient shows that a client that answers nothing holds up nothing:
// each call ends at its limit, and a question is taken off the screen.
func TestSilentClient(t *testing.T) {
	var clock *lsptest.Clock
	// Without settings, whose requests have timers too.
	const init = `{"clientInfo":{"name":"Visual Studio Code"},"capabilities":{"window":{"showDocument":{"support":true}},
		"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,"changeAnnotationSupport":{}}}}}`
	s := begin(t, lsptest.Options{Hostile: silent, Initialize: json.RawMessage(init)}, func(s *server) { clock = freeze(s) })
	edit := protocol.WorkspaceEdit{}
	annotated := protocol.WorkspaceEdit{ChangeAnnotations: map[annotation]protocol.ChangeAnnotation{"a": {Label: "a", NeedsConfirmation: new(true)}}}
	for name, tt := range map[string]struct {
		limit time.Duration
		call  func() error
	}{
		"question": {questionTime, func() error {
			if _, decided := s.srv.ed.ask(t.Context(), "Still there?", "Yes"); decided {
				return errors.New("decided")
			}
			return wire.ErrTimeout
		}},
		"document": {showTime, func() error { return s.srv.ed.showDocument(t.Context(), "file:///a", nil) }},
		"edit":     {plainEditTime, func() error { _, err := s.srv.ed.applyEdit(t.Context(), "edit", edit); return err }},
		"preview":  {applyTime, func() error { _, err := s.srv.ed.applyEdit(t.Context(), "edit", annotated); return err }},
	} {
		ended := make(chan error, 1)
		go func() { ended <- tt.call() }()
		clock.Await(tt.limit)
		if name == "question" {
			s.expect(lsptest.Asked("Still there?")) // only what was asked can be withdrawn
		}
		clock.Advance(tt.limit)
		if err := <-ended; !errors.Is(err, wire.ErrTimeout) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.expect(lsptest.Withdrawn("Still there?"))
	s.settle()
}

// TestCallEndsWithConnection shows that calls end when the client is gone.
func TestCallEndsWithConnection(t *testing.T) {
	s := begin(t, lsptest.Options{Hostile: silent}, nil)
	ended := make(chan bool, 1)
	go func() {
		_, decided := s.srv.ed.ask(context.Background(), "Still there?", "Yes")
		ended <- decided
	}()
	s.expect(lsptest.Asked("Still there?"))
	s.Hangup()
	if <-ended {
		t.Error("decided without an answer")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.srv.ed.showDocument(ctx, "file:///a", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestShowDocument(t *testing.T) {
	s := begin(t, lsptest.Options{}, nil)
	at := protocol.Range{Start: protocol.Position{Line: 1}}
	s.must(s.srv.ed.showDocument(t.Context(), s.uri("plan.md"), &at))
	if shown := s.State().Shown; len(shown) != 1 || shown[0].Path != "plan.md" || !shown[0].Focus || *shown[0].Selection != at {
		t.Errorf("%+v", shown)
	}
	s.srv.ed.client.ShowDocument = false
	if err := s.srv.ed.showDocument(t.Context(), s.uri("plan.md"), nil); err == nil || !strings.Contains(err.Error(), s.Abs("plan.md")) {
		t.Errorf("the user is not told what to open: %v", err)
	}
}

// TestApplyEdit shows what arrives, whatever the client says: the text that
// follows decides.
func TestApplyEdit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		hostile lsptest.Hostile
		version int32
		applied bool   // what the client says
		failed  bool   // the call ends with an error
		text    string // what arrives
	}{
		{"good", lsptest.Hostile{}, 1, true, false, "ONE TWO"},
		{"late", lsptest.Hostile{LateChange: 1}, 1, true, false, "ONE TWO"},
		{"stale", lsptest.Hostile{}, 7, false, false, "one two"},
		{"lie", lsptest.Hostile{LieApplied: true}, 1, true, false, "one two"},
		{"half", lsptest.Hostile{HalfEdits: true}, 1, true, false, "ONE two"},
		{"error", lsptest.Hostile{FailEdits: true}, 1, false, true, "one two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, lsptest.Options{Hostile: tt.hostile}, nil)
			s.must(s.OpenText("a.py", "one two"))
			s.settle()
			doc := s.srv.docs.get(s.uri("a.py"))
			m := doc.mapper(s.srv.ed.client.Encoding)
			result, err := s.srv.ed.applyEdit(t.Context(), "shout", protocol.WorkspaceEdit{
				ChangeAnnotations: map[annotation]protocol.ChangeAnnotation{"n": {Label: "shout", NeedsConfirmation: new(true)}},
				DocumentChanges: []protocol.DocumentChange{&protocol.TextDocumentEdit{
					TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: doc.URI}, Version: &tt.version},
					Edits:        []protocol.TextDocumentEditElement{textEdit(m.Range(0, 3), "ONE", "n"), textEdit(m.Range(4, 7), "TWO", "")},
				}},
			})
			if result.Applied != tt.applied || (err != nil) != tt.failed {
				t.Errorf("applied %v, %v", result.Applied, err)
			}
			if tt.text != doc.Text {
				arrived := func(d *document) bool { return d != nil && d.Text == tt.text }
				if d, ok := s.srv.docs.await(t.Context(), doc.URI, arrived); !ok {
					t.Errorf("%q arrived", d.Text)
				}
			}
			s.settle()
			if got := s.srv.docs.get(doc.URI).Text; got != tt.text {
				t.Errorf("%q arrived, want %q", got, tt.text)
			}
		})
	}
}

// TestAwaitGivesUp shows that what never arrives is not waited for longer than
// the caller likes, and that a document that closes is seen.
func TestAwaitGivesUp(t *testing.T) {
	s := begin(t, lsptest.Options{}, nil)
	s.must(s.OpenText("a.py", "one"))
	s.settle()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(d *document) bool { return d != nil && d.Text == "never" }
	if d, ok := s.srv.docs.await(ctx, s.uri("a.py"), never); ok || d.Text != "one" {
		t.Errorf("%+v, %v", d, ok)
	}
	go s.CloseDocument("a.py")
	if _, ok := s.srv.docs.await(t.Context(), s.uri("a.py"), func(d *document) bool { return d == nil }); !ok {
		t.Error("the closing was not seen")
	}
}

// TestFit shows the same edit as clients of different abilities get it.
func TestFit(t *testing.T) {
	version := int32(4)
	edit := protocol.WorkspaceEdit{
		ChangeAnnotations: map[annotation]protocol.ChangeAnnotation{"n": {Label: "n", NeedsConfirmation: new(true)}},
		DocumentChanges: []protocol.DocumentChange{&protocol.TextDocumentEdit{
			TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: "file:///a"}, Version: &version},
			Edits:        []protocol.TextDocumentEditElement{textEdit(protocol.Range{}, "x", "n")},
		}},
	}
	files := edit
	files.DocumentChanges = []protocol.DocumentChange{createFile("file:///b", "n"), renameFile("file:///b", "file:///c", "n"), deleteFile("file:///c", "n")}
	const zero = `"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}`
	for _, tt := range []struct {
		name string
		c    client
		edit protocol.WorkspaceEdit
		want string
	}{
		{"everything", client{DocumentChanges: true, Annotations: true}, edit,
			`{"documentChanges":[{"textDocument":{"uri":"file:///a","version":4},"edits":[{"annotationId":"n",` + zero + `,"newText":"x"}]}],"changeAnnotations":{"n":{"label":"n","needsConfirmation":true}}}`},
		{"versions", client{DocumentChanges: true}, edit, `{"documentChanges":[{"textDocument":{"uri":"file:///a","version":4},"edits":[{` + zero + `,"newText":"x"}]}]}`},
		{"nothing", client{}, edit, `{"changes":{"file:///a":[{` + zero + `,"newText":"x"}]}}`},
		{"files", client{DocumentChanges: true, CreateFile: true, RenameFile: true, DeleteFile: true}, files,
			`{"documentChanges":[{"kind":"create","uri":"file:///b"},{"kind":"rename","oldUri":"file:///b","newUri":"file:///c"},{"kind":"delete","uri":"file:///c"}]}`},
		{"no creating", client{DocumentChanges: true, RenameFile: true, DeleteFile: true}, files, `does not create files for a server: /b`},
		{"no renaming", client{DocumentChanges: true, CreateFile: true, DeleteFile: true}, files, `does not rename files for a server: /b`},
		{"no deleting", client{DocumentChanges: true, CreateFile: true, RenameFile: true}, files, `does not delete files for a server: /c`},
	} {
		fitted, err := tt.c.fit(tt.edit)
		raw, _ := protocol.Marshal(&fitted)
		got := string(raw)
		if err != nil {
			got = err.Error()
		}
		if !same(got, tt.want) && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	if before, _ := protocol.Marshal(&files); !strings.Contains(string(before), `"annotationId":"n"`) {
		t.Errorf("the edit that came in was changed: %s", before)
	}
}

// same reports whether two texts are the same JSON.
func same(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	c, _ := json.Marshal(x)
	d, _ := json.Marshal(y)
	return string(c) == string(d)
}

// TestPublish shows that a client gets of a diagnostic what it understands.
func TestPublish(t *testing.T) {
	full := protocol.Diagnostic{
		Message: protocol.String("m"), Tags: protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary), Data: protocol.LSPAny(`1`),
		CodeDescription:    protocol.CodeDescription{Href: "https://example.org"},
		RelatedInformation: []protocol.DiagnosticRelatedInformation{{Location: protocol.Location{URI: "file:///b"}, Message: "r"}},
	}
	for _, tt := range []struct {
		init string
		want string
	}{
		{string(lsptest.Modern), "version tags data codeDescription relatedInformation"},
		{`{"capabilities":{}}`, ""},
	} {
		s := begin(t, lsptest.Options{Initialize: json.RawMessage(tt.init)}, nil)
		s.srv.ed.publish(s.uri("a.py"), new(int32(3)), []protocol.Diagnostic{full})
		s.expect(lsptest.Diagnosed("a.py", "m"))
		s.srv.ed.publish(s.uri("a.py"), nil, nil)
		s.expect(lsptest.Clean("a.py"))
		line, _, _ := strings.Cut(s.Received()[strings.Index(s.Received(), "textDocument/publishDiagnostics"):], "\n")
		var got []string
		for _, name := range []string{"version", "tags", "data", "codeDescription", "relatedInformation"} {
			if strings.Contains(line, `"`+name+`":`) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("sent %q, want %q: %s", got, tt.want, line)
		}
	}
}

func TestReadable(t *testing.T) {
	for u, want := range map[uri.URI]string{"file:///a%20b/c.py": "/a b/c.py", "untitled:x": "untitled:x"} {
		if got := readable(u); got != want {
			t.Errorf("%s: %s", u, got)
		}
	}
}
