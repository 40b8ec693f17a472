// Package lsptest is an editor that tests and the demo drive: it speaks the
// Language Server Protocol over any connection, keeps buffers and versions of
// its own, applies the edits that a server asks for, answers its questions, and
// records all that it is told. On demand it is as hostile as real clients are
// (see [Hostile]).
//
// It knows nothing of the server at the other end: its positions, its framing
// and its edits are written a second time here, so that a mistake on one side
// does not hide one on the other. It never waits for a time: see [Editor.Expect].
package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// DefaultCeiling is how long an expectation waits without a word of the server before it is given up: far
// longer than anything takes on a slow machine, so that it only ends tests that
// would hang.
const DefaultCeiling = 60 * time.Second

// Options say what editor it is. Root must be given; the rest may be zero.
type Options struct {
	Root    string   // the folder that is open, absolute
	Folders []string // all folders, where there are several

	// Initialize are the params of initialize, such as a recording of a real
	// client's; process and folders are put in their place. Nil means [Modern].
	Initialize json.RawMessage

	InitializationOptions json.RawMessage
	Settings              map[string]json.RawMessage // what workspace/configuration answers, by section

	// Answer chooses an answer to a question: a choice's title, or "" to dismiss
	// it. Nil dismisses all. It may use the editor.
	Answer func(Question) string

	// Reading is how long the user looks at a question before the answer; 0: it comes at once,
	// as from a key that was on its way, and a server does well not to believe it.
	Reading time.Duration

	// Confirm is asked for each change whose annotation needs confirmation; path
	// is the file's. Nil confirms all.
	Confirm func(note protocol.ChangeAnnotation, path string) bool
	// Meanwhile is what the user does between the server's request for an edit and its making; nil: nothing.
	Meanwhile func()

	Hostile Hostile
	Ceiling time.Duration // of Expect; 0 means DefaultCeiling
}

// Modern are the params of an editor that can do everything the server uses.
var Modern = json.RawMessage(`{
	"clientInfo": {"name": "Visual Studio Code", "version": "lsptest"},
	"trace": "off",
	"capabilities": {
		"general": {"positionEncodings": ["utf-16", "utf-8", "utf-32"]},
		"window": {"workDoneProgress": true, "showDocument": {"support": true}, "showMessage": {"messageActionItem": {"additionalPropertiesSupport": true}}},
		"workspace": {
			"applyEdit": true, "configuration": true, "workspaceFolders": true,
			"didChangeConfiguration": {"dynamicRegistration": true},
			"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"], "failureHandling": "abort", "changeAnnotationSupport": {"groupsOnLabel": true}},
			"codeLens": {"refreshSupport": true}, "diagnostics": {"refreshSupport": true}
		},
		"textDocument": {
			"synchronization": {"didSave": true},
			"publishDiagnostics": {"relatedInformation": true, "versionSupport": true, "tagSupport": {"valueSet": [1, 2]}, "codeDescriptionSupport": true, "dataSupport": true},
			"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source"]}}, "resolveSupport": {"properties": ["edit"]}, "dataSupport": true, "disabledSupport": true},
			"codeLens": {}, "hover": {"contentFormat": ["markdown", "plaintext"]}
		}
	}
}`)

// Editor is one editor with one server. Its methods may be used from several
// goroutines.
type Editor struct {
	opts Options
	wire *wire

	// editing is held while a buffer is changed and the server told: what it hears
	// has the order of what happened. mu is never held across a write, or a server
	// that writes before it reads would stop both.
	editing sync.Mutex
	held    []func() error // changes that the server is not notified of yet

	mu       sync.Mutex
	changed  *sync.Cond // the state has changed
	state    State
	encoding protocol.PositionEncodingKind
}

