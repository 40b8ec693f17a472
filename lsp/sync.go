package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"sync"
	"time"

	"caselsp/agent/workspace"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// snapshot is what was open in the editor at one moment. It never changes.
type snapshot map[uri.URI]*document

// documents are what is open in the editor now. The read loop alone writes;
// everyone may read.
type documents struct {
	ed *editor

	// What hears of documents. Each runs on the read loop, in the order of the
	// wire, and must not wait: a document was opened or changed, was closed, or was
	// saved as it is here.
	changed, closed, saved []func(*document)

	mu    sync.Mutex
	open  snapshot
	moved chan struct{}      // closed and renewed at every change
	typed time.Time          // when the user changed a document last
	ours  map[uri.URI]string // the texts that the editor was asked to change documents of ours to
}

func newDocuments(ed *editor) *documents {
	return &documents{ed: ed, open: snapshot{}, moved: make(chan struct{}), ours: make(map[uri.URI]string)}
}

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

// openTime is how long a request waits for a document that the client has not opened. What is typed in Helix while the
// server starts is sent before the document.
const openTime = 500 * time.Millisecond

// early returns what is open as soon as a document is, or after openTime.
func (d *documents) early(ctx context.Context, u uri.URI) snapshot {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer d.ed.Clock.After(openTime, cancel)()
	d.await(ctx, u, func(doc *document) bool { return doc != nil })
	return d.snapshot()
}

// methods adds the synchronisation of documents to the table.
func (d *documents) methods() {
	wire.OnNotification(d.ed.Conn, protocol.MethodTextDocumentDidOpen, d.didOpen)
	wire.OnNotification(d.ed.Conn, protocol.MethodTextDocumentDidChange, d.didChange)
	wire.OnNotification(d.ed.Conn, protocol.MethodTextDocumentDidClose, d.didClose)
	wire.OnNotification(d.ed.Conn, protocol.MethodTextDocumentDidSave, func(p *protocol.DidSaveTextDocumentParams) error {
		// Neovim tells the servers of all projects of what one of them has open.
		if doc := d.get(p.TextDocument.URI); doc != nil {
			tell(d.saved, doc)
		}
		return nil
	})
}

// didOpen takes a document in. One that is open already is replaced: the client
// has sent its whole text, which is always believed.
func (d *documents) didOpen(p *protocol.DidOpenTextDocumentParams) error {
	item := p.TextDocument
	d.put(newDocument(cloned(item.URI), cloned(string(item.LanguageID)), item.Version, cloned(item.Text)))
	return nil
}

// didChange changes a document.
func (d *documents) didChange(raw *json.RawMessage) error {
	var p changes
	if err := json.Unmarshal(*raw, &p); err != nil {
		return err
	}
	u := cloned(p.TextDocument.URI)
	doc := d.get(u)
	if doc == nil {
		return fmt.Errorf("%s was changed but is not open", u)
	}
	version := doc.Version + 1
	if p.TextDocument.Version != nil {
		version = *p.TextDocument.Version
	}
	next := doc.changed(version, p.ContentChanges, d.ed.client.Encoding)
	d.touch(next)
	if doc.Broken == "" && next.Broken != "" {
		d.ed.Log.Error("a document is out of step", "uri", string(u), "version", version, "reason", next.Broken)
		d.ed.showMessage(protocol.MessageTypeError, fmt.Sprintf(
			"%s lost track of the changes of %s (%s). Close the file and open it again; until then %[1]s does not touch it.", Name, path.Base(u.Path()), next.Broken))
	}
	d.put(next)
	return nil
}

// put makes doc the current version of its document.
func (d *documents) put(doc *document) {
	d.set(doc.URI, doc)
	tell(d.changed, doc)
}

// didClose forgets a document.
func (d *documents) didClose(p *protocol.DidCloseTextDocumentParams) error {
	doc := d.get(p.TextDocument.URI)
	if doc == nil {
		return fmt.Errorf("%s was closed but is not open", p.TextDocument.URI)
	}
	d.set(doc.URI, nil)
	tell(d.closed, doc)
	return nil
}

// tell calls those that hear of a document.
func tell(hearers []func(*document), doc *document) {
	for _, f := range hearers {
		f(doc)
	}
}

// at returns the URI under which a file of a workspace is open.
func (d *documents) at(w *workspace.Workspace, path string) (uri.URI, bool) {
	abs, err := w.Abs(path)
	if err != nil {
		return "", false
	}
	docs := d.snapshot()
	if u := uri.File(abs); docs[u] != nil {
		return u, true
	}
	for u := range docs { // a link, or a URI written in another way
		if file, ok := fileOf(u); ok {
			if rel, err := w.Rel(file); err == nil && rel == path {
				return u, true
			}
		}
	}
	return "", false
}

// textOf is what a file of a workspace holds now: in the editor, else on disk.
func (d *documents) textOf(w *workspace.Workspace, path string) (string, error) {
	if u, open := d.at(w, path); open {
		if doc := d.get(u); doc != nil {
			return doc.Text, nil
		}
	}
	f, err := w.Read(path)
	return f.Text, err
}

// outdated reports whether the editor shows another text of a document than its file has.
func (d *documents) outdated(u uri.URI) bool {
	doc := d.get(u)
	file, ok := fileOf(u)
	if doc == nil || !ok {
		return false
	}
	text, err := os.ReadFile(file)
	return err == nil && string(text) != doc.Text
}

// rewrite has the editor change an open document of ours to another text, and waits
// until it has: the next edit is against that.
func (d *documents) rewrite(ctx context.Context, u uri.URI, text string) error {
	doc := d.get(u)
	if doc == nil || doc.Broken != "" || doc.Text == text {
		return nil
	}
	d.mu.Lock()
	d.ours[u] = text
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.ours, u)
		d.mu.Unlock()
	}()
	// Without a label: it would be one more message about what the user has just done.
	edit := protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{documentEdit(doc, text, d.ed.client.Encoding)}}
	if _, err := d.ed.applyEdit(ctx, "", edit); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer d.ed.Clock.After(arriveTime, cancel)()
	d.await(ctx, u, func(d *document) bool { return d == nil || d.Text == text })
	return nil
}
