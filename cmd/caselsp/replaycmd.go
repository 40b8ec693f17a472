package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
	"caselsp/sandbox"

	"github.com/spf13/cobra"
)

func replayCommand(w *wiring) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "replay RECORDING",
		Short: "Run a recorded task or thread again offline, to the same bytes, or say where it differs",
		Long:  "Runs the task or the thread of a recording (see `caselsp export`) in the folder. The model, the commands, your\nanswers and the clock come from the recording; everything else is computed. Prompts differ from\nversion to version: where a replay parts, the version that made the recording replays it.",
		Example: `  caselsp replay task.jsonl
  caselsp replay --dir copy-of-the-project --yes task.jsonl   # keep the result`,
		Args: positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			rec, err := readRecording(args[0])
			if err != nil {
				return err
			}
			if yes {
				if err := w.mayWrite(); err != nil {
					return err
				}
			}
			return w.replay(cmd.Context(), rec, newDisplay(streamOf(os.Stdout), asJSON, func(record.Question) bool { return false }), yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "accept the result into the folder")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write each event as one JSON object a line")
	return cmd
}

func readRecording(path string) (*agent.Recording, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s: to replay a task, write its recording first: caselsp export --output FILE TASK", clean(path))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, err := agent.ReadRecording(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rec, nil
}

// mayWrite returns an error where the folder is not trusted. What a replay stages
// comes from the recording, which may be somebody else's; without --yes it is shown.
func (w *wiring) mayWrite() error {
	trust, err := w.ownTrust()
	if err != nil {
		return err
	}
	untrusted, err := trust.Untrusted(w.dir)
	if err == nil && len(untrusted) > 0 {
		err = fmt.Errorf("%s is not trusted, so nothing is written there: `caselsp trust` trusts it; without --yes the result is only shown", w.dir)
	}
	return err
}

// replay runs a recording in the workspace with a state directory of its own, so that
// the real history and memory neither change nor influence the result.
func (w *wiring) replay(ctx context.Context, rec *agent.Recording, d display, yes bool) error {
	defer d.close()
	masked := rec.Masked()
	edited, lost := rec.Edited()
	if yes && len(masked) > 0 {
		return fmt.Errorf("nothing was written: the recording does not hold %s as the task left it, because the export masked secrets in it. Replay it without --yes, which only shows the result", strings.Join(masked, ", "))
	}
	if yes && len(edited) > 0 {
		return fmt.Errorf("nothing was written: while the task worked, the user edited %s, and a replay does not write these edits. Replay it without --yes, which only shows the result", strings.Join(edited, ", "))
	}
	state, err := os.MkdirTemp("", "caselsp-replay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	player := rec.Play()
	e, err := openPlayed(w.dir, state, player.Now, func(o *agent.Options) {
		o.Dependencies = func(tree []sandbox.File, p sandbox.Profile, more ...string) *sandbox.Dependencies {
			return sandbox.DependenciesOf(tree, p, sandbox.Sources{}, more...) // where from does not matter: nothing is installed
		}
		player.Attach(o)
	})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := rec.Matches(ctx, e.workspace); err != nil {
		return &exitError{exitDiverged, err}
	}
	var last record.Status
	for event, err := range player.Replay(ctx, e.agent) {
		if err != nil {
			return err
		}
		d.show(event)
		last = event.Status
	}
	switch {
	case player.Ended(last):
		fmt.Fprintf(os.Stderr, "caselsp: replayed the thread %s: every request, action and answer is as recorded\n", rec.Task.Thread)
		return nil
	case last.State == record.Paused:
		advice := rec.Made.Advice(versionText())
		if len(masked) > 0 {
			advice = fmt.Sprintf("The export masked secrets in %s. What a command reads from it cannot be replayed.", strings.Join(masked, ", "))
		} else if len(lost) > 0 {
			advice = fmt.Sprintf("While the task worked, the user edited %s in a way that the recording does not hold: the replay can part from it there.", strings.Join(lost, ", "))
		}
		return &exitError{exitDiverged, errors.New(strings.TrimSpace(clean(last.Reason) + "\n" + advice))}
	case last.State != record.Review:
		return exitOf(last.State)
	}
	fmt.Fprintf(os.Stderr, "caselsp: replayed task %s: every prompt, action and result is as recorded\n", rec.Task.ID)
	if !yes {
		rev, err := e.agent.Review(rec.Task.ID)
		if err != nil {
			return err
		}
		showChanges(streamOf(os.Stdout), rev)
		return nil
	}
	out, err := e.agent.Decide(ctx, rec.Task.ID, review.Selection{Hunk: review.AllHunks}, true, workspace.Disk(e.workspace))
	if err != nil {
		return err
	}
	return tellOutcome(os.Stderr, rec.Task.ID, out)
}
