package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// commentThread is the thread in which questions of comments are answered.
const commentThread = "comments"

// fromAnswer is the source of the diagnostics with answers beside the code.
const fromAnswer = "answer"

const (
	// codeAnswer is the code of the diagnostic with an answer.
	codeAnswer = "answer"
	// maxBeside is how much of an answer stands in its diagnostic, in runes; its hover and the thread have all.
	maxBeside = 600
	// maxAnswers is how many answers are kept for showing: the thread keeps all.
	maxAnswers = 200
)

// besideAnswer is a question in a comment and its answer.
type besideAnswer struct {
	uri      uri.URI
	question string
	answer   string // "" as long as there is none
}

// besideCode shows the answers to questions in comments (case?) beside them, as long as the comments are there.
type besideCode struct {
	ed          *editor
	docs        *documents
	offers      *offers
	diagnostics *diagnostics

	mu      sync.Mutex
	list    []besideAnswer
	current string // the question that is being answered
}

// askHere asks the question of a comment.
func (k *taskCommands) askHere(c *call, doc *document, r protocol.Range, question string) (any, error) {
	k.beside.expect(doc.URI, question)
	answer, err := k.asked(c, agent.Message{Thread: commentThread, Text: question, Focus: k.focus(c.docs, doc.URI, r)})
	if err != nil {
		k.beside.drop(func(b besideAnswer) bool { return b.question == question })
	}
	return answer, err
}

// drop forgets questions that get no answer.
func (l *besideCode) drop(which func(besideAnswer) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(b besideAnswer) bool { return b.answer == "" && which(b) })
}

// ended forgets what is unanswered when the thread's work has ended, but what waits for its turn there.
func (l *besideCode) ended(task string) {
	if task == record.ThreadID(commentThread) {
		l.drop(func(b besideAnswer) bool { return !l.offers.tasks.waits(task, b.question) })
	}
}

// asking reports whether the question of a comment waits for its answer.
func (l *besideCode) asking(u uri.URI, question string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.list, func(b besideAnswer) bool { return b.uri == u && b.question == question && b.answer == "" })
}

// expect notes that the question of a comment is asked.
func (l *besideCode) expect(u uri.URI, question string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(b besideAnswer) bool { return b.uri == u && b.question == question })
	if len(l.list) == maxAnswers {
		l.list = l.list[1:]
	}
	l.list = append(l.list, besideAnswer{uri: u, question: question})
}

// hear takes in an event of a thread.
func (l *besideCode) hear(e agent.Event) {
	if e.Status.Task.Thread != commentThread {
		return
	}
	switch b := e.Body.(type) {
	case record.Message:
		l.mu.Lock()
		l.current = b.Text
		l.mu.Unlock()
	case record.Replied:
		for _, u := range l.answered(b.Text.Plain()) {
			if doc := l.docs.get(u); doc != nil {
				l.show(doc)
			}
		}
		l.ed.lensesChanged()
	}
}

// answered takes in the answer to the present question, and returns where that was asked.
func (l *besideCode) answered(text string) (where []uri.URI) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, b := range l.list {
		if b.question == l.current {
			l.list[i].answer = text
			where = append(where, b.uri)
		}
	}
	return where
}

// show marks the answered questions of a document where their comments are now. It may run on the read loop: it does
// nothing where there is no answer.
func (l *besideCode) show(doc *document) {
	var list []protocol.Diagnostic
	known := l.in(doc.URI)
	if len(known) == 0 {
		return
	}
	for _, a := range l.placed(doc, known) {
		list = append(list, protocol.Diagnostic{
			Range: a.at, Severity: protocol.DiagnosticSeverityInformation, Code: protocol.String(codeAnswer), Source: protocol.NewOptional(Name),
			Message: protocol.String("CASE answers: " + agent.Quote(cut(oneLine(a.answer), maxBeside))),
		})
	}
	l.diagnostics.mark(fromAnswer, doc.URI, list)
}

// in returns what was answered in a document.
func (l *besideCode) in(u uri.URI) (list []besideAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.list {
		if b.uri == u && b.answer != "" {
			list = append(list, b)
		}
	}
	return list
}

// placedAnswer is an answer and where its comment is.
type placedAnswer struct {
	besideAnswer
	at protocol.Range
}

// placed returns the answers whose comments are still there.
func (l *besideCode) placed(doc *document, known []besideAnswer) (list []placedAnswer) {
	m := doc.mapper(l.ed.client.Encoding)
	for _, d := range l.offers.memory.of(doc) {
		i := slices.IndexFunc(known, func(b besideAnswer) bool { return d.Ask && b.question == d.Text })
		if i >= 0 {
			list = append(list, placedAnswer{known[i], m.Range(d.Start, d.End)})
		}
	}
	return list
}

// lenses offer to open the thread of an answer.
func (l *besideCode) lenses(doc *document) (list []protocol.CodeLens) {
	if known := l.in(doc.URI); len(known) > 0 {
		for _, a := range l.placed(doc, known) {
			list = append(list, lensesAt(a.at, command("Open the answer", cmdThread, map[string]any{"thread": commentThread}))...)
		}
	}
	return list
}

// hover shows the whole answer to the question at a place.
func (l *besideCode) hover(doc *document, at protocol.Position) (string, protocol.Range, bool) {
	if known := l.in(doc.URI); len(known) > 0 {
		for _, a := range l.placed(doc, known) {
			if a.at.Start.Line <= at.Line && at.Line <= a.at.End.Line {
				return "CASE answers:\n\n" + agent.QuoteLines(a.answer, quoteMark), a.at, true
			}
		}
	}
	return "", protocol.Range{}, false
}

// hover shows what an open hunk at a place would do.
func (l *reviews) hover(doc *document, at protocol.Position) (string, protocol.Range, bool) {
	revs, own := l.marked(doc.URI)
	m := doc.mapper(l.ed.client.Encoding)
	for _, rev := range revs {
		for _, f := range rev.Files {
			if own != f.Change.Path && own != f.Change.From {
				continue
			}
			for _, p := range placesOf(f, doc.Text) {
				r := pendingMark(m, rev.Task.ID, f, p).Range
				if r.Start.Line <= at.Line && at.Line <= r.End.Line && !f.Whole() {
					return fmt.Sprintf("CASE wants to change this (hunk %d of %d):\n\n%s", p.hunk+1, len(f.Hunks), shownLines(f.Change.Hunk(p.hunk))), r, true
				}
			}
		}
	}
	return "", protocol.Range{}, false
}

// hoverMethods adds hovers.
func (s *server) hoverMethods() {
	sources := []func(*document, protocol.Position) (string, protocol.Range, bool){s.reviews.hover, s.beside.hover}
	onRequest(s.docs, protocol.MethodTextDocumentHover, func(_ context.Context, c *call, p *protocol.HoverParams) (any, error) {
		doc := c.docs[p.TextDocument.URI]
		if doc == nil {
			return nil, nil
		}
		var texts []string
		var first *protocol.Range
		for _, source := range sources {
			if text, r, ok := source(doc, p.Position); ok {
				texts = append(texts, agent.Visible(text))
				if first == nil {
					first = &r
				}
			}
		}
		if first == nil {
			return nil, nil
		}
		return &protocol.Hover{Contents: s.ed.client.hover(strings.Join(texts, "\n\n")), Range: first}, nil
	})
}
