package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"caselsp/agent"
	"caselsp/agent/patch"
	"caselsp/agent/workspace"

	"github.com/spf13/cobra"
)

const patchLong = `Applies the patch on standard input, as a model writes it: a unified diff, SEARCH/REPLACE blocks or
*** Begin Patch, recognised by themselves, with prose and code fences around them, wrong line numbers
and other mistakes. It changes FILE, whatever name the patch uses for it, or the files that the patch
names: they are changed, created, deleted and renamed, in the workspace's folder and never outside.

All of the patch is applied or none of it. A hunk is never applied in an uncertain place, and never so
that a file that parsed stops parsing. See "caselsp help patches".`

// maxPatch bounds what is read from standard input, in bytes. The engine's own limit
// is lower, and its message says so.
const maxPatch = 64 << 20

func patchCommand(w *wiring) *cobra.Command {
	var batch, formats, check, asJSON bool
	cmd := &cobra.Command{
		Use:   "patch [FILE]",
		Short: "Apply a patch that a model wrote, or say precisely why not",
		Long:  patchLong,
		Example: `  caselsp patch src/app.py <answer.txt
  caselsp patch --check --json <answer.txt   # would it apply?`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case formats:
				_, err := io.WriteString(os.Stdout, patch.Lessons())
				return err
			case batch && len(args) > 0:
				return usage(fmt.Errorf("--batch takes no FILE: the texts come from standard input"))
			case batch:
				return patchBatch(os.Stdin, os.Stdout)
			}
			file := ""
			if len(args) == 1 {
				file = args[0]
			}
			if ext := filepath.Ext(file); ext == ".diff" || ext == ".patch" {
				return usage(fmt.Errorf("%s looks like a patch, but FILE is the file to change, and the patch comes from standard input: caselsp patch <%[1]s", agent.Quote(file)))
			}
			tree, err := openTree(w.dir, file)
			if err != nil {
				return err
			}
			defer tree.close()
			text, err := readPatch(os.Stdin)
			if err != nil {
				return err
			}
			files, ok := tree.apply(cmd.Context(), text, check)
			if err := printPatched(os.Stdout, files, check, asJSON); err != nil {
				return err
			}
			if !ok {
				return &exitError{code: exitRefused}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing; the exit code says whether the patch would apply")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a file: path, from, op, status, hunks, message")
	cmd.Flags().BoolVar(&batch, "batch", false, "change no files: read one JSON object a line, {\"id\",\"path\",\"before\",\"patch\"}, and answer each with one")
	cmd.Flags().BoolVar(&formats, "formats", false, "print what to tell a model about the formats")
	cmd.MarkFlagsMutuallyExclusive("batch", "formats", "check")
	cmd.MarkFlagsMutuallyExclusive("batch", "formats", "json")
	return cmd
}

// readPatch reads a patch. UTF-16, in which some shells redirect output into files,
// is converted; other bytes are kept, because lines of a file are in the file's own
// encoding.
func readPatch(in io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxPatch))
	if err != nil {
		return "", fmt.Errorf("reading the patch: %w", err)
	}
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		if text, _, err := workspace.Decode(data); err == nil {
			return text, nil
		}
	}
	return string(data), nil
}

func printPatched(out io.Writer, files []patchedFile, check, asJSON bool) error {
	enc := newEncoder(out)
	enc.SetEscapeHTML(false)
	for _, f := range files {
		if asJSON {
			if err := enc.Encode(f); err != nil {
				return err
			}
		} else if _, err := io.WriteString(out, clean(f.text(check))); err != nil {
			return err
		}
	}
	return nil
}
