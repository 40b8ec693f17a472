package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Editors cannot ask for free text. So the server opens a document in the state
// directory, the user writes into it, and a code action or a lens sends it. What
// it is for stands in a comment at its top, which is all that tells it from other
// Markdown: everybody who has such a document can use it, whenever it was made.

// quoteMark stands before each line of a document that is not ours, such as one of a command
// or of a model's question.
const quoteMark = "> "

// ownDocument reports whether a document has the name of those that are written to be sent
// or that list questions. Nothing is offered in them but what they are for: what is typed
// there must not decide anything else.
func ownDocument(u uri.URI) bool {
	name := path.Base(u.Path())
	return isPaper(name) || strings.HasPrefix(name, questionsName+"-") && strings.HasSuffix(name, ".md")
}

// papers opens such documents and offers to send them.
type papers struct {
	ed       *editor
	docs     *documents
	engines  *engines
	contents *contents

	mu      sync.Mutex
	doubted map[uri.URI]bool // answers that were held back and may be sent all the same
}

// sendAnyway is the title of what sends an answer that was held back.
const sendAnyway = "Send it: it is no secret"

// doubt offers to send an answer that was held back.
func (l *papers) doubt(u uri.URI) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubted == nil {
		l.doubted = map[uri.URI]bool{}
	}
	l.doubted[u] = true
}

// paper is a document that is written to be sent.
type paper struct {
	Kind     string        `json:"kind"` // one of the kinds below
	Task     string        `json:"task,omitempty"`
	Question string        `json:"question,omitempty"`
	Follows  string        `json:"follows,omitempty"` // the task that the one goes on from
	Thread   string        `json:"thread,omitempty"`  // in which it is said
	Focus    *record.Focus `json:"focus,omitempty"`   // without its text, which the document shows
	File     string        `json:"file,omitempty"`    // that a note is about, and its hunk from 1
	Hunk     int           `json:"hunk,omitempty"`
}

// The kinds of papers.
const (
	forTask   = "task"
	forAnswer = "answer"
	forReason = "reason" // why a command is denied
	forThread = "ask"    // in a thread
	forNote   = "note"   // on a result
)

// The comment of a paper: its mark and JSON on the first line, then words for the
// user, up to the end.
const (
	paperMark = "<!-- caselsp "
	paperEnd  = "-->"
)

// write returns the paper's text; words tell the user what to do.
func (p paper) write(words, begin string) string {
	head, err := json.Marshal(p)
	if err != nil {
		panic("lsp: " + err.Error()) // strings and numbers
	}
	// A comment ends at the first "-->", wherever that comes from; JSON has its ">" escaped.
	words = strings.ReplaceAll(words, "-->", "-- >")
	return paperMark + string(head) + "\n" + words + "\n" + paperEnd + "\n\n" + begin
}

// readPaper returns what a document was written for and what the user wrote: below the comment, above it, and behind its first
// line, since the cursor can be anywhere when they begin; false where it is no paper.
func readPaper(text string) (p paper, written string, ok bool) {
	above, rest, ok := strings.Cut(strings.TrimPrefix(text, "\ufeff"), paperMark)
	if !ok {
		return p, "", false
	}
	head := json.NewDecoder(strings.NewReader(rest))
	if head.Decode(&p) != nil {
		return p, "", false
	}
	behind, rest, _ := strings.Cut(rest[head.InputOffset():], "\n")
	_, below, ok := strings.Cut(rest, paperEnd)
	for _, part := range []string{above, behind, below} {
		written = strings.TrimSpace(written + "\n" + strings.TrimSpace(part))
	}
	return p, written, ok && (p.Kind == forTask || p.Kind == forAnswer || p.Kind == forReason || p.Kind == forThread || p.Kind == forNote)
}

// paper is readPaper of a document. One that does not have the name of such a document, such as a page that shows one, begins with its comment.
func (d *document) paper() (p paper, written string, ok bool) {
	if !isPaper(path.Base(d.URI.Path())) && !strings.HasPrefix(strings.TrimPrefix(d.Text, "\ufeff"), paperMark) {
		return p, "", false
	}
	return readPaper(d.Text)
}

// openPrompt opens a document for the text of a task about focus, which may be nil.
func (l *papers) openPrompt(ctx context.Context, e *Engine, focus *record.Focus, begin string) error {
	words := "Write below what should be done. Then run the code action \"Start this task\"."
	p := paper{Kind: forTask}
	if focus != nil {
		short := *focus
		short.Text = ""
		p.Focus = &short
		words += fmt.Sprintf("\nIt is about %s, lines %d to %d:\n\n%s", focus.Path, focus.FromLine, focus.ToLine, focus.Text)
	}
	return l.openDocument(ctx, e, "task-"+e.Agent.NewID()+".md", p.write(words, begin))
}

// openAsk opens a document for a message in a thread.
func (l *papers) openAsk(ctx context.Context, e *Engine, m agent.Message) error {
	words := "Write your question below; @path and @symbol show the model a file or a declaration. Then run the code action \"Ask this\"."
	p := paper{Kind: forThread, Thread: m.Thread}
	if f := m.Focus; f != nil {
		p.Focus = &record.Focus{Path: f.Path, FromLine: f.FromLine, ToLine: f.ToLine}
		words += "\nIt is about " + f.Path
		if f.ToLine > 0 {
			words += fmt.Sprintf(", lines %d to %d", f.FromLine, f.ToLine)
		}
	}
	return l.openDocument(ctx, e, "ask-"+e.Agent.NewID()+".md", p.write(words, ""))
}

