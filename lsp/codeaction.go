package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// installCodeActions adds the actions that start a task.
func (s *server) installCodeActions() {}

// codeActions asks all sources and returns what the client understands: code
// action literals, or plain commands.
func (s *server) codeActions(ctx context.Context, docs snapshot, p *protocol.CodeActionParams) any {
	list := []protocol.CodeAction{}
	for _, source := range s.actions {
		list = append(list, source(ctx, docs, p)...)
	}
	return list
}
