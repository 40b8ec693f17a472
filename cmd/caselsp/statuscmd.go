package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"caselsp/agent/record"

	"github.com/spf13/cobra"
)

// statusArgs say which tasks are shown; no task means all that are not over.
type statusArgs struct {
	Task string `json:",omitempty"`
	JSON bool   `json:",omitempty"`
}

var showStatus = reads("status", func(_ context.Context, e *engine, s *seat, a statusArgs) error {
	if a.Task != "" {
		id, err := e.named(a.Task)
		if err != nil {
			return err
		}
		st, err := e.agent.Status(id)
		if err != nil {
			return err
		}
		return printStatus(s.out, []record.Status{st}, a.JSON)
	}
	tasks, err := e.agent.History()
	threads, unread := e.agent.Conversations()
	var list []record.Status
	for _, st := range append(tasks, threads...) {
		if !st.State.Ended() && st.State != record.Idle {
			list = append(list, st)
		}
	}
	return errors.Join(printStatus(s.out, list, a.JSON), err, unread)
})

func statusCommand(w *wiring) *cobra.Command {
	var a statusArgs
	cmd := &cobra.Command{
		Use:   "status [TASK]",
		Short: "Show where the tasks are that are not over, and what they ask",
		Example: `  caselsp status
  caselsp status --json last`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Task = strings.Join(args, "")
			return showStatus.run(cmd.Context(), w, a)
		},
	}
	cmd.Flags().BoolVar(&a.JSON, "json", false, "one JSON object a task")
	return cmd
}

// printStatus writes a line for each task, and its open question below it.
func printStatus(out io.Writer, list []record.Status, asJSON bool) error {
	if asJSON {
		enc := newEncoder(out)
		for _, st := range list {
			line := map[string]any{"task": st.Task.ID, "state": st.State, "interrupted": st.Interrupted, "text": st.String(), "reason": st.Reason}
			if st.Open != nil {
				line["question"] = st.Open
			}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintln(out, "Nothing is under way, and nothing waits for you.")
	}
	for _, st := range list {
		fmt.Fprintf(out, "%s  %s  %s\n", st.Task.ID, st, clean(firstLine(st.Task.Text)))
		if st.Reason != "" {
			fmt.Fprintf(out, "  %s\n", clean(firstLine(st.Reason)))
		}
		if st.Open != nil {
			for line := range strings.Lines(strings.TrimPrefix(questionText(*st.Open), "\n")) {
				fmt.Fprint(out, "  "+line)
			}
			fmt.Fprintf(out, "  answer it: caselsp resume %[1]s, which asks; or caselsp resume --answer ANSWER %[1]s, with %[2]s\n", st.Task.ID, st.Open.Answers())
		}
	}
	return nil
}
