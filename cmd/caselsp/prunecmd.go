package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/settings"
	"caselsp/store/lazyregexp"

	"github.com/spf13/cobra"
)

// pruneArgs say what is pruned, and whether it is only shown, or not asked about.
type pruneArgs struct {
	Rule   agent.PruneRule
	Yes    bool
	DryRun bool
	JSON   bool
}

var pruneHistory = reads("history prune", func(ctx context.Context, e *engine, s *seat, a pruneArgs) error {
	return e.prune(ctx, s, a)
})

const pruneLong = `Deletes old tasks of a workspace: their journals, their reports and reviews, and the file contents that no other task
needs. It shows first what would go, and asks. What memory has learnt from these tasks stays. Their undo, their reports and their
share of the metrics are gone.

Without options, it goes by the settings history.days and history.megabytes. Tasks that have not ended, that wait for your
review, or of which work is kept that you have not decided about, stay; name one to prune it nevertheless. A thread goes by the age of
its latest message only, and if that has its answer. Days are d, as in 90d; sizes are MB or GB.`

func pruneCommand(w *wiring) *cobra.Command {
	var a pruneArgs
	var age, size string
	cmd := &cobra.Command{
		Use:   "prune [TASK...]",
		Short: "Delete old tasks, after showing which",
		Long:  pruneLong,
		Example: `  caselsp history prune --older-than 90d
  caselsp history prune --keep-size 500MB --dry-run
  caselsp history prune 20260101-120000-ab12`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if a.Rule.OlderThan, err = ageOf(age); err != nil {
				return usage(err)
			}
			if a.Rule.KeepBytes, err = sizeOf(size); err != nil {
				return usage(err)
			}
			if a.Rule.Tasks = args; len(args) > 0 && (age != "" || size != "") {
				return usage(errors.New("name tasks, or say which are old: not both"))
			}
			if a.JSON && !a.Yes && !a.DryRun {
				return usage(errors.New("--json asks nothing: add --dry-run or --yes"))
			}
			return pruneHistory.run(cmd.Context(), w, a)
		},
	}
	cmd.Flags().StringVar(&age, "older-than", "", "prune what had no activity for as long, such as 90d")
	cmd.Flags().StringVar(&size, "keep-size", "", "prune the oldest until the rest takes no more than this, such as 500MB")
	cmd.Flags().BoolVar(&a.Yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&a.DryRun, "dry-run", false, "only show what would go")
	cmd.Flags().BoolVar(&a.JSON, "json", false, `one JSON object with "prune", "stay", "bytes", "total_bytes" and, when it was done, "freed_bytes"`)
	return cmd
}

// day is what an age is counted in.
const day = 24 * time.Hour

// ageOf reads an age, such as 90d or 12h; 0 for none.
func ageOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36_500 {
			return time.Duration(n) * day, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, fmt.Errorf("--older-than is %q: write a number of days such as 90d, or of hours such as 12h", text)
}

var sizePattern = lazyregexp.New(`^(?i)([0-9]{1,9})\s*(kB|MB|GB|MiB|GiB|KiB)$`)

// sizeOf reads a size, such as 500MB; 0 for none.
func sizeOf(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	m := sizePattern.FindStringSubmatch(text)
	if m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		shift := map[byte]int{'k': 10, 'm': 20, 'g': 30}[strings.ToLower(m[2])[0]]
		if err == nil && n > 0 {
			return n << shift, nil
		}
	}
	return 0, fmt.Errorf("--keep-size is %q: write a size such as 500MB or 2GB", text)
}

// pruneRule is what the settings say.
func pruneRule(h settings.History) agent.PruneRule {
	return agent.PruneRule{OlderThan: time.Duration(h.Days) * day, KeepBytes: int64(h.Megabytes) << 20}
}

