package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"

	"github.com/spf13/cobra"
)

// taskFlags are what run and resume share.
type taskFlags struct {
	Yes, Review, JSON bool
}

func (f *taskFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.Yes, "yes", "y", false, "allow commands and installations without asking, but none that is denied or gets a secret, and accept the result")
	cmd.Flags().BoolVar(&f.Review, "review", false, "decide about the result at the end, with the questions of caselsp review")
	cmd.Flags().BoolVar(&f.JSON, "json", false, "write each event as one JSON object a line")
	cmd.MarkFlagsMutuallyExclusive("yes", "review")
}

// asks reports whether a question is put to a person.
func (f *taskFlags) asks(q record.Question) bool { return !f.Yes || !q.Flagged() }

// asked has the questions of a run put to the person at a seat. The end of
// input leaves a question undecided.
func (f *taskFlags) asked(ctx context.Context, s *seat) context.Context {
	if s.in.tty {
		s.in.start() // what is typed from now on is known by its time
	}
	return asked(ctx, &console{in: s.in, out: s.err, yes: f.Yes, color: s.err.color})
}

// runArgs are a task, or what is left of one that another process has begun.
type runArgs struct {
	taskFlags
	Task    record.Task
	Earlier string `json:",omitempty"` // the task from which it goes on
}

var runTask = works("run", func(ctx context.Context, e *engine, s *seat, a runArgs) error {
	ctx = a.asked(ctx, s)
	e.tellProblems(s)
	if s.in.tty {
		e.tellUnfinished(s)
	}
	if a.Earlier != "" {
		id, err := e.named(a.Earlier)
		if err != nil {
			return err
		}
		if a.Task.Follows, err = e.agent.Follows(id); err != nil {
			return err
		}
	}
	a.Task.Typed = a.Task.Text // whoever gives the command has typed it; what is handed over does not say so
	return a.follow(ctx, e, s, e.agent.Run(ctx, a.Task))
})

func runCommand(w *wiring) *cobra.Command {
	var a runArgs
	cmd := &cobra.Command{
		Use:   "run [--task TEXT] [TEXT...]",
		Short: "Carry out a task in a folder",
		Example: `  caselsp run --task "add a test for parse_date"
  caselsp run --dir ~/shop --yes "let customers cancel an order"
  caselsp run --follow "now also test it"   # goes on from the last task`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Earlier == lastTask && len(args) > 0 && isTaskID(args[0]) { // --follow TASK, beside --follow=TASK
				a.Earlier, args = args[0], args[1:]
			}
			if a.Task.Text == "" {
				a.Task.Text = strings.Join(args, " ")
			}
			s := ownSeat()
			if s.in.tty {
				s.in.start()
			}
			if strings.TrimSpace(a.Task.Text) == "" && s.in.tty {
				line, _, err := s.in.behind("What should be done? > ")(cmd.Context())
				if err != nil {
					return err
				}
				a.Task.Text = line
			}
			a.Task.Classify = s.in.tty && s.out.tty && !a.Yes && !a.JSON && !a.Task.Single
			if err := a.Task.Check(); err != nil && !errors.Is(err, record.ErrEmptyTask) {
				return err
			}
			return runTask.at(cmd.Context(), w, s, a)
		},
	}
	cmd.Flags().StringVarP(&a.Task.Text, "task", "t", "", "what should be done")
	cmd.Flags().StringVar(&a.Earlier, "follow", "", "go on from an earlier task (default: the last): its text, report and diff are given along")
	cmd.Flags().Lookup("follow").NoOptDefVal = lastTask
	cmd.Flags().BoolVar(&a.Task.Single, "single", false, "skip planning and verification, for small requests")
	cmd.Flags().StringVar(&a.Task.Language, "language", "", "the programming language (default: TARS finds out; on a terminal you are asked where nothing says it)")
	cmd.Flags().StringVar(&a.Task.Type, "type", "", "the type of the task: "+strings.Join(record.Types(), ", ")+", or a word of your own (default: as --language)")
	// The name of the flag is the one defined above, so this cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(record.Types(), cobra.ShellCompDirectiveNoFileComp))
	a.add(cmd)
	w.addLimits(cmd)
	return cmd
}

