package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"

	"github.com/spf13/cobra"
)

// taskFlags are what run and resume share.
type taskFlags struct {
	yes, review, json bool
}

func (f *taskFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "approve commands without asking, and accept the result")
	cmd.Flags().BoolVar(&f.review, "review", false, "decide about the result hunk by hunk at the end")
	cmd.Flags().BoolVar(&f.json, "json", false, "write each event as one JSON object a line")
	cmd.MarkFlagsMutuallyExclusive("yes", "review")
}

// asks reports whether a question is put to a person.
func (f *taskFlags) asks(q record.Question) bool { return !f.yes || !q.Flagged() }

// user returns the user that the run asks, who answers on standard input. The end of
// input leaves a question undecided.
func (f *taskFlags) user(in *lineReader) agent.User {
	return &console{in: in, out: os.Stderr, yes: f.yes}
}

func runCommand(w *wiring) *cobra.Command {
	var f taskFlags
	var task record.Task
	var earlier string
	cmd := &cobra.Command{
		Use:   "run [--task TEXT] [TEXT...]",
		Short: "Carry out a task in a folder",
		Example: `  caselsp run --task "add a test for parse_date"
  caselsp run --dir ~/shop --yes "let customers cancel an order"
  caselsp run --follow "now also test it"   # goes on from the last task`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if earlier == lastTask && len(args) > 0 && isTaskID(args[0]) { // --follow TASK, beside --follow=TASK
				earlier, args = args[0], args[1:]
			}
			if task.Text == "" {
				task.Text = strings.Join(args, " ")
			}
			in := newLineReader(os.Stdin)
			if strings.TrimSpace(task.Text) == "" && isTerminal(os.Stdin) {
				fmt.Fprint(os.Stderr, "What should be done? > ")
				line, _, err := in.read(cmd.Context())
				if err != nil {
					return err
				}
				task.Text = line
			}
			task.Typed = task.Text
			e, err := w.open([]string{w.dir}, nil, f.user(in), nil, nil)
			if err != nil {
				return err
			}
			defer e.Close()
			e.tellProblems()
			if in.tty != nil {
				e.tellUnfinished()
			}
			if earlier != "" {
				id, err := e.named(earlier)
				if err != nil {
					return err
				}
				if task.Follows, err = e.agent.Follows(id); err != nil {
					return err
				}
			}
			return f.follow(cmd.Context(), e, in, e.agent.Run(cmd.Context(), task))
		},
	}
	cmd.Flags().StringVarP(&task.Text, "task", "t", "", "what should be done")
	cmd.Flags().StringVar(&earlier, "follow", "", "go on from an earlier task (default: the last): its text, report and diff are given along")
	cmd.Flags().Lookup("follow").NoOptDefVal = lastTask
	cmd.Flags().BoolVar(&task.Single, "single", false, "skip planning and verification, for small requests")
	cmd.Flags().StringVar(&task.Language, "language", "", "the programming language (default: TARS finds out)")
	cmd.Flags().StringVar(&task.Type, "type", "", "the type of the task, such as bugfix (default: TARS finds out)")
	f.add(cmd)
	return cmd
}

