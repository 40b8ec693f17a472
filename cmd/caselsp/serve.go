package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"caselsp/agent"
	"caselsp/agent/settings"
	"caselsp/lsp"

	"github.com/spf13/cobra"
)

func serveCommand(w *wiring) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the language server: what editors run",
		Long:  "Speaks the Language Server Protocol on standard input and output, or on a socket.",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			o := w.serverOptions()
			rwc := lsp.Stdio(os.Stdin, os.Stdout)
			if socket != "" {
				l, err := lsp.Listen(ctx, socket)
				if err != nil {
					return err
				}
				fmt.Fprintln(os.Stderr, "caselsp: listening at", l.Address())
				o.Remote = true
				if rwc, err = l.Accept(ctx); err != nil {
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
	cmd.Flags().StringVar(&socket, "socket", "", "listen here for one editor instead: host:port, or the path of a Unix socket")
	cmd.Flags().Bool("stdio", true, "speak on standard input and output (the default; editors may pass it)")
	return cmd
}

// serverOptions wires the engine into the server.
func (w *wiring) serverOptions() lsp.Options {
	file := &lateLog{}
	backend := func(_ context.Context, dirs []string, layers []settings.Layer, user agent.User) (*lsp.Engine, error) {
		if len(dirs) == 0 {
			return nil, errors.New("the editor has no folder open: open the project's folder, then try again")
		}
		e, err := w.open(dirs, layers, user, nil, nil)
		if err != nil {
			return nil, err
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
		return &lsp.Engine{Agent: e.agent, Settings: e.settings, Problems: e.problems, Doctor: doctor, Close: closeAll}, nil
	}
	trust, err := w.ownTrust()
	if err != nil {
		trust = nil // without a state directory nothing is begun, and the Backend says why
	}
	return lsp.Options{Version: versionText(), Log: file, Backend: backend, Trust: trust}
}
