package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/store"

	"github.com/spf13/cobra"
)

const memoryLong = `Shows what caselsp remembers of your past tasks, in all workspaces, and lets you delete it. Something is
remembered when you accept a result: a "pattern" is what solved a task, a "failure" is an error and the change
that made its test pass. A task that you reject leaves nothing. Later tasks are told the five most similar ones;
"recalled" lines of a run say which. A pattern counts as tried when you decide about a task that recalled it, and
as helpful when you accept that task. One that was tried and seldom helped is not recalled any longer.

The memory is in user.db in the state directory, never in a project, and holds no known secret.`

func memoryCommand(w *wiring) *cobra.Command {
	return group(&cobra.Command{
		Use:   "memory",
		Short: "List, search, export, import and delete what is remembered of past tasks",
		Long:  memoryLong,
		Example: `  caselsp memory list
  caselsp memory recall --kind failure "KeyError: 'user'"
  caselsp memory show 3f2a91bc
  caselsp memory forget 3f2a91bc
  caselsp memory export > memory.jsonl`,
	}, memoryList(w), memoryShow(w), memoryRecall(w), memoryExport(w), memoryImport(w), memoryForget(w), memoryStats(w), memoryEmbed(w))
}

// kindFlag adds --kind; no is what is meant without it.
func kindFlag(cmd *cobra.Command, kind *string, no, otherwise string) {
	cmd.Flags().StringVar(kind, "kind", no, "pattern or failure; "+otherwise)
}

func checkKind(kind string) error {
	if kind != "" && kind != store.KindPattern && kind != store.KindFailure {
		return usage(fmt.Errorf("--kind is %q: write %s or %s", kind, store.KindPattern, store.KindFailure))
	}
	return nil
}

func memoryList(w *wiring) *cobra.Command {
	var kind string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is remembered, the latest first",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := w.remembered(cmd.Context(), kind)
			if err != nil {
				return err
			}
			if asJSON {
				return printLines(os.Stdout, all)
			}
			if len(all) == 0 {
				fmt.Println("Nothing is remembered yet. Results that you accept are.")
				return nil
			}
			short := shortIDs(all)
			table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "ID\tKIND\tTYPE\tLEARNT\tRECALLED\tHELPED\tTEXT")
			for _, p := range all {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d of %d\t%s\n", short(p.ID), p.Kind, clean(firstLine(p.Type)), p.Created.Local().Format("2006-01-02"),
					p.Uses, p.Successes, max(p.Trials, p.Successes), clean(firstLine(p.Text)))
			}
			return table.Flush()
		},
	}
	kindFlag(cmd, &kind, "", "both without it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object each")
	return cmd
}

// remembered is all that is remembered of a kind.
func (w *wiring) remembered(ctx context.Context, kind string) ([]store.Kept, error) {
	if err := checkKind(kind); err != nil {
		return nil, err
	}
	m, err := w.memory()
	if err != nil {
		return nil, err
	}
	defer m.Close()
	all, err := m.All(ctx, kind)
	if err == nil {
		err = tellUnreadable(ctx, m)
	}
	return all, err
}

// tellUnreadable says which records are left out, because they cannot be read.
func tellUnreadable(ctx context.Context, m *store.Memory) error {
	says, err := m.SayUnreadable(ctx)
	if says != "" {
		fmt.Fprintln(os.Stderr, clean("caselsp: "+says))
	}
	return err
}

