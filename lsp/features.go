package lsp

import (
	"context"
	"sync"

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

	// lenses are the sources of code lenses.
	lenses []func(doc *document) []protocol.CodeLens

	engines     engines
	untrusted   untrusted
	tasks       tasks
	questions   questions
	reviews     reviews
	diagnostics diagnostics
	judgement   judgement
	staged      stagedFiles
	renewing    sync.Mutex // held while the list of approvals is written anew
}

// actionSource offers code actions for a range of a document.
type actionSource func(ctx context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction

// install puts the features on top of the connection: methods into the table,
// functions behind the hooks.
func (s *server) install() {
	s.tasks.running, s.tasks.waiting = make(map[string]*task), make(map[string]agent.Question)
	s.questions.turn, s.questions.open = make(chan struct{}, 1), make(map[string]*openQuestion)
	s.reviews.byTask = make(map[string]*review)
	s.changed = append(s.changed, func(doc *document) { s.feed(doc.URI) }, s.reviewTyping)
	s.closed = append(s.closed, func(doc *document) { s.feed(doc.URI) })
	s.actions = append(s.actions, s.questionActions, s.paperActions, s.reviewActions, s.approvalActions, s.trustActions)
	s.lenses = append(s.lenses, s.paperLenses, s.reviewLenses, s.approvalLenses)
	s.installCommands()
	s.installJudgement()
	s.installDiagnostics()
	s.installApprovals()
	s.installCodeActions()
	s.installHooks()
}

// installHooks puts the lists behind the connection's hooks.
func (s *server) installHooks() {
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
		c.CodeLensProvider = &protocol.CodeLensOptions{}
		for _, f := range s.capabilities {
			f(c)
		}
	}
	s.hooks.configure = s.configureEngine
	s.hooks.greeted = s.lookAtTrust
	s.hooks.roots = func(context.Context, []Root) error {
		s.renewEngine()
		s.lookAtTrust()
		s.readFolders(true)
		return nil
	}
	s.conn.Hooks.Shutdown = s.stopTasks
	s.conn.Hooks.End = func() {
		s.endEngine()
		s.endJudgement()
	}
	onRequest(s, protocol.MethodTextDocumentCodeAction, func(ctx context.Context, c *call, p *protocol.CodeActionParams) (any, error) {
		return s.codeActions(ctx, c.docs, p), nil
	})
	onRequest(s, protocol.MethodTextDocumentCodeLens, func(_ context.Context, c *call, p *protocol.CodeLensParams) (any, error) {
		list := []protocol.CodeLens{}
		if doc := c.docs[p.TextDocument.URI]; doc != nil {
			for _, source := range s.lenses {
				list = append(list, source(doc)...)
			}
		}
		return list, nil
	})
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
