package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"caselsp/agent"
	"caselsp/agent/workspace"
)

// playDemo plays the recording on the project in dir and shows it.
func playDemo(ctx context.Context, rec *agent.Recording, dir, state string, out *os.File) error {
	player := rec.Play()
	screen := newDemoScreen(out)
	e, err := openDemo(dir, state, player.Now, func(o *agent.Options) {
		o.User = demoUser{player, screen}
		player.Attach(o)
	})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := rec.Matches(ctx, e.workspace); err != nil {
		return &exitError{exitDiverged, err}
	}
	var last agent.Status
	for event, err := range e.agent.Run(ctx, rec.Task) {
		if err != nil {
			return err
		}
		screen.show(event)
		last = event.Status
	}
	if last.State != agent.Review {
		return &exitError{exitDiverged, errors.New(clean(last.Reason))}
	}
	result, err := e.agent.Decide(ctx, rec.Task.ID, agent.Selection{Hunk: agent.AllHunks}, true, workspace.Disk(e.workspace))
	if err != nil {
		return err
	}
	if failed := result.Failed(); len(failed) > 0 {
		return fmt.Errorf("%s was not written: %s", failed[0].Path, failed[0].Reason)
	}
	screen.summary(last, result, dir)
	return nil
}

// demoUser shows a question and gives the recorded answer to it.
type demoUser struct {
	player *agent.Player
	screen *demoScreen
}

// Ask implements agent.User.
func (u demoUser) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	a, err := u.player.Ask(ctx, q)
	if err == nil {
		u.screen.question(q, a)
	}
	return a, err
}

// demoScreen shows what happens, with the reasons of refused edits.
type demoScreen struct{ plain }

func newDemoScreen(out *os.File) *demoScreen {
	return &demoScreen{plain{out: out, color: isTerminal(out) && os.Getenv("NO_COLOR") == ""}}
}

// refusalShown is how many lines of a refused edit's reason are shown: the nearest
// place in the file fits in.
const refusalShown = 12

func (s *demoScreen) show(e agent.Event) {
	switch b := e.Body.(type) {
	case agent.Asked, agent.Answered: // the question is on the screen already
	case agent.StateChanged:
		s.line("")
		s.plain.show(e)
	case agent.ActionDone:
		s.plain.show(e)
		if !b.OK && b.Note == "" {
			lines := strings.Split(b.Text, "\n")
			for _, l := range lines[1:min(len(lines), refusalShown)] {
				s.line("      %s", l)
			}
		}
	default:
		s.plain.show(e)
	}
}

// question shows a question as an editor does, with the answer.
func (s *demoScreen) question(q agent.Question, a agent.Answer) {
	s.line("")
	s.line("  ? %s", q.Text)
	if q.Kind == agent.Approval {
		s.line("    $ %s", q.Command)
		s.line("    where: %s", q.Where)
		s.line("    why:   %s", q.Why)
	}
	for _, c := range q.Choices {
		s.line("    [%s]", c)
	}
	s.line("    you: %s", a.Text)
	s.line("")
}

// summary says what a user has at the end, and where.
func (s *demoScreen) summary(last agent.Status, result agent.Outcome, dir string) {
	s.line("")
	for _, r := range result.Results {
		s.line("wrote %s", r.Path)
	}
	s.line("")
	s.line("%s: accepted, %d files written, %d tokens.", last.Task.Text, len(result.Results), last.Usage.Prompt+last.Usage.Completion)
	s.line("The changed project is in %s", dir)
	s.line("Its tests, where Django is installed: cd %s && python3 manage.py test", filepath.ToSlash(dir))
}
