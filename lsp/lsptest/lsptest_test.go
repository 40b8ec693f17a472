package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// codec is what a server needs to speak the protocol through the library.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error)      { return protocol.Marshal(v) }
func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }

// peer is a server that says what the test tells it to. It remembers what it
// was told, one line each.
type peer struct {
	jsonrpc2.Conn
	told chan string
}

// meet connects an editor with a peer.
func meet(t *testing.T, o Options) (*Editor, *peer) {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	near, far := net.Pipe()
	p := &peer{jsonrpc2.NewConn(jsonrpc2.NewStream(near), jsonrpc2.WithCodec(codec{})), make(chan string, 1000)}
	p.Go(t.Context(), func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		p.told <- fmt.Sprintf("%s %s", req.Method(), req.Params())
		if req.Method() == "fail" {
			return nil, jsonrpc2.NewError(-32001, "failed")
		}
		return nil, nil
	})
	e := Connect(far, o)
	t.Cleanup(func() {
		e.Hangup()
		near.Close()
	})
	return e, p
}

// say sends the editor a notification.
func (p *peer) say(t *testing.T, method, params string) {
	t.Helper()
	if err := p.Notify(t.Context(), method, protocol.LSPAny(params)); err != nil {
		t.Fatal(err)
	}
}

// apply has the editor apply an edit.
func (p *peer) apply(t *testing.T, edit string) (protocol.ApplyWorkspaceEditResult, error) {
	t.Helper()
	var result protocol.ApplyWorkspaceEditResult
	_, err := p.Call(t.Context(), protocol.MethodWorkspaceApplyEdit, protocol.LSPAny(`{"edit":`+edit+`}`), &result)
	return result, err
}

// TestExpect is about how a wait ends.
func TestExpect(t *testing.T) {
	const begun = `{"token":"p","value":{"kind":"begin","title":"CASE"}}`
	for _, tt := range []struct {
		name   string
		happen func(e *Editor, p *peer)
		expect Expectation
		want   string // the error; "" for none
	}{
		{"met", func(_ *Editor, p *peer) { p.say(t, "window/showMessage", `{"type":3,"message":"hello you"}`) }, ShownMessage("hello"), ""},
		{"ended unmet", func(e *Editor, _ *peer) { e.Hangup() }, ShownMessage("hello"), "the connection has ended"},
		{"met by the end", func(e *Editor, _ *peer) { e.Hangup() }, Ended(), ""},
		{"unmeetable", func(_ *Editor, p *peer) {
			p.say(t, "$/progress", `{"token":"p","value":{"kind":"end","message":"failed"}}`)
		}, Finished("CASE", "done"), "it cannot come true any more"},
		{"never said", func(_ *Editor, p *peer) { p.say(t, "$/progress", `{"token":"p","value":{"kind":"end"}}`) }, Reported("CASE", "tests pass"), "it cannot come true any more"},
		{"either", func(_ *Editor, p *peer) {
			p.say(t, "$/progress", `{"token":"p","value":{"kind":"end","message":"failed"}}`)
		}, AnyOf(Finished("CASE", "done"), Finished("CASE", "failed")), ""},
		{"logged", func(_ *Editor, p *peer) { p.say(t, "window/logMessage", `{"type":3,"message":"line"}`) }, Logged("line"), ""},
		{"diagnosed", func(e *Editor, p *peer) {
			p.say(t, "textDocument/publishDiagnostics", `{"uri":"`+string(uri.File(e.Abs("a.py")))+`","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"message":"bad"}]}`)
		}, Diagnosed("a.py", "bad"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, p := meet(t, Options{})
			if _, err := p.Call(t.Context(), protocol.MethodWindowWorkDoneProgressCreate, protocol.LSPAny(`{"token":"p"}`), nil); err != nil {
				t.Fatal(err)
			}
			p.say(t, "$/progress", begun)
			go tt.happen(e, p)
			err := e.Expect(t.Context(), tt.expect)
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), begun)) {
				t.Errorf("%v; want %q and what was received", err, tt.want)
			}
		})
	}
	e, _ := meet(t, Options{Ceiling: 1})
	if err := e.Expect(t.Context(), Ended()); err == nil || !strings.Contains(err.Error(), "said nothing for") {
		t.Errorf("at the ceiling: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e, _ = meet(t, Options{})
	if err := e.Expect(ctx, Ended()); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("after the context: %v", err)
	}
}

// TestProgressOrder shows that a server that breaks the order is found out.
func TestProgressOrder(t *testing.T) {
	e, p := meet(t, Options{})
	p.say(t, "$/progress", `{"token":"nobody","value":{"kind":"begin","title":"x"}}`)
	p.say(t, "window/logMessage", `{"type":3,"message":"end"}`)
	if err := e.Expect(t.Context(), Logged("end")); err != nil || !strings.Contains(e.Received(), "progress nobody is not under way") {
		t.Errorf("%v: %s", err, e.Received())
	}
}