// tellProblems says which settings were ignored.
func (e *engine) tellProblems(s *seat) {
	if s.away {
		return // they are those of the settings there
	}
	for _, p := range e.problems {
		fmt.Fprintln(s.err, "caselsp:", clean(p.String()))
	}
}

// tellUnfinished says which task of the workspace was not finished: the newest.
func (e *engine) tellUnfinished(s *seat) {
	list, err := e.agent.Resumable()
	if err != nil || len(list) == 0 {
		return // what cannot be read is told where it is asked for
	}
	last := list[len(list)-1]
	fmt.Fprintf(s.err, "caselsp: a task is not finished: %s (%s): caselsp resume %s\n", agent.Quote(firstLine(last.Task.Text)), last.State, last.Task.ID)
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
var taskIDs = lazyregexp.New(`^[0-9]{8}-[0-9]{6}-[0-9a-z]+$`)

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
	named := ""
	for _, s := range all {
		if fits(s) {
			ids = append(ids, s.Task.ID)
			named += fmt.Sprintf("\n  %s  %s", s.Task.ID, clean(firstLine(s.Task.Text)))
		}
	}
	switch len(ids) {
	case 0:
		return "", fmt.Errorf("there is no task to %s in this workspace%s", verb, e.threadLeft())
	case 1:
		return ids[0], nil
	}
	return "", usage(fmt.Errorf("there are %d tasks to %s: name one of%s", len(ids), verb, named))
}

// threadLeft says which thread was interrupted, which is no task; "" for none.
func (e *engine) threadLeft() string {
	threads, err := e.agent.Conversations()
	if err != nil {
		return ""
	}
	for _, s := range threads {
		if s.Interrupted {
			return fmt.Sprintf("; the thread %s was interrupted in an answer: caselsp resume %s", s.Task.Thread, s.Task.ID)
		}
	}
	return ""
}

// follow shows a run until it ends and lets the user decide about the result.
func (f *taskFlags) follow(ctx context.Context, e *engine, s *seat, events iter.Seq2[agent.Event, error]) error {
	d := newDisplay(s.out, f.JSON, f.asks)
	var last record.Status
	var failed error
	for event, err := range events {
		if err != nil {
			failed = err
			break
		}
		if id := event.Status.Task.ID; last.Task.ID == "" && id != "" {
			s.then(doResume, resumeArgs{taskFlags: *f, Task: id, Begun: true})
			if s.in.tty {
				s.in.tell(func(text string) { tellTask(s, e.agent, id, text) })
			}
		}
		d.show(event)
		last = event.Status
	}
	s.in.tell(nil)
	d.close()
	err := failed
	switch {
	case errors.Is(failed, record.ErrEmptyTask):
		err = usage(failed)
	case failed == nil && last.State != record.Idle: // a thread that was resumed has shown its answer
		err = f.ended(ctx, e, s, last)
	}
	if f.JSON {
		err = errors.Join(err, e.writeResult(ctx, s.out, last.Task.ID, err))
	}
	return err
}

