package lsp

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"caselsp/agent/validate"
	"caselsp/lsp/lsptest"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
)

// speaking is an editor that can do everything and counts in one encoding.
func speaking(e encoding) json.RawMessage {
	return json.RawMessage(strings.Replace(string(lsptest.Modern), `["utf-16", "utf-8", "utf-32"]`, `["`+string(e)+`"]`, 1))
}

// full is a server with its features.
func full(s *server) { s.install() }

// recordings returns the params of initialize of real clients, by name.
func recordings(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	files, err := filepath.Glob("testdata/capabilities/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	all := make(map[string]json.RawMessage)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = raw
	}
	return all
}

// TestPlaces shows that an error stands where it is in the user's units. Each
// text breaks off at «, and is right where what stands in «» is left out.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ path, text string }{
		{"a.py", "é = '𝒳'; y = «=» 2\n"},
		{"b.py", "\ufeff# 𝒳\r\ndef f():\r\n    return '𝒳é' «)»\r\n"},
		{"c.json", "{\"𝒳\": 1, \"é\": [1«,»]}"},
		{"d.go", "package d\n\nvar x = \"𝒳é\" «)»\n"},
		{"e.ts", "const 変: string = '𝒳' «)»;\n"},
		{"f.css", "p { content: '𝒳' }\n/* é */ «}»\n"},
		{"g.html", "<p>𝒳é«</div>»</p>\n"},
	} {
		start := strings.Index(tt.text, "«")
		text := strings.NewReplacer("«", "", "»", "").Replace(tt.text)
		for _, e := range encodings {
			s := begin(t, lsptest.Options{Initialize: speaking(e)}, full)
			s.must(s.OpenText(tt.path, text))
			s.expect(lsptest.Diagnosed(tt.path, ""))
			for _, d := range s.State().Diagnostics[tt.path].List[:1] {
				from, err := lsptest.Offset(text, d.Range.Start, e)
				s.must(err)
				to, err := lsptest.Offset(text, d.Range.End, e)
				s.must(err)
				source, _ := d.Source.Get()
				if from != start || to < from || d.Severity != protocol.DiagnosticSeverityError || source != Name || d.Code != protocol.String("syntax") {
					t.Errorf("%s in %s: %d to %d, want %d: %+v", tt.path, e, from, to, start, d)
				}
			}
			cut := start + strings.Index(tt.text[start:], "»") - len("«")
			s.must(s.OpenText("whole/"+tt.path, text[:start]+text[cut:]))
			s.expect(lsptest.Clean("whole/" + tt.path))
		}
	}
}

// TestDiagnosticsOfClients shows that every client gets the findings of a text
// in one way, and what a task says of it.
func TestDiagnosticsOfClients(t *testing.T) {
	for name, raw := range recordings(t) {
		s := connect(t, lsptest.Options{Initialize: raw}, full)
		hello, err := s.Initialize(t.Context())
		s.must(err)
		pulls, versions := s.srv.ed.client.PullDiagnostics, s.srv.ed.client.DiagnosticVersions
		if pulls != (hello.Capabilities.DiagnosticProvider != nil) {
			t.Errorf("%s: pulls: %v, the provider is %v", name, pulls, hello.Capabilities.DiagnosticProvider)
		}
		s.must(s.OpenText("a.py", "x = = 1\n"))
		if pulls {
			s.pulls("a.py", "invalid")
		} else {
			s.expect(lsptest.Diagnosed("a.py", "invalid"))
		}
		s.settle()
		s.srv.diagnostics.mark(fromReview, s.uri("a.py"), []protocol.Diagnostic{{Message: protocol.String("a hunk"), Source: protocol.NewOptional(Name)}})
		s.expect(lsptest.Diagnosed("a.py", "a hunk"))
		sent := s.State().Diagnostics["a.py"]
		if want := 2; pulls && len(sent.List) != 1 || !pulls && len(sent.List) != want || versions != (sent.Version != nil) {
			t.Errorf("%s: sent %+v, version %v", name, sent.List, sent.Version)
		}
		// The text has gone on, and it has not been looked at since: a list of the version before would be dropped.
		s.must(s.SetText("a.py", "x = = 2\n"))
		s.settle()
		s.srv.diagnostics.mark(fromReview, s.uri("a.py"), []protocol.Diagnostic{{Message: protocol.String("another hunk"), Source: protocol.NewOptional(Name)}})
		s.expect(lsptest.Diagnosed("a.py", "another hunk"))
		if sent := s.State().Diagnostics["a.py"]; pulls && versions && *sent.Version != 2 {
			t.Errorf("%s: sent for version %d, the text is at 2", name, *sent.Version)
		}
		s.srv.diagnostics.mark(fromReview, s.uri("a.py"), nil)
		s.expect(lsptest.Expectation{What: "the hunk is decided", Check: func(s *lsptest.State) lsptest.Verdict {
			d := s.Diagnostics["a.py"]
			if pulls && len(d.List) == 0 && d.Version == nil || !pulls && len(d.List) == 1 {
				return lsptest.Met
			}
			return lsptest.Unmet
		}})
		s.must(s.CloseDocument("a.py"))
		s.expect(lsptest.Clean("a.py"))
	}
}

