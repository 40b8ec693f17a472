package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"

	"github.com/spf13/cobra"
)

// One process owns a workspace's store. What others ask of it while it works stands here: the
// history, what to say to a task, its answers, to stop it, and the doctor; and, in ownerthread.go,
// to converse.

// ownerAsk is what another process asks the owner for.
type ownerAsk struct {
	Do     string `json:"do"` // history, metrics, state, threads, thread, forget, say, hand over, tell, answer, stop or doctor
	Task   string `json:"task,omitempty"`
	Text   string `json:"text,omitempty"`
	Reason string `json:"reason,omitempty"`
	JSON   bool   `json:"json,omitempty"`
}

// ownerSaid is its answer.
type ownerSaid struct {
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
	Code  int    `json:"code,omitempty"` // of the command that asks

	// Of a conversation. What has an event or a question is not the answer yet.
	Event    *ownerEvent    `json:"event,omitempty"`
	Question *ownerQuestion `json:"question,omitempty"`
	Handed   *ownerHanded   `json:"handed,omitempty"`
}

// err is what went wrong, as the command that asks ends with it.
func (s ownerSaid) err() error {
	switch {
	case s.Error != "":
		return &exitError{s.Code, errors.New(s.Error)}
	case s.Code != exitOK:
		return &exitError{code: s.Code}
	}
	return nil
}

// serveOthers answers what other processes ask, as long as the engine is open.
func (e *engine) serveOthers() error {
	stop, err := e.store.Serve(func(ctx context.Context, x *store.Exchange) any {
		var ask ownerAsk
		if err := json.Unmarshal(x.Request, &ask); err != nil {
			return ownerSaid{Error: err.Error(), Code: exitUsage}
		}
		var said ownerSaid
		var err error
		if ask.converses() {
			said.Handed, err = e.converse(ctx, x, ask)
		} else {
			var b strings.Builder
			err = e.carryOut(ctx, &b, ask)
			said.Text = b.String()
		}
		if coded := (*exitError)(nil); errors.As(err, &coded) {
			said.Code, err = coded.code, coded.err
		}
		if err != nil {
			said.Error, said.Code = err.Error(), max(said.Code, exitError1)
		}
		return said
	})
	if err == nil {
		e.closers = append(e.closers, closing(stop))
	}
	return err
}

// closing is a function as an io.Closer.
type closing func() error

// Close implements io.Closer.
func (f closing) Close() error { return f() }

// carryOut does what is asked for, in the process that owns the store.
func (e *engine) carryOut(ctx context.Context, out io.Writer, ask ownerAsk) error {
	var err error
	switch ask.Do {
	case "history":
		return e.history(out, ask.Task, ask.JSON)
	case "threads":
		return e.threads(out, ask.JSON)
	case "thread", "forget":
		return e.thread(out, ask.Task, ask.Do == "forget")
	case "metrics":
		return e.metrics(out, ask.JSON)
	case "state":
		return e.state(ctx, out, ask.JSON)
	case "doctor":
		if !e.examine(ctx, out) {
			return &exitError{code: exitError1}
		}
		return nil
	case "tell", "stop", "answer":
		if ask.Task, err = e.underWay(ask.Task, ask.Do); err != nil {
			return err
		}
	default:
		return usage(fmt.Errorf("the process that works on this workspace does not know %q: it is another version of caselsp", ask.Do))
	}
	switch ask.Do {
	case "tell":
		if err = e.agent.Tell(ask.Task, ask.Text); err == nil {
			fmt.Fprintf(out, "task %s is told before its next step\n", ask.Task)
		}
	case "stop":
		if err = e.agent.Stop(ask.Task); err == nil {
			fmt.Fprintf(out, "task %s is being stopped: caselsp resume %[1]s\n", ask.Task)
		}
	case "answer":
		if name := secretAsked(e.agent, ask.Task); name != "" && ask.Text != record.Deny && ask.Text != record.Kept {
			return usage(fmt.Errorf("a secret must not be an argument, because other users can see arguments: run `caselsp secret set %s`, then answer %s", name, record.Kept))
		}
		if err = e.agent.Answer(ask.Task, "", record.Answer{Text: ask.Text, Reason: ask.Reason, By: "command"}); err == nil {
			fmt.Fprintf(out, "task %s has the answer\n", ask.Task)
		}
	}
	return err
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

// askOwner has the process that owns the store do what failed here because it does; any other
// error is returned as it is.
func (w *wiring) askOwner(failed error, ask ownerAsk) error {
	if locked := (*store.Locked)(nil); !errors.As(failed, &locked) {
		return failed
	}
	var said ownerSaid
	err := w.exchange(context.Background(), ask, func(raw json.RawMessage) (any, bool, error) { return nil, true, json.Unmarshal(raw, &said) })
	if err != nil {
		return err
	}
	fmt.Fprint(os.Stdout, clean(said.Text))
	return said.err()
}

// exchange asks the process that owns the store.
func (w *wiring) exchange(ctx context.Context, ask ownerAsk, told func(json.RawMessage) (any, bool, error)) error {
	ws, err := workspace.Open(w.dir)
	if err != nil {
		return err
	}
	defer ws.Close()
	return store.AskOwner(ctx, store.Options{StateDir: w.stateDir, Workspace: ws.ID()}, ask, told)
}

// anywhere does what is asked for: here, or in the process that owns the store.
func (w *wiring) anywhere(ctx context.Context, ask ownerAsk) error {
	e, err := w.openQuietly()
	if err != nil {
		return w.askOwner(err, ask)
	}
	defer e.Close()
	return e.carryOut(ctx, os.Stdout, ask)
}

func tellCommand(w *wiring) *cobra.Command {
	ask := ownerAsk{Do: "tell"}
	cmd := &cobra.Command{
		Use:   "tell [--task ID] TEXT...",
		Short: "Say something to a task that is under way, also in another terminal or an editor",
		Example: `  caselsp tell "use the test database"
  caselsp tell --task last "and add a test"`,
		Args: positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ask.Text = strings.Join(args, " ")
			if err := record.CheckNote(ask.Text); err != nil {
				return usage(err)
			}
			return w.anywhere(cmd.Context(), ask)
		},
	}
	cmd.Flags().StringVar(&ask.Task, "task", "", "the task (default: the one that is worked on)")
	return cmd
}

func stopCommand(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:     "stop [TASK]",
		Short:   "Stop a task that another terminal or an editor works on; it can be resumed",
		Example: "  caselsp stop\n  caselsp stop last",
		Args:    positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.anywhere(cmd.Context(), ownerAsk{Do: "stop", Task: strings.Join(args, "")})
		},
	}
}
