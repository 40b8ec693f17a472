package lsp

import (
	"context"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/workspace"
	"caselsp/lsp/wire"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Where the client shows documents that are no files (workspace/textDocumentContent, LSP 3.18), the documents that
// are only read have a scheme of their own there: nobody can type into them, they are never left modified, and the client
// asks for them anew when they are different. Everywhere else they are files. They lie in the state directory
// in both cases, so that a window which is opened again, and a terminal, still find them. What the user writes into and
// sends is always a file, and so are the documents of another process, whose store cannot be read here.

// scheme is that of documents that are no files.
const scheme = Name

// contents are the texts of documents that are no files.
type contents struct {
	ed      *editor
	engines *engines
}

// virtual reports whether a document is no file.
func virtual(u uri.URI) bool { return u.Scheme() == scheme }

// address returns the URI under which the client opens a document of this name, which lies at path.
func (l *contents) address(path string) uri.URI {
	name := filepath.Base(path)
	if !l.ed.client.TextDocumentContent || isPaper(name) {
		return uri.File(path)
	}
	return uri.URI(scheme + ":/" + url.PathEscape(name))
}

// stagedName begins the path of a text that a task has staged for a file which the user does not have.
const stagedName = "/staged/"

// stagedAddress returns the URI of a staged text: it has the hash, so that places in it are in that text, whatever is staged later.
func stagedAddress(hash, path string) uri.URI {
	return uri.URI((&url.URL{Scheme: scheme, OmitHost: true, Path: stagedName + hash + "/" + path}).String())
}

// stagedText is what a task has staged, by its hash.
func stagedText(a *agent.Agent, hash string) (string, error) {
	data, err := a.Store.Blob(hash)
	if err != nil {
		return "", err
	}
	text, _, err := workspace.Decode(data)
	return text, err
}

// text is what a document holds that is no file.
func (l *contents) text(a *agent.Agent, u uri.URI) (string, error) {
	if staged, ok := strings.CutPrefix(u.Path(), stagedName); ok {
		hash, _, _ := strings.Cut(staged, "/")
		return stagedText(a, hash)
	}
	text, err := a.Store.DocumentText(path.Base(u.Path()))
	return string(text), err
}

// isPaper reports whether a document of this name is written into and sent.
func isPaper(name string) bool {
	kind, _, dashed := strings.Cut(name, "-")
	return dashed && strings.HasSuffix(name, ".md") && slices.Contains([]string{forTask, forAnswer, forReason, forThread, forNote}, kind)
}

// capabilities says which scheme is served, where the client knows of that.
func (l *contents) capabilities(c *protocol.ServerCapabilities) {
	if !l.ed.client.TextDocumentContent {
		return
	}
	if c.Workspace == nil {
		c.Workspace = &protocol.WorkspaceOptions{}
	}
	c.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{scheme}}
}

// methods adds workspace/textDocumentContent.
func (l *contents) methods(docs *documents) {
	onRequest(docs, protocol.MethodWorkspaceTextDocumentContent, func(ctx context.Context, _ *call, p *protocol.TextDocumentContentParams) (any, error) {
		e, release, err := l.engines.use(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		text, err := l.text(e.Agent, p.URI)
		if err != nil {
			return nil, err
		}
		return &protocol.TextDocumentContentResult{Text: text}, nil
	})
}

// write writes a document into the state directory, and has the client read it anew where it shows it as one that is no file.
func (l *contents) write(ctx context.Context, e *Engine, name, text string) error {
	file, err := e.Agent.Store.Document(name, []byte(text))
	if err == nil {
		l.refresh(ctx, l.address(file))
	}
	return err
}

// refresh has the client read a document anew that is no file; one that it does not show it passes over.
func (l *contents) refresh(ctx context.Context, u uri.URI) {
	if !virtual(u) {
		return
	}
	params := &protocol.TextDocumentContentRefreshParams{URI: u}
	if _, err := wire.Request[jsonrpc2.RawMessage](ctx, l.ed.Conn, refreshTime, protocol.MethodWorkspaceTextDocumentContentRefresh, params); err != nil {
		l.ed.Log.Debug("the client did not refresh", "uri", string(u), "error", err)
	}
}

// renew brings a document up to a text: where it is open as a file, in the editor, else in the state directory. Never both: an
// editor that finds a changed file under a changed buffer asks the user which of the two is right. Of an editor that would keep
// the buffer as modified, it is the file (see client.KeepsModified). open is nil where it is not open.
func (l *contents) renew(ctx context.Context, docs *documents, e *Engine, open *document, name, text string) error {
	if open != nil && !virtual(open.URI) && l.ed.client.rewrites() {
		return docs.rewrite(ctx, open.URI, e.Agent.Store.Redact(text))
	}
	return l.write(ctx, e, name, text)
}