// pulls fails the test where a pull does not give one diagnostic whose message
// contains text and then, asked again, the answer "unchanged".
func (s *session) pulls(path, text string) (id string) {
	s.t.Helper()
	params := map[string]any{"textDocument": map[string]string{"uri": string(s.uri(path))}}
	var got struct {
		Kind, ResultID string
		Items          []struct{ Message string }
	}
	ask := func() {
		var raw json.RawMessage
		s.must(s.Request(s.t.Context(), protocol.MethodTextDocumentDiagnostic, wire.Encode(params), &raw))
		got.Kind, got.ResultID, got.Items = "", "", nil
		s.must(json.Unmarshal(raw, &got))
	}
	ask()
	if text == "" && (len(got.Items) != 0 || got.Items == nil) || text != "" && (len(got.Items) != 1 || !strings.Contains(got.Items[0].Message, text)) || got.Kind != "full" {
		s.t.Errorf("pulled %+v, want %q", got, text)
	}
	params["previousResultId"], id = got.ResultID, got.ResultID
	ask()
	if got.Kind != "unchanged" || got.ResultID != id || got.Items != nil {
		s.t.Errorf("pulled again: %+v", got)
	}
	return id
}

// TestPull is about the ids of results: they name texts.
func TestPull(t *testing.T) {
	s := begin(t, lsptest.Options{Initialize: recordings(t)["nvim-0.12.4"]}, full)
	s.must(s.OpenText("a.py", "x = = 1\n"))
	broken := s.pulls("a.py", "invalid")
	s.must(s.Replace("a.py", "= =", "="))
	whole := s.pulls("a.py", "")
	s.must(s.Replace("a.py", "=", "= ="))
	if again := s.pulls("a.py", "invalid"); again != broken || whole == broken {
		t.Errorf("ids: %s, %s, %s", broken, whole, again)
	}
	if n := s.State().Diagnostics["a.py"].Times; n != 0 {
		t.Errorf("pushed %d times as well", n)
	}
	var none json.RawMessage
	s.must(s.Request(t.Context(), protocol.MethodTextDocumentDiagnostic, json.RawMessage(`{"textDocument":{"uri":"file:///not/open.py"}}`), &none))
	if want := `{"kind":"full","items":[]}`; string(none) != want {
		t.Errorf("a document that is not open: %s, want %s", none, want)
	}
}

