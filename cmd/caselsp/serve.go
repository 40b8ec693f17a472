package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/settings"
	"caselsp/agent/validate/rules"
	"caselsp/agent/workspace"
	"caselsp/lsp"
	"caselsp/lsp/wire"
	"caselsp/sandbox"
	"caselsp/store"

	"github.com/spf13/cobra"
)

func serveCommand(w *wiring) *cobra.Command {
	var s socket
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the language server: what editors run",
		Long: "Speaks the Language Server Protocol on standard input and output, or on a socket.\n\n" +
			"Whoever is served can run commands as you, so a client at a socket has to prove that you started it. At a\n" +
			"Unix socket (the path of a file in a folder that only you may change), the system names the client's user.\n" +
			"At localhost:PORT, the client sends the token that is printed at the start, as \"token\" in the\n" +
			"initializationOptions of \"initialize\". Everyone else is refused, and the server goes on.",
		Example: `  caselsp serve
  caselsp serve --socket $XDG_RUNTIME_DIR/caselsp.sock
  caselsp serve --socket localhost:7777 --token-file ~/.cache/caselsp-token`,
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			o := w.serverOptions()
			go w.sweep(ctx)
			rwc := wire.Stdio(os.Stdin, os.Stdout)
			if s.address != "" {
				var err error
				o.Remote = true
				if rwc, err = s.wait(ctx, os.Stderr); err != nil {
					return err
				}
			}
			code, err := lsp.Serve(ctx, rwc, o)
			if err != nil || code != exitOK {
				return &exitError{code, err}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.address, "socket", "", "listen for one editor at this address instead: the path of a Unix socket, or localhost:port")
	flags.StringVar(&s.tokenFile, "token-file", "", "write the token for localhost:port to this file as well, readable by you alone; it is removed when the editor has connected")
	flags.BoolVar(&s.asJSON, "json", false, "with --socket: tell address, token and refused connections as one JSON object a line, on standard error")
	flags.Bool("stdio", true, "speak on standard input and output (the default; editors may pass it)")
	return cmd
}

// sweep removes what a caselsp process that was killed has left in the sandbox's
// engine, without waiting for a task. A missing engine is reported when it is needed.
func (w *wiring) sweep(ctx context.Context) {
	s, _ := settings.Merge(w.ownLayers()...)
	sandbox.SweepNative() // whichever engine is used now
	err := errors.ErrUnsupported
	if s.Sandbox.Engine == "docker" || s.Sandbox.Engine == "auto" {
		err = sandbox.SweepDocker(ctx)
	}
	if s.Sandbox.Engine == "native" || s.Sandbox.Engine == "auto" && err != nil {
		b := &box{settings: s.Sandbox}
		_, _ = b.natively(ctx)
		_ = b.Close()
	}
}

// serverOptions wires the engine into the server.
func (w *wiring) serverOptions() lsp.Options {
	file := &lateLog{}
	backend := func(_ context.Context, dirs []string, layers []settings.Layer, face lsp.Face) (*lsp.Engine, error) {
		if len(dirs) == 0 {
			return nil, errors.New("the editor has no folder open: open the project's folder, then try again")
		}
		e, err := w.openFor(face, dirs, layers)
		if err != nil {
			return nil, owned(err)
		}
		file.open(e.log)
		doctor := func(ctx context.Context) string {
			var b strings.Builder
			e.examine(ctx, &b)
			return b.String()
		}
		closeAll := func() error {
			file.open(slog.DiscardHandler)
			return e.Close()
		}
		return &lsp.Engine{Agent: e.agent, Settings: e.settings, Problems: e.problems, Sources: e.sources, Stale: e.stale, Doctor: doctor, Close: closeAll,
			ValidatorProblems: e.validatorProblems, TryValidator: e.tryValidator}, nil
	}
	trust, err := w.ownTrust()
	if err != nil {
		trust = nil // without a state directory no task starts, and the Backend says why
	}
	return lsp.Options{Version: versionText(), Log: file, Backend: backend, Validators: w.validators, Docs: ruleDocs(), Trust: trust, Index: w.index, Stands: &lsp.Stands{Read: w.standing, Stamp: w.stamp}, Beside: w.beside}
}

// standing returns what waits in an editor's folders. It owns the store only as long as it reads.
func (w *wiring) standing(dirs []string) ([]agent.Standing, error) {
	ws, err := workspace.Open(dirs...)
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	list, err := agent.StandingIn(ws, store.Options{StateDir: w.stateDir})
	return list, owned(err)
}

// stamp tells whether something has been written into the store of an editor's folders.
func (w *wiring) stamp(dirs []string) string {
	ws, err := workspace.Open(dirs...)
	if err != nil {
		return ""
	}
	defer ws.Close()
	return store.Stamp(store.Options{StateDir: w.stateDir, Workspace: ws.ID()})
}

// index keeps what the files in an editor's folders declare, for the tasks to come. It does not open the
// store, as validators.
func (w *wiring) index(ctx context.Context, dirs []string) (files int, err error) {
	ws, err := workspace.Open(dirs...)
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	facts := w.factsOf(ctx, ws.ID(), ws)
	if facts == nil {
		return 0, nil
	}
	defer facts.Close()
	return ws.Index(ctx, workspace.Kept{Fact: facts.Fact, Keep: facts.Keep, Done: facts.Done})
}

// validators returns the validators for the documents in an editor's folders. It does
// not open the store, so that an idle editor does not lock it.
func (w *wiring) validators(dirs []string, layers []settings.Layer) (*lsp.Validators, error) {
	e := &engine{}
	if len(dirs) > 0 {
		ws, err := workspace.Open(dirs...)
		if err != nil {
			return nil, err
		}
		e.workspace = ws
	}
	e.configure(w, layers)
	suite, err := rules.Default().Configure(e.settings.Validate.Rules)
	if err != nil {
		e.problems = append(e.problems, settings.Problem{Text: err.Error()})
	}
	return &lsp.Validators{Suite: suite, Workspace: e.workspace, Problems: e.problems}, nil
}

// ruleDocs returns where each rule is documented: a line of a file in the state
// directory, which every editor can open.
func ruleDocs() func(rule string) (file string, line int) {
	lines := sync.OnceValues(func() (string, map[string]int) {
		text := rules.Default().Docs()
		file, err := store.Manual("", "rules.md", []byte(text))
		if err != nil {
			return "", nil // the state directory's own messages tell
		}
		at, n := map[string]int{}, 0
		for line := range strings.Lines(text) {
			n++
			if id, ok := strings.CutPrefix(line, "### "); ok {
				at[strings.TrimSpace(id)] = n
			}
		}
		return file, at
	})
	return func(rule string) (string, int) {
		file, at := lines()
		return file, at[rule]
	}
}
