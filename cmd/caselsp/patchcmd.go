package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

const patchLong = `Applies a patch as a model writes it: unified diffs or SEARCH/REPLACE blocks, told apart by
themselves. All of it is applied or nothing is, and never in a place that is not certain.`

func patchCommand(w *wiring) *cobra.Command {
	var batch bool
	cmd := &cobra.Command{
		Use:   "patch [FILE]",
		Short: "Apply a patch that a model wrote, or say precisely why not",
		Long:  patchLong,
		Args:  positional(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if !batch {
				return usage(fmt.Errorf("give --batch: see caselsp patch --help"))
			}
			return patchBatch(os.Stdin, os.Stdout)
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "read one JSON object a line, {\"id\",\"path\",\"before\",\"patch\"}, and answer each with one")
	return cmd
}