func printLines[T any](out io.Writer, list []T) error {
	enc := newEncoder(out)
	for _, v := range list {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// shortIDs returns how the ids of records are shown: as many of their characters as tell all of them apart.
func shortIDs(all []store.Kept) func(id string) string {
	var ids []string
	for _, p := range all {
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	shown := record.ShortID
	for i := range ids[:max(len(ids)-1, 0)] {
		same := 0
		for same < len(ids[i]) && same < len(ids[i+1]) && ids[i][same] == ids[i+1][same] {
			same++
		}
		shown = max(shown, same+1)
	}
	return func(id string) string { return id[:min(len(id), shown)] }
}

func memoryShow(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one of them whole",
		Args:  positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := w.remembered(cmd.Context(), "")
			if err != nil {
				return err
			}
			found, err := byIDs(all, args, nil)
			if err != nil {
				return err
			}
			for _, p := range found {
				fmt.Printf("%s %s", p.Kind, p.ID)
				if p.Task != "" {
					fmt.Printf(", of task %s", clean(p.Task))
				}
				if p.Source != "" {
					fmt.Printf(", %s", clean(p.Source))
				}
				fmt.Printf("\nlearnt %s, recalled %s, helped in %d of %s", p.Created.Local().Format("2006-01-02 15:04"), count.Of(p.Uses, "time"), p.Successes, count.Of(max(p.Trials, p.Successes), "task"))
				if p.Ignored > 0 {
					fmt.Printf("; in %s it was shown, and another record was followed", count.Of(p.Ignored, "task"))
				}
				fmt.Println()
				fmt.Printf("\n%s\n\nSolved by:\n%s\n", clean(p.Text), clean(strings.TrimSpace(p.Solution)))
			}
			return nil
		},
	}
}

// minPrefix is how much of an id must be written: fewer characters are a slip.
const minPrefix = 4

// byIDs finds records by ids, or by how they begin; those that cannot be read, which are in broken, by their whole ids.
func byIDs(all []store.Kept, ids, broken []string) (found []store.Kept, err error) {
	for _, id := range ids {
		var named []store.Kept
		for _, p := range all {
			if p.ID == id || len(id) >= minPrefix && strings.HasPrefix(p.ID, id) {
				named = append(named, p)
			}
		}
		switch len(named) {
		case 0:
			if slices.Contains(broken, id) {
				found = append(found, store.Kept{Pattern: store.Pattern{ID: id, Text: "a record that could not be read"}})
				continue
			}
			return nil, fmt.Errorf("nothing of the id %q is remembered: `caselsp memory list` shows the ids", id)
		case 1:
			found = append(found, named[0])
		default:
			short, list := shortIDs(all), []string{}
			for _, p := range named {
				list = append(list, short(p.ID))
			}
			return nil, fmt.Errorf("%q begins %d ids: write more of it: %s", id, len(named), strings.Join(list, ", "))
		}
	}
	return found, nil
}

func memoryRecall(w *wiring) *cobra.Command {
	var kind string
	var asJSON bool
	var n int
	cmd := &cobra.Command{
		Use:   "recall TEXT",
		Short: "Show what a task, or a failed test, with this text would be told",
		Long: `Shows what is recalled for a text, the best first, with its similarity from 0 to 1. It counts no use. For
--kind failure the text is an error, or the output of a test run.`,
		Args: positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKind(kind); err != nil {
				return err
			}
			m, err := w.memory()
			if err != nil {
				return err
			}
			defer m.Close()
			found, err := m.Look(cmd.Context(), kind, recallQuery(kind, strings.Join(args, " ")), n)
			if says := m.Trouble(); says != "" {
				fmt.Fprintln(os.Stderr, clean(says))
			}
			if err != nil || asJSON {
				return errors.Join(err, printLines(os.Stdout, found))
			}
			if len(found) == 0 {
				fmt.Println("Nothing similar is remembered.")
				return nil
			}
			all, err := m.All(cmd.Context(), "")
			if err != nil {
				return err
			}
			short := shortIDs(all)
			for _, r := range found {
				fmt.Printf("%.2f  %s  %s\n", r.Similarity, short(r.ID), clean(firstLine(r.Text)))
			}
			return nil
		},
	}
	kindFlag(cmd, &kind, store.KindPattern, "what is searched")
	cmd.Flags().IntVar(&n, "limit", 5, "how many at most")
	cmd.Flags().BoolVar(&asJSON, "json", false, `one JSON object each, with "id", "similarity", "text" and "solution"`)
	return cmd
}

