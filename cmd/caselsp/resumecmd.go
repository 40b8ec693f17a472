package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/record"

	"github.com/spf13/cobra"
)

const doResume = "resume"

// resumeArgs say what goes on, and how.
type resumeArgs struct {
	taskFlags
	Task    string `json:",omitempty"`
	Answer  string `json:",omitempty"`
	Message string `json:",omitempty"`
	Begun   bool   `json:",omitempty"` // this command has gone on with it already, in a process that has ended
}

var resumeTask = works(doResume, func(ctx context.Context, e *engine, s *seat, a resumeArgs) error {
	if a.Answer != "" && (s.away || a.Begun) { // it may be worked on there, and takes the answer
		if id, err := e.underWay(a.Task, "answer"); err == nil && slices.Contains(e.agent.Working(), id) {
			return e.answer(s, id, a.Answer)
		}
	}
	ctx = a.asked(ctx, s)
	e.tellProblems(s)
	var args []string
	if a.Task != "" {
		args = []string{a.Task}
	}
	id, err := e.pickResume(args)
	if err != nil {
		return err
	}
	if a.Begun {
		if last, err := e.agent.Status(id); err == nil && (last.State.Ended() || last.State == record.Review || last.State == record.Idle) {
			return a.ended(ctx, e, s, last)
		}
	}
	if a.Answer != "" {
		if err := e.checkAnswer(id, a.Answer, "resume with --answer %s; or resume in a terminal"); err != nil {
			return err
		}
		if err := e.agent.Answer(id, "", e.givenAnswer(id, a.Answer)); err != nil {
			return err
		}
	}
	if st, err := e.agent.Status(id); err == nil && !a.JSON && !a.Begun && !record.IsThread(id) {
		fmt.Fprintf(s.err, "caselsp: going on with task %s: %s\n", id, clean(firstLine(st.Task.Text)))
	}
	if a.Begun {
		a.Message = "" // it is recorded
	}
	return a.follow(ctx, e, s, e.agent.ResumeWith(ctx, id, a.Message))
})

// givenAnswer is the answer that --answer has to the open question of a task: a decision in words, or in the letters
// that a prompt takes.
func (e *engine) givenAnswer(id, text string) record.Answer {
	a := record.Answer{Text: text}
	if word, reason, _ := strings.Cut(text, ":"); word == record.Deny {
		a = record.Answer{Text: record.Deny, Reason: strings.TrimSpace(reason)}
	} else if st, err := e.agent.Status(id); err == nil && st.Open != nil && st.Open.Kind() != record.KindInput && st.Open.Kind() != record.KindSecret {
		a = decided(text)
	}
	a.By = "command"
	return a
}

// checkAnswer refuses the value of a secret as an argument. how says what to do instead, with the word for it.
func (e *engine) checkAnswer(id, text, how string) error {
	if name := secretAsked(e.agent, id); name != "" && e.givenAnswer(id, text).Text != record.Deny && text != record.Kept {
		return usage(fmt.Errorf("a secret must not be an argument, because other users can see arguments: run `caselsp secret set %s`, then "+how, name, record.Kept))
	}
	return nil
}

// answer answers the open question of a task that is worked on.
func (e *engine) answer(s *seat, id, text string) error {
	if err := e.checkAnswer(id, text, "answer %s"); err != nil {
		return err
	}
	err := e.agent.Answer(id, "", e.givenAnswer(id, text))
	if err == nil {
		fmt.Fprintf(s.out, "task %s has the answer\n", id)
	}
	return err
}

func resumeCommand(w *wiring) *cobra.Command {
	var a resumeArgs
	cmd := &cobra.Command{
		Use:   "resume [TASK]",
		Short: "Continue a task that was stopped, paused or interrupted, or try again what failed of it",
		Example: `  caselsp resume
  caselsp resume --answer approve
  caselsp resume --answer "deny: use the test database" 20260302-090000-demo
  caselsp resume --message "use the new client" 20260302-090000-demo   # try again what failed`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Task = strings.Join(args, "")
			return resumeTask.run(cmd.Context(), w, a)
		},
	}
	cmd.Flags().StringVar(&a.Answer, "answer", "", "the answer to the open question: text, or approve (y), task, always, deny (n) or deny:REASON")
	cmd.Flags().StringVarP(&a.Message, "message", "m", "", "what you say to the task: of features that failed and are tried again, what to do otherwise")
	a.add(cmd)
	w.addLimits(cmd)
	return cmd
}

// pickResume returns the task named in args, or the only one that did not end, or else the
// only one of which something failed that can be tried again.
func (e *engine) pickResume(args []string) (string, error) {
	unfinished := func(s record.Status) bool { return !s.State.Ended() && s.State != record.Review }
	all, err := e.agent.History()
	if len(args) == 0 && err == nil && !slices.ContainsFunc(all, unfinished) {
		unfinished = func(s record.Status) bool { return s.Triable }
	}
	return e.pick(args, unfinished, "resume")
}
