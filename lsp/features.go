package lsp

import (
	"context"

	"caselsp/agent"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The sources of diagnostics. Each marks a document on its own; what the client
// is sent is all of them together (see [server.mark]).
const (
	fromSyntax = "syntax" // of an open document's own text
	fromStaged = "staged" // of what a task has staged for a file
	fromReview = "review" // where the open hunks of a review would go
)

// features are what the server does beyond the connection. The hooks of the
// connection are single functions; these lists are what they call.
type features struct {
	// Each runs on the read loop, in the order of the wire; see [hooks].
	changed []func(*document)
	closed  []func(*document)

	// actions are the sources of code actions. Each runs beside the read loop, with
	// the documents as they were when the request was sent, and must be quick:
	// Neovim waits for a second at most.
	actions []actionSource

	// events hear what each task does, in order, on the task's goroutine.
	events []func(e agent.Event)

	// capabilities add to what initialize answers.
	capabilities []func(*protocol.ServerCapabilities)

	// configured hear that the settings or the folders changed.
	configured []func(ctx context.Context)

	engines     engines
	diagnostics diagnostics
	staged      stagedFiles
}

// actionSource offers code actions for a range of a document.
type actionSource func(ctx context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction

// install puts the features on top of the connection: methods into the table,
// functions behind the hooks.
func (s *server) install() {
	s.installDiagnostics()
	s.installCodeActions()
	s.hooks.changed = func(doc *document) {
		for _, f := range s.changed {
			f(doc)
		}
	}
	s.hooks.closed = func(doc *document) {
		for _, f := range s.closed {
			f(doc)
		}
	}
	s.hooks.capabilities = func(c *protocol.ServerCapabilities) {
		for _, f := range s.capabilities {
			f(c)
		}
	}
	onRequest(s.methods, protocol.MethodTextDocumentCodeAction, func(ctx context.Context, c *call, p *protocol.CodeActionParams) (any, error) {
		return s.codeActions(ctx, c.docs, p), nil
	})
}

// command returns a command of this server as clients carry it out: the id that
// was advertised, and its arguments.
func command(title, id string, args ...any) protocol.Command {
	c := protocol.Command{Title: title, Command: id}
	for _, a := range args {
		c.Arguments = append(c.Arguments, encoded(a))
	}
	return c
}

// agentOf returns the agent that works on the client's folders, nil as long as
// no command has needed one.
func (s *server) agentOf() *agent.Agent { return s.engines.agent() }

// workspacePath returns how the workspace names a document's file; false for
// what lies outside of the client's folders, or while there is no agent.
func (s *server) workspacePath(u uri.URI) (string, bool) {
	a := s.agentOf()
	file, ok := fileOf(u)
	if a == nil || !ok {
		return "", false
	}
	path, err := a.Workspace.Rel(file)
	return path, err == nil
}
