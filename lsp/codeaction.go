package lsp

import (
	"context"
	"path/filepath"
	"strings"
	"unicode"

	"caselsp/agent"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

const (
	// maxOffers is how many actions of one kind are offered for a range: nobody
	// reads a longer menu, and some clients ask for the whole document at each save.
	maxOffers = 20
	// titleLimit is how many characters of a message stand in a title: menus are
	// narrower than messages.
	titleLimit = 60
)

// codePending is the code of the diagnostics that mark where the hunks of a
// review would go.
const codePending = "pending-hunk"

// offers are the code actions. Those of other types come as sources; its own
// start a task or carry out a fix.
type offers struct {
	ed          *editor
	docs        *documents
	folders     *folders
	diagnostics *diagnostics
	standing    *standing
	tasks       *tasks

	// own are the sources for documents of ours. Where one of them knows a document, it alone
	// offers something there.
	own     []actionSource
	sources []actionSource
	last    []actionSource // of actions that are not about the place
	memory  directiveMemory
	asking  func(u uri.URI, question string) bool // reports whether the question of a comment waits for its answer
}

// actionSource offers code actions for a range of a document. It runs beside the
// read loop, with the documents as they were when the request was sent, and must
// be quick: Neovim waits for a second at most.
type actionSource func(ctx context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction

// install adds the actions after those of the sources.
func (o *offers) install() {
	o.sources = append(o.sources, o.certainActions, o.fixActions, o.offActions, o.directiveActions, o.selectionActions)
	o.sources = append(o.sources, o.last...)
	onRequest(o.docs, protocol.MethodTextDocumentCodeAction, func(ctx context.Context, c *call, p *protocol.CodeActionParams) (any, error) {
		docs := c.docs
		if docs[p.TextDocument.URI] == nil {
			docs = o.docs.early(ctx, p.TextDocument.URI)
		}
		return o.all(ctx, docs, p), nil
	})
}

// capabilities adds what the server can do for code actions.
func (o *offers) capabilities(c *protocol.ServerCapabilities) {
	c.CodeActionProvider = protocol.Boolean(true)
	if o.ed.client.CodeActionLiterals {
		c.CodeActionProvider = &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, protocol.CodeActionKindRefactor, protocol.CodeActionKindSource, fixAllKind},
		}
	}
}

// all asks all sources and returns what the client understands: code action
// literals, or plain commands.
func (o *offers) all(ctx context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CommandOrCodeAction {
	list := []protocol.CommandOrCodeAction{}
	add := func(actions []protocol.CodeAction) {
		for _, a := range actions {
			if !asked(p.Context.Only, a.Kind) || a.Edit == nil && byItself(p.Context) {
				continue
			}
			a.Title = agent.Visible(a.Title) // it may have a file's name in it
			if fitted := o.ed.client.action(a); fitted != nil {
				list = append(list, fitted)
			}
		}
	}
	o.standing.soon(ctx)
	for _, source := range o.own {
		if actions := source(ctx, docs, p); actions != nil {
			add(actions)
			return list
		}
	}
	for _, source := range o.sources {
		if ctx.Err() != nil {
			return list
		}
		add(source(ctx, docs, p))
	}
	return list
}

// byItself reports whether a client may carry out what it is given without the user:
// it names kinds, and the user has not invoked it. Projects can have that done at each save
// (editor.codeActionsOnSave in .vscode/settings.json, and the like in others), and some
// commands of clients carry out an action of a kind that is the only one.
func byItself(c protocol.CodeActionContext) bool {
	return len(c.Only) > 0 && c.TriggerKind != protocol.CodeActionTriggerKindInvoked
}

// asked reports whether a kind is one of those that were asked for, or below one
// of them. No list asks for all. An action without a kind is asked for by no list.
func asked(only []protocol.CodeActionKind, kind *protocol.CodeActionKind) bool {
	if len(only) == 0 {
		return true
	}
	for _, o := range only {
		if kind != nil && (o == "" || *kind == o || strings.HasPrefix(string(*kind), string(o)+".")) {
			return true
		}
	}
	return false
}

// action returns an action in the form that the client takes; nil where there is
// none. No action that runs a command is ever the preferred one: editors carry
// those out at the press of a key, and each of these starts work that costs money.
func (c *client) action(a protocol.CodeAction) protocol.CommandOrCodeAction {
	if a.Disabled.Reason != "" && !c.CodeActionDisabled {
		return nil
	}
	if !c.CodeActionLiterals {
		if a.Command.Command == "" || a.Edit != nil || a.Disabled.Reason != "" {
			return nil
		}
		return &a.Command
	}
	if a.Edit == nil {
		a.IsPreferred = nil
	}
	if !c.CodeActionData {
		a.Data = nil
	}
	return &a
}

// offer returns the action that runs a command.
func offer(kind protocol.CodeActionKind, title, id string, argument any) protocol.CodeAction {
	return protocol.CodeAction{Title: title, Kind: &kind, Command: command(title, id, argument)}
}

// workable returns a document that tasks may be about: one that is open, in step
// with the editor, and in one of the client's folders.
func (o *offers) workable(docs snapshot, u uri.URI) *document {
	doc := docs[u]
	if doc == nil || doc.Broken != "" {
		return nil
	}
	file, ok := doc.file()
	for _, r := range o.folders.all() {
		if rel, err := filepath.Rel(r.Dir, file); ok && err == nil && filepath.IsLocal(rel) {
			return doc
		}
	}
	return nil
}

// fixActions offers to fix the diagnostics that the client shows at a place,
// whichever server they are of.
func (o *offers) fixActions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := o.workable(docs, p.TextDocument.URI)
	if doc == nil {
		return nil
	}
	var list []protocol.CodeAction
	var messages []string
	diagnostics := p.Context.Diagnostics
	if len(diagnostics) == 0 {
		diagnostics = o.foundOn(doc, p.Range)
	}
	for _, d := range diagnostics {
		if !fixable(d) || len(list) == maxOffers {
			continue
		}
		a := offer(protocol.CodeActionKindQuickFix, "Fix with CASE", cmdFix, fixArguments{URI: string(doc.URI), Diagnostic: d})
		a.Diagnostics = []protocol.Diagnostic{d}
		list, messages = append(list, a), append(messages, messageOf(d))
	}
	return told(list, messages)
}

