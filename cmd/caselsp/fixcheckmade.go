package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/fixcheck"
	"caselsp/store"

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
			g, err := generatedValidator(m, args[0])
			if err != nil {
				return err
			}
			state := "it is only shown until you approve it: caselsp fixcheck approve " + g.Name
			if g.Approved {
				state = "it counts: you have approved it"
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
			if _, err = generatedValidator(m, args[0]); err == nil {
				err = agent.ApproveValidator(m, args[0])
			}
			if err == nil {
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
			there, err := m.DropValidator(args[0])
			if err == nil && !there {
				err = agent.ErrNoValidator
			}
			if err == nil {
				fmt.Printf("removed: %s\n", args[0])
			}
			return err
		},
	}
}

// generatedValidator is the validator of a name that a model has written.
func generatedValidator(m *store.Memory, name string) (agent.Generated, error) {
	list, err := agent.GeneratedValidators(m)
	if err != nil {
		return agent.Generated{}, err
	}
	i := slices.IndexFunc(list, func(g agent.Generated) bool { return g.Name == name })
	if i < 0 {
		return agent.Generated{}, agent.ErrNoValidator
	}
	if why := list[i].Unreadable; why != "" {
		return agent.Generated{}, fmt.Errorf("the validator %s cannot be read: %s. Remove it: caselsp fixcheck remove %s", name, why, name)
	}
	return list[i], nil
}

// recorded adds the validators that models have written, and what the record of all says.
func (w *wiring) recorded(ctx context.Context, list []listedValidator) ([]listedValidator, error) {
	m, err := w.memory()
	if err != nil {
		return list, err
	}
	defer m.Close()
	made, err := agent.GeneratedValidators(m)
	for _, g := range made {
		v, wrong := g.Validator()
		if wrong != nil {
			fmt.Fprintf(os.Stderr, "caselsp: the validator %s that a model has written cannot be used: %s\n", clean(g.Name), clean(wrong.Error()))
			continue
		}
		list = append(list, listedValidator{Manifest: v.Manifest, Origin: v.Origin, ID: v.ID})
	}
	kept, failed := m.All(ctx, store.KindValidator)
	for _, k := range kept {
		for i := range list {
			if list[i].ID == k.ID && list[i].Origin != fixcheck.Builtin {
				s := store.StandingOf(k.Pattern)
				list[i].Right, list[i].Wrong, list[i].Retired = s.Right, s.Wrong, s.Retired()
			}
		}
	}
	return list, errors.Join(err, failed)
}
