package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/record"

	"github.com/spf13/cobra"
)

// tellArgs are a task, "" for the one that is worked on, and what is said to it.
type tellArgs struct {
	Task, Text string
}

var tellToTask = reads("tell", func(_ context.Context, e *engine, s *seat, a tellArgs) error {
	id, err := e.underWay(a.Task, "tell")
	if err == nil {
		err = e.agent.Tell(id, a.Text)
	}
	if err == nil {
		fmt.Fprintf(s.out, "task %s is told before its next step%s\n", id, e.onceResumed(id))
	}
	return err
})

var stopTask = reads("stop", func(_ context.Context, e *engine, s *seat, task string) error {
	if task == "" && len(e.agent.Working()) == 0 {
		return usage(errors.New("no task is being worked on: there is nothing to stop"))
	}
	id, err := e.underWay(task, "stop")
	if err == nil {
		err = e.agent.Stop(id)
	}
	if err == nil {
		fmt.Fprintf(s.out, "task %s is being stopped: caselsp resume %[1]s\n", id)
	}
	return err
})

// onceResumed says that nobody works on a task, so that it has to be resumed first; "" where somebody does.
func (e *engine) onceResumed(id string) string {
	if st, err := e.agent.Status(id); err == nil && (st.Interrupted || st.State == record.Paused) {
		return ", once it goes on: caselsp resume " + id
	}
	return ""
}

// underWay returns the task that is meant: the one that is named, the one that is worked on, or
// the one that can be resumed.
func (e *engine) underWay(name, verb string) (string, error) {
	working := e.agent.Working()
	switch {
	case name != "":
		return e.named(name)
	case len(working) == 1:
		return working[0], nil
	case len(working) > 1:
		return "", usage(fmt.Errorf("%d tasks are being worked on: name one of %s", len(working), strings.Join(working, ", ")))
	}
	return e.pick(nil, func(s record.Status) bool { return !s.State.Ended() && s.State != record.Review }, verb)
}

func tellCommand(w *wiring) *cobra.Command {
	a := tellArgs{}
	cmd := &cobra.Command{
		Use:   "tell [--task ID] TEXT...",
		Short: "Say something to a task that is under way, also in another terminal or an editor",
		Example: `  caselsp tell "use the test database"
  caselsp tell --task last "and add a test"`,
		Args: positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Text = strings.Join(args, " ")
			if err := record.CheckNote(a.Text); err != nil {
				return usage(err)
			}
			return tellToTask.run(cmd.Context(), w, a)
		},
	}
	cmd.Flags().StringVar(&a.Task, "task", "", "the task (default: the one that is worked on)")
	return cmd
}

func stopCommand(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:     "stop [TASK]",
		Short:   "Stop a task that another terminal or an editor works on; it can be resumed",
		Example: "  caselsp stop\n  caselsp stop last",
		Args:    positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return stopTask.run(cmd.Context(), w, strings.Join(args, ""))
		},
	}
}
