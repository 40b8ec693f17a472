package lsp

import (
	"slices"

	"go.lsp.dev/protocol"
)

// client is what is known of the editor at the other end: what it says it can do, and
// what is known about editors of its name.
type client struct {
	Name, Version string

	Encoding       encoding
	NamesEncodings bool // it knows that there is a choice (3.17)

	ApplyEdit       bool
	DocumentChanges bool // edits with versions
	Annotations     bool // edits may carry change annotations
	Confirms        bool // and those that need confirmation are really asked for
	AsksBlindly     bool // without showing what would change
	CreateFile      bool
	RenameFile      bool
	DeleteFile      bool
	EditMetadata    bool // 3.18

	ShowDocument        bool
	Progress            bool
	Configuration       bool // it answers workspace/configuration
	RegisterSettings    bool // it wants didChangeConfiguration registered
	WatchFiles          bool // it tells of changes on disk where that is registered
	Folders             bool // it tells when its folders change
	TextDocumentContent bool // it opens virtual documents (3.18)

	CodeActionLiterals bool // else only commands
	CodeActionResolve  bool // the edit may come later
	CodeActionData     bool
	CodeActionDisabled bool

	DiagnosticVersions bool
	DiagnosticRelated  bool
	DiagnosticTags     bool
	DiagnosticLink     bool // codeDescription
	DiagnosticData     bool
	PullDiagnostics    bool

	RefreshDiagnostics bool
	RefreshCodeLenses  bool
}

// confirming are the clients that ask the user about annotated changes that
// need confirmation. Others say that they know annotations and apply them
// unasked (kakoune-lsp, Sublime), so a client that is not here is not trusted.
var confirming = []string{"Visual Studio Code", "Visual Studio Code - Insiders", "Code - OSS", "code-server", "VSCodium", "coc.nvim", "Neovim"}

// yes reports whether an optional capability is set.
func yes(b *bool) bool { return b != nil && *b }

// parseClient reads the parameters of initialize. Every part of them may be
// missing.
func parseClient(p *protocol.InitializeParams) client {
	version, _ := p.ClientInfo.Version.Get()
	// What is kept is detached: the params alias the whole message.
	c := client{Name: cloned(p.ClientInfo.Name), Version: cloned(version), Encoding: protocol.PositionEncodingKindUTF16}
	if g := p.Capabilities.General; g != nil && len(g.PositionEncodings) > 0 {
		c.NamesEncodings = true
		c.Encoding = chooseEncoding(g.PositionEncodings)
	}
	if w := p.Capabilities.Window; w != nil {
		c.Progress = yes(w.WorkDoneProgress)
		c.ShowDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if w := p.Capabilities.Workspace; w != nil {
		c.workspace(w)
	}
	if t := p.Capabilities.TextDocument; t != nil {
		c.textDocument(t)
	}
	return c
}

// workspace reads the workspace's capabilities.
func (c *client) workspace(w *protocol.WorkspaceClientCapabilities) {
	c.ApplyEdit = yes(w.ApplyEdit)
	c.Configuration = yes(w.Configuration)
	c.Folders = yes(w.WorkspaceFolders)
	c.RegisterSettings = w.DidChangeConfiguration != nil && yes(w.DidChangeConfiguration.DynamicRegistration)
	c.WatchFiles = w.DidChangeWatchedFiles != nil && yes(w.DidChangeWatchedFiles.DynamicRegistration)
	c.TextDocumentContent = w.TextDocumentContent != nil
	c.RefreshDiagnostics = w.Diagnostics != nil && yes(w.Diagnostics.RefreshSupport)
	c.RefreshCodeLenses = w.CodeLens != nil && yes(w.CodeLens.RefreshSupport)
	e := w.WorkspaceEdit
	if e == nil {
		return
	}
	c.CreateFile = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindCreate)
	c.RenameFile = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindRename)
	c.DeleteFile = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindDelete)
	// Neovim does not say that it takes documentChanges, but file operations can
	// come in no other form.
	c.DocumentChanges = yes(e.DocumentChanges) || len(e.ResourceOperations) > 0
	c.Annotations = e.ChangeAnnotationSupport != nil
	c.Confirms = c.Annotations && slices.Contains(confirming, c.Name)
	c.AsksBlindly = c.Confirms && c.Name == "Neovim"
	c.EditMetadata = yes(e.MetadataSupport)
}

// textDocument reads the capabilities for code actions and diagnostics.
func (c *client) textDocument(t *protocol.TextDocumentClientCapabilities) {
	if a := t.CodeAction; a != nil {
		c.CodeActionLiterals = a.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
		c.CodeActionResolve = slices.Contains(a.ResolveSupport.Properties, "edit")
		c.CodeActionData = yes(a.DataSupport)
		c.CodeActionDisabled = yes(a.DisabledSupport)
	}
	c.PullDiagnostics = t.Diagnostic != nil
	if d := t.PublishDiagnostics; d != nil {
		c.DiagnosticVersions = yes(d.VersionSupport)
		c.DiagnosticRelated = yes(d.RelatedInformation)
		c.DiagnosticTags = len(d.TagSupport.ValueSet) > 0
		c.DiagnosticLink = yes(d.CodeDescriptionSupport)
		c.DiagnosticData = yes(d.DataSupport)
	}
}

// String names the client for the log.
func (c client) String() string {
	switch {
	case c.Name == "":
		return "a client without a name"
	case c.Version == "":
		return c.Name
	}
	return c.Name + " " + c.Version
}