// TestPause shows that the first change is checked at once and the ones that
// follow fast are checked together.
func TestPause(t *testing.T) {
	var clock *lsptest.Clock
	s := begin(t, lsptest.Options{}, func(s *server) { clock = freeze(s); s.install() })
	s.must(s.OpenText("a.py", "x = 1\n"))
	s.expect(lsptest.Clean("a.py"))
	for _, tt := range []struct {
		texts   []string
		version int32
		want    string
	}{
		{[]string{"x =", "x = =", "x = = 2"}, 4, "invalid"},
		{[]string{"x = (", "x = 3"}, 6, ""},
	} {
		clock.Await(checkPause)
		before := s.State().Diagnostics["a.py"]
		for _, text := range tt.texts {
			s.must(s.SetText("a.py", text+"\n"))
		}
		s.settle()
		if now := s.State().Diagnostics["a.py"]; now.Times != before.Times {
			t.Errorf("%q: sent before the pause was over: %+v", tt.texts, now)
		}
		clock.Advance(checkPause)
		s.expect(lsptest.Expectation{What: fmt.Sprint("version ", tt.version), Check: func(s *lsptest.State) lsptest.Verdict {
			if d := s.Diagnostics["a.py"]; d.Times > before.Times && (len(d.List) == 0 || d.Version != nil && *d.Version == tt.version) {
				return lsptest.Met
			}
			return lsptest.Unmet
		}})
		now := s.State().Diagnostics["a.py"]
		if now.Times != before.Times+1 || (len(now.List) > 0) != (tt.want != "") {
			t.Errorf("%q: %+v", tt.texts, now)
		}
	}
	// After a rest, at once again; that there is still nothing is no news.
	times := s.State().Diagnostics["a.py"].Times
	for _, text := range []string{"x = 4\n", "x = = 5\n"} {
		clock.Await(checkPause)
		clock.Advance(checkPause)
		s.must(s.SetText("a.py", text))
	}
	s.expect(lsptest.Diagnosed("a.py", "invalid"))
	if n := s.State().Diagnostics["a.py"].Times; n != times+1 {
		t.Errorf("sent %d times, want %d", n, times+1)
	}
}

// TestLateCheck shows that what was found in a text that is gone is not sent.
func TestLateCheck(t *testing.T) {
	s := begin(t, lsptest.Options{}, full)
	s.must(s.OpenText("a.py", "x = 1\n"))
	s.expect(lsptest.Clean("a.py"))
	u := s.uri("a.py")
	late := func() int {
		s.srv.diagnostics.mu.Lock()
		m := s.srv.diagnostics.of(u)
		m.next = newDocument(u, "python", 0, "x = = 1\n")
		s.srv.diagnostics.mu.Unlock()
		s.srv.diagnostics.checkNext(m)
		s.srv.diagnostics.mu.Lock()
		defer s.srv.diagnostics.mu.Unlock()
		return len(m.lists)
	}
	if n := late(); n != 0 {
		t.Error("an older version was sent")
	}
	s.must(s.CloseDocument("a.py"))
	s.settle()
	if n := late(); n != 0 {
		t.Error("a document that is closed was sent")
	}
}

// TestSources shows what is kept of a document when it is closed or out of step.
func TestSources(t *testing.T) {
	s := begin(t, lsptest.Options{}, full)
	say := func(text string) []protocol.Diagnostic {
		return []protocol.Diagnostic{{Message: protocol.String(text)}}
	}
	s.must(s.OpenText("a.py", "x = = 1\n"))
	s.settle()
	s.srv.diagnostics.mark(fromStaged+"t1", s.uri("a.py"), say("staged"))
	s.srv.diagnostics.mark(fromReview+"t1", s.uri("a.py"), say("hunk"))
	s.expect(lsptest.Diagnosed("a.py", "invalid"), lsptest.Diagnosed("a.py", "staged"), lsptest.Diagnosed("a.py", "hunk"))
	s.must(s.Notify(protocol.MethodTextDocumentDidChange, json.RawMessage(
		`{"textDocument":{"uri":"`+string(s.uri("a.py"))+`","version":2},"contentChanges":[{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"text":""}]}`)))
	s.expect(messages("a.py", "hunk", "staged"))
	s.must(s.CloseDocument("a.py"))
	s.expect(messages("a.py", "staged"))
	s.srv.diagnostics.mark(fromReview+"t1", s.uri("a.py"), say("late hunk"))
	s.expect(messages("a.py", "staged"))
	if v := s.State().Diagnostics["a.py"].Version; v != nil {
		t.Errorf("a closed document has version %d", *v)
	}
	s.srv.diagnostics.mark(fromStaged+"t1", s.uri("a.py"), nil)
	s.expect(messages("a.py"))
	s.srv.diagnostics.mu.Lock()
	defer s.srv.diagnostics.mu.Unlock()
	if n := len(s.srv.diagnostics.marks); n != 0 {
		t.Errorf("%d documents are remembered", n)
	}
}

