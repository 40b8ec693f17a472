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
	"context"
	"io"
	"log/slog"

	"caselsp/agent"
	setting "caselsp/agent/settings"
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
	return s.ed.Serve(rwc)
}
