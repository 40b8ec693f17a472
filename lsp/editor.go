package lsp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"caselsp/agent"
	"caselsp/lsp/wire"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// How long the client may take to answer, by what it has to do for it.
const (
	createTime    = 2 * time.Second  // of a progress: Emacs and Vim have been seen to lose the request
	settingsTime  = 10 * time.Second // the editor looks something up
	showTime      = 10 * time.Second // the editor opens a document
	registerTime  = 10 * time.Second
	refreshTime   = 10 * time.Second
	applyTime     = 30 * time.Minute // the user reads a preview
	questionTime  = 24 * time.Hour   // a question stays on the screen until it is clicked; nothing waits for that
	plainEditTime = 10 * time.Second // an edit without anything to confirm
	tryTime       = time.Second      // an edit of a client that says that it takes none: the text tells
)

// editor is the client as the rest of the server uses it: the connection, what
// the client can do, and the requests that it understands. What a client cannot
// do is an error that says what the user can do instead.
type editor struct {
	*wire.Conn
	client   client // written by initialize, before anything reads it
	progress progresses
	outdated func(u uri.URI) bool // whether the client shows another text of a document of ours than its file has

	lensesChanged func() // other lenses may stand above lines now, see lenses.look
}

// showMessage shows the user a message that needs no answer. It may be called
// anywhere, on the read loop too.
func (ed *editor) showMessage(typ protocol.MessageType, text string) {
	ed.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: typ, Message: agent.Visible(text)})
}

// confirm tells the user what a command has done; "" tells nothing. It is called before what follows from the command
// can begin, and the message goes out before what that says: a client shows one message at a time, and the last one stays.
func (ed *editor) confirm(text string) {
	if text != "" {
		ed.showMessage(protocol.MessageTypeInfo, text)
	}
}

// ask puts a question with choices to the user and returns the index of the one that was
// chosen. No choice means undecided, never no: a client that dismissed the
// question, failed, went silent, or answered with what was not offered. Only a client
// that shows it beside the text is asked (client.AsksBeside).
func (ed *editor) ask(ctx context.Context, text string, choices ...string) (chosen int, decided bool) {
	params := &protocol.ShowMessageRequestParams{Type: questionType, Message: agent.Visible(text)}
	for _, c := range choices {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: agent.Visible(c)})
	}
	item, err := wire.Request[*protocol.MessageActionItem](ctx, ed.Conn, questionTime, protocol.MethodWindowShowMessageRequest, params)
	if err != nil && ctx.Err() == nil {
		ed.Log.Info("a question was left open", "error", err)
	}
	if err != nil || item == nil {
		return -1, false
	}
	chosen = slices.IndexFunc(params.Actions, func(a protocol.MessageActionItem) bool { return a.Title == item.Title })
	return chosen, chosen >= 0
}

// questionType is the type of questions: VS Code hides a warning with its buttons after some
// seconds, and keeps only errors on the screen.
const questionType = protocol.MessageTypeError

// showDocument opens a document for the user who has just asked for it: it takes the
// keyboard. at, if any, is selected. The error says what to do instead.
func (ed *editor) showDocument(ctx context.Context, u uri.URI, at *protocol.Range) error {
	return ed.openDocument(ctx, &protocol.ShowDocumentParams{URI: u, TakeFocus: new(true), Selection: at})
}

// showAside opens a document that the user has not asked for: beside the text, without
// taking the keyboard. A client that cannot do that is not sent it, since what the user is
// typing would land in it. at, if any, is where it is read.
func (ed *editor) showAside(ctx context.Context, u uri.URI, at *protocol.Range) error {
	params := &protocol.ShowDocumentParams{URI: u, Selection: at}
	switch ed.client.Aside {
	case neverAside:
		return fmt.Errorf("this editor opens no document beside the text: open %s", readable(u))
	case asideFalse:
		params.TakeFocus = new(false)
	case asideUnset:
	}
	return ed.openDocument(ctx, params)
}

// unopened is that the editor cannot be asked to open a document. Nothing has failed: the document is there, and the user
// opens it.
type unopened struct{ how string }

// Error implements error.
func (u unopened) Error() string { return u.how }

// opening says how the user opens a document.
func (c *client) opening(u uri.URI) string {
	file, ok := fileOf(u)
	if !ok || c.Opens == "" {
		return "Open the document: " + readable(u)
	}
	return "Open the document: `" + c.Opens + " " + commandEscapes.ReplaceAllString(file, `\\$0`) + "`"
}

// commandEscapes are the characters that Vim's :edit takes for something else in a file's name; Helix knows the space.
var commandEscapes = regexp.MustCompile("[\\s*?\\[{`$\\\\%#'\"|!<]")