// at returns the JSON of a range in line 0.
func at(start, end int) string {
	return fmt.Sprintf(`"range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}}`, start, end)
}

// TestApply is about edits: what the editor answers, and what it has afterwards:
// first the buffers that are not saved, with a star, then what is on disk. Before,
// a.py is open and holds "one 𝒳 two", and b.py is on disk and holds "b".
func TestApply(t *testing.T) {
	doc := func(name, version, edits string) string {
		return `{"textDocument":{"uri":"ROOT/` + name + `","version":` + version + `},"edits":[` + edits + `]}`
	}
	changes := func(list ...string) string {
		return `{"documentChanges":[` + strings.Join(list, ",") + `],"changeAnnotations":{"n":{"label":"n","needsConfirmation":true}}}`
	}
	two := `{` + at(0, 3) + `,"newText":"ONE"},{` + at(7, 10) + `,"newText":"TWO"}`
	const before = "a.py=one 𝒳 two b.py=b"
	for _, tt := range []struct {
		name, edit string
		o          Options
		answer     string
		want       string
	}{
		{"changes", `{"changes":{"ROOT/a.py":[` + two + `]}}`, Options{}, "true", "*a.py=ONE 𝒳 TWO " + before},
		{"version", changes(doc("a.py", "1", two)), Options{}, "true", "*a.py=ONE 𝒳 TWO " + before},
		{"old version", changes(doc("a.py", "0", two)), Options{}, "a.py is at version 1, the edit is for 0", before},
		{"version of what is not open", changes(doc("b.py", "1", two)), Options{}, "b.py is at version 0", before},
		{"not open", changes(doc("b.py", "null", `{`+at(0, 1)+`,"newText":"B"}`)), Options{}, "true", "*b.py=B " + before},
		{"overlap", changes(doc("a.py", "1", two+`,{`+at(1, 2)+`,"newText":"x"}`)), Options{}, "edits overlap", before},
		{"half a pair", changes(doc("a.py", "1", `{`+at(5, 6)+`,"newText":"x"}`)), Options{}, "no character 5", before},
		{"beyond", changes(doc("a.py", "1", `{`+at(0, 99)+`,"newText":"x"}`)), Options{}, "no character 99", before},
		{"confirmed", changes(doc("a.py", "1", `{`+at(0, 3)+`,"newText":"ONE","annotationId":"n"}`)), Options{}, "true", "*a.py=ONE 𝒳 two " + before},
		{"declined", changes(doc("a.py", "1", two+`,{`+at(3, 4)+`,"newText":"_","annotationId":"n"}`)), Options{Confirm: func(protocol.ChangeAnnotation, string) bool { return false }}, "true", "*a.py=ONE 𝒳 TWO " + before},
		{"no annotation", changes(doc("a.py", "1", `{`+at(0, 3)+`,"newText":"ONE","annotationId":"other"}`)), Options{}, `no annotation "other"`, before},
		{"create", changes(`{"kind":"create","uri":"ROOT/d/c.py"}`, doc("d/c.py", "null", `{`+at(0, 0)+`,"newText":"new"}`)), Options{}, "true", "*d/c.py=new " + before + " d/c.py="},
		{"create what is there", changes(`{"kind":"create","uri":"ROOT/b.py"}`), Options{}, "b.py exists", before},
		{"create if missing", changes(`{"kind":"create","uri":"ROOT/b.py","options":{"ignoreIfExists":true}}`), Options{}, "true", before},
		{"rename open", changes(`{"kind":"rename","oldUri":"ROOT/a.py","newUri":"ROOT/c.py"}`), Options{}, "true", "b.py=b c.py=one 𝒳 two"},
		{"rename onto", changes(`{"kind":"rename","oldUri":"ROOT/a.py","newUri":"ROOT/b.py"}`), Options{}, "b.py exists", before},
		{"delete", changes(`{"kind":"delete","uri":"ROOT/a.py"}`, `{"kind":"delete","uri":"ROOT/b.py"}`), Options{}, "true", ""},
		{"delete nothing", changes(`{"kind":"delete","uri":"ROOT/c.py"}`), Options{}, "no such file", before},
		{"refuses files", changes(`{"kind":"delete","uri":"ROOT/b.py"}`), Options{Hostile: Hostile{RefuseFiles: true}}, "refuses file operations", before},
		{"fails", changes(doc("a.py", "1", two)), Options{Hostile: Hostile{FailEdits: true}}, "fails at every edit", before},
		{"lies", changes(doc("a.py", "1", two)), Options{Hostile: Hostile{LieApplied: true}}, "true", before},
		{"half of an edit", changes(doc("a.py", "1", two)), Options{Hostile: Hostile{HalfEdits: true}}, "true", "*a.py=ONE 𝒳 two " + before},
		{"half of the files", changes(`{"kind":"delete","uri":"ROOT/b.py"}`, doc("a.py", "1", two)), Options{Hostile: Hostile{HalfEdits: true}}, "true", "a.py=one 𝒳 two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, p := meet(t, tt.o)
			for name, text := range map[string]string{"a.py": "one 𝒳 two", "b.py": "b"} {
				if err := os.WriteFile(e.Abs(name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Open("a.py"); err != nil {
				t.Fatal(err)
			}
			result, err := p.apply(t, strings.ReplaceAll(tt.edit, "ROOT", string(uri.File(e.Abs(".")))))
			got := fmt.Sprint(result.Applied)
			if err != nil {
				got = err.Error()
			} else if result.FailureReason != nil {
				got = *result.FailureReason
			}
			if !strings.Contains(got, tt.answer) {
				t.Errorf("answered %q, want %q", got, tt.answer)
			}
			if got := contents(t, e); got != tt.want {
				t.Errorf("left %q, want %q", got, tt.want)
			}
		})
	}
}

// contents lists what the editor has, as TestApply writes it.
func contents(t *testing.T, e *Editor) string {
	t.Helper()
	var unsaved, disk []string
	for name, b := range e.State().Buffers {
		if b.Dirty {
			unsaved = append(unsaved, "*"+name+"="+b.Text)
		}
	}
	root := os.DirFS(e.Abs("."))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(root, path)
		disk = append(disk, path+"="+string(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(unsaved)
	return strings.Join(append(unsaved, disk...), " ")
}

// TestLateChange shows that a held change comes before anything newer.
func TestLateChange(t *testing.T) {
	e, p := meet(t, Options{Hostile: Hostile{LateChange: -1}})
	if err := e.OpenText("a.py", "one"); err != nil {
		t.Fatal(err)
	}
	if r, err := p.apply(t, `{"changes":{"`+string(uri.File(e.Abs("a.py")))+`":[{`+at(0, 3)+`,"newText":"two"}]}}`); err != nil || !r.Applied {
		t.Fatal(err)
	}
	if err := e.Replace("a.py", "two", "three"); err != nil {
		t.Fatal(err)
	}
	<-p.told // didOpen
	for _, want := range []string{`"version":2`, `"version":3`} {
		if got := <-p.told; !strings.Contains(got, want) {
			t.Errorf("told %s, want %s", got, want)
		}
	}
}

// TestQuestions shows the ways in which a question ends.
func TestQuestions(t *testing.T) {
	const question = `{"type":3,"message":"Run?","actions":[{"title":"Yes"},{"title":"No"}]}`
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, ""},
		{Options{Answer: func(q Question) string { return q.Choices[1] }}, "No"},
		{Options{Answer: func(q Question) string { return q.Choices[1] }, Hostile: Hostile{NullAnswers: true}}, ""},
	} {
		_, p := meet(t, tt.o)
		var item protocol.MessageActionItem
		_, err := p.Call(t.Context(), protocol.MethodWindowShowMessageRequest, protocol.LSPAny(question), &item)
		if err != nil || item.Title != tt.want {
			t.Errorf("answered %q, %v; want %q", item.Title, err, tt.want)
		}
	}
	e, p := meet(t, Options{Hostile: Hostile{Silent: []string{"*"}}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		id, err := p.Call(ctx, protocol.MethodWindowShowMessageRequest, protocol.LSPAny(question), nil)
		n, _ := id.Number()
		p.say(t, protocol.MethodCancelRequest, fmt.Sprintf(`{"id":%d}`, n))
		ended <- err
	}()
	if err := e.Expect(t.Context(), Asked("Run?")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("a silent editor answered")
	}
	if err := e.Expect(t.Context(), Withdrawn("Run?")); err != nil {
		t.Error(err)
	}
}

// TestRequest shows answers, errors, and the end of the connection.
func TestRequest(t *testing.T) {
	e, p := meet(t, Options{Hostile: Hostile{Noise: true}})
	var result json.RawMessage
	if err := e.Request(t.Context(), "hello", nil, &result); err != nil || string(result) != "null" {
		t.Errorf("%s, %v", result, err)
	}
	for _, want := range []string{"$/unknown", "unknown/notification", "hello"} {
		if got := <-p.told; !strings.HasPrefix(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	if err := e.Request(t.Context(), "fail", nil, nil); err == nil || err.Error() != "failed" {
		t.Error(err)
	}
	e.Hangup()
	if err := e.Request(t.Context(), "hello", nil, nil); err == nil {
		t.Error("answered after the end")
	}
}
