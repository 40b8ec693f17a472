package lsp

import (
	"context"
	"time"

	"caselsp/agent/validate"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// checkPause is the least time between the end of a check and the next one of the
// same document. The first change after a pause is checked at once; while the user
// types fast, or a client sends each letter of a paste, the document is checked ten
// times a second.
const checkPause = 100 * time.Millisecond

// result is what the validators found in one version of a document, with the round
// (see [marks]) in which they looked.
type result struct {
	doc    *document
	round  int
	judged []validate.Finding
	found  []protocol.Diagnostic // of judged, one each
}

// of reports whether the result is what a check of doc in a round would find.
func (r *result) of(doc *document, round int) bool {
	return r != nil && r.round == round && r.doc.Broken == doc.Broken && r.doc.Language == doc.Language && r.doc.Text == doc.Text
}

// roundOf returns the round that a document is in.
func (l *diagnostics) roundOf(u uri.URI) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.marksOf(u); m != nil {
		return m.round
	}
	return l.rounds
}

// marksOf returns the marks of a document that is open; nil if it is not. l.mu is
// held.
func (l *diagnostics) marksOf(u uri.URI) *marks {
	if l.docs.get(u) == nil {
		return nil
	}
	return l.of(u)
}

// current reports whether a result is up to date: of the text that is open now, in
// the round that its document is in now.
func (l *diagnostics) current(r *result) bool {
	return l.docs.get(r.doc.URI) == r.doc && l.roundOf(r.doc.URI) == r.round
}

// check returns the findings of a document. The text that was checked last is not
// checked again in the same round. A text that may not be what the user sees has no
// findings.
func (l *diagnostics) check(doc *document) *result {
	if doc.Broken != "" {
		return &result{doc: doc, round: l.roundOf(doc.URI)}
	}
	l.mu.Lock()
	r := &result{doc: doc, round: l.rounds}
	if m := l.marksOf(doc.URI); m != nil {
		if r.round = m.round; m.last.of(doc, m.round) {
			r.judged, r.found = m.last.judged, m.last.found
			l.mu.Unlock()
			return r
		}
	}
	l.mu.Unlock()
	r.judged = l.judge(doc)
	r.found = l.diagnosticsOf(r.judged, doc.mapper(l.ed.client.Encoding))
	l.keep(r)
	return r
}

// keep remembers a result that is up to date.
func (l *diagnostics) keep(r *result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.marksOf(r.doc.URI); m != nil && m.round == r.round && l.docs.get(r.doc.URI) == r.doc {
		m.last = r
	}
}

// changed has a document checked for a client that does not pull. It runs on the
// read loop.
func (l *diagnostics) changed(doc *document) {
	if l.ed.client.PullDiagnostics {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.of(doc.URI)
	m.next = doc
	if !m.busy {
		l.startCheck(m)
	}
}

// startCheck checks what is next, and goes on with what became next meanwhile.
// l.mu is held.
func (l *diagnostics) startCheck(m *marks) {
	m.busy = true
	l.ed.Go("checking a document", func(ctx context.Context) error {
		select {
		case l.checks <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		start := l.ed.Clock.Now()
		// Deferred: after a panic, the document's next version is still checked.
		defer func() {
			<-l.checks
			// A text that takes long is left alone as long: half of one core is enough.
			l.ed.Clock.After(max(checkPause, l.ed.Clock.Now().Sub(start)), func() { l.endPause(m) })
		}()
		l.checkNext(m)
		return nil
	})
}

// endPause begins the next check, if there is something to check.
func (l *diagnostics) endPause(m *marks) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.busy = false
	if m.next != nil {
		l.startCheck(m)
	}
}

// checkNext checks a document and sends what was found, unless the text has changed
// by then: the new text has a check of its own.
func (l *diagnostics) checkNext(m *marks) {
	l.mu.Lock()
	doc := m.next
	m.next = nil
	l.mu.Unlock()
	if doc == nil {
		return // closed while it waited
	}
	r := l.check(doc)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.docs.get(doc.URI) == doc && l.marks[doc.URI] == m {
		m.last = r
		m.set(fromSyntax, r.found)
		l.push(doc.URI)
	}
}
