package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"caselsp/agent/permit"

	"github.com/spf13/cobra"
)

// trustSettings asks about the values of editors' settings that wait, one by one, or
// has confirmed ones wait again.
func trustSettings(cmd *cobra.Command, t *permit.Trust, ids []string, withdraw bool) error {
	if !withdraw {
		if len(ids) > 0 {
			return usage(errors.New("--settings asks about every value that waits and takes no name: see `caselsp trust --help`"))
		}
		return confirmSettings(cmd.Context(), t, ownInput(), os.Stdout)
	}
	if len(ids) == 0 {
		return usage(errors.New("name the setting as `caselsp trust --list` does: caselsp trust --settings --withdraw NAME"))
	}
	for _, id := range ids {
		v, err := t.Unconfirm(id)
		if err != nil {
			return err
		}
		fmt.Println("no longer confirmed:", clean(v.Setting+": "+v.Value))
	}
	return nil
}

// sure is what confirms a value. It is a word, so that no key pressed by mistake is one.
const sure = "confirm"

// confirmSettings asks about each value that waits. Anything but the word leaves it as it is.
func confirmSettings(ctx context.Context, t *permit.Trust, in *lineReader, out io.Writer) error {
	list, err := t.Waiting()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(out, "No setting waits to be confirmed.")
		return nil
	}
	fmt.Fprintf(out, "Editors hand over these settings. They may be yours, or of a file in the project that the editor passed on\n"+
		"(such as .dir-locals.el or .vscode/settings.json). None of them is used until you confirm it; it then counts in\n"+
		"every folder where an editor sets it. What you do not know, leave.\n")
	for i, v := range list {
		fmt.Fprintf(out, "\n%d of %d  %s\n  value:   %s\n  given:   by %s, in %s, %s\n",
			i+1, len(list), clean(v.Setting), clean(v.Value), clean(v.From), clean(v.Folders), v.At.Local().Format("2006-01-02 15:04"))
		line, ok, err := in.decision(ctx, permit.IDOf(v), fmt.Sprintf("type %s to use it, or press Enter to leave it > ", sure))
		if err != nil {
			return err
		}
		if !ok {
			fmt.Fprintln(out)
			return nil
		}
		if line != sure {
			fmt.Fprintln(out, "left")
			continue
		}
		if _, err := t.Confirm(permit.IDOf(v), "terminal"); err != nil {
			return err
		}
		fmt.Fprintln(out, "confirmed")
	}
	return nil
}

// listSettings writes a line for each value that the user has confirmed or that waits.
func listSettings(t *permit.Trust) error {
	confirmed, err := t.Confirmed()
	if err != nil {
		return err
	}
	for _, v := range confirmed {
		fmt.Printf("%s  confirmed %s, by %s: %s: %s  (from %s, in %s)\n", permit.IDOf(v), v.At.Local().Format("2006-01-02"), v.By,
			clean(v.Setting), clean(v.Value), clean(v.From), clean(v.Folders))
	}
	waiting, err := t.Waiting()
	if err != nil {
		return err
	}
	for _, v := range waiting {
		fmt.Printf("%s  not confirmed, so not used: %s: %s  (from %s, in %s)\n", permit.IDOf(v), clean(v.Setting), clean(v.Value), clean(v.From), clean(v.Folders))
	}
	return nil
}
