package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/cmd/caselsp/screen"

	"github.com/spf13/cobra"
)

var fillFiles = reads("fill", func(ctx context.Context, e *engine, s *seat, files []string) error {
	for _, name := range files {
		if err := e.fillSecrets(ctx, s, name); err != nil {
			return err
		}
	}
	return nil
})

func secretCommand(w *wiring) *cobra.Command {
	return group(&cobra.Command{
		Use:   "secret set|list|remove NAME, secret fill FILE",
		Short: "Keep secrets in the keyring, for commands that need them",
		Long: "Keeps secrets in the keyring of the operating system. An agent names a secret and never sees its\n" +
			"value: you are asked before a command is given one, and the value is redacted in everything that is\n" +
			"stored or sent. A model's key can be kept there too, under the name of its environment variable.",
		Example: "  caselsp secret set API_TOKEN            # asks for the value and does not show it\n" +
			"  pass show api | caselsp secret set API_TOKEN\n" +
			"  caselsp secret fill config.ini          # where the file has {{ API_TOKEN }}",
	},
		&cobra.Command{
			Use: "set NAME", Short: "Keep a secret; its value is typed, or read from standard input",
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
			Use: "fill FILE...", Short: "Replace {{ NAME }} in files of the workspace by secrets",
			Args: positional(cobra.MinimumNArgs(1)),
			RunE: func(cmd *cobra.Command, args []string) error {
				return fillFiles.run(cmd.Context(), w, args)
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
					err = fmt.Errorf("the keyring has no secret %s: `caselsp secret list` lists those it has", args[0])
				}
				return err
			},
		},
	)
}

func setSecret(ctx context.Context, name string) error {
	if err := action.CheckSecret(name); err != nil {
		return usage(err)
	}
	if _, _, err := secretOf(name); err != nil { // said before a value is typed that cannot be kept
		return err
	}
	var value string
	if isTerminal(os.Stdin) {
		in := ownInput()
		line, ok, err := readMasked(ctx, os.Stderr, in, in.behind(fmt.Sprintf("Value of %s (not shown) > ", name)))
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

// readMasked is read for secrets: a terminal does not show what is typed behind the
// prompt.
func readMasked(ctx context.Context, out io.Writer, in *lineReader, read func(context.Context) (string, bool, error)) (string, bool, error) {
	if in.tty {
		show := in.keys.hide()
		defer func() {
			show()
			fmt.Fprintln(out)
		}()
	}
	return read(ctx)
}

// behind is a read behind a prompt.
func (r *lineReader) behind(prompt string) func(context.Context) (string, bool, error) {
	return func(ctx context.Context) (string, bool, error) { return r.readBehind(ctx, screen.Prompt{Text: prompt}) }
}

// fillSecrets replaces placeholders in a file by secrets. On a terminal, it asks for
// those that the keyring does not have.
func (e *engine) fillSecrets(ctx context.Context, s *seat, name string) error {
	key, err := e.workspace.Key(name)
	if err != nil {
		return err
	}
	if err := action.CheckFillable(key); err != nil {
		return err
	}
	f, err := e.workspace.Read(key)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, secret := range action.PlaceholdersIn(f.Text) {
		if action.CheckSecret(secret) != nil {
			continue
		}
		value, found, err := secretOf(secret)
		if !found && s.in.tty {
			value, found, err = readMasked(ctx, s.err, s.in, s.in.behind(fmt.Sprintf("Value of %s for %s (not shown, and not kept elsewhere) > ", secret, clean(key))))
		}
		if err == nil && found {
			err = checkSecretValue(value)
		}
		if err != nil {
			return err
		}
		if found {
			values[secret] = value
		}
	}
	if len(values) == 0 {
		return fmt.Errorf("%s has no {{ NAME }} of a secret in the keyring: `caselsp secret list` lists them", key)
	}
	if e.workspace.Tracked([]string{key})[key] {
		fmt.Fprintf(s.err, "caselsp: git tracks %s: do not commit it with secrets in it\n", clean(key))
	}
	if err := e.agent.FillFile(ctx, key, values); err != nil {
		return fmt.Errorf("%s was not changed: %w", key, err)
	}
	for _, secret := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(s.err, "caselsp: %s contains %s now\n", clean(key), secret)
	}
	return nil
}
