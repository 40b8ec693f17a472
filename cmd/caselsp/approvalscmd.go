package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"caselsp/agent"

	"github.com/spf13/cobra"
)

func approvalsCommand(w *wiring) *cobra.Command {
	var asJSON, all bool
	list := func(cmd *cobra.Command, _ []string) error {
		return w.withAgent(func(e *engine) error {
			rules, err := e.agent.Rules(all)
			if err != nil {
				return err
			}
			if err := printRules(os.Stdout, rules, asJSON); err != nil || asJSON {
				return err
			}
			values, err := e.agent.Values()
			for _, name := range slices.Sorted(maps.Keys(values)) {
				fmt.Printf("%s is remembered: %s\n", name, clean(values[name]))
			}
			return err
		})
	}
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "List what is always allowed in a workspace, and revoke it",
		Long: `Kinds of commands that you have approved again and again are offered to be allowed
for always, exactly as they are and for this workspace alone. Here they are listed
and revoked. Each ends by itself after approvals.days, and when what it rests on
changes: the files that say what it runs, or the hosts that commands can reach.
Here also stands what you were asked once for the whole project, by its name; revoked,
it is asked for again.`,
		Example: `  caselsp approvals
  caselsp approvals revoke r3
  caselsp approvals --json --all`,
		Args: positional(cobra.NoArgs),
		RunE: list,
	}
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "one JSON object an approval")
	cmd.PersistentFlags().BoolVar(&all, "all", false, "also those that have ended, and why")
	cmd.AddCommand(&cobra.Command{Use: "list", Short: "List what is always allowed", Args: positional(cobra.NoArgs), RunE: list}, revokeCommand(w))
	return cmd
}

func revokeCommand(w *wiring) *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use:   "revoke [ID or KIND...]",
		Short: "Ask again before what was always allowed",
		RunE: func(_ *cobra.Command, args []string) error {
			if everything == (len(args) > 0) {
				return usage(fmt.Errorf("name what is to be revoked, as caselsp approvals lists it, or give --everything"))
			}
			name := strings.Join(args, " ") // a kind has blanks in it
			return w.withAgent(func(e *engine) error {
				if forgotten, err := e.agent.ForgetValue(name); forgotten || err != nil {
					fmt.Printf("forgotten: %s\n", clean(name))
					return err
				}
				ended, err := e.agent.Revoke(name, "terminal")
				if err != nil {
					return err
				}
				for _, r := range ended {
					fmt.Printf("revoked: %s %s\n", r.ID, clean(r.Shape))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&everything, "everything", false, "revoke all of them")
	return cmd
}

// withAgent runs f on the workspace that the flags name, with nobody to ask.
func (w *wiring) withAgent(f func(e *engine) error) error {
	e, err := w.open([]string{w.dir}, nil, agent.Headless{}, nil, nil)
	if err != nil {
		return err
	}
	defer e.Close()
	return f(e)
}

// printRules writes a paragraph, or an object, for each rule.
func printRules(out io.Writer, rules []agent.Rule, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(out)
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
		fmt.Fprintf(out, "     allowed %s by %s in task %s, after %d approvals; ran unasked %d times\n", r.Given.Local().Format(date), r.By, r.Task, r.Seen, r.Uses)
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