// ended shows how a run has ended, and lets the user decide about the result.
func (f *taskFlags) ended(ctx context.Context, e *engine, s *seat, last record.Status) error {
	sums := !f.JSON && s.out.color // a person watches: what it came to stands at the end
	if !f.JSON {
		e.showEnding(s.out, last, !sums)
	}
	if last.State != record.Review {
		if sums {
			e.showSummary(s.out, last.Task.ID)
		}
		if last.State == record.Paused || last.State == record.Stopped {
			fmt.Fprintf(s.err, "caselsp: task %s is %s: %s\n", last.Task.ID, last.State, clean(last.Reason))
			fmt.Fprintf(s.err, "caselsp: to continue it: caselsp resume %s%s\n", e.resumeFlags(), last.Task.ID)
		}
		e.tellKept(s, last)
		fmt.Fprintf(s.err, "caselsp: the report: %s\n", e.reportHint())
		return exitOfRun(last.State, last)
	}
	err := f.decide(ctx, e, s, last.Task.ID)
	if sums {
		e.showSummary(s.out, last.Task.ID)
	}
	e.tellKept(s, last)
	fmt.Fprintf(s.err, "caselsp: the report: %s\n", e.reportHint())
	var code *exitError
	if now, failed := e.agent.Status(last.Task.ID); failed == nil && (err == nil || errors.As(err, &code) && code.err == nil) {
		return exitOfRun(now.State, last)
	}
	return err
}

// tellKept says what is kept of features that failed, why they did, and what can be done.
func (e *engine) tellKept(s *seat, last record.Status) {
	if len(last.Kept) == 0 {
		return
	}
	fmt.Fprintln(s.err, "caselsp: the work of features that failed is kept, not verified:")
	for _, k := range last.Kept {
		fmt.Fprintf(s.err, "  %s: %s: %s\n", k.ID, clean(strings.Join(k.Files, ", ")), clean(firstLine(k.Reason)))
	}
	fmt.Fprintln(s.err, "You can:")
	for _, way := range agent.WaysWithKept(last.Task.ID, last.Kept[0].ID, e.resumeFlags()) {
		fmt.Fprintf(s.err, "  %s\n", way)
	}
}

// tellTask says to a task what was typed while it works.
func tellTask(s *seat, a *agent.Agent, id, text string) {
	if leaveWords[strings.ToLower(strings.TrimSpace(text))] {
		fmt.Fprintf(s.err, "  not told: %s is no message to a task. Ctrl+C stops the task and saves it\n", agent.Quote(firstLine(text)))
		return
	}
	if err := a.Tell(id, text); err != nil {
		fmt.Fprintln(s.err, "caselsp: not told:", clean(err.Error()))
		return
	}
	if strings.Contains(strings.TrimSpace(text), "\n") {
		fmt.Fprintf(s.err, "  noted, for the next step:\n%s", agent.QuoteLines(strings.TrimSpace(text), quoteMark))
		return
	}
	fmt.Fprintln(s.err, "  noted, for the next step:", clean(firstLine(text)))
}

// decide ends a run that has a result: it is accepted at once, reviewed hunk by hunk,
// or left for a later review.
func (f *taskFlags) decide(ctx context.Context, e *engine, s *seat, id string) error {
	rev, err := e.agent.Review(id)
	if err != nil {
		return err
	}
	switch {
	case f.Yes:
		if f.JSON { // readers of the lines need the end, too
			defer e.agent.Hear(id, jsonLines{newEncoder(s.out)}.show)()
		}
		return e.decideAll(ctx, s, false, id, review.Selection{Hunk: review.AllHunks}, true)
	case f.Review || s.in.tty && !f.JSON:
		showChanges(s.out, rev)
		return e.reviewOnTerminal(ctx, s, rev)
	}
	if !f.JSON {
		showChanges(s.out, rev)
	}
	tellWaits(s, id)
	return exitOf(record.Review)
}

// decideAll accepts or rejects a selection and reports files that were not written. Of those
// that programs obey and that the selection does not name, the person at the seat is asked once,
// with all of them in a list, where asks says so; else they wait.
func (e *engine) decideAll(ctx context.Context, s *seat, asks bool, id string, sel review.Selection, accept bool) error {
	out, err := e.agent.Decide(ctx, id, sel, accept, e.applier(id))
	if err == nil && accept && sel.File == "" && len(out.Waiting) > 0 && asks {
		out, err = e.acceptObeyed(ctx, s, id, sel, out)
	}
	if err != nil {
		return err
	}
	left, err := e.agent.Unfilled(id)
	if err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(s.err, "caselsp: %s has places for secrets (%s): caselsp secret fill %[1]s\n", clean(file), strings.Join(left[file], ", "))
	}
	return tellOutcome(s.err, id, out)
}