// messages expects that exactly these diagnostics are shown of a file.
func messages(path string, want ...string) lsptest.Expectation {
	return lsptest.Expectation{What: fmt.Sprintf("the diagnostics %q on %s", want, path), Check: func(s *lsptest.State) lsptest.Verdict {
		var got []string
		for _, d := range s.Diagnostics[path].List {
			got = append(got, messageOf(d))
		}
		if strings.Join(got, "\n") == strings.Join(want, "\n") {
			return lsptest.Met
		}
		return lsptest.Unmet
	}}
}

func TestDiagnosticOf(t *testing.T) {
	docs := func(rule string) (string, int) { return "/docs/rules.md", len(rule) }
	for _, tt := range []struct {
		f    validate.Finding
		docs func(string) (string, int)
		want string
	}{
		{validate.Finding{Rule: "r", Severity: validate.Critical, Message: "m"}, docs, "r 1 m file:///docs/rules.md#L1"},
		{validate.Finding{Rule: "r", Severity: validate.Warning, Message: "m"}, nil, "r 2 m "},
		{validate.Finding{Rule: "", Severity: validate.Info, Message: "m"}, docs, "<nil> 3 m "},
	} {
		l := newDiagnostics(tt.docs, nil, &editor{}, nil)
		d := l.diagnosticOf(tt.f, newMapper("x", protocol.PositionEncodingKindUTF16))
		if got := fmt.Sprint(d.Code, " ", d.Severity, " ", messageOf(d), " ", d.CodeDescription.Href); got != tt.want {
			t.Errorf("%+v: %s", tt.f, got)
		}
	}
}

// TestReachable shows that there is always a character to put a cursor on, unless
// the line has none. The place is what stands between « and ».
func TestReachable(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"def f()«»\n", "def f(«)»\n"},
		{"x = {«»", "x = «{»"},
		{"é«»\r\n", "«é»\r\n"},
		{"if x:«\n»y", "if x«:»\ny"},
		{"f(«»é)", "f(«é»)"},
		{"a «b» c", "a «b» c"},
		{"a\n«»\nb", "a\n«»\nb"},
		{"«»", "«»"},
		// No line begins behind the last line ending, for Vim.
		{"a\n«»", "«a»\n"},
		{"ab\r\n«»", "a«b»\r\n"},
		{"aé\n«»", "a«é»\n"},
		{"a\n\n«»", "a\n«»\n"},
		{"a\n\r\n«»", "a\n«»\r\n"},
	} {
		start := strings.Index(tt.text, "«")
		end := strings.Index(tt.text, "»") - len("«")
		text := strings.NewReplacer("«", "", "»", "").Replace(tt.text)
		start, end = reachable(text, start, end)
		if got := text[:start] + "«" + text[start:end] + "»" + text[end:]; got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// BenchmarkDiagnostics measures from an edit in the middle of a Python file of a
// thousand lines to its diagnostics, after a rest: the pause is left out.
func BenchmarkDiagnostics(b *testing.B) {
	text := strings.Repeat("def f(a, b):\n    if a > b:\n        return [a for a in range(b)]\n    return {'a': a, 'b': b}\n\n", 200)
	s := newServer(b.Context(), Options{})
	s.install()
	after := s.ed.Clock.After
	s.ed.Clock.After = func(d time.Duration, f func()) func() bool {
		if d == checkPause {
			d = 0
		}
		return after(d, f)
	}
	near, far := net.Pipe()
	go s.ed.Serve(near)
	e := lsptest.Connect(far, lsptest.Options{Root: b.TempDir()})
	b.Cleanup(func() { e.Hangup() })
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	_, err := e.Initialize(b.Context())
	must(err)
	must(e.OpenText("a.py", text))
	must(e.Expect(b.Context(), lsptest.Clean("a.py")))
	at := strings.LastIndex(text[:len(text)/2], "\n") + 1
	for b.Loop() {
		must(e.Change("a.py", lsptest.Replacement{Start: at, End: at, Text: "("}))
		must(e.Expect(b.Context(), lsptest.Diagnosed("a.py", "")))
		b.StopTimer()
		must(e.Change("a.py", lsptest.Replacement{Start: at, End: at + 1}))
		must(e.Expect(b.Context(), lsptest.Clean("a.py")))
		b.StartTimer()
	}
}
