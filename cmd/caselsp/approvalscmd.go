package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/permit"

	"github.com/spf13/cobra"
)

// approvalsArgs say what of the approvals is listed.
type approvalsArgs struct{ All, JSON bool }

var listApprovals = reads("approvals", func(_ context.Context, e *engine, s *seat, a approvalsArgs) error {
	rules, err := e.agent.Rules(a.All)
	if err != nil {
		return err
	}
	if err := printRules(s.out, rules, a.JSON); err != nil || a.JSON {
		return err
	}
	values, err := e.agent.Values()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(s.out, "%s is remembered: %s\n", name, clean(values[name]))
	}
	return err
})

func approvalsCommand(w *wiring) *cobra.Command {
	var a approvalsArgs
	list := func(cmd *cobra.Command, _ []string) error { return listApprovals.run(cmd.Context(), w, a) }
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "List what is always allowed in a workspace, and revoke it",
		Long: `A command that you have approved repeatedly is offered to be always allowed: exactly
this command, in this workspace only. This lists and revokes such approvals. An
approval ends after approvals.days, and when something it rests on changes: the files
that say what it runs, or the hosts that commands can reach.

Values that you were asked for once and that are remembered for the project are
listed, too. A revoked value is asked for again. See "caselsp help approvals".`,
		Example: `  caselsp approvals
  caselsp approvals revoke r3
  caselsp approvals --json --all`,
		Args: positional(cobra.NoArgs),
		RunE: list,
	}
	cmd.PersistentFlags().BoolVar(&a.JSON, "json", false, "one JSON object an approval")
	cmd.PersistentFlags().BoolVar(&a.All, "all", false, "also list approvals that have ended, and why")
	cmd.AddCommand(&cobra.Command{Use: "list", Short: "List what is always allowed", Args: positional(cobra.NoArgs), RunE: list}, revokeCommand(w))
	return cmd
}

var revokeApprovals = reads("revoke", func(_ context.Context, e *engine, s *seat, name string) error {
	if forgotten, err := e.agent.ForgetValue(name); forgotten || err != nil {
		fmt.Fprintf(s.out, "forgotten: %s\n", clean(name))
		return err
	}
	ended, err := e.agent.Revoke(name, "terminal")
	if err != nil {
		return err
	}
	for _, r := range ended {
		fmt.Fprintf(s.out, "revoked: %s %s\n", r.ID, clean(r.Shape))
	}
	return nil
})

func revokeCommand(w *wiring) *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use:     "revoke [ID or KIND...]",
		Short:   "Ask again before a command that was always allowed",
		Example: "  caselsp approvals revoke r3\n  caselsp approvals revoke make docs\n  caselsp approvals revoke --everything",
		RunE: func(cmd *cobra.Command, args []string) error {
			if everything == (len(args) > 0) {
				return usage(fmt.Errorf("name what to revoke, as `caselsp approvals` lists it, or give --everything"))
			}
			return revokeApprovals.run(cmd.Context(), w, strings.Join(args, " ")) // a kind contains spaces
		},
	}
	cmd.Flags().BoolVar(&everything, "everything", false, "revoke all of them")
	return cmd
}

// printRules writes a paragraph or a JSON object for each rule.
func printRules(out io.Writer, rules []permit.Rule, asJSON bool) error {
	if asJSON {
		enc := newEncoder(out)
		for _, r := range rules {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rules) == 0 {
		fmt.Fprintln(out, "Nothing is always allowed here.")
	}
	const date = "2006-01-02"
	for _, r := range rules {
		fmt.Fprintf(out, "%-4s %s\n", r.ID, clean(r.Shape))
		fmt.Fprintf(out, "     allowed %s by %s in task %s, after %s; ran %s without asking\n", r.Given.Local().Format(date), r.By, r.Task, count.Of(r.Seen, "approval"), count.Of(r.Uses, "time"))
		if len(r.Touches) > 0 {
			fmt.Fprintf(out, "     it %s\n", strings.Join(r.Touches, ", "))
		}
		if on := r.Basis.String(); on != "" {
			fmt.Fprintf(out, "     rests on %s\n", clean(on))
		}
		if r.Ended != nil {
			fmt.Fprintf(out, "     ended %s: %s\n", r.Ended.At.Local().Format(date), clean(r.Ended.Reason))
		} else {
			fmt.Fprintf(out, "     until %s\n", r.Expires.Local().Format(date))
		}
	}
	return nil
}
