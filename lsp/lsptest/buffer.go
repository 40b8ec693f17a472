package lsptest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Buffer is a document that is open.
type Buffer struct {
	Text    string
	Version int32
	Dirty   bool // not saved since it was changed
}

// languages are the language ids of what the tests and the demo open.
var languages = map[string]protocol.LanguageKind{
	".py": "python", ".js": "javascript", ".ts": "typescript", ".go": "go", ".json": "json", ".html": "html", ".css": "css", ".md": "markdown", ".diff": "diff",
}

// uriOf returns the URI of a path, or of what is a URI already (a drive letter is
// no scheme).
func (e *Editor) uriOf(name string) uri.URI {
	if strings.Index(name, ":") > 1 {
		return uri.URI(name)
	}
	return uri.File(e.Abs(name))
}

// buffer returns the buffer of a document.
func (e *Editor) buffer(u uri.URI) (Buffer, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, ok := e.state.Buffers[e.name(u)]
	return b, ok
}

// text returns what the user sees of a document.
func (e *Editor) text(u uri.URI) string {
	if b, ok := e.buffer(u); ok || !u.IsFile() {
		return b.Text
	}
	raw, _ := os.ReadFile(u.FsPath()) // no file, no text
	return string(raw)
}

// Open opens a file as it is on disk, or a document that is no file, which the server is asked for; of one that
// is open already, nothing happens.
func (e *Editor) Open(path string) error {
	u := e.uriOf(path)
	if _, open := e.buffer(u); open {
		return nil
	}
	if !u.IsFile() {
		text, err := e.content(u)
		if err != nil {
			return err
		}
		return e.OpenText(path, text)
	}
	raw, err := os.ReadFile(e.Abs(path))
	if err != nil {
		return err
	}
	return e.OpenText(path, string(raw))
}

// content asks the server for a document that is no file.
func (e *Editor) content(u uri.URI) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), e.opts.Ceiling)
	defer cancel()
	var result protocol.TextDocumentContentResult
	err := e.Request(ctx, protocol.MethodWorkspaceTextDocumentContent, &protocol.TextDocumentContentParams{URI: u}, &result)
	return result.Text, err
}

// reread asks for a document anew that is no file, where it is open. It is not the user's change: the buffer is not dirty.
func (e *Editor) reread(u uri.URI) {
	e.editing.Lock()
	defer e.editing.Unlock()
	b, open := e.buffer(u)
	if !open {
		return
	}
	text, err := e.content(u)
	if err != nil {
		e.note("%s could not be read anew: %v", u, err)
		return
	}
	b.Text, b.Version = text, b.Version+1
	e.record(func(s *State) { s.Buffers[e.name(u)] = b })
	if err := e.tell(u, b.Version, []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: text}}); err != nil {
		e.note("%v", err)
	}
}

// OpenText opens a document with a text that need not be on disk.
func (e *Editor) OpenText(path, text string) error {
	e.editing.Lock()
	defer e.editing.Unlock()
	if err := e.flush(); err != nil {
		return err
	}
	return e.open(e.uriOf(path), text)
}

// open puts a buffer in and tells the server. e.editing is held.
func (e *Editor) open(u uri.URI, text string) error {
	e.record(func(s *State) { s.Buffers[e.name(u)] = Buffer{Text: text, Version: 1} })
	return e.Notify(protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: u, LanguageID: languages[filepath.Ext(string(u))], Version: 1, Text: text,
	}})
}

// Replacement replaces the bytes from Start to End of a buffer.
type Replacement struct {
	Start, End int
	Text       string
}

// Change types into a buffer: the replacements in their order, each in the text
// that the one before it left, sent as one notification.
func (e *Editor) Change(path string, list ...Replacement) error {
	e.editing.Lock()
	defer e.editing.Unlock()
	if err := e.flush(); err != nil {
		return err
	}
	u := e.uriOf(path)
	b, ok := e.buffer(u)
	if !ok {
		return fmt.Errorf("lsptest: %s is not open", path)
	}
	encoding := e.Encoding()
	var events []protocol.TextDocumentContentChangeEvent
	for _, r := range list {
		events = append(events, &protocol.TextDocumentContentChangePartial{
			Range: protocol.Range{Start: Position(b.Text, r.Start, encoding), End: Position(b.Text, r.End, encoding)}, Text: r.Text,
		})
		b.Text = b.Text[:r.Start] + r.Text + b.Text[r.End:]
	}
	return e.put(u, b, events)
}

// Replace types: the first occurrence of old becomes new.
func (e *Editor) Replace(path, old, new string) error {
	at := strings.Index(e.Text(path), old)
	if at < 0 {
		return fmt.Errorf("lsptest: %s does not contain %q", path, old)
	}
	return e.Change(path, Replacement{at, at + len(old), new})
}

// SetText replaces the whole text and sends it whole.
func (e *Editor) SetText(path, text string) error {
	e.editing.Lock()
	defer e.editing.Unlock()
	if err := e.flush(); err != nil {
		return err
	}
	u := e.uriOf(path)
	b, ok := e.buffer(u)
	if !ok {
		return fmt.Errorf("lsptest: %s is not open", path)
	}
	b.Text = text
	return e.put(u, b, []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: text}})
}

