package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"

	"github.com/spf13/cobra"
)

// historyArgs say which tasks are shown; no task means all.
type historyArgs struct {
	Task string
	JSON bool
}

var showHistory = reads("history", func(_ context.Context, e *engine, s *seat, a historyArgs) error {
	return e.history(s.out, a.Task, a.JSON)
})

func historyCommand(w *wiring) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [TASK]",
		Short: "List the tasks of a workspace, or show one task's report",
		Example: `  caselsp history
  caselsp history last   # the report of the newest task; or its id
  caselsp history last --json
  caselsp history --json | jq .decisions`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return showHistory.run(cmd.Context(), w, historyArgs{strings.Join(args, ""), asJSON})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a task")
	cmd.AddCommand(pruneCommand(w))
	return cmd
}

// history prints the tasks of the workspace, or one of them.
func (e *engine) history(out io.Writer, task string, asJSON bool) error {
	if task == "" {
		all, err := e.agent.History()
		return errors.Join(printHistory(out, e.agent, all, asJSON), err)
	}
	id, err := e.named(task)
	if err != nil {
		return err
	}
	if asJSON {
		st, err := e.agent.Status(id)
		if err != nil {
			return err
		}
		return printHistory(out, e.agent, []record.Status{st}, asJSON)
	}
	text, err := e.agent.Report(id)
	fmt.Fprint(out, clean(text))
	return err
}

func printHistory(out io.Writer, a *agent.Agent, all []record.Status, asJSON bool) error {
	if asJSON {
		enc := newEncoder(out)
		for _, s := range all {
			layers, err := a.Layers(s.Task.ID)
			if err != nil {
				return err
			}
			decisions, err := a.Decisions(s.Task.ID)
			if err != nil {
				return err
			}
			tests, err := a.TestResults(s.Task.ID)
			if err != nil {
				return err
			}
			if err := enc.Encode(map[string]any{
				"task": s.Task.ID, "text": s.Task.Text, "state": s.State, "interrupted": s.Interrupted, "reason": s.Reason,
				"started": s.Started, "changed": s.Changed, "usage": s.Usage, "answer": s.Reply.Plain(), "said": s.Said, "layers": layers, "decisions": decisions, "tests": tests, "untested": s.Untested,
				"outcome": s.Outcome, "kept": s.Kept, "type": s.Class.Type, "language": s.Class.Language,
			}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, "No tasks yet. Start one: caselsp run --task \"...\"")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range all {
		untested := ""
		if len(s.Untested) > 0 {
			untested = " (untested)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s%s\n", s.Task.ID, s.Ended(), clean(firstLine(s.Task.Text)), untested)
	}
	return table.Flush()
}

// metricsArgs say how metrics are shown.
type metricsArgs struct {
	JSON, HTML bool
}

var showMetrics = reads("metrics", func(_ context.Context, e *engine, s *seat, a metricsArgs) error {
	return e.metrics(s.out, a)
})

func metricsCommand(w *wiring) *cobra.Command {
	var a metricsArgs
	var page string
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "Show what the tasks of a workspace took, cost and led to",
		Long: `Shows the figures of all tasks of a workspace: outcomes, time, features, edits that were refused, test
runs, commands, hits of the memory, and tokens and cost by role. --json prints one object with the
figures of each task, their total, and the totals by the type of the tasks and by their language. In each, "memory" says how
often past solutions (pattern_recalls, pattern_hits, pattern_hit_rate) and past failures (failure_...) were asked for and found,
how many records were used, how many of those were relied on in tasks that the user has decided about, and how many of
these helped (tried, helped, success_rate). A rate is null where there is nothing to divide by. "most_used_memory" lists the records.
"fix_claims" counts the claims that failed tests were fixed: how many were checked, sent back, unverified, and how the tests then went.
"validators" lists the checks that judged them: how often the tests then agreed (right, wrong, accuracy), the weight, and whether it is retired. "by_month" and "by_model" have
the figures by those, "edits_by_layer" the hunks by the layer that placed them, "command_decisions" who allowed and denied commands, and
"common_errors" the kinds of errors of failed test runs. --html writes one page with plots, which needs no network and nothing else.`,
		Example: `  caselsp metrics
  caselsp metrics --html metrics.html
  caselsp metrics --json | jq .total.roles`,
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := ownSeat()
			if page == "" || page == "-" {
				a.HTML = page == "-"
				return showMetrics.at(cmd.Context(), w, s, a)
			}
			a.HTML = true
			f := &newFile{path: page}
			s.out = stream{Writer: f}
			return errors.Join(showMetrics.at(cmd.Context(), w, s, a), f.Close())
		},
	}
	cmd.Flags().BoolVar(&a.JSON, "json", false, "one JSON object")
	cmd.Flags().StringVar(&page, "html", "", "write one HTML page with plots into this file; - is standard output")
	cmd.MarkFlagsMutuallyExclusive("json", "html")
	return cmd
}

// metrics prints the figures of the workspace's tasks.
func (e *engine) metrics(out io.Writer, a metricsArgs) error {
	m, err := e.agent.Metrics()
	switch {
	case a.JSON:
		return errors.Join(newEncoder(out).Encode(m), err)
	case a.HTML:
		return errors.Join(writeMetricsPage(out, strings.Join(e.dirs(), ", "), m, time.Now()), err)
	}
	_, failed := io.WriteString(out, clean(m.Summary()))
	return errors.Join(failed, err)
}

var exportTask = reads("export", func(_ context.Context, e *engine, s *seat, task string) error {
	id, err := e.named(task)
	if err != nil {
		return err
	}
	return e.agent.Export(id, plainJSON{s.out})
})

func exportCommand(w *wiring) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export TASK",
		Short: "Write the recording of a task or a thread, which `caselsp replay` runs again offline",
		Long:  "Writes everything that came to the task from outside: the model's answers, commands' results, your\nanswers and the clock, as JSON Lines. Secrets were redacted when it was recorded.\nA thread is named chat-NAME, such as chat-main; `caselsp chat --list` lists the threads.",
		Example: `  caselsp export --output task.jsonl last
  caselsp export --output thread.jsonl chat-main
  caselsp replay task.jsonl`,
		Args: positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			s := ownSeat()
			if out != "" && out != "-" {
				f := &newFile{path: out}
				s.out = stream{Writer: f}
				return errors.Join(exportTask.at(cmd.Context(), w, s, args[0]), f.Close())
			}
			return exportTask.at(cmd.Context(), w, s, args[0])
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write (default: standard output)")
	return cmd
}

// newFile is a file that is made when something is written to it.
type newFile struct {
	path string
	*os.File
}

// Write implements io.Writer.
func (f *newFile) Write(p []byte) (int, error) {
	if f.File == nil {
		made, err := os.Create(f.path)
		if err != nil {
			return 0, err
		}
		f.File = made
	}
	return f.File.Write(p)
}

// Close implements io.Closer.
func (f *newFile) Close() error {
	if f.File == nil {
		return nil
	}
	return f.File.Close()
}
