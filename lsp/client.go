package lsp

import (
	"encoding/json"
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
	MayApply        bool // it says that it takes no edits; it may apply them all the same, and answers nothing (ALE)
	DocumentChanges bool // edits with versions
	Annotations     bool // edits may carry change annotations
	Confirms        bool // and those that need confirmation are really asked for
	CreateFile      bool
	RenameFile      bool
	DeleteFile      bool
	EditMetadata    bool // 3.18

	AsksBeside   bool  // it shows a question beside the text and leaves the keyboard where it is
	ShowDocument bool  // it opens documents
	Aside        aside // how it opens one beside the text without giving it the keyboard
	Reloads      bool  // it shows an open document anew when its file changes, unasked
	// KeepsModified says that a document which was edited blocks the client's end until the user saves it, whatever its
	// configuration. Such a client's documents of ours are changed on disk alone; the user reads them anew.
	KeepsModified bool

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

	Hover         bool
	HoverMarkup   bool // the contents may be of a kind
	HoverMarkdown bool

	RefreshDiagnostics bool
	RefreshCodeLenses  bool

	Opens       string // its command that opens a file, where that is known
	ActionsOnly bool   // its user reaches commands by code actions alone (ALE)

	OneLine bool // it shows one line of a message, and cuts off the rest

	Events bool // a plugin of ours: it takes caselsp/changed
	Plugin bool // a plugin of ours, of whatever abilities
}

// beside are the clients that show a question with its buttons beside the text: keys go
// on into the text. All others put the question under the user's fingers (Emacs, Helix,
// Neovim and coc.nvim take the next key, or a newline, as its answer), or are not known
// well enough. They are told of a question by a message, and asked nothing.
//
// A plugin of ours for another editor can say that it does so in its capabilities,
// {"experimental": {"caselsp": {"questions": "beside"}}}. They are part of the client's
// program, while initializationOptions and settings can come from files of the project,
// which must not choose how the user is asked.
var beside = []string{"Visual Studio Code", "Visual Studio Code - Insiders", "Code - OSS", "code-server", "VSCodium"}

// aside is what window/showDocument must say for a document not to take the keyboard from
// the text that the user is typing.
type aside int

const (
	neverAside aside = iota // nothing helps, or it is not known: such a client is not sent one unasked
	asideFalse              // takeFocus is false
	asideUnset              // takeFocus is left out: eglot takes false for true
)

// asides are the clients whose ways are known. A plugin of ours for another client can say that takeFocus false leaves the
// keyboard where it is: {"experimental": {"caselsp": {"documents": "beside"}}}.
var asides = map[string]aside{"Neovim": asideFalse, "Eglot": asideUnset}

// keepModified are the clients that ask about every modified document; others are told by the documented
// configuration that those of caselsp need no saving.
var keepModified = []string{"helix"}

// opens are the commands that open a file, of the clients of which some version cannot be asked to open a document.
var opens = map[string]string{"helix": ":o", "vim-lsp": vimEdit}

// vimEdit is Vim's command for a file.
const vimEdit = ":e"

// rewrites reports whether an open document of ours is brought up to date by an edit.
func (c *client) rewrites() bool { return c.ApplyEdit && !c.KeepsModified }

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
	if w := p.Capabilities.Workspace; w != nil && c.Name == "" { // ALE names itself nowhere
		c.MayApply = w.ApplyEdit != nil && !*w.ApplyEdit
		c.ActionsOnly = c.MayApply
	}
	c.Aside, c.Opens = asides[c.Name], opens[c.Name]
	if c.ActionsOnly {
		c.Opens = vimEdit
	}
	c.plugin(p.Capabilities.Experimental)
	c.AsksBeside = c.AsksBeside || slices.Contains(beside, c.Name)
	c.OneLine = c.Name == "helix"
	c.KeepsModified = slices.Contains(keepModified, c.Name)
	if slices.Contains(beside, c.Name) {
		c.Aside, c.Reloads = asideFalse, true
	}
	// Others take the keyboard for the confirmation, with Yes as the default (Neovim), or say
	// that they know annotations and apply them unasked (kakoune-lsp, Sublime).
	c.Confirms = c.Annotations && slices.Contains(beside, c.Name)
	return c
}

// plugin reads what a plugin of ours says of itself in the client's program.
func (c *client) plugin(experimental protocol.LSPAny) {
	var claims struct {
		Caselsp *struct {
			Questions string `json:"questions"`
			Documents string `json:"documents"`
			Events    bool   `json:"events"`
		} `json:"caselsp"`
	}
	if json.Unmarshal(experimental, &claims) != nil || claims.Caselsp == nil {
		return
	}
	c.Plugin, c.AsksBeside, c.Events = true, claims.Caselsp.Questions == "beside", claims.Caselsp.Events
	if claims.Caselsp.Documents == "beside" {
		c.Aside = asideFalse
	}
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
	if h := t.Hover; h != nil {
		c.Hover, c.HoverMarkup = true, len(h.ContentFormat) > 0
		c.HoverMarkdown = slices.Contains(h.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if d := t.PublishDiagnostics; d != nil {
		c.DiagnosticVersions = yes(d.VersionSupport)
		c.DiagnosticRelated = yes(d.RelatedInformation)
		c.DiagnosticTags = len(d.TagSupport.ValueSet) > 0
		c.DiagnosticLink = yes(d.CodeDescriptionSupport)
		c.DiagnosticData = yes(d.DataSupport)
	}
}

// hover returns a hover's text in the form that the client takes.
func (c *client) hover(text string) protocol.HoverContents {
	switch {
	case c.HoverMarkdown:
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	case c.HoverMarkup:
		return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: text}
	}
	return protocol.String(text)
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