func resumeCommand(w *wiring) *cobra.Command {
	var f taskFlags
	var answer, message string
	cmd := &cobra.Command{
		Use:   "resume [TASK]",
		Short: "Continue a task that was stopped, paused or interrupted, or try again what failed of it",
		Example: `  caselsp resume
  caselsp resume --answer approve
  caselsp resume --answer "deny: use the test database" 20260302-090000-demo
  caselsp resume --message "use the new client" 20260302-090000-demo   # try again what failed`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := newLineReader(os.Stdin)
			e, err := w.open([]string{w.dir}, nil, f.user(in), nil, nil)
			if err != nil && answer != "" {
				word, reason, _ := strings.Cut(answer, ":")
				ask := ownerAsk{Do: "answer", Task: strings.Join(args, ""), Text: answer}
				if word == record.Deny {
					ask.Text, ask.Reason = record.Deny, strings.TrimSpace(reason)
				}
				return w.askOwner(err, ask)
			}
			if err != nil {
				return err
			}
			defer e.Close()
			e.tellProblems()
			id, err := e.pickResume(args)
			if err != nil {
				return err
			}
			if answer != "" {
				word, reason, _ := strings.Cut(answer, ":")
				a := record.Answer{Text: answer, By: "command"}
				if word == record.Deny {
					a = record.Answer{Text: record.Deny, Reason: strings.TrimSpace(reason), By: "command"}
				}
				if name := secretAsked(e.agent, id); name != "" && a.Text != record.Deny && a.Text != record.Kept {
					return usage(fmt.Errorf("a secret must not be an argument, because other users can see arguments: run `caselsp secret set %s`, then resume with --answer %s; or resume in a terminal", name, record.Kept))
				}
				if err := e.agent.Answer(id, "", a); err != nil {
					return err
				}
			}
			return f.follow(cmd.Context(), e, in, e.agent.ResumeWith(cmd.Context(), id, message))
		},
	}
	cmd.Flags().StringVar(&answer, "answer", "", "the answer to the open question: text, or approve, task, always, deny or deny:REASON")
	cmd.Flags().StringVarP(&message, "message", "m", "", "what to do otherwise, for features that failed and are tried again")
	f.add(cmd)
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

// tellProblems says which settings were ignored.
func (e *engine) tellProblems() {
	for _, p := range e.problems {
		fmt.Fprintln(os.Stderr, "caselsp:", clean(p.String()))
	}
}

// tellUnfinished says which task of the workspace was not finished: the newest.
func (e *engine) tellUnfinished() {
	list, err := e.agent.Resumable()
	if err != nil || len(list) == 0 {
		return // what cannot be read is told where it is asked for
	}
	s := list[len(list)-1]
	fmt.Fprintf(os.Stderr, "caselsp: a task is not finished: %s (%s): caselsp resume %s\n", agent.Quote(firstLine(s.Task.Text)), s.State, s.Task.ID)
}

// lastTask names the newest task of the workspace wherever a task is named.
const lastTask = "last"

// named returns the id of the task that a name means.
func (e *engine) named(name string) (string, error) {
	if name == lastTask {
		return e.agent.Last()
	}
	return name, nil
}

// isTaskID reports whether a word looks like the id of a task.
func isTaskID(word string) bool { return taskIDs.MatchString(word) }