// prune shows what would go, asks, and prunes it.
func (e *engine) prune(ctx context.Context, s *seat, a pruneArgs) error {
	for i, name := range a.Rule.Tasks {
		id, err := e.named(name)
		if err != nil {
			return err
		}
		a.Rule.Tasks[i] = id
	}
	if a.Rule.None() {
		if a.Rule = pruneRule(e.settings.History); a.Rule.None() {
			return usage(errors.New("say what is old (--older-than 90d, --keep-size 500MB), name tasks, or set history.days or history.megabytes"))
		}
	}
	plan, err := e.agent.PlanPrune(ctx, a.Rule)
	if err != nil {
		return err
	}
	if a.JSON && (a.DryRun || len(plan.Prune) == 0) {
		return newEncoder(s.out).Encode(plan)
	}
	if !a.JSON {
		out := s.out.Writer
		if !a.Yes && !a.DryRun && len(plan.Prune) > 0 {
			out = s.err // with the question: of another process, the output comes at the end
		}
		if err := showPlan(out, plan); err != nil || len(plan.Prune) == 0 || a.DryRun {
			return err
		}
	}
	if !a.Yes {
		line, _, err := s.in.decision(ctx, pruneName, fmt.Sprintf("Prune %s? Their reports and their undo will be gone. y = prune, anything else = keep > ", agent.CountPruned(plan.Prune)))
		if word := strings.ToLower(line); err != nil || word != "y" && word != "yes" {
			fmt.Fprintln(s.err, "caselsp: nothing was pruned")
			return err
		}
	}
	return e.pruneNow(ctx, s, plan, a.JSON)
}

// pruneName is how programs name the question whether tasks are pruned.
const pruneName = "prune"

// showPlan lists what would go and what stays.
func showPlan(out io.Writer, plan *agent.PrunePlan) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range plan.Prune {
		fmt.Fprintf(table, "prune\t%s\t%s\t%s\t%s\t%s\n", l.Task, l.Changed.Local().Format("2006-01-02"), clean(l.State), count.Bytes(l.Bytes), clean(l.Text))
	}
	for _, l := range plan.Stay {
		fmt.Fprintf(table, "stays\t%s\t%s\t%s\t%s\t%s\n", l.Task, l.Changed.Local().Format("2006-01-02"), clean(l.State), count.Bytes(l.Bytes), clean(l.Why))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(plan.Prune) == 0 {
		_, err := fmt.Fprintf(out, "Nothing to prune. All tasks take %s.\n", count.Bytes(plan.Total))
		return err
	}
	_, err := fmt.Fprintf(out, "total: %s, %s of %s\n", agent.CountPruned(plan.Prune), count.Bytes(plan.Bytes), count.Bytes(plan.Total))
	return err
}

// pruneNow prunes what a plan names and gives the space back.
func (e *engine) pruneNow(ctx context.Context, s *seat, plan *agent.PrunePlan, asJSON bool) error {
	gone, freed, err := e.agent.Prune(ctx, plan)
	before, after, unshrunk := e.agent.Shrink(ctx)
	if asJSON {
		done := struct {
			*agent.PrunePlan
			Pruned []agent.PruneLine `json:"pruned"`
			Freed  int64             `json:"freed_bytes"`
		}{plan, gone, freed}
		err = errors.Join(err, newEncoder(s.out).Encode(done))
	} else {
		fmt.Fprintf(s.out, "pruned: %s, %s\n", agent.CountPruned(gone), count.Bytes(freed))
	}
	switch {
	case errors.Is(unshrunk, agent.ErrWorks):
		fmt.Fprintf(s.err, "caselsp: %v\n", unshrunk)
	case unshrunk != nil:
		err = errors.Join(err, unshrunk)
	case after < before:
		fmt.Fprintf(s.err, "caselsp: the file of the workspace's tasks has shrunk from %s to %s\n", count.Bytes(before), count.Bytes(after))
	}
	return err
}

const (
	// pruneTime is how long the pruning by the settings may take when a workspace is opened. What is left goes the next time.
	pruneTime = 30 * time.Second
	// pruneLeave is how long a command that is done waits for it: who uses short commands only has old tasks pruned, too.
	pruneLeave = 2 * time.Second
)

// pruneOld prunes by the settings, in the background, until the engine is closed. The space is given back at once where nothing works, otherwise
// when the engine is closed.
func (e *engine) pruneOld() {
	rule := pruneRule(e.settings.History)
	if rule.None() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pruneTime)
	done := make(chan int, 1)
	warn := func(err error) {
		if err != nil && ctx.Err() == nil {
			e.agent.Log.Warn("old tasks could not all be pruned", "error", err)
		}
	}
	go func() {
		pruned, err := e.agent.PruneOld(ctx, rule)
		warn(err)
		if pruned > 0 {
			if _, _, err = e.agent.Shrink(ctx); err == nil {
				pruned = 0
			} else if !errors.Is(err, agent.ErrWorks) {
				warn(err)
			}
		}
		done <- pruned
	}()
	e.closers = append(e.closers, closing(func() error {
		defer cancel()
		defer time.AfterFunc(pruneLeave, cancel).Stop()
		if left := <-done; left > 0 {
			_, _, err := e.agent.Shrink(context.Background())
			return err
		}
		return nil
	}))
}
