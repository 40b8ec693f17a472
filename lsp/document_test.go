package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// edit returns the JSON of one change.
func edit(line, char, endLine, endChar int64, text string) string {
	return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"rangeLength":3,"text":%q}`, line, char, endLine, endChar, text)
}

// TestChanged is about single notifications: what they make of a text, or why
// they break the document.
func TestChanged(t *testing.T) {
	const huge = 1 << 40
	for _, tt := range []struct{ text, changes, want, broken string }{
		{"ab\ncd", edit(1, 0, 1, 1, "X"), "ab\nXd", ""},
		{"ab\ncd", edit(0, 2, 1, 0, ""), "abcd", ""},
		{"ab\r\ncd", edit(0, 2, 1, 0, " "), "ab cd", ""},
		{"ab\rcd", edit(0, 99, 1, 0, " "), "ab cd", ""},
		{"ab\ncd", edit(0, 0, 9999, 0, "all"), "all", ""},
		{"ab\ncd", edit(0, 0, huge, huge, "all"), "all", ""},
		{"ab\ncd", edit(0, huge, 0, huge, "!"), "ab!\ncd", ""},
		{"ab\n", edit(2, 0, 2, 0, "end"), "ab\nend", ""},
		{"", edit(0, 0, 0, 0, "x"), "x", ""},
		{"a", edit(1, 0, 1, 0, "x"), "ax", ""},
		{"ab", edit(0, 1, 0, 1, "\r") + "," + edit(1, 0, 1, 0, "\n"), "a\r\nb", ""},
		{"a\r\nb", edit(0, 1, 0, 1, "x") + "," + edit(1, 0, 1, 0, "y"), "ax\r\nyb", ""},
		{"old", `{"text":"new"}`, "new", ""},
		{"old", `{"range":null,"text":"new"}`, "new", ""},
		{"old", edit(9, 0, 9, 0, "lost") + `,{"text":"new"},` + edit(0, 0, 0, 1, "N"), "New", ""},
		{"old", `{"text":""}`, "", ""},
		{"old", ``, "old", ""},
		{"a\ufffdb", edit(0, 1, 0, 2, "-"), "a-b", ""},
		{"ab", edit(2, 0, 2, 0, "x"), "ab", "line 3 of a text of 1 lines"},
		{"ab", edit(0, 2, 0, 1, "x"), "ab", "before it begins"},
		{"ab\nc", edit(1, 0, 0, 1, "x"), "ab\nc", "before it begins"},
		{"ab", edit(-1, 0, 0, 1, "x"), "ab", "negative"},
		{"ab", edit(0, 0, 0, -1, "x"), "ab", "negative"},
		{"ab", edit(0, 0, 0, 1, "x") + "," + edit(7, 0, 7, 0, "y"), "ab", "line 8"},
		{"ab", `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}`, "ab", "no text"},
		{"ab", `{"range":{"start":"here","end":"there"},"text":"x"}`, "ab", "could not be read"},
		{"ab", `{"range":{"start":{"line":1.5,"character":0},"end":{"line":2,"character":0}},"text":"x"}`, "ab", "could not be read"},
		{"ab", `7`, "ab", "could not be read"},
	} {
		doc := newDocument("file:///a", "", 3, tt.text).changed(4, []byte("["+tt.changes+"]"), protocol.PositionEncodingKindUTF16)
		if doc.Text != tt.want || (tt.broken == "") != (doc.Broken == "") || !strings.Contains(doc.Broken, tt.broken) || doc.Version != 4 {
			t.Errorf("%q after %s: %q, broken %q; want %q, %q", tt.text, tt.changes, doc.Text, doc.Broken, tt.want, tt.broken)
		}
		if !slices.Equal(doc.starts, lineStarts(doc.Text)) {
			t.Errorf("%q after %s: lines at %v, want %v", tt.text, tt.changes, doc.starts, lineStarts(doc.Text))
		}
	}
}

// FuzzSplice shows that the line starts that are kept right are those that are
// found anew.
func FuzzSplice(f *testing.F) {
	f.Add("a\r\nb", 2, 2, "x")
	f.Add("a\rb\n", 2, 3, "\n")
	f.Add("", 0, 0, "\r\n")
	f.Fuzz(func(t *testing.T, text string, start, end int, with string) {
		if start < 0 || end < start || end > len(text) {
			return
		}
		ed := editing{[]byte(text), lineStarts(text)}
		ed.splice(start, end, with)
		if want := text[:start] + with + text[end:]; string(ed.text) != want || !slices.Equal(ed.starts, lineStarts(want)) {
			t.Fatalf("%q with %q in %d:%d: %q, lines %v, want %v", text, with, start, end, ed.text, ed.starts, lineStarts(want))
		}
	})
}

// TestOutOfStep shows what a user sees of a client that miscounts: one message,
// a document that is left alone, and full trust once the whole text came again.
func TestOutOfStep(t *testing.T) {
	s := begin(t, lsptest.Options{}, nil)
	s.must(s.OpenText("a.py", "one\n"))
	raw := func(version int, change string) {
		s.must(s.Notify(protocol.MethodTextDocumentDidChange, json.RawMessage(fmt.Sprintf(
			`{"textDocument":{"uri":"file://%s","version":%d},"contentChanges":[%s]}`, s.Abs("a.py"), version, change))))
	}
	state := func() *document {
		s.settle()
		return s.srv.docs.get(s.uri("a.py"))
	}
	raw(2, edit(7, 0, 7, 0, "x"))
	raw(3, edit(0, 0, 0, 0, "y"))
	if doc := state(); doc.Broken == "" || doc.Text != "one\n" || doc.Version != 3 {
		t.Errorf("%+v", doc)
	}
	s.expect(lsptest.ShownMessage("a.py"))
	raw(4, `{"text":"two\n"}`)
	if doc := state(); doc.Broken != "" || doc.Text != "two\n" {
		t.Errorf("after the whole text: %+v", doc)
	}
	raw(5, edit(-1, 0, 0, 0, "x"))
	s.must(s.OpenText("a.py", "three\n"))
	if doc := state(); doc.Broken != "" || doc.Text != "three\n" || doc.Version != 1 {
		t.Errorf("after opening again: %+v", doc)
	}
	s.must(s.Notify(protocol.MethodTextDocumentDidChange, json.RawMessage(fmt.Sprintf(
		`{"textDocument":{"uri":"file://%s","version":null},"contentChanges":[%s]}`, s.Abs("a.py"), edit(0, 0, 0, 1, "T")))))
	if doc := state(); doc.Text != "Three\n" || doc.Version != 2 {
		t.Errorf("after a change without version: %+v", doc)
	}
	s.expect(lsptest.Expectation{What: "a second message", Check: func(s *lsptest.State) lsptest.Verdict {
		if len(s.Messages) > 2 {
			return lsptest.Unmeetable
		} else if len(s.Messages) < 2 {
			return lsptest.Unmet
		}
		return lsptest.Met
	}})
}

// TestSync shows what the hooks hear, in which order, and that what is not open
// is not believed. Of what is saved and not open nothing is said.
func TestSync(t *testing.T) {
	var heard []string
	hear := func(what string) []func(*document) {
		return []func(*document){func(d *document) {
			_, file := d.file()
			heard = append(heard, fmt.Sprintf("%s %d %q %v", what, d.Version, d.Text, file))
		}}
	}
	s := begin(t, lsptest.Options{}, func(s *server) {
		s.docs.changed, s.docs.saved, s.docs.closed = hear("changed"), hear("saved"), hear("closed")
	})
	s.must(s.OpenText("a.py", "a"))
	s.must(s.Replace("a.py", "a", "b"))
	s.must(s.Save("a.py"))
	s.must(s.CloseDocument("a.py"))
	for _, method := range []string{protocol.MethodTextDocumentDidChange, protocol.MethodTextDocumentDidSave, protocol.MethodTextDocumentDidClose} {
		s.must(s.Notify(method, json.RawMessage(`{"textDocument":{"uri":"file:///late.py","version":9},"contentChanges":[{"text":"late"}]}`)))
	}
	s.must(s.OpenText("untitled:Untitled-1", "u"))
	s.settle()
	want := []string{`changed 1 "a" true`, `changed 2 "b" true`, `saved 2 "b" true`, `closed 2 "b" true`, `changed 1 "u" false`}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	s.expect(lsptest.Logged("was changed but is not open"), lsptest.Logged("was closed but is not open"))
}

// stormChanges is how many notifications a storm has.
const stormChanges = 10000

// TestStorm types at random into several documents, with requests in between,
// over the real connection. Each request must see exactly the text of the
// moment it was sent in, however many changes follow it.
func TestStorm(t *testing.T) {
	for _, e := range encodings {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			init := strings.Replace(string(lsptest.Modern), `["utf-16", "utf-8", "utf-32"]`, fmt.Sprintf("[%q]", e), 1)
			s := begin(t, lsptest.Options{Initialize: json.RawMessage(init)}, func(s *server) {
				onRequest(s.docs, "test/text", func(_ context.Context, c *call, u *uri.URI) (string, error) {
					return c.docs[*u].Text, nil
				})
			})
			if s.Encoding() != e {
				t.Fatalf("agreed on %s", s.Encoding())
			}
			storm(t, s, rand.New(rand.NewPCG(7, uint64(len(e)))))
		})
	}
}

// storm types and asks.
func storm(t *testing.T, s *session, r *rand.Rand) {
	type question struct {
		*lsptest.Pending
		want string
	}
	var asked []question
	files := []string{"a.py", "b.js", "dir/c d.go"}
	for _, f := range files {
		s.must(s.OpenText(f, randomText(r, 50)))
	}
	for i := range stormChanges {
		file := files[r.IntN(len(files))]
		s.must(s.Change(file, randomChanges(r, s.Text(file))...))
		if i%7 == 0 {
			p, err := s.Send("test/text", string(s.uri(file)))
			s.must(err)
			asked = append(asked, question{p, s.Text(file)})
		}
		if i%500 == 0 {
			s.must(s.SetText(file, randomText(r, 50)))
		}
	}
	for i, q := range asked {
		var got string
		s.must(q.Wait(t.Context(), &got))
		if got != q.want {
			t.Fatalf("request %d of %d saw\n%q, not\n%q", i, len(asked), got, q.want)
		}
	}
	s.settle()
	for _, f := range files {
		doc, want := s.srv.docs.get(s.uri(f)), s.State().Buffers[f]
		if doc.Text != want.Text || doc.Version != want.Version || doc.Broken != "" {
			t.Errorf("%s became\n%q (version %d, %s), not\n%q (version %d)", f, doc.Text, doc.Version, doc.Broken, want.Text, want.Version)
		}
	}
}

// randomChanges returns one to three replacements, each for the text that the
// one before it leaves; they let a text grow to some 400 letters.
func randomChanges(r *rand.Rand, text string) []lsptest.Replacement {
	var list []lsptest.Replacement
	offset := func(from int) int {
		for {
			if at := from + r.IntN(min(len(text)-from, 30)+1); nameable(text, at) {
				return at
			}
		}
	}
	for range 1 + r.IntN(3) {
		start := r.IntN(len(text) + 1)
		for !nameable(text, start) {
			start--
		}
		end := start
		if r.IntN(3) > 0 || len(text) > 1000 {
			end = offset(start)
		}
		with := randomText(r, r.IntN(8))
		if len(text) > 1000 {
			with = ""
		}
		list = append(list, lsptest.Replacement{Start: start, End: end, Text: with})
		text = text[:start] + with + text[end:]
	}
	return list
}
