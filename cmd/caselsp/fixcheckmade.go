package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent"

	"github.com/spf13/cobra"
)

// fixcheckShow shows a validator that a model has written, and how it did.
func fixcheckShow(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a validator that a model has written, and how it did on known claims",
		Long: `Shows the program of a validator that a model has written, the errors whose fixes it judges, and how it did on claims of
which is known what the tests said. Read it before you approve it. Those that models have written are "generated" in
"caselsp fixcheck list"; shipped ones and yours are files, and are not shown.`,
		Example: "  caselsp fixcheck show missing-key",
		Args:    positional(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := w.memory()
			if err != nil {
				return err
			}
			defer m.Close()
			g, err := agent.GeneratedValidator(m, args[0])
			if err != nil {
				return err
			}
			state := g.Standing()
			if !g.Approved {
				state += ": caselsp fixcheck approve " + g.Name
			}
			fmt.Printf("%s judges fixes of %s (%s): %s\n", clean(g.Name), clean(g.ErrorType), clean(g.Language), agent.Quote(g.Description))
			fmt.Printf("In its trial %s.\nA model has written it; %s.\n\n", clean(g.Trial.Told()), state)
			for line := range strings.Lines(g.Code) {
				fmt.Println(clean(strings.TrimRight(line, "\r\n")))
			}
			return nil
		},
	}
}

// fixcheckApprove lets a validator count that a model has written.
func fixcheckApprove(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "approve NAME",
		Short: "Let a validator count that a model has written",
		Long: `Lets a validator that a model has written send claimed fixes back. Without that its verdicts are only shown. It holds for
the tasks of all workspaces; "caselsp fixcheck remove" takes it back.`,
		Example: "  caselsp fixcheck show missing-key\n  caselsp fixcheck approve missing-key",
		Args:    positional(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := w.memory()
			if err != nil {
				return err
			}
			defer m.Close()
			if err = agent.ApproveValidator(m, args[0]); err == nil {
				fmt.Printf("%s counts from now on, in all workspaces. To take that back: caselsp fixcheck remove %s\n", args[0], args[0])
			}
			return err
		},
	}
}

// fixcheckRemove removes a validator that a model has written.
func fixcheckRemove(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a validator that a model has written",
		Long: `Removes a validator that a model has written, approved or not. Where the same errors come again, a model may write another
one; the setting fixcheck.write switches that off. Validators in folders are removed with their files.`,
		Example: "  caselsp fixcheck remove missing-key",
		Args:    positional(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := w.memory()
			if err != nil {
				return err
			}
			defer m.Close()
			if err = agent.RemoveValidator(m, args[0]); err == nil {
				fmt.Printf("removed: %s\n", args[0])
			}
			return err
		},
	}
}

// listed are all that may judge claims, with their records. What cannot be used is added to the problems, and left out.
func (w *wiring) listed(ctx context.Context, found *foundValidators) ([]agent.ListedValidator, error) {
	m, err := w.memory()
	if err != nil {
		return nil, err
	}
	defer m.Close()
	list, err := agent.ListValidators(ctx, found.list, m)
	if err != nil {
		found.problems = append(found.problems, err)
	}
	return slices.DeleteFunc(list, func(v agent.ListedValidator) bool {
		if v.Trouble != "" {
			found.problems = append(found.problems, fmt.Errorf("the validator %s that a model has written cannot be used: %s. Remove it: caselsp fixcheck remove %s", v.Name, v.Trouble, v.Name))
		}
		return v.Trouble != ""
	}), nil
}