// taskIDs are the ids that the agent makes; those of the demo and of tests end in a word.
var taskIDs = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-z]+$`)

// pick returns the task named in args, or the only task that fits.
func (e *engine) pick(args []string, fits func(record.Status) bool, verb string) (string, error) {
	if len(args) > 0 {
		return e.named(args[0])
	}
	all, err := e.agent.History()
	if err != nil {
		return "", err
	}
	var ids []string
	for _, s := range all {
		if fits(s) {
			ids = append(ids, s.Task.ID)
		}
	}
	switch len(ids) {
	case 0:
		return "", fmt.Errorf("there is no task to %s in this workspace", verb)
	case 1:
		return ids[0], nil
	}
	return "", usage(fmt.Errorf("there are %d tasks to %s: name one of %s", len(ids), verb, strings.Join(ids, ", ")))
}

// follow shows a run until it ends and lets the user decide about the result.
func (f *taskFlags) follow(ctx context.Context, e *engine, in *lineReader, events iter.Seq2[agent.Event, error]) error {
	d := newDisplay(os.Stdout, f.json, f.asks)
	var last record.Status
	var failed error
	for event, err := range events {
		if err != nil {
			failed = err
			break
		}
		d.show(event)
		if last.Task.ID == "" && in.tty != nil {
			in.tell(func(text string) { tellTask(e.agent, event.Status.Task.ID, text) })
		}
		last = event.Status
	}
	in.tell(nil)
	d.close()
	if failed != nil {
		if errors.Is(failed, record.ErrEmptyTask) {
			return usage(failed)
		}
		return failed
	}
	if last.State == record.Idle { // a thread that was resumed has shown its answer
		return nil
	}
	if !f.json {
		e.showEnding(os.Stdout, last)
	}
	if last.State != record.Review {
		if last.State == record.Paused || last.State == record.Stopped {
			fmt.Fprintf(os.Stderr, "caselsp: task %s is %s: %s\n", last.Task.ID, last.State, clean(last.Reason))
			fmt.Fprintf(os.Stderr, "caselsp: to continue it: caselsp resume %s%s\n", e.resumeFlags(), last.Task.ID)
		}
		e.tellKept(last)
		fmt.Fprintf(os.Stderr, "caselsp: the report: %s\n", e.reportHint())
		return exitOfRun(last.State, last)
	}
	err := f.decide(ctx, e, in, last.Task.ID)
	e.tellKept(last)
	fmt.Fprintf(os.Stderr, "caselsp: the report: %s\n", e.reportHint())
	var code *exitError
	if now, failed := e.agent.Status(last.Task.ID); failed == nil && (err == nil || errors.As(err, &code) && code.err == nil) {
		return exitOfRun(now.State, last)
	}
	return err
}

// tellKept says what is kept of features that failed, why they did, and what can be done.
func (e *engine) tellKept(last record.Status) {
	if len(last.Kept) == 0 {
		return
	}
	fmt.Fprintln(os.Stderr, "caselsp: the work of features that failed is kept, not verified:")
	for _, k := range last.Kept {
		fmt.Fprintf(os.Stderr, "  %s: %s: %s\n", k.ID, clean(strings.Join(k.Files, ", ")), clean(firstLine(k.Reason)))
	}
	fmt.Fprintln(os.Stderr, "You can:")
	for _, way := range agent.WaysWithKept(last.Task.ID, last.Kept[0].ID, e.resumeFlags()) {
		fmt.Fprintf(os.Stderr, "  %s\n", way)
	}
}

// tellTask says to a task what was typed while it works.
func tellTask(a *agent.Agent, id, text string) {
	if err := a.Tell(id, text); err != nil {
		fmt.Fprintln(os.Stderr, "caselsp: not told:", clean(err.Error()))
	}
}

// decide ends a run that has a result: it is accepted at once, reviewed hunk by hunk,
// or left for a later review.
func (f *taskFlags) decide(ctx context.Context, e *engine, in *lineReader, id string) error {
	rev, err := e.agent.Review(id)
	if err != nil {
		return err
	}
	switch {
	case f.yes:
		if f.json { // readers of the lines need the end, too
			e.agent.Watch = jsonLines{json.NewEncoder(os.Stdout)}.show
		}
		return e.decideAll(ctx, nil, id, review.Selection{Hunk: review.AllHunks}, true)
	case f.review || isTerminal(os.Stdin) && !f.json:
		showChanges(os.Stdout, rev)
		return e.reviewOnTerminal(ctx, in, rev)
	}
	if !f.json {
		showChanges(os.Stdout, rev)
	}
	fmt.Fprintf(os.Stderr, "caselsp: the result waits for your review: caselsp review %s\n", id)
	return exitOf(record.Review)
}

// decideAll accepts or rejects a selection and reports files that were not written. Of those
// that programs obey and that the selection does not name, the person at in is asked once,
// with all of them in a list; without one (nil) they wait.
func (e *engine) decideAll(ctx context.Context, in *lineReader, id string, sel review.Selection, accept bool) error {
	out, err := e.agent.Decide(ctx, id, sel, accept, workspace.Disk(e.workspace))
	if err == nil && accept && sel.File == "" && len(out.Waiting) > 0 && in != nil {
		out, err = e.acceptObeyed(ctx, in, id, sel, out)
	}
	if err != nil {
		return err
	}
	left, err := e.agent.Unfilled(id)
	if err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(os.Stderr, "caselsp: %s has places for secrets (%s): caselsp secret fill %[1]s\n", clean(file), strings.Join(left[file], ", "))
	}
	return tellOutcome(id, out)
}

// acceptObeyed asks about the files that programs obey, which are left of an acceptance of
// all, and returns the outcome of both.
func (e *engine) acceptObeyed(ctx context.Context, in *lineReader, id string, sel review.Selection, out review.Outcome) (review.Outcome, error) {
	tellWaiting(out.Waiting, "Programs obey these files without being told to:")
	fmt.Fprint(os.Stderr, "y = accept them, too, anything else = later > ")
	line, _, err := in.read(ctx)
	if err != nil || strings.ToLower(line) != "y" {
		return out, err
	}
	var names permit.Consent
	for _, f := range out.Waiting {
		names = append(names, f.Change.Path)
	}
	more, err := e.agent.Decide(ctx, id, review.Selection{Kept: sel.Kept, Hunk: review.AllHunks, Consent: names}, true, workspace.Disk(e.workspace))
	more.Results = append(out.Results, more.Results...)
	return more, err
}

// tellWaiting lists files that programs obey, each with who does.
func tellWaiting(files []review.File, title string) {
	fmt.Fprintf(os.Stderr, "\n%s\n", title)
	for _, f := range files {
		fmt.Fprintf(os.Stderr, "  %s: %s\n", clean(describe(f.Change)), clean(f.Obeyed.By))
	}
}

// tellOutcome reports the result of a decision.
func tellOutcome(id string, out review.Outcome) error {
	tellResults(out, "written")
	fmt.Fprintf(os.Stderr, "caselsp: %s\n", clean(out.Decided))
	if out.Closed {
		fmt.Fprintf(os.Stderr, "caselsp: the task was not finished and is closed as it is: caselsp resume %s goes on with what is left of it\n", id)
	}
	if len(out.Waiting) > 0 {
		tellWaiting(out.Waiting, "caselsp: these files wait for your word, because programs obey them without being told to:")
		fmt.Fprintf(os.Stderr, "To accept one:\n")
		for _, f := range out.Waiting {
			of := ""
			if f.Kept != "" {
				of = "--kept " + f.Kept + " "
			}
			fmt.Fprintf(os.Stderr, "  caselsp review --accept %s--file %s %s\n", of, clean(shell.Word(f.Change.Path)), id)
		}
	}
	if out.State == record.Review {
		fmt.Fprintf(os.Stderr, "caselsp: %s still undecided: caselsp review %s\n", count.Of(out.Open, "hunk"), id)
	}
	if out.Kept { // whatever became of the result
		switch {
		case len(out.Failed()) > 0:
			return &exitError{code: exitError1}
		case len(out.Waiting) > 0:
			return &exitError{code: exitReview}
		}
		return nil
	}
	return exitOf(out.State)
}

// resumeFlags are the settings of this command line as flags, so that a resume holds to them;
// what may be a secret is left out.
func (e *engine) resumeFlags() string {
	text := ""
	for _, s := range e.set {
		if e.store.Redact(s) == s {
			text += "--set " + clean(shell.Word(s)) + " "
		}
	}
	return text
}

// tellResults reports for each file whether it was written.
func tellResults(out review.Outcome, how string) {
	for _, r := range out.Results {
		if r.OK {
			fmt.Fprintf(os.Stderr, "caselsp: %s: %s\n", how, clean(r.Path))
		} else {
			fmt.Fprintf(os.Stderr, "caselsp: NOT %s: %s: %s\n", how, clean(r.Path), clean(r.Reason))
		}
	}
}

// secretAsked returns the name of the secret that a task's open question asks for, "" for none.
func secretAsked(a *agent.Agent, id string) string {
	st, err := a.Status(id)
	if err != nil || st.Open == nil {
		return ""
	}
	about, _ := st.Open.Subject.(record.Secret)
	return about.Name
}
