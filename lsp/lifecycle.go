package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// shutdownTime is how long the work on a shutdown may take; editors kill a
// server that takes longer (Neovim after 3 s at most).
const shutdownTime = 2 * time.Second

// phase is where in its life a connection is.
type phase int

const (
	fresh   phase = iota // before initialize
	alive                // after it
	stopped              // after shutdown
)

// lifecycle holds the phase and answers what it allows.
type lifecycle struct {
	exited chan struct{} // closed by exit

	mu      sync.Mutex
	phase   phase
	greeted sync.Once // initialized
	left    sync.Once // exit
}

func (l *lifecycle) init() { l.exited = make(chan struct{}) }

// at returns the phase.
func (l *lifecycle) at() phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase
}

// enter goes on to the next phase.
func (l *lifecycle) enter(p phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = p
}

// admits returns the error that a request gets in this phase, or nil.
func (l *lifecycle) admits(method string) error {
	switch p := l.at(); {
	case p == fresh && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "send initialize first")
	case p == alive && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was sent before: start another server for another client")
	case p == stopped:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down: only exit may follow")
	}
	return nil
}

// hears reports whether a notification counts in this phase.
func (l *lifecycle) hears(method string) bool {
	return method == protocol.MethodExit || l.at() == alive
}

// exitCode is the protocol's: 0 after shutdown.
func (l *lifecycle) exitCode() int {
	if l.at() == stopped {
		return 0
	}
	return 1
}

// lifecycleMethods adds the protocol's own methods to the table.
func (s *server) lifecycleMethods() {
	s.methods[protocol.MethodInitialize] = method{arrive: s.initialize}
	s.methods[protocol.MethodShutdown] = method{arrive: s.shutdown}
	onNotification(s.methods, protocol.MethodInitialized, func(*protocol.InitializedParams) error {
		s.greet()
		return nil
	})
	onNotification(s.methods, protocol.MethodExit, func(*json.RawMessage) error {
		s.life.left.Do(func() { close(s.life.exited) })
		return nil
	})
	onNotification(s.methods, protocol.MethodCancelRequest, s.cancelRequest)
	onNotification(s.methods, protocol.MethodSetTrace, func(p *protocol.SetTraceParams) error {
		s.trace.set(p.Value)
		return nil
	})
}

// initialize takes the client's facts on the read loop, so that whatever the
// client sends next meets them, even if it does not wait for the answer.
func (s *server) initialize(_ *call, req *jsonrpc2.Request) (rest, error) {
	if len(req.Params()) == 0 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "initialize has no params: capabilities at least are needed")
	}
	params, err := decode[protocol.InitializeParams](protocol.MethodInitialize, req.Params())
	if err != nil {
		return nil, err
	}
	s.client = parseClient(params)
	s.folders.set(rootsOf(params))
	s.settings.options = bytes.Clone(params.InitializationOptions)
	s.trace.set(params.Trace)
	s.life.enter(alive)
	if params.ProcessID != nil && !s.opts.Remote {
		s.watchParent(int(*params.ProcessID))
	}
	return func(ctx context.Context) (any, error) {
		if s.hooks.open != nil {
			if err := s.hooks.open(s.ctx); err != nil {
				s.showMessage(protocol.MessageTypeError, err.Error())
			}
		}
		return s.greeting(), nil
	}, nil
}

// greeting is the answer to initialize.
func (s *server) greeting() *protocol.InitializeResult {
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
	s.life.greeted.Do(func() {
		s.out.open()
		s.log.Info("connected", "client", s.client.String(), "encoding", string(s.client.Encoding), "roots", len(s.folders.all()))
		s.startConfiguration()
		if s.hooks.greeted != nil {
			s.spawn("looking around", func(context.Context) error { s.hooks.greeted(); return nil })
		}
		s.watchFiles()
	})
}

// shutdown closes the door on the read loop and ends the work beside it.
func (s *server) shutdown(*call, *jsonrpc2.Request) (rest, error) {
	s.life.enter(stopped)
	return func(ctx context.Context) (any, error) {
		if s.hooks.shutdown != nil {
			ctx, cancel := context.WithTimeout(ctx, shutdownTime)
			defer cancel()
			s.hooks.shutdown(ctx)
		}
		return nil, nil
	}, nil
}

// cancelRequest reads the id by itself: the protocol package holds ids in 32
// bits, and refuses what some clients count up to.
func (s *server) cancelRequest(raw *json.RawMessage) error {
	var params struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(*raw, &params); err != nil {
		return err
	}
	var number int64
	var text string
	if err := json.Unmarshal(params.ID, &number); err == nil {
		s.requests.cancel(jsonrpc2.NewNumberID(number))
		return nil
	}
	if err := json.Unmarshal(params.ID, &text); err != nil {
		return err
	}
	s.requests.cancel(jsonrpc2.NewStringID(text))
	return nil
}
