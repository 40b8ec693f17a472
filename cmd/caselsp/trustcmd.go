package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"caselsp/agent/permit"

	"github.com/spf13/cobra"
)

func trustCommand(w *wiring) *cobra.Command {
	var list, withdraw, values bool
	cmd := &cobra.Command{
		Use:   "trust [FOLDER]",
		Short: "Trust a folder and everything below it, confirm an editor's settings, or list both",
		Long: `In a folder that you have not trusted, caselsp only reads: no command runs, nothing is
written, no dependency is installed, and of the folder's own settings only those count
that tighten safety. You are asked once, when the first task begins there. The answer
is kept in the state directory, never in the folder. See "caselsp help trust".

Editors hand over settings that may come from a file of the project. Those that a
workspace must not set are not used until you have confirmed them: --settings shows each
with its value and asks. Trust in a folder does not confirm any.`,
		Example: `  caselsp trust ~/src/shop
  caselsp trust --list
  caselsp trust --settings                            # ask about each value of an editor's that waits
  caselsp trust --settings --withdraw s0123456789     # do not use it any more; --list lists the names`,
		Args: positional(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := w.ownTrust()
			if err != nil {
				return err
			}
			if list {
				return errors.Join(listTrust(t), listSettings(t))
			}
			if values {
				return trustSettings(cmd, t, args, withdraw)
			}
			if len(args) > 1 {
				return usage(errors.New("caselsp trust takes one folder"))
			}
			dir := w.dir
			if len(args) > 0 {
				dir = args[0]
			}
			if dir, err = filepath.Abs(dir); err != nil {
				return err
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return fmt.Errorf("%s is not a folder", dir)
			}
			if withdraw {
				if err := t.Withdraw(dir); err != nil {
					return err
				}
				fmt.Println("no longer trusted:", clean(dir))
				return nil
			}
			if err := t.Give("terminal", dir); err != nil {
				return err
			}
			fmt.Println("trusted:", clean(dir))
			return nil
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the trusted folders")
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "stop trusting the folder, or using the settings")
	cmd.Flags().BoolVar(&values, "settings", false, "ask about the settings of editors that wait to be confirmed; with --withdraw, do not use those named any more")
	cmd.MarkFlagsMutuallyExclusive("list", "withdraw")
	cmd.MarkFlagsMutuallyExclusive("list", "settings")
	return cmd
}

// listTrust writes a line for each trusted folder.
func listTrust(t *permit.Trust) error {
	folders, err := t.Kept.Folders()
	if err != nil {
		return err
	}
	for _, f := range folders {
		fmt.Printf("%s  since %s, by %s\n", clean(f.Folder), f.Given.Local().Format("2006-01-02"), f.By)
	}
	for _, f := range t.Folders {
		fmt.Printf("%s  by the setting trust.folders\n", clean(f))
	}
	if len(folders)+len(t.Folders) == 0 {
		fmt.Println("No folder is trusted.")
	}
	return nil
}
