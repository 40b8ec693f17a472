// Command caselsp is an autonomous coding agent: a language server for any
// editor, and the same engine on the command line.
//
// This package only wires: it reads flags and settings, puts the parts
// together (wire.go), shows what happens on a terminal (terminal.go) and prints the
// reference (help.go). It has no logic of the agent and knows nothing of LSP beyond
// starting the server.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"caselsp/agent"
	"caselsp/agent/near"

	"github.com/spf13/cobra"
)

// version is set by the Makefile; a plain go build says what the module knows.
var version = ""

func main() {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	signals.begin(end)
	code := execute(ctx, os.Args[1:])
	keyboard.end()
	os.Exit(code)
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string) int {
	root := rootCommand()
	root.SetArgs(args)
	code, text := ending(ctx, root.ExecuteContext(ctx))
	if text != "" {
		fmt.Fprintln(os.Stderr, "caselsp:", clean(text))
	}
	return code
}

// ending returns the exit code of a command that has ended with an error, and what is said of it.
func ending(ctx context.Context, err error) (code int, text string) {
	if err == nil {
		return exitOK, ""
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) { // a signal is no mistake
		err = stopped(err)
	}
	var coded *exitError
	var unrecorded *agent.Unrecorded
	switch {
	case errors.As(err, &coded) && coded.err == nil:
		return coded.code, ""
	case coded != nil:
		return coded.code, coded.err.Error()
	case errors.As(err, &unrecorded):
		return exitPaused, err.Error()
	case strings.HasPrefix(err.Error(), "unknown command"), strings.HasPrefix(err.Error(), "if any flags in the group"): // cobra gives them no type
		return exitUsage, err.Error()
	}
	return exitError1, err.Error()
}

// stopped is an error of a command that a signal ended, in words.
func stopped(err error) error {
	const text = "stopped by a signal"
	if coded := (*exitError)(nil); errors.As(err, &coded) && coded.err != nil {
		return &exitError{coded.code, errors.New(text)}
	} else if coded != nil {
		return err
	}
	return errors.New(text)
}

// positional makes a mistake in a command's arguments end with the exit code for it.
func positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage(fmt.Errorf("%w: see `%s --help`", err, cmd.CommandPath()))
		}
		return nil
	}
}

// group is a command that does nothing but have others below it: it shows its help, and refuses what is none of them.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(below...)
	cmd.DisableFlagsInUseLine = true
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		advice := ": see `" + cmd.CommandPath() + " --help`"
		if meant := near.Closest(strings.ToLower(args[0]), names, len(args[0])/2); meant != "" {
			advice = "; did you mean `" + cmd.CommandPath() + " " + meant + "`?"
		}
		return usage(fmt.Errorf("`%s` has no command %q%s", cmd.CommandPath(), args[0], advice))
	}
	return cmd
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "caselsp",
		Short:         "An autonomous coding agent in the editor's own protocol, and on the command line",
		Long:          "caselsp plans a task, carries it out on a staged copy of your workspace, tests it in a\nsandbox, verifies it, and brings the result back as a change that you accept or reject.\n\n\"caselsp help\" lists the topics of the reference.\n\n" + exitCodesText(),
		Example:       "  caselsp run \"add a test for parse_date\"\n  caselsp review\n  caselsp help sandbox",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("caselsp {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	w := &wiring{}
	flags := root.PersistentFlags()
	flags.StringVarP(&w.dir, "dir", "d", ".", "the workspace's folder")
	flags.StringArrayVar(&w.set, "set", nil, "a setting, as name=value; may be repeated; a wrong one is an error")
	flags.StringVar(&w.stateDir, "state-dir", "", "where caselsp keeps its state (default: $XDG_STATE_HOME/caselsp)")
	flags.StringVar(&w.logLevel, "log-level", "", "what goes into the log: debug, info, warning, error or critical; as --set log.level=...")
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return w.checkFlags() }
	root.AddCommand(serveCommand(w), runCommand(w), resumeCommand(w), chatCommand(w), tellCommand(w), stopCommand(w), reviewCommand(w), statusCommand(w), historyCommand(w), logsCommand(w), bugreportCommand(w), metricsCommand(w), projectCommand(w), memoryCommand(w),
		replayCommand(w), exportCommand(w), patchCommand(w), validateCommand(w), fixcheckCommand(w), outlineCommand(w), shellCommand(w), approvalsCommand(w), trustCommand(w), secretCommand(w), doctorCommand(w), demoCommand())
	root.SetHelpCommand(helpCommand())
	return root
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