// acceptObeyed asks about the files that programs obey, which are left of an acceptance of
// all, and returns the outcome of both.
func (e *engine) acceptObeyed(ctx context.Context, s *seat, id string, sel review.Selection, out review.Outcome) (review.Outcome, error) {
	tellWaiting(s.err, out.Waiting, "Programs obey these files without being told to:")
	line, _, err := s.in.decision(ctx, obeyedName, "y = accept them, too, anything else = later > ")
	if err != nil {
		tellWaits(s, id)
	}
	if err != nil || strings.ToLower(line) != "y" {
		return out, err
	}
	var names permit.Consent
	for _, f := range out.Waiting {
		names = append(names, f.Change.Path)
	}
	more, err := e.agent.Decide(ctx, id, review.Selection{Kept: sel.Kept, Hunk: review.AllHunks, Consent: names}, true, e.applier(id))
	more.Results = append(out.Results, more.Results...)
	return more, err
}

// tellWaiting lists files that programs obey, each with who does.
func tellWaiting(w io.Writer, files []review.File, title string) {
	fmt.Fprintf(w, "\n%s\n", title)
	for _, f := range files {
		fmt.Fprintf(w, "  %s: %s\n", clean(describe(f.Change)), clean(f.Obeyed.By))
	}
}

// tellOutcome reports the result of a decision.
func tellOutcome(w io.Writer, id string, out review.Outcome) error {
	tellResults(w, out, "written")
	fmt.Fprintf(w, "caselsp: %s\n", clean(out.Decided))
	if out.Commit != "" {
		fmt.Fprintf(w, "caselsp: %s\n", clean(out.Commit))
	}
	if out.Closed {
		fmt.Fprintf(w, "caselsp: the task was not finished and is closed as it is: caselsp resume %s goes on with what is left of it\n", id)
	}
	if len(out.Waiting) > 0 {
		tellWaiting(w, out.Waiting, "caselsp: these files wait for your word, because programs obey them without being told to:")
		fmt.Fprintf(w, "To accept one:\n")
		for _, f := range out.Waiting {
			of := ""
			if f.Kept != "" {
				of = "--kept " + f.Kept + " "
			}
			fmt.Fprintf(w, "  caselsp review --accept %s--file %s %s\n", of, clean(shell.Word(f.Change.Path)), id)
		}
	}
	if out.Learnt != "" {
		fmt.Fprintf(w, "caselsp: remembered: %s; caselsp memory list\n", out.Learnt)
	}
	if out.State == record.Review {
		fmt.Fprintf(w, "caselsp: %s still undecided: caselsp review %s\n", count.Of(out.Open, "hunk"), id)
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

// applier changes the user's files for the result of a task: what the editor that this process serves has open is
// changed there, else all on disk.
func (e *engine) applier(id string) workspace.Applier {
	if e.edit != nil {
		return e.edit(e.agent, id)
	}
	return workspace.Disk(e.workspace)
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

// tellResults reports for each file whether it was written, or only changed in the editor that has it open.
func tellResults(w io.Writer, out review.Outcome, how string) {
	for _, r := range out.Results {
		how := how
		if r.Deleted && how == "written" {
			how = "deleted"
		}
		switch {
		case r.Unsaved:
			fmt.Fprintf(w, "caselsp: changed in the editor, not saved yet: %s\n", clean(r.Path))
		case r.OK:
			fmt.Fprintf(w, "caselsp: %s: %s\n", how, clean(r.Path))
		default:
			fmt.Fprintf(w, "caselsp: NOT %s: %s: %s\n", how, clean(r.Path), clean(r.Reason))
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