// put makes b the next version and tells the server. e.editing is held.
func (e *Editor) put(u uri.URI, b Buffer, events []protocol.TextDocumentContentChangeEvent) error {
	return e.tell(u, e.keep(u, b), events)
}

// keep makes b the next version of its buffer, and returns that. e.editing is held.
func (e *Editor) keep(u uri.URI, b Buffer) int32 {
	b.Version, b.Dirty = b.Version+1, true
	e.record(func(s *State) { s.Buffers[e.name(u)] = b })
	return b.Version
}

// tell sends a didChange.
func (e *Editor) tell(u uri.URI, version int32, events []protocol.TextDocumentContentChangeEvent) error {
	return e.Notify(protocol.MethodTextDocumentDidChange, &protocol.DidChangeTextDocumentParams{
		TextDocument:   protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: u}, Version: version},
		ContentChanges: events,
	})
}

// Flush tells the server of the changes that were held back (Hostile.LateChange).
func (e *Editor) Flush() error {
	e.editing.Lock()
	defer e.editing.Unlock()
	return e.flush()
}

// flush tells of what was held back, before anything newer. e.editing is held.
func (e *Editor) flush() error {
	held := e.held
	e.held = nil
	for _, f := range held {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// Save writes a buffer to disk.
func (e *Editor) Save(path string) error {
	e.editing.Lock()
	defer e.editing.Unlock()
	if err := e.flush(); err != nil {
		return err
	}
	u := e.uriOf(path)
	b, ok := e.buffer(u)
	if !ok {
		return fmt.Errorf("lsptest: %s is not open", path)
	}
	if err := os.WriteFile(e.Abs(path), []byte(b.Text), 0o644); err != nil {
		return err
	}
	b.Dirty = false
	e.record(func(s *State) { s.Buffers[e.name(u)] = b })
	return e.Notify(protocol.MethodTextDocumentDidSave, &protocol.DidSaveTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}})
}

// SaveAll saves every buffer that needs it.
func (e *Editor) SaveAll() error {
	for name, b := range e.State().Buffers {
		if !b.Dirty {
			continue
		}
		if err := e.Save(name); err != nil {
			return err
		}
	}
	return nil
}

// CloseDocument closes a buffer; what was not saved is lost.
func (e *Editor) CloseDocument(path string) error {
	e.editing.Lock()
	defer e.editing.Unlock()
	if err := e.flush(); err != nil {
		return err
	}
	return e.close(e.uriOf(path))
}

// close drops a buffer and tells the server. e.editing is held.
func (e *Editor) close(u uri.URI) error {
	e.record(func(s *State) { delete(s.Buffers, e.name(u)) })
	return e.Notify(protocol.MethodTextDocumentDidClose, &protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}})
}

// Text returns what the user sees: the buffer, else the file, else "".
func (e *Editor) Text(path string) string {
	return e.text(e.uriOf(path))
}

// Position returns where a byte offset is, in units of an encoding. An offset
// that no position can name (inside of a character or a line ending) panics:
// the test is wrong.
func Position(text string, offset int, encoding protocol.PositionEncodingKind) protocol.Position {
	before := text[:offset]
	if strings.HasSuffix(before, "\r") && strings.HasPrefix(text[offset:], "\n") || offset < len(text) && !utf8.RuneStart(text[offset]) {
		panic(fmt.Sprintf("lsptest: no position for offset %d of %q", offset, text))
	}
	lines := splitLines(before)
	return protocol.Position{Line: uint32(len(lines) - 1), Character: uint32(width(lines[len(lines)-1], encoding))}
}

// splitLines returns the lines of a text, without their endings.
func splitLines(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
}

// width returns how many units a text takes.
func width(text string, encoding protocol.PositionEncodingKind) int {
	switch encoding {
	case protocol.PositionEncodingKindUTF8:
		return len(text)
	case protocol.PositionEncodingKindUTF32:
		return utf8.RuneCountInString(text)
	}
	return len(utf16.Encode([]rune(text)))
}

// Offset returns the byte offset of a position. A position that is not in the
// text is an error: a server that sends one has miscounted.
func Offset(text string, p protocol.Position, encoding protocol.PositionEncodingKind) (int, error) {
	at := 0
	for line := uint32(0); line < p.Line; line++ {
		end := strings.IndexAny(text[at:], "\r\n")
		if end < 0 {
			return 0, fmt.Errorf("line %d is beyond the text of %d lines", p.Line, line+1)
		}
		at += end
		if strings.HasPrefix(text[at:], "\r\n") {
			at++
		}
		at++
	}
	rest := text[at:]
	if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
		rest = rest[:end]
	}
	for i := 0; i <= len(rest); i++ {
		if (i == len(rest) || utf8.RuneStart(rest[i])) && width(rest[:i], encoding) == int(p.Character) {
			return at + i, nil
		}
	}
	return 0, fmt.Errorf("there is no character %d in line %d, %q", p.Character, p.Line, rest)
}
