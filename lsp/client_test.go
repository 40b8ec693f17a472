package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// facts returns the names of what a client can do, so that the table below is
// readable; the encoding and the root first.
func facts(c client, roots []Root) string {
	list := []string{string(c.Encoding)}
	for _, r := range roots {
		list = append(list, r.Dir)
	}
	for _, f := range []struct {
		name string
		can  bool
	}{
		{"named", c.NamesEncodings}, {"apply", c.ApplyEdit}, {"try", c.MayApply}, {"versions", c.DocumentChanges}, {"notes", c.Annotations}, {"confirms", c.Confirms}, {"beside", c.AsksBeside}, {"aside", c.Aside == asideFalse}, {"unset", c.Aside == asideUnset},
		{"create", c.CreateFile}, {"rename", c.RenameFile}, {"delete", c.DeleteFile}, {"meta", c.EditMetadata},
		{"show", c.ShowDocument}, {"progress", c.Progress}, {"config", c.Configuration}, {"register", c.RegisterSettings},
		{"folders", c.Folders}, {"content", c.TextDocumentContent},
		{"literals", c.CodeActionLiterals}, {"resolve", c.CodeActionResolve}, {"data", c.CodeActionData}, {"disabled", c.CodeActionDisabled},
		{"dversions", c.DiagnosticVersions}, {"related", c.DiagnosticRelated}, {"tags", c.DiagnosticTags}, {"link", c.DiagnosticLink}, {"ddata", c.DiagnosticData},
		{"pull", c.PullDiagnostics}, {"drefresh", c.RefreshDiagnostics}, {"lrefresh", c.RefreshCodeLenses},
	} {
		if f.can {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, " ")
}

// TestCapabilities replays what eleven client builds really send.
func TestCapabilities(t *testing.T) {
	const files = "create rename delete"
	want := map[string]string{
		"ale-4.0":      "utf-16 /workspace try literals related",
		"coc-0.0.82":   "utf-16 /workspace named apply versions notes " + files + " meta show progress config register folders content literals resolve data disabled dversions related tags link ddata pull drefresh lrefresh",
		"eglot-30.2":   "utf-32 /workspace named apply versions unset show progress config folders literals resolve data tags",
		"helix-25.01":  "utf-8 /workspace named apply versions " + files + " progress config folders literals resolve data disabled dversions tags",
		"helix-25.07":  "utf-8 /workspace named apply versions " + files + " show progress config folders literals resolve data disabled dversions tags pull",
		"kate-26.08":   "utf-16 /srv/ws progress config literals related",
		"lsp-mode-10":  "utf-32 /workspace named apply versions " + files + " show progress config folders literals resolve data dversions related tags pull lrefresh",
		"nvim-0.10.4":  "utf-16 /workspace named apply versions aside " + files + " show progress config folders literals resolve data related tags ddata pull",
		"nvim-0.12.4":  "utf-8 /workspace named apply versions notes aside " + files + " show progress config folders literals resolve data disabled related tags ddata pull drefresh lrefresh",
		"vim-lsp":      "utf-16 /workspace apply config literals disabled related",
		"vscode-lc9":   "utf-16 /workspace named apply versions notes confirms beside aside " + files + " show progress config register folders literals resolve data disabled related tags link ddata pull drefresh lrefresh",
		"kakoune-like": "utf-16 apply versions notes",
	}
	recorded, err := filepath.Glob("testdata/capabilities/*.json")
	if err != nil || len(recorded) != len(want)-1 {
		t.Fatalf("%d recordings: %v", len(recorded), err)
	}
	raws := map[string][]byte{
		"kakoune-like": []byte(`{"processId":null,"rootUri":null,"clientInfo":{"name":"kakoune-lsp"},"capabilities":{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,"changeAnnotationSupport":{}}}}}`),
	}
	for _, file := range recorded {
		if raws[strings.TrimSuffix(filepath.Base(file), ".json")], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, raw := range raws {
		var params protocol.InitializeParams
		if err := protocol.Unmarshal(raw, &params); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := facts(parseClient(&params), rootsOf(&params)); got != want[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want[name])
		}
		replay(t, name, raw)
	}
}

// replay shakes hands as the client does and looks at what it is told: nothing
// that it did not ask for.
func replay(t *testing.T, name string, raw []byte) {
	t.Run(name, func(t *testing.T) {
		s := connect(t, lsptest.Options{Initialize: raw}, nil)
		result, err := s.Initialize(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if known := strings.Contains(string(raw), "positionEncodings"); known != (result.Capabilities.PositionEncoding != "") {
			t.Errorf("positionEncoding is %q", result.Capabilities.PositionEncoding)
		}
		s.must(s.OpenText("a.py", "x = '𝒳é'\r\n"))
		s.must(s.Change("a.py", lsptest.Replacement{Start: 9, End: 11, Text: "e"}))
		s.settle()
		for _, doc := range s.srv.docs.snapshot() {
			if doc.Text != "x = '𝒳e'\r\n" || doc.Broken != "" {
				t.Errorf("the document became %q, %s", doc.Text, doc.Broken)
			}
		}
		s.must(s.Shutdown(t.Context()))
		<-s.ended
		if s.code != 0 || s.err != nil {
			t.Errorf("ended with %d, %v", s.code, s.err)
		}
		if r := s.State().Registered; len(r) > 0 && !s.srv.ed.client.RegisterSettings {
			t.Errorf("registered %+v", r)
		}
	})
}

func TestChooseEncoding(t *testing.T) {
	for _, tt := range []struct{ offered, want string }{
		{"", "utf-16"}, {"utf-8", "utf-8"}, {"utf-32 utf-8", "utf-32"}, {"utf-7 utf-16 utf-8", "utf-16"}, {"ebcdic", "utf-16"},
	} {
		var offered []encoding
		for e := range strings.FieldsSeq(tt.offered) {
			offered = append(offered, encoding(e))
		}
		if got := chooseEncoding(offered); string(got) != tt.want {
			t.Errorf("%q: %s", tt.offered, got)
		}
	}
}

// TestRoots is about the three ages of telling a server where it is.
func TestRoots(t *testing.T) {
	for _, tt := range []struct {
		params string
		want   []Root
	}{
		{`{}`, nil},
		{`{"workspaceFolders":null,"rootUri":null,"rootPath":null}`, nil},
		{`{"workspaceFolders":[]}`, nil},
		{`{"workspaceFolders":[],"rootUri":"file:///a%20b/"}`, []Root{{"a b", "/a b"}}},
		{`{"rootPath":"/x"}`, []Root{{"x", "/x"}}},
		{`{"rootPath":"x"}`, nil},
		{`{"rootUri":"file:///a","workspaceFolders":[{"uri":"file:///b/../c","name":"C"},{"uri":"file:///c/","name":"again"},{"uri":"vscode-vfs://github/x","name":"x"},{"uri":"file:///%E6%97%A5","name":""}]}`, []Root{{"C", "/c"}, {"日", "/日"}}},
	} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tt.params), &fields); err != nil {
			t.Fatal(err)
		}
		fields["capabilities"] = json.RawMessage(`{}`)
		raw, _ := json.Marshal(fields)
		var params protocol.InitializeParams
		if err := protocol.Unmarshal(raw, &params); err != nil {
			t.Fatal(err)
		}
		if got := rootsOf(&params); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.params, got, tt.want)
		}
	}
}
