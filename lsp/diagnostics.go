package lsp

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"caselsp/agent/validate"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The sources of diagnostics. Each has its own list for a document; the client is
// sent all of them together (see [diagnostics.mark]).
const (
	fromSyntax = "syntax" // of an open document's own text
	fromStaged = "staged" // of what a task has staged for a file
	fromReview = "review" // where the open hunks of a review would go
)

// diagnostics are the findings in documents by source, and what of them was sent
// to the client.
//
// What depends on a document's text alone is pulled by the clients that pull,
// and pushed to the others. What a task says of a document comes when it comes
// and is pushed to all: no pull would ask for it. So no client gets the same
// diagnostic in both ways.
type diagnostics struct {
	manual func(rule string) (file string, line int) // where a rule is documented; may be nil
	judge  func(doc *document) []validate.Finding    // what the validators find, as the project is now
	ed     *editor
	docs   *documents

	checks chan struct{} // one token for each check that runs: a restored session opens its files all at once

	mu     sync.Mutex
	marks  map[uri.URI]*marks
	rounds int // of all documents, see marks.round
}

// marks are the diagnostics of one document.
type marks struct {
	lists map[string][]protocol.Diagnostic // by source
	shown bool                             // the client shows some
	told  bool                             // it has been sent what there is

	next *document // to be checked; nil: nothing is
	busy bool      // a check runs, or its pause
	last *result   // of the last check of the current text; nil: none

	// round counts the changes of what the document's findings depend on beside its
	// own text: other files, rules, settings. A result of an older round is out of
	// date.
	round int
}

// of returns the marks of a document. l.mu is held.
func (l *diagnostics) of(u uri.URI) *marks {
	m := l.marks[u]
	if m == nil {
		m = &marks{lists: make(map[string][]protocol.Diagnostic), round: l.rounds}
		l.marks[u] = m
	}
	return m
}

func newDiagnostics(manual func(string) (string, int), judge func(*document) []validate.Finding, ed *editor, docs *documents) *diagnostics {
	return &diagnostics{manual: manual, judge: judge, ed: ed, docs: docs,
		checks: make(chan struct{}, runtime.GOMAXPROCS(0)), marks: make(map[uri.URI]*marks)}
}

// install adds the checking of documents.
func (l *diagnostics) install() {
	l.docs.changed = append(l.docs.changed, l.changed)
	l.docs.closed = append(l.docs.closed, l.closed)
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
		l.rounds++
		l.of(doc.URI).round = l.rounds
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
// id appended if several tasks can report. It may be called from any goroutine.
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
		l.ed.publish(u, l.versionOf(m, doc, list), list)
	}
	m.shown, m.told = len(list) > 0, true
	if doc == nil && len(list) == 0 {
		delete(l.marks, u)
	}
}

// versionOf is the version that a list is sent for; nil: whatever the text is. A client that has gone on may drop a list of
// an older version. So an empty list, whose places cannot be wrong, has none: nothing would send it again. Where the client is
// sent what was found in the text, too, the version is that of the text in which it was found, as the next check
// sends the list again; where the client pulls that, there is no next check, and it is that of the text now.
func (l *diagnostics) versionOf(m *marks, doc *document, list []protocol.Diagnostic) *int32 {
	switch {
	case doc == nil, len(list) == 0:
		return nil
	case m.last != nil && !l.ed.client.PullDiagnostics:
		doc = m.last.doc
	}
	return &doc.Version
}

// closed takes away what was said of the text of a document that was closed.
func (l *diagnostics) closed(doc *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.marks[doc.URI]
	if m == nil {
		return
	}
	m.next, m.last = nil, nil
	maps.DeleteFunc(m.lists, func(source string, _ []protocol.Diagnostic) bool { return !outlives(source) })
	l.push(doc.URI)
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
// missing there) by the one after it or, at the end of the line, before it. A place behind
// the line ending of the last line is moved into that line: to Vim, no line begins there.
// Neovim's cursor never stands behind the last character of a line, and code
// actions for a diagnostic are offered only where the cursor is in it.
func reachable(text string, start, end int) (int, int) {
	const ending = "\r\n"
	if start < 0 || start > end || end > len(text) || strings.Trim(text[start:end], ending) != "" {
		return start, end
	}
	if start == len(text) {
		start = len(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"))
		end = start
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
