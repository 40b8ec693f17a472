package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"caselsp/agent/validate"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// checkPause is the least time between the end of a check and the next one of
// the same document. The first change after a rest is checked at once; someone
// who types fast, or a client that sends each letter of a paste, is followed ten
// times a second.
const checkPause = 100 * time.Millisecond

// The sources of diagnostics. Each has its own list for a document; the client is
// sent all of them together (see [diagnostics.mark]).
const (
	fromSyntax = "syntax" // of an open document's own text
	fromStaged = "staged" // of what a task has staged for a file
	fromReview = "review" // where the open hunks of a review would go
)

// diagnostics are what is said of documents, by whom, and what the client was
// told of it.
//
// What depends on a document's text alone is pulled by the clients that pull,
// and pushed to the others. What a task says of a document comes when it comes
// and is pushed to all: no pull would ask for it. So no client gets the same
// diagnostic in both ways.
type diagnostics struct {
	manual    func(rule string) (file string, line int) // where a rule is documented; may be nil
	ed        *editor
	docs      *documents
	judgement *judgement

	checks chan struct{} // one token for each check that runs: a restored session opens its files all at once

	mu    sync.Mutex
	marks map[uri.URI]*marks
}

// marks are the diagnostics of one document.
type marks struct {
	lists map[string][]protocol.Diagnostic // by source
	shown bool                             // the client shows some
	told  bool                             // it has been sent what there is

	next    *document // to be checked; nil: nothing is
	busy    bool      // a check runs, or its pause
	checked *document // the last one that was
	found   []protocol.Diagnostic
	judged  []validate.Finding // what found was made of
	stale   bool               // found depends on another file that is another one now
	round   int                // how often it was
}

// of returns the marks of a document. l.mu is held.
func (l *diagnostics) of(u uri.URI) *marks {
	m := l.marks[u]
	if m == nil {
		m = &marks{lists: make(map[string][]protocol.Diagnostic)}
		l.marks[u] = m
	}
	return m
}

func newDiagnostics(manual func(string) (string, int), ed *editor, docs *documents, j *judgement) *diagnostics {
	return &diagnostics{manual: manual, ed: ed, docs: docs, judgement: j,
		checks: make(chan struct{}, runtime.GOMAXPROCS(0)), marks: make(map[uri.URI]*marks)}
}

// install adds the checking of documents.
func (l *diagnostics) install() {
	l.docs.changed = append(l.docs.changed, l.changed)
	l.docs.closed = append(l.docs.closed, l.closed)
	l.judgement.again = l.again
	onRequest(l.docs, protocol.MethodTextDocumentDiagnostic, l.pull)
}

// capabilities adds what the server can do for diagnostics.
func (l *diagnostics) capabilities(c *protocol.ServerCapabilities) {
	if l.ed.client.PullDiagnostics {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: new(Name)}
	}
}

// again has documents checked again. Clients that pull are told to.
func (l *diagnostics) again(docs []*document) {
	for _, doc := range docs {
		l.mu.Lock()
		m := l.of(doc.URI)
		m.stale = true
		m.round++
		l.mu.Unlock()
		l.changed(doc)
	}
	if l.ed.client.PullDiagnostics {
		l.ed.Go("having diagnostics pulled again", func(ctx context.Context) error {
			l.ed.refreshDiagnostics(ctx)
			return nil
		})
	}
}

// mark replaces what one source says of a document and sends the client what all
// of them say together. A source is one of those of [fromSyntax], with a task's
// id behind it where several tasks may speak. It may be called anywhere.
func (l *diagnostics) mark(source string, u uri.URI, list []protocol.Diagnostic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.docs.get(u) == nil && !outlives(source) {
		list = nil // it was closed while somebody looked at it
	}
	l.of(u).set(source, list)
	l.push(u)
}

// retract takes back what one source says of a document, if it says anything.
func (l *diagnostics) retract(source string, u uri.URI) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.marks[u]; m != nil && m.lists[source] != nil {
		m.set(source, nil)
		l.push(u)
	}
}

// outlives reports whether what a source says of a file holds without an open
// document: what is staged for it does, places in its text do not.
func outlives(source string) bool { return strings.HasPrefix(source, fromStaged) }