// Connect returns an editor at the other end of rwc. It does not say anything
// before [Editor.Initialize].
func Connect(rwc io.ReadWriteCloser, o Options) *Editor {
	if o.Initialize == nil {
		o.Initialize = Modern
	}
	if len(o.Folders) == 0 && o.Root != "" {
		o.Folders = []string{o.Root}
	}
	if o.Ceiling == 0 {
		o.Ceiling = DefaultCeiling
	}
	e := &Editor{opts: o, wire: newWire(rwc), encoding: protocol.PositionEncodingKindUTF16}
	e.changed = sync.NewCond(&e.mu)
	e.state.Buffers = make(map[string]Buffer)
	e.state.Diagnostics = make(map[string]Published)
	go e.read()
	return e
}

// Join makes one connection of two halves, such as the pipes of a process that
// the caller has started.
func Join(r io.ReadCloser, w io.WriteCloser) io.ReadWriteCloser { return joined{r, w} }

type joined struct {
	io.ReadCloser
	w io.WriteCloser
}

// Write implements io.Writer.
func (j joined) Write(p []byte) (int, error) { return j.w.Write(p) }

// Close closes both halves.
func (j joined) Close() error { return errors.Join(j.w.Close(), j.ReadCloser.Close()) }

// Initialize shakes hands: initialize, its answer, initialized.
func (e *Editor) Initialize(ctx context.Context) (*protocol.InitializeResult, error) {
	params, err := e.initializeParams()
	if err != nil {
		return nil, err
	}
	var result protocol.InitializeResult
	if err := e.Request(ctx, protocol.MethodInitialize, params, &result); err != nil {
		return nil, err
	}
	if chosen := result.Capabilities.PositionEncoding; chosen != "" {
		e.mu.Lock()
		e.encoding = chosen
		e.mu.Unlock()
	}
	return &result, e.Notify(protocol.MethodInitialized, struct{}{})
}

// initializeParams puts this process and these folders into the given params.
func (e *Editor) initializeParams() (map[string]json.RawMessage, error) {
	var params map[string]json.RawMessage
	if err := json.Unmarshal(e.opts.Initialize, &params); err != nil {
		return nil, fmt.Errorf("lsptest: the params of initialize: %w", err)
	}
	put := func(name string, v any) {
		params[name], _ = json.Marshal(v) // strings, numbers and lists of them
	}
	put("processId", os.Getpid())
	if e.opts.Root != "" {
		put("rootUri", string(uri.File(e.opts.Root)))
		put("rootPath", e.opts.Root)
	}
	// A client that has no folders in its params does not know them.
	if _, ok := params["workspaceFolders"]; ok || string(e.opts.Initialize) == string(Modern) {
		folders := []map[string]string{}
		for _, dir := range e.opts.Folders {
			folders = append(folders, map[string]string{"uri": string(uri.File(dir)), "name": filepath.Base(dir)})
		}
		put("workspaceFolders", folders)
	}
	if e.opts.InitializationOptions != nil {
		params["initializationOptions"] = e.opts.InitializationOptions
	}
	return params, nil
}

// Encoding returns the unit of positions that was agreed on.
func (e *Editor) Encoding() protocol.PositionEncodingKind {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.encoding
}

// Shutdown ends the session in the protocol's order: shutdown, exit.
func (e *Editor) Shutdown(ctx context.Context) error {
	if err := e.Request(ctx, protocol.MethodShutdown, nil, nil); err != nil {
		return err
	}
	return e.Notify(protocol.MethodExit, nil)
}

// Hangup cuts the connection, as a crash of the editor does.
func (e *Editor) Hangup() error { return e.wire.rwc.Close() }

// Abs returns the absolute path of one that is relative to the root.
func (e *Editor) Abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.opts.Root, filepath.FromSlash(path))
}

// name returns how a file is named in the state: relative to the root with
// slashes where it is below it, else its URI's path.
func (e *Editor) name(u uri.URI) string {
	if !u.IsFile() {
		return string(u)
	}
	rel, err := filepath.Rel(e.opts.Root, u.FsPath())
	if err != nil || !filepath.IsLocal(rel) {
		return u.FsPath()
	}
	return filepath.ToSlash(rel)
}
