package main

import (
	"fmt"
	"os"

	"caselsp/lsp"

	"github.com/spf13/cobra"
)

func serveCommand(w *wiring) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the language server: what editors run",
		Long:  "Speaks the Language Server Protocol on standard input and output, or on a socket.",
		Args:  cobra.NoArgs,
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
	return lsp.Options{Version: versionText()}
}
