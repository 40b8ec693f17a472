package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"caselsp/agent/action"

	"github.com/moby/term"
	"github.com/spf13/cobra"
)

func secretCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secret set|list|remove NAME",
		Short: "Keep secrets in the keyring, for commands that need them",
		Long: "Keeps secrets in the keyring of the operating system. An agent names a secret and never sees it:\n" +
			"you are asked before a command is given one, and its value is taken out of all that is kept or sent.\n" +
			"A model's key can lie there too, under the name of its environment variable.",
		Example: "  caselsp secret set API_TOKEN            # asks for the value and does not show it\n" +
			"  pass show api | caselsp secret set API_TOKEN",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "set NAME", Short: "Keep a secret; its value is typed, or comes on standard input",
			Args: positional(cobra.ExactArgs(1)),
			RunE: func(cmd *cobra.Command, args []string) error { return setSecret(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "list", Short: "List the names of the secrets that are kept",
			Args: positional(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error {
				names, err := secretNames()
				for _, n := range names {
					fmt.Println(n)
				}
				return err
			},
		},
		&cobra.Command{
			Use: "remove NAME", Short: "Remove a secret",
			Args: positional(cobra.ExactArgs(1)),
			RunE: func(_ *cobra.Command, args []string) error {
				if err := action.CheckSecret(args[0]); err != nil {
					return usage(err)
				}
				found, err := forgetSecret(args[0])
				if err == nil && !found {
					err = fmt.Errorf("the keyring has no secret %s: caselsp secret list shows what it has", args[0])
				}
				return err
			},
		},
	)
	return cmd
}

func setSecret(ctx context.Context, name string) error {
	if err := action.CheckSecret(name); err != nil {
		return usage(err)
	}
	var value string
	if isTerminal(os.Stdin) {
		line, ok, err := newLineReader(os.Stdin).readMasked(ctx, os.Stderr, fmt.Sprintf("Value of %s (it is not shown) > ", name))
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("no value was given; nothing was kept")
		}
		value = line
	} else {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, maxSecretValue+2))
		if err != nil {
			return fmt.Errorf("standard input cannot be read: %w", err)
		}
		value = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	}
	if err := keepSecret(name, value); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "caselsp: %s is in the keyring\n", name)
	return nil
}

// readMasked is read for what must not be seen: where a person types, the
// terminal does not show it from the prompt on.
func (r *lineReader) readMasked(ctx context.Context, out io.Writer, prompt string) (string, bool, error) {
	if isTerminal(os.Stdin) {
		fd := os.Stdin.Fd()
		if state, err := term.SaveState(fd); err == nil && term.DisableEcho(fd, state) == nil {
			defer func() {
				_ = term.RestoreTerminal(fd, state)
				fmt.Fprintln(out)
			}()
		}
	}
	fmt.Fprint(out, prompt)
	return r.read(ctx)
}
