// Package lsp is the only package that knows the Language Server Protocol: it
// turns messages into calls of the agent and what the agent yields into
// messages. It hides the connection (framing, order, cancellation, time-outs),
// the three position encodings, and what each client can and cannot do.
//
// It never edits a file behind the editor's back, never lets a client hang the
// agent (each call to the client has a time-out, each notification goes through
// a bounded queue), and never trusts a client's word where it can look.
package lsp

import (
	"bytes"
	"context"
	"io"
	"log/slog"

	"caselsp/agent"
	setting "caselsp/agent/settings"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
)

// Name is what the server calls itself, and the section of its settings in the
// client's configuration.
const Name = "caselsp"

// Options says how a client is served. The zero value works.
type Options struct {
	Version string       // told to the client; may be empty
	Log     slog.Handler // gets every record, beside the client, which gets those of level info and above; may be nil

	// Backend carries out tasks. A server without one checks documents only.
	Backend Backend

	// Trust says which folders are trusted; nil: all of them.
	Trust *agent.Trust

	// Validators returns how the documents in the client's folders are judged; nil:
	// each alone, by all rules as they are.
	Validators func(dirs []string, layers []setting.Layer) (*Validators, error)

	// Docs returns the file and the line, from 1, where a validator's rule is
	// documented; 0 for nowhere. It may be nil.
	Docs func(rule string) (file string, line int)

	// Remote says that the client may run on another machine, where its process
	// id means nothing: the end of the connection is then the only sign of its end.
	Remote bool
}

// Serve talks to one client until it says exit, its process ends, the
// connection ends, or ctx does. The exit code is the protocol's: 0 after
// shutdown, else 1. The error says what broke the connection; an ordinary end,
// ordered or not, is none. Serve closes rwc.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) (exitCode int, err error) {
	s := newServer(ctx, o)
	s.install()
	return s.conn.Serve(rwc)
}

// server is one connection and all that belongs to it.
type server struct {
	opts  Options
	conn  *wire.Conn
	hooks hooks

	client   client // written by initialize, before anything reads it
	docs     documents
	folders  folders
	settings configuration
	progress progresses

	features
}

// hooks are what is built on top of the connection. Each may be nil.
type hooks struct {
	// capabilities adds to what initialize answers.
	capabilities func(*protocol.ServerCapabilities)

	// greeted runs beside the read loop once the client may be spoken to.
	greeted func()

	// changed and closed run on the read loop, in the order of the wire: a
	// document was opened or changed, or closed. They must not wait.
	changed func(*document)
	closed  func(*document)

	// saved runs on the read loop: the document is on disk as it is here.
	saved func(*document)

	// roots runs beside the read loop after the client changed its folders.
	roots func(ctx context.Context, all []Root) error

	// configure runs beside the read loop, with every layer of settings the client
	// gave, weakest first, each time that one changed. Its error names the settings
	// that are wrong, one a line, and is shown to the user.
	configure func(ctx context.Context, layers []layer) error
}

// newServer returns a server that serves nothing yet but documents, folders,
// settings and progress.
func newServer(ctx context.Context, o Options) *server {
	s := &server{opts: o, conn: wire.New(ctx, wire.Options{Name: Name, Log: o.Log, Visible: agent.Visible, Remote: o.Remote})}
	s.conn.Hooks.Initialize, s.conn.Hooks.Initialized = s.initialize, s.greet
	s.docs.init()
	s.syncMethods()
	s.folderMethods()
	s.configurationMethods()
	s.progressMethods()
	return s
}

// call is one request: what it may know of the moment it was sent in.
type call struct {
	*wire.Call
	docs snapshot
}

// onRequest adds a request to the table. f runs beside the read loop and sees
// the documents through c, as they were when the request was sent.
func onRequest[P, R any](s *server, name string, f func(ctx context.Context, c *call, params *P) (R, error)) {
	wire.OnRequest(s.conn, name, s.docs.snapshot, func(ctx context.Context, c *wire.Call, docs snapshot, params *P) (R, error) {
		return f(ctx, &call{c, docs}, params)
	})
}

// initialize takes the client's facts. It runs on the read loop.
func (s *server) initialize(params *protocol.InitializeParams) func(context.Context) *protocol.InitializeResult {
	s.client = parseClient(params)
	s.folders.set(rootsOf(params))
	s.settings.options = bytes.Clone(params.InitializationOptions)
	return s.greeting
}

// greeting is the answer to initialize.
func (s *server) greeting(context.Context) *protocol.InitializeResult {
	result := &protocol.InitializeResult{ServerInfo: protocol.ServerInfo{Name: Name}}
	if s.opts.Version != "" {
		result.ServerInfo.Version = protocol.NewOptional(s.opts.Version)
	}
	incremental := protocol.TextDocumentSyncKindIncremental
	result.Capabilities.TextDocumentSync = &protocol.TextDocumentSyncOptions{
		OpenClose: new(true), Change: &incremental, Save: &protocol.SaveOptions{IncludeText: new(false)},
	}
	if s.client.NamesEncodings {
		result.Capabilities.PositionEncoding = s.client.Encoding
	}
	if s.client.Folders {
		result.Capabilities.Workspace = &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: new(true), ChangeNotifications: protocol.Boolean(true),
		}}
	}
	if s.hooks.capabilities != nil {
		s.hooks.capabilities(&result.Capabilities)
	}
	return result
}

// greet begins what may only begin after the client has read the answer to
// initialize: messages to it and the questions for its settings.
func (s *server) greet() {
	s.conn.Log.Info("connected", "client", s.client.String(), "encoding", string(s.client.Encoding), "roots", len(s.folders.all()))
	s.startConfiguration()
	if s.hooks.greeted != nil {
		s.conn.Go("looking around", func(context.Context) error { s.hooks.greeted(); return nil })
	}
	s.watchFiles()
}