func (ed *editor) openDocument(ctx context.Context, params *protocol.ShowDocumentParams) error {
	if !ed.client.ShowDocument {
		return unopened{ed.client.opening(params.URI)}
	}
	result, err := wire.Request[protocol.ShowDocumentResult](ctx, ed.Conn, showTime, protocol.MethodWindowShowDocument, params)
	if err == nil && !result.Success {
		err = errors.New("the editor refused")
	}
	if err != nil {
		return fmt.Errorf("the editor did not open %s; open it yourself: %w", readable(params.URI), err)
	}
	if ed.client.KeepsModified && ed.outdated(params.URI) {
		ed.showMessage(protocol.MessageTypeInfo, "This document has changed since you opened it: `:reload` shows it as it is now.")
	}
	return nil
}

// readable returns a URI as a user would write it.
func readable(u uri.URI) string {
	if file, ok := fileOf(u); ok {
		return file
	}
	return string(u)
}

// errNoEdits says that a client declares that it takes no edits.
var errNoEdits = errors.New("this editor does not take edits from a server")

// maxLabel is how long the label of an edit is, in runes: Neovim prints it behind other words, and waits for a key where the line
// is too long for a screen of 80 columns.
const maxLabel = 34

// applyEdit hands the client an edit, in the form that it understands. That it
// answers true proves nothing: look at the documents afterwards (documents.await).
func (ed *editor) applyEdit(ctx context.Context, label string, edit protocol.WorkspaceEdit) (protocol.ApplyWorkspaceEditResult, error) {
	none := protocol.ApplyWorkspaceEditResult{}
	limit := plainEditTime
	switch {
	case ed.client.MayApply:
		limit = tryTime
	case !ed.client.ApplyEdit:
		return none, errNoEdits
	case ed.client.Confirms && len(edit.ChangeAnnotations) > 0:
		limit = applyTime
	}
	edit, err := ed.client.fit(edit)
	if err != nil {
		return none, err
	}
	params := &protocol.ApplyWorkspaceEditParams{Edit: edit}
	if label != "" {
		params.Label = new(cut(label, maxLabel))
	}
	if ed.client.EditMetadata && len(edit.ChangeAnnotations) > 0 {
		params.Metadata = &protocol.WorkspaceEditMetadata{IsRefactoring: new(true)}
	}
	return wire.Request[protocol.ApplyWorkspaceEditResult](ctx, ed.Conn, limit, protocol.MethodWorkspaceApplyEdit, params)
}

// publish sends the diagnostics of a document, with what the client understands
// of them. version is nil where they are of a file that is not open.
func (ed *editor) publish(u uri.URI, version *int32, list []protocol.Diagnostic) {
	params := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: make([]protocol.Diagnostic, 0, len(list))}
	if version != nil && ed.client.DiagnosticVersions {
		params.Version = protocol.NewOptional(*version)
	}
	for _, d := range list {
		params.Diagnostics = append(params.Diagnostics, ed.client.diagnostic(d))
	}
	ed.Notify(protocol.MethodTextDocumentPublishDiagnostics, params)
}

// diagnostic returns d without what the client does not know, and with what it
// quotes of the text made visible.
func (c *client) diagnostic(d protocol.Diagnostic) protocol.Diagnostic {
	if !c.DiagnosticLink {
		d.CodeDescription = protocol.CodeDescription{}
	}
	if !c.DiagnosticTags {
		d.Tags.Clear()
	}
	if !c.DiagnosticRelated {
		d.RelatedInformation = nil
	}
	if !c.DiagnosticData {
		d.Data = nil
	}
	if text, ok := d.Message.(protocol.String); ok {
		d.Message = protocol.String(agent.Visible(string(text)))
	}
	return d
}

// refreshDiagnostics asks the client to pull its diagnostics again, where it does.
func (ed *editor) refreshDiagnostics(ctx context.Context) {
	ed.refresh(ctx, ed.client.RefreshDiagnostics, protocol.MethodWorkspaceDiagnosticRefresh)
}

// refresh calls a method without params whose answer says nothing.
func (ed *editor) refresh(ctx context.Context, can bool, method string) {
	if !can {
		return
	}
	if _, err := wire.Request[jsonrpc2.RawMessage](ctx, ed.Conn, refreshTime, method, nil); err != nil {
		ed.Log.Debug("the client did not refresh", "error", err)
	}
}

// later runs f after the answer and shows its error; then it calls release. c is nil where no request is to be answered
// first.
func (ed *editor) later(c *call, release func(), f func(ctx context.Context) error) {
	after := func(f func(ctx context.Context) error) { ed.Go("a command", f) }
	if c != nil {
		after = c.AfterAnswer
	}
	after(func(ctx context.Context) error {
		defer release()
		err := f(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if at, ok := err.(unopened); ok { // not errors.As: what is joined to it has failed
			ed.showMessage(protocol.MessageTypeInfo, at.how)
			return nil
		}
		ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
		return nil
	})
}
