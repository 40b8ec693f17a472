package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"sync"

	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// snapshot is what was open in the editor at one moment. It never changes.
type snapshot map[uri.URI]*document

// documents are what is open in the editor now. The read loop alone writes;
// everyone may read.
type documents struct {
	mu    sync.Mutex
	open  snapshot
	moved chan struct{} // closed and renewed at every change
}

func (d *documents) init() { d.open, d.moved = snapshot{}, make(chan struct{}) }

// snapshot returns what is open now.
func (d *documents) snapshot() snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// get returns a document, nil where it is not open.
func (d *documents) get(u uri.URI) *document { return d.snapshot()[u] }

// set puts a document in, or takes it out where doc is nil. The map is copied:
// the snapshots that were given out stay what they are.
func (d *documents) set(u uri.URI, doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = maps.Clone(d.open)
	if doc != nil {
		d.open[u] = doc
	} else {
		delete(d.open, u)
	}
	close(d.moved)
	d.moved = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (d *documents) next() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.moved
}

// await returns the document as soon as ok is true of it (nil: not open), or
// the last state and false when ctx ends first. It is how an edit that the
// client says it applied is found to have arrived.
func (d *documents) await(ctx context.Context, u uri.URI, ok func(*document) bool) (*document, bool) {
	for {
		d.mu.Lock()
		doc, moved := d.open[u], d.moved
		d.mu.Unlock()
		if ok(doc) {
			return doc, true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return doc, false
		}
	}
}

// syncMethods adds the synchronisation of documents to the table.
func (s *server) syncMethods() {
	wire.OnNotification(s.conn, protocol.MethodTextDocumentDidOpen, s.didOpen)
	wire.OnNotification(s.conn, protocol.MethodTextDocumentDidChange, s.didChange)
	wire.OnNotification(s.conn, protocol.MethodTextDocumentDidClose, s.didClose)
	wire.OnNotification(s.conn, protocol.MethodTextDocumentDidSave, func(p *protocol.DidSaveTextDocumentParams) error {
		doc := s.docs.get(p.TextDocument.URI)
		if doc == nil {
			return fmt.Errorf("%s was saved but is not open", p.TextDocument.URI)
		}
		if s.hooks.saved != nil {
			s.hooks.saved(doc)
		}
		return nil
	})
}

// didOpen takes a document in. One that is open already is replaced: the client
// has sent its whole text, which is always believed.
func (s *server) didOpen(p *protocol.DidOpenTextDocumentParams) error {
	item := p.TextDocument
	s.put(newDocument(cloned(item.URI), cloned(string(item.LanguageID)), item.Version, cloned(item.Text)))
	return nil
}

// didChange changes a document.
func (s *server) didChange(raw *json.RawMessage) error {
	var p changes
	if err := json.Unmarshal(*raw, &p); err != nil {
		return err
	}
	u := cloned(p.TextDocument.URI)
	doc := s.docs.get(u)
	if doc == nil {
		return fmt.Errorf("%s was changed but is not open", u)
	}
	version := doc.Version + 1
	if p.TextDocument.Version != nil {
		version = *p.TextDocument.Version
	}
	next := doc.changed(version, p.ContentChanges, s.client.Encoding)
	if doc.Broken == "" && next.Broken != "" {
		s.conn.Log.Error("a document is out of step", "uri", string(u), "version", version, "reason", next.Broken)
		s.showMessage(protocol.MessageTypeError, fmt.Sprintf(
			"%s cannot follow the changes of %s any more (%s). Close the file and open it again; until then it is left alone.", Name, path.Base(u.Path()), next.Broken))
	}
	s.put(next)
	return nil
}

// put makes doc the current version of its document.
func (s *server) put(doc *document) {
	s.docs.set(doc.URI, doc)
	if s.hooks.changed != nil {
		s.hooks.changed(doc)
	}
}

// didClose forgets a document.
func (s *server) didClose(p *protocol.DidCloseTextDocumentParams) error {
	doc := s.docs.get(p.TextDocument.URI)
	if doc == nil {
		return fmt.Errorf("%s was closed but is not open", p.TextDocument.URI)
	}
	s.docs.set(doc.URI, nil)
	if s.hooks.closed != nil {
		s.hooks.closed(doc)
	}
	return nil
}