// openFollow opens a document for the text of a task that goes on from another one.
func (l *papers) openFollow(ctx context.Context, e *Engine, earlier *record.Earlier) error {
	words := "Write below what should be done next. Then run the code action \"Start this task\".\nIt goes on from this task:\n\n" + earlier.Text
	return l.openDocument(ctx, e, "task-"+e.Agent.NewID()+".md", paper{Kind: forTask, Follows: earlier.Task}.write(words, ""))
}

// openAnswer opens a document for the answer to a question, or for the reason why
// a command is refused.
func (l *papers) openAnswer(ctx context.Context, q record.Question) error {
	e, release, err := l.engines.use(ctx)
	if err != nil {
		return err
	}
	defer release()
	words := "Write the answer below. Then run the code action \"Send this answer\". " + notASecret + ".\n\n"
	if about, ok := q.Subject.(record.Input); ok {
		words += capital(about.Who()) + " asks:\n" + agent.QuoteLines(q.Whole(), quoteMark)
		for _, c := range about.Choices {
			words += "One of its answers:\n" + agent.QuoteLines(c, quoteMark)
		}
	}
	if q.Why != "" {
		words += "\n" + q.Why + "\n"
	}
	p := paper{Kind: forAnswer, Task: q.Task, Question: q.ID}
	if about, ok := q.Subject.(record.Approvable); ok {
		p.Kind = forReason
		words = "Write below why this is denied: the model is told. Then run the code action \"Deny and send this reason\".\n\n" + agent.QuoteLines(about.Offer().What, quoteMark)
	}
	return l.openDocument(ctx, e, fmt.Sprintf("%s-%s-%s.md", p.Kind, q.Task, q.ID), p.write(words, ""))
}

// openDocument writes a document into the state directory and has it shown to the user, who
// has asked for it: one that is written into at its end, where the text belongs. The error says where it is.
func (l *papers) openDocument(ctx context.Context, e *Engine, name, text string) error {
	return l.openAt(ctx, e, name, text, nil)
}

// openAt is openDocument at a place; nil: at its beginning.
func (l *papers) openAt(ctx context.Context, e *Engine, name, text string, at *protocol.Range) error {
	if l.ed.client.KeepsModified && isPaper(name) { // what the user writes there is theirs: no edit of ours may take it away
		text = strings.Replace(text, "\n"+paperEnd, "\nSave it before you send it: this editor does not end with unsaved documents.\n"+paperEnd, 1)
	}
	u, err := l.put(ctx, e, name, text)
	if err != nil {
		return err
	}
	text = agent.Visible(text)
	// A place that is not in the text that an editor has is an error there: Neovim has no line behind the last line break.
	if open := l.docs.get(u); at == nil && isPaper(name) && (open == nil || open.Text == text) {
		end := protocol.Position{Line: uint32(strings.Count(strings.TrimSuffix(text, "\n"), "\n"))}
		at = &protocol.Range{Start: end, End: end}
	}
	return l.ed.showDocument(ctx, u, at)
}

// put brings a document up to date: where it is open in an editor that goes on showing the old text
// when only the file changes (Neovim, Emacs, Helix), there, else where it lies.
func (l *papers) put(ctx context.Context, e *Engine, name, text string) (uri.URI, error) {
	u := l.contents.address(e.Agent.Store.DocumentPath(name))
	open := l.docs.get(u)
	if l.ed.client.Reloads {
		open = nil
	}
	return u, l.contents.renew(ctx, l.docs, e, open, name, agent.Visible(text))
}

// sends returns the commands that send a document's text; none where it is no paper.
func (l *papers) sends(doc *document) []protocol.Command {
	p, _, ok := doc.paper()
	if !ok {
		return nil
	}
	args := map[string]any{"uri": string(doc.URI)}
	switch p.Kind {
	case forAnswer:
		list := []protocol.Command{command("Send this answer", cmdAnswer, args)}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.doubted[doc.URI] {
			list = append(list, command(sendAnyway, cmdAnswer, map[string]any{"uri": string(doc.URI), "sure": true}))
		}
		return list
	case forReason:
		return []protocol.Command{command("Deny and send this reason", cmdDeny, args)}
	case forNote:
		return noteSends(doc.URI)
	case forThread:
		return []protocol.Command{command("Ask this", cmdAsk, args)}
	}
	return []protocol.Command{command("Start this task", cmdRun, args)}
}

// actions offers to send the document.
func (l *papers) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	var list []protocol.CodeAction
	for _, c := range l.sends(doc) {
		list = append(list, protocol.CodeAction{Title: c.Title, Kind: new(protocol.CodeActionKindQuickFix), Command: c})
	}
	return list
}

// lenses offers the same at the top of the document.
func (l *papers) lenses(doc *document) []protocol.CodeLens {
	var list []protocol.CodeLens
	for _, c := range l.sends(doc) {
		list = append(list, protocol.CodeLens{Command: c})
	}
	return list
}

// unsaved reports whether arguments send a document that the user has written and not saved, in an editor that would
// ask about it at its end. Nothing but the user can save it there.
func (l *papers) unsaved(a arguments) bool {
	u, ok := a.uri()
	if !ok || !l.ed.client.KeepsModified || !isPaper(path.Base(u.Path())) {
		return false
	}
	doc := l.docs.get(u)
	return doc != nil && len(l.sends(doc)) > 0 && l.docs.outdated(u)
}

// written returns what the user wrote into the document of a URI.
func written(docs snapshot, u uri.URI) (paper, string, error) {
	doc := docs[u]
	if doc == nil {
		return paper{}, "", fmt.Errorf("%s is not open", readable(u))
	}
	p, text, ok := doc.paper()
	if !ok {
		return p, "", fmt.Errorf("%s is not a document of %s: its first line has been changed", readable(u), Name)
	}
	return p, text, nil
}