// set replaces what one source says.
func (m *marks) set(source string, list []protocol.Diagnostic) {
	if len(list) == 0 {
		delete(m.lists, source)
	} else {
		m.lists[source] = list
	}
}

// push sends what all sources say of a document. l.mu is held, so
// that what is sent last is what was said last.
func (l *diagnostics) push(u uri.URI) {
	m := l.marks[u]
	list := slices.Clone(m.lists[fromSyntax])
	for _, source := range slices.Sorted(maps.Keys(m.lists)) {
		if source != fromSyntax {
			list = append(list, m.lists[source]...)
		}
	}
	doc := l.docs.get(u)
	if first := doc != nil && !m.told && !l.ed.client.PullDiagnostics; first || m.shown || len(list) > 0 {
		// The version is that of the text in which the syntax was looked at: a client
		// that has gone on meanwhile may drop the list, the next check sends it again.
		var version *int32
		if doc != nil && m.checked != nil {
			doc = m.checked
		}
		if doc != nil {
			version = &doc.Version
		}
		l.ed.publish(u, version, list)
	}
	m.shown, m.told = len(list) > 0, true
	if doc == nil && len(list) == 0 {
		delete(l.marks, u)
	}
}

// closed takes away what was said of the text of a document that was closed.
func (l *diagnostics) closed(doc *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.marks[doc.URI]
	if m == nil {
		return
	}
	m.next, m.checked, m.found, m.judged = nil, nil, nil, nil
	maps.DeleteFunc(m.lists, func(source string, _ []protocol.Diagnostic) bool { return !outlives(source) })
	l.push(doc.URI)
}

// changed has a document checked for a client that does not pull. It runs on
// the read loop.
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
		// Deferred: a check that panics is one that found nothing, not the last one.
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

// checkNext checks a document and sends what was found, unless the text is
// another one by then: that has a check of its own.
func (l *diagnostics) checkNext(m *marks) {
	l.mu.Lock()
	doc := m.next
	m.next = nil
	l.mu.Unlock()
	if doc == nil {
		return // closed while it waited
	}
	judged, found := l.check(doc)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.docs.get(doc.URI) == doc && l.marks[doc.URI] == m {
		m.checked, m.judged, m.found = doc, judged, found
		m.set(fromSyntax, found)
		l.push(doc.URI)
	}
}

// check returns the findings of a document, and as diagnostics. A text that is
// the one that was checked last is not checked again, unless what it depends on
// changed; one that may not be what the user sees is not checked at all.
func (l *diagnostics) check(doc *document) ([]validate.Finding, []protocol.Diagnostic) {
	if doc.Broken != "" {
		return nil, nil
	}
	l.mu.Lock()
	m := l.marks[doc.URI]
	if m != nil && m.checked != nil && m.checked.Broken == "" && !m.stale &&
		m.checked.Language == doc.Language && m.checked.Text == doc.Text {
		defer l.mu.Unlock()
		return m.judged, m.found
	}
	if m != nil {
		m.stale = false
	}
	l.mu.Unlock()
	judged := l.judgement.judge(doc)
	return judged, l.diagnosticsOf(judged, doc.mapper(l.ed.client.Encoding))
}

// diagnosticsOf returns findings as diagnostics.
func (l *diagnostics) diagnosticsOf(found []validate.Finding, m mapper) []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, f := range found {
		list = append(list, l.diagnosticOf(f, m))
	}
	return list
}

// severities are those of findings, as editors know them.
var severities = map[validate.Severity]protocol.DiagnosticSeverity{
	validate.Critical: protocol.DiagnosticSeverityError,
	validate.Warning:  protocol.DiagnosticSeverityWarning,
	validate.Info:     protocol.DiagnosticSeverityInformation,
}

// diagnosticOf returns a finding as a diagnostic. Its place is counted anew from
// its byte offsets: the editor's units are another matter than the validator's.
func (l *diagnostics) diagnosticOf(f validate.Finding, m mapper) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range: m.Range(reachable(m.text, f.Start.Offset, f.End.Offset)), Severity: severities[f.Severity],
		Source: protocol.NewOptional(Name), Message: protocol.String(f.Message),
	}
	if f.Rule != "" {
		d.Code = protocol.String(f.Rule)
		if l.manual != nil {
			if file, line := l.manual(f.Rule); line > 0 {
				d.CodeDescription.Href = uri.URI(fmt.Sprintf("%s#L%d", uri.File(file), line))
			}
		}
	}
	return d
}