// foundOn returns our own findings on the lines of a range. Neovim tells only of
// the diagnostics under the cursor, and users put it anywhere on the line.
func (o *offers) foundOn(doc *document, r protocol.Range) []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, f := range o.diagnostics.check(doc).found {
		if f.Range.Start.Line <= r.End.Line && r.Start.Line <= f.Range.End.Line {
			list = append(list, f)
		}
	}
	return list
}

// fixable reports whether a diagnostic is of the user's own text: those of what
// a task has staged, or would change, are that task's business.
func fixable(d protocol.Diagnostic) bool {
	source, _ := d.Source.Get()
	return source != Name || d.Code != protocol.String(codePending) && !strings.HasPrefix(messageOf(d), stagedPrefix)
}

// told tells several actions apart by what each is about; one alone is plain
// without it.
func told(list []protocol.CodeAction, about []string) []protocol.CodeAction {
	for i := range list {
		if len(list) > 1 && about[i] != "" {
			list[i].Title += ": " + brief(about[i])
			list[i].Command.Title = list[i].Title
		}
	}
	return list
}

// brief returns the beginning of a text, in one line that can be printed.
func brief(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if runes := []rune(text); len(runes) > titleLimit {
		return string(runes[:titleLimit-1]) + "…"
	}
	return text
}

// directiveActions offers to carry out the comments at a place that ask for work.
func (o *offers) directiveActions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := o.workable(docs, p.TextDocument.URI)
	if doc == nil {
		return nil
	}
	m := doc.mapper(o.ed.client.Encoding)
	var list []protocol.CodeAction
	var texts []string
	for _, d := range directivesIn(o.memory.of(doc), m, p.Range) {
		if len(list) == maxOffers {
			break
		}
		title := directiveTitle(d)
		place := placeArguments{URI: string(doc.URI), Range: m.Range(d.Start, d.End)}
		list, texts = append(list, offer(protocol.CodeActionKindQuickFix, title, cmdTodo, place)), append(texts, d.Text)
	}
	return told(list, texts)
}

// directiveTitle is what is offered for a comment that asks for work.
func directiveTitle(d directive) string {
	switch {
	case d.Ask:
		return "Ask CASE this question"
	case d.Todo:
		return "CASE: do this TODO"
	}
	return "Run CASE on this comment"
}

// selectionActions offers a task and a question about what is selected, and tests for it.
func (o *offers) selectionActions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := o.workable(docs, p.TextDocument.URI)
	if doc == nil || strings.TrimSpace(doc.mapper(o.ed.client.Encoding).Slice(p.Range)) == "" {
		return nil
	}
	place := placeArguments{URI: string(doc.URI), Range: p.Range}
	return []protocol.CodeAction{
		offer(protocol.CodeActionKindRefactor, "CASE: …", cmdNew, place),
		offer(protocol.CodeActionKindRefactor, "CASE: ask about this", cmdAsk, place),
		offer(protocol.CodeActionKindRefactor, "CASE: write tests for this", cmdTest, place),
	}
}
