package lsp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// lensPause is how long changes are waited for before the lenses are compared: a step of a task changes several things at
// once, and a lens that follows within a third of a second is not seen as late.
const lensPause = 300 * time.Millisecond

// lensSource offers code lenses of a document.
type lensSource func(doc *document) []protocol.CodeLens

// lenses are the commands above lines. Most clients ask for those of a document only when its text changes; where others
// stand there now than the client was told, it is had to ask again. That is found by comparing the lenses, so that no
// cause of a change can be forgotten: whoever may have caused one calls look.
type lenses struct {
	ed      *editor
	docs    *documents
	sources []lensSource // written by install

	mu    sync.Mutex
	told  map[uri.URI]toldLenses
	waits bool // for lensPause
}

// toldLenses is what the client was told of a document.
type toldLenses struct {
	doc  *document // a change of the text makes another one, for which the client asks by itself
	list string
}

// of are the lenses of a document.
func (l *lenses) of(doc *document) []protocol.CodeLens {
	list := []protocol.CodeLens{}
	for _, source := range l.sources {
		list = append(list, source(doc)...)
	}
	inOrder(list)
	return list
}

// inOrder lets the lenses of a line begin one behind the other. Some clients sort them by that, and leave those that begin at
// the same place in any order. A place behind the end of the line is its end to them.
func inOrder(list []protocol.CodeLens) {
	sorted := make([]*protocol.Range, len(list))
	for i := range list {
		sorted[i] = &list[i].Range
	}
	slices.SortStableFunc(sorted, func(a, b *protocol.Range) int {
		return cmp.Or(cmp.Compare(a.Start.Line, b.Start.Line), cmp.Compare(a.Start.Character, b.Start.Character))
	})
	for i, r := range sorted {
		if i > 0 && sorted[i-1].Start.Line == r.Start.Line && sorted[i-1].Start.Character >= r.Start.Character {
			r.Start.Character = sorted[i-1].Start.Character + 1
		}
		if r.End.Line == r.Start.Line {
			r.End.Character = max(r.End.Character, r.Start.Character)
		}
	}
}

// methods adds code lenses.
func (l *lenses) methods() {
	onRequest(l.docs, protocol.MethodTextDocumentCodeLens, func(_ context.Context, c *call, p *protocol.CodeLensParams) (any, error) {
		doc := c.docs[p.TextDocument.URI]
		if doc == nil {
			return []protocol.CodeLens{}, nil
		}
		list := l.of(doc)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.told[doc.URI] = toldLenses{doc, lensText(list)}
		return list, nil
	})
	l.docs.closed = append(l.docs.closed, func(doc *document) {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.told, doc.URI)
	})
}

// lensText is a list of lenses as a text, in an order of its own.
func lensText(list []protocol.CodeLens) string {
	var texts []string
	for _, lens := range list {
		texts = append(texts, string(wire.Encode(lens)))
	}
	slices.Sort(texts)
	return strings.Join(texts, "\n")
}

// look compares the lenses, in a moment, with what the client was told. It never waits.
func (l *lenses) look() {
	if !l.ed.client.RefreshCodeLenses {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waits || len(l.told) == 0 {
		return
	}
	l.waits = true
	l.ed.Clock.After(lensPause, func() { l.ed.Go("comparing the lenses", l.compare) })
}

// compare has the client ask again where it shows other lenses than there are.
func (l *lenses) compare(ctx context.Context) error {
	docs := l.docs.snapshot()
	l.mu.Lock()
	l.waits = false
	told := maps.Clone(l.told)
	l.mu.Unlock()
	for u, t := range told {
		if doc := docs[u]; doc == t.doc && lensText(l.of(doc)) != t.list {
			l.ed.refresh(ctx, true, protocol.MethodWorkspaceCodeLensRefresh)
			return nil
		}
	}
	return nil
}
