package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Editors cannot ask for free text. So the server opens a document in the state
// directory, the user writes into it, and a code action or a lens sends it. What
// it is for stands in a comment at its top, which is all that tells it from other
// Markdown: everybody who has such a document can use it, whenever it was made.

// papers opens such documents and offers to send them.
type papers struct {
	ed      *editor
	engines *engines
}

// paper is a document that is written to be sent.
type paper struct {
	Kind     string        `json:"kind"` // one of the kinds below
	Task     string        `json:"task,omitempty"`
	Question string        `json:"question,omitempty"`
	Focus    *record.Focus `json:"focus,omitempty"` // without its text, which the document shows
}

// The kinds of papers.
const (
	forTask   = "task"
	forAnswer = "answer"
	forReason = "reason" // why a command is refused
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
	words = strings.ReplaceAll(words, "--", "- -")
	return paperMark + string(head) + "\n" + words + "\n" + paperEnd + "\n\n" + begin
}

// readPaper returns what a document was written for and what the user wrote;
// false where it is no paper.
func readPaper(text string) (p paper, written string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "\ufeff"), paperMark)
	if !ok {
		return p, "", false
	}
	head, rest, _ := strings.Cut(rest, "\n")
	if json.Unmarshal([]byte(strings.TrimSpace(head)), &p) != nil {
		return p, "", false
	}
	_, written, ok = strings.Cut(rest, paperEnd)
	return p, strings.TrimSpace(written), ok && (p.Kind == forTask || p.Kind == forAnswer || p.Kind == forReason)
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
	return l.openDocument(ctx, e, "task-"+e.Agent.NewID()+".md", p.write(words, begin), true)
}

// openAnswer opens a document for the answer to a question, or for the reason why
// a command is refused.
func (l *papers) openAnswer(ctx context.Context, q record.Question) error {
	e, release, err := l.engines.use(ctx)
	if err != nil {
		return err
	}
	defer release()
	words := "Write the answer below. Then run the code action \"Send this answer\".\n\n" + q.Text
	if about, ok := q.Subject.(record.Input); ok {
		for _, c := range about.Choices {
			words += "\n* " + c
		}
	}
	p := paper{Kind: forAnswer, Task: q.Task, Question: q.ID}
	if about, ok := q.Subject.(record.Approvable); ok {
		p.Kind = forReason
		words = "Write below why this is refused: CASE is told. Then run the code action \"Refuse and send this reason\".\n\n" + about.Offer().What
	}
	return l.openDocument(ctx, e, fmt.Sprintf("%s-%s-%s.md", p.Kind, q.Task, q.ID), p.write(words, ""), true)
}

// openDocument writes a document into the state directory and has it shown. The
// error says where it is.
func (l *papers) openDocument(ctx context.Context, e *Engine, name, text string, focus bool) error {
	path, err := e.Agent.Store.Document(name, []byte(agent.Visible(text)))
	if err != nil {
		return err
	}
	return l.ed.showDocument(ctx, uri.File(path), focus, nil)
}

// send returns the command that sends a paper.
func (p paper) send(u uri.URI) protocol.Command {
	args := map[string]string{"uri": string(u)}
	switch p.Kind {
	case forAnswer:
		return command("Send this answer", cmdAnswer, args)
	case forReason:
		return command("Refuse and send this reason", cmdDeny, args)
	}
	return command("Start this task", cmdRun, args)
}

// actions offers to send the document.
func (l *papers) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	one, _, ok := readPaper(doc.Text)
	if !ok {
		return nil
	}
	c := one.send(doc.URI)
	kind := protocol.CodeActionKindQuickFix
	return []protocol.CodeAction{{Title: c.Title, Kind: &kind, Command: c}}
}

// lenses offers the same at the top of the document.
func (l *papers) lenses(doc *document) []protocol.CodeLens {
	one, _, ok := readPaper(doc.Text)
	if !ok {
		return nil
	}
	return []protocol.CodeLens{{Command: one.send(doc.URI)}}
}

// written returns what the user wrote into the document of a URI.
func written(docs snapshot, u uri.URI) (paper, string, error) {
	doc := docs[u]
	if doc == nil {
		return paper{}, "", fmt.Errorf("%s is not open", readable(u))
	}
	p, text, ok := readPaper(doc.Text)
	if !ok {
		return p, "", fmt.Errorf("%s is not a document of %s: its first line has been changed", readable(u), Name)
	}
	return p, text, nil
}