// reachable widens a place that holds no character of its line (something is
// missing there) by the one after it or, at the end of the line, before it.
// Neovim's cursor never stands behind the last character of a line, and code
// actions for a diagnostic are offered only where the cursor is in it.
func reachable(text string, start, end int) (int, int) {
	const ending = "\r\n"
	if start < 0 || start > end || end > len(text) || strings.Trim(text[start:end], ending) != "" {
		return start, end
	}
	if _, n := utf8.DecodeRuneInString(text[start:]); n > 0 && !strings.Contains(ending, text[start:start+n]) {
		return start, start + n
	}
	if _, n := utf8.DecodeLastRuneInString(text[:start]); n > 0 && !strings.Contains(ending, text[start-n:start]) {
		return start - n, start
	}
	return start, end
}

// extensions are the file name extensions of the languages that an editor names.
var extensions = map[string]string{
	"python": ".py", "go": ".go", "json": ".json", "jsonc": ".jsonc", "css": ".css",
	"javascript": ".js", "javascriptreact": ".js", "typescript": ".ts", "typescriptreact": ".tsx",
	"html": ".html", "django-html": ".html", "htmldjango": ".html", "jinja-html": ".html", "jinja": ".html",
}

// kind returns the name by which a document's language is known: its path. What
// the editor says the language is counts where the path says nothing (a script
// without an extension, a document that was never saved), and for JSON in which
// the user wants comments; elsewhere the path is more exact, as editors call a
// template of anything "html". Of what is neither a file nor an unsaved one, such
// as a cell of a notebook or an old revision, nothing is known.
func (d *document) kind() string {
	file, ok := d.file()
	switch {
	case !ok && !strings.HasPrefix(string(d.URI), "untitled:"):
		return ""
	case !ok:
		return "untitled" + extensions[d.Language]
	}
	name := filepath.ToSlash(file)
	if path.Ext(name) == "" || d.Language == "jsonc" && path.Ext(name) == ".json" {
		return name + extensions[d.Language]
	}
	return name
}

// pull answers textDocument/diagnostic.
func (l *diagnostics) pull(_ context.Context, c *call, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	full := &protocol.RelatedFullDocumentDiagnosticReport{}
	full.Kind, full.Items = string(protocol.DocumentDiagnosticReportKindFull), []protocol.Diagnostic{}
	doc := c.docs[p.TextDocument.URI]
	if doc == nil {
		return full, nil
	}
	for try := 1; ; try++ {
		l.mu.Lock()
		round := l.of(doc.URI).round
		l.mu.Unlock()
		id := doc.resultID(round)
		if p.PreviousResultID != nil && *p.PreviousResultID == id {
			same := &protocol.RelatedUnchangedDocumentDiagnosticReport{}
			same.Kind, same.ResultID = string(protocol.DocumentDiagnosticReportKindUnchanged), id
			return same, nil
		}
		judged, found := l.check(doc)
		if l.outdated(doc, round, judged, found) && try < maxRounds {
			continue
		}
		full.ResultID = &id
		for _, d := range found {
			full.Items = append(full.Items, l.ed.client.diagnostic(d))
		}
		return full, nil
	}
}

// maxRounds is how often a document is checked for one answer, where what it depends
// on changes meanwhile: once is usual, while the folders are being read twice.
const maxRounds = 3

// outdated keeps what was found in a document, unless what it depends on is another
// since: the answer would come behind that to a later question, and stay.
func (l *diagnostics) outdated(doc *document, round int, judged []validate.Finding, found []protocol.Diagnostic) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.docs.get(doc.URI) != doc {
		return false
	}
	m := l.of(doc.URI)
	if m.round != round {
		m.stale = true
		return true
	}
	m.checked, m.judged, m.found = doc, judged, found
	return false
}

// resultID says of which text a result is, and of which round of what the text
// depends on. It needs no memory of what was answered, and an edit that is taken
// back leads to the same one again.
func (d *document) resultID(round int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(round) + "\x00" + d.kind() + "\x00" + d.Broken + "\x00" + d.Text))
	return hex.EncodeToString(sum[:8])
}
