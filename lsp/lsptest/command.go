package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"
)

// Command runs a command of the server and returns its answer.
func (e *Editor) Command(ctx context.Context, id string, args ...any) (json.RawMessage, error) {
	params := &protocol.ExecuteCommandParams{Command: id}
	for _, a := range args {
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		params.Arguments = append(params.Arguments, raw)
	}
	var result json.RawMessage
	err := e.Request(ctx, protocol.MethodWorkspaceExecuteCommand, params, &result)
	return result, err
}

// CodeActions asks for the code actions on the bytes from start to end, with
// the diagnostics that the editor shows there, whose they may be.
func (e *Editor) CodeActions(ctx context.Context, path string, start, end int, diagnostics ...protocol.Diagnostic) ([]protocol.CodeAction, error) {
	text, u := e.Text(path), e.uriOf(path)
	if diagnostics == nil {
		diagnostics = []protocol.Diagnostic{}
	}
	params := &protocol.CodeActionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: u},
		Range:        protocol.Range{Start: Position(text, start, e.Encoding()), End: Position(text, end, e.Encoding())},
		Context:      protocol.CodeActionContext{Diagnostics: diagnostics},
	}
	var raw []json.RawMessage
	if err := e.Request(ctx, protocol.MethodTextDocumentCodeAction, params, &raw); err != nil {
		return nil, err
	}
	var list []protocol.CodeAction
	for _, one := range raw {
		var command struct{ Command json.RawMessage }
		var action protocol.CodeAction
		var err error
		// A plain command has a string where a code action has an object.
		if json.Unmarshal(one, &command) == nil && len(command.Command) > 0 && command.Command[0] == '"' {
			err = protocol.Unmarshal(one, &action.Command)
			action.Title = action.Command.Title
		} else {
			err = protocol.Unmarshal(one, &action)
		}
		if err != nil {
			return nil, fmt.Errorf("a code action that cannot be read: %w: %s", err, one)
		}
		list = append(list, action)
	}
	return list, nil
}

// Do carries a code action out: its edit, which is resolved first where it is
// not there yet, then its command.
func (e *Editor) Do(ctx context.Context, action protocol.CodeAction) (json.RawMessage, error) {
	if action.Disabled.Reason != "" {
		return nil, fmt.Errorf("the code action %q is disabled: %s", action.Title, action.Disabled.Reason)
	}
	if action.Edit == nil && action.Command.Command == "" {
		if err := e.Request(ctx, protocol.MethodCodeActionResolve, &action, &action); err != nil {
			return nil, err
		}
	}
	if action.Edit != nil {
		answer, failed := e.carryOut(*action.Edit)
		if failed != "" {
			return nil, errors.New(failed)
		} else if !answer.Applied {
			return nil, fmt.Errorf("the edit of %q was not applied: %s", action.Title, *answer.FailureReason)
		}
	}
	if action.Command.Command == "" {
		return nil, nil
	}
	return e.DoCommand(ctx, action.Command)
}

// DoCommand runs the command of a code lens or a code action.
func (e *Editor) DoCommand(ctx context.Context, c protocol.Command) (json.RawMessage, error) {
	var args []any
	for _, a := range c.Arguments {
		args = append(args, json.RawMessage(a))
	}
	return e.Command(ctx, c.Command, args...)
}

// CodeLenses asks for the code lenses of a document.
func (e *Editor) CodeLenses(ctx context.Context, path string) ([]protocol.CodeLens, error) {
	params := &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uriOf(path)}}
	var list []protocol.CodeLens
	err := e.Request(ctx, protocol.MethodTextDocumentCodeLens, params, &list)
	return list, err
}
