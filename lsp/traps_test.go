package lsp

import (
	"context"
	"strings"
	"testing"
	"unsafe"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// Each test of this file is about one trap of go.lsp.dev/protocol: first that it
// is there (if it is not any more, our own way around it can go), then that the
// server avoids it. Those of the connection are in package wire.

func TestTrapKindIsNotFilledIn(t *testing.T) {
	bare, err := protocol.Marshal(&protocol.CreateFile{URI: "file:///a"})
	if err != nil || !strings.Contains(string(bare), `"kind":""`) {
		t.Errorf("the library fills in kinds now: %s, %v", bare, err)
	}
	for kind, op := range map[string]protocol.DocumentChange{
		"create": createFile("file:///a", "note"),
		"rename": renameFile("file:///a", "file:///b", "note"),
		"delete": deleteFile("file:///a", "note"),
	} {
		raw, err := protocol.Marshal(op)
		if err != nil || strings.Count(string(raw), `"kind":"`+kind+`"`) != 1 || !strings.Contains(string(raw), `"annotationId":"note"`) {
			t.Errorf("%s: %s, %v", kind, raw, err)
		}
	}
}

func TestTrapSnapshotIsTakenBeforeLaterChanges(t *testing.T) {
	arrived, goOn := make(chan struct{}), make(chan struct{})
	s := begin(t, lsptest.Options{}, func(s *server) {
		onTest(s, "test/text", func(_ context.Context, c *call) (string, error) {
			close(arrived)
			<-goOn
			for _, doc := range c.docs {
				return doc.Text, nil
			}
			return "", nil
		})
	})
	s.must(s.OpenText("a.py", "before"))
	answer := make(chan string, 1)
	go func() {
		var got string
		s.Request(t.Context(), "test/text", nil, &got)
		answer <- got
	}()
	<-arrived
	s.must(s.SetText("a.py", "after"))
	s.settle()
	close(goOn)
	if got := <-answer; got != "before" {
		t.Errorf("the request sees %q", got)
	}
}

func TestTrapDecodedStringsAliasTheMessage(t *testing.T) {
	raw := `{"textDocument":{"uri":"file:///a.py","languageId":"python","version":1,"text":"print(1)"}}`
	var p protocol.DidOpenTextDocumentParams
	if err := protocol.Unmarshal([]byte(raw), &p); err != nil {
		t.Fatal(err)
	}
	at := func(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }
	item := p.TextDocument
	apart := strings.Index(raw, "print") - strings.Index(raw, "python")
	if at(item.Text)-at(string(item.LanguageID)) != uintptr(apart) {
		t.Error("the library's strings are their own now")
	}
	s := newServer(t.Context(), Options{})
	if err := s.docs.didOpen(&p); err != nil {
		t.Fatal(err)
	}
	doc := s.docs.get("file:///a.py")
	if at(doc.Text) == at(item.Text) || at(doc.Language) == at(string(item.LanguageID)) || at(string(doc.URI)) == at(string(item.URI)) {
		t.Error("the document keeps the whole message alive")
	}
}

func TestTrapBadRangeIsTakenForWholeText(t *testing.T) {
	const raw = `[{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"text":"x"}]`
	var list []protocol.TextDocumentContentChangeEvent
	err := protocol.Unmarshal([]byte(raw), &list)
	if err == nil {
		if _, whole := list[0].(*protocol.TextDocumentContentChangeWholeDocument); !whole {
			t.Errorf("the library decodes a bad range as %T now", list[0])
		}
	}
	doc := newDocument("file:///a", "", 1, "everything")
	next := doc.changed(2, []byte(raw), protocol.PositionEncodingKindUTF16)
	if next.Text != "everything" || next.Broken == "" {
		t.Errorf("a bad range made %q, broken %q", next.Text, next.Broken)
	}
}