// recallQuery is what memory is asked for a text: for a failure, by its signatures.
func recallQuery(kind, text string) string {
	if kind == store.KindFailure {
		return agent.FailureText(text)
	}
	return text
}

func memoryExport(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "export",
		Short: "Print all that is remembered, one JSON object a line",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := w.remembered(cmd.Context(), "")
			return errors.Join(err, printLines(os.Stdout, all))
		},
	}
}

// maxImport bounds a file of memories, in bytes: the largest memory is smaller.
const maxImport = 1 << 30

func memoryImport(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Add what another memory has exported; - reads standard input",
		Long: `Adds what "caselsp memory export" has printed. What is remembered already stays as it is. Ids
are made anew from the content. Counts of what helped elsewhere do not count here, and no record is younger than its import.
What you import is told to models in later tasks: import only what you trust.`,
		Args: positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := cmd.InOrStdin()
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			list, err := readMemories(io.LimitReader(in, maxImport))
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			m, err := w.memory()
			if err != nil {
				return err
			}
			defer m.Close()
			added, err := m.Import(cmd.Context(), importedFrom(args[0]), list)
			if err != nil {
				return err
			}
			fmt.Printf("imported: %s", count.Of(added, "new record"))
			if known := len(list) - added; known > 0 {
				fmt.Printf("; %d remembered already, which stay as they are", known)
			}
			fmt.Println()
			return nil
		},
	}
}

// importedFrom says where imported records come from.
func importedFrom(file string) string {
	if file == "-" {
		return "imported from standard input"
	}
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	return "imported from " + file
}

// readMemories reads what export prints.
func readMemories(in io.Reader) (list []store.Kept, err error) {
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	for {
		var p store.Kept
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("object %d cannot be read (%w): nothing was imported. The file must be as `caselsp memory export` prints it", len(list)+1, err)
		}
		list = append(list, p)
	}
}

func memoryForget(w *wiring) *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use:   "forget ID...",
		Short: "Delete what is remembered",
		Long: `Deletes records, also from the bytes of the file. What a file system, a backup or an export has copied before
stays there.`,
		Example: "  caselsp memory forget 3f2a91bc\n  caselsp memory forget --everything",
		RunE: func(cmd *cobra.Command, args []string) error {
			if everything == (len(args) > 0) {
				return usage(errors.New("name what to forget by its id, as `caselsp memory list` shows it, or give --everything"))
			}
			return w.forget(cmd.Context(), args)
		},
	}
	cmd.Flags().BoolVar(&everything, "everything", false, "all that is remembered, of all workspaces")
	return cmd
}

// forget deletes records by their ids; without ids, everything.
func (w *wiring) forget(ctx context.Context, ids []string) error {
	m, err := w.memory()
	if err != nil {
		return err
	}
	defer m.Close()
	all, err := m.All(ctx, "")
	if err != nil {
		return err
	}
	broken, err := m.Unreadable(ctx)
	if err != nil {
		return err
	}
	var gone []string
	if len(ids) == 0 {
		for _, p := range all {
			gone = append(gone, p.ID)
		}
		n, err := m.Forget(ctx, append(gone, broken...)...)
		if err == nil {
			fmt.Printf("forgotten: %s\n", count.Of(n, "record"))
		}
		return err
	}
	found, err := byIDs(all, ids, broken)
	if err != nil {
		return err
	}
	for _, p := range found {
		gone = append(gone, p.ID)
	}
	if _, err := m.Forget(ctx, gone...); err != nil {
		return err
	}
	short := shortIDs(all)
	for _, p := range found {
		fmt.Printf("forgotten: %s %s\n", clean(short(p.ID)), clean(firstLine(p.Text)))
	}
	return nil
}
