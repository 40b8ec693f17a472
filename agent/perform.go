package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/quote"
	"caselsp/agent/record"
	"caselsp/store"
)

// perform carries out the pending action, as far as it gets: where the user must
// be asked or a command runs, it records that and is called again.
func (r *run) perform(ctx context.Context) error {
	c := r.state.Pending
	act := r.live
	if act == nil { // resumed: the journal's copy has secrets cut out
		var err error
		if act, err = action.Restore(c.Action, c.Args); err != nil {
			return r.done(record.ActionDone{Text: "Nothing was done. " + err.Error()})
		}
		if strings.Contains(string(c.Args), store.Redacted) {
			return r.done(record.ActionDone{Text: "Nothing was done: the work was interrupted before this action. Send it again."})
		}
	}
	if no := r.onlyTests(act); no != "" {
		return r.done(record.ActionDone{Text: no})
	}
	if r.state.Unlooked() {
		if looked, err := r.lookForTests(ctx); looked || err != nil {
			return err
		}
	}
	d, err := r.may().Decide(ctx, act)
	if err != nil {
		return err
	}
	d, settled, err := r.withInstall(ctx, d)
	if err != nil || !settled {
		return err
	}
	allowed, may, err := r.heed(d)
	if !may {
		return err
	}
	switch args := act.Args.(type) {
	case action.RunCommand:
		return r.runCommand(ctx, allowed)
	case action.AskUser:
		return r.askUser(ctx, args)
	case action.Checkpoint:
		return r.checkpoint(ctx, args)
	case action.Rollback:
		return r.rollback(args)
	case action.FinishFeature:
		return r.finish(ctx, args)
	case action.Abort:
		return r.done(record.ActionDone{OK: true, Text: args.Reason, Note: "gives up"})
	case action.Doer:
		return r.do(ctx, act.Verb, args)
	}
	return r.look(ctx, act)
}

// done records the outcome of the pending action.
func (r *run) done(b record.ActionDone, blobs ...[]byte) error {
	r.live = nil
	if c := r.state.Pending; c != nil {
		said := b.Said()
		said.Text = c.Denied + said.Text
		b = b.Tell(r.window().result(said, action.EffectOf(c.Action)))
	}
	asKept := b // those before it are known from the journal, which holds no secret
	asKept.Text, asKept.Quote = r.a.Store.Redact(b.Text), r.a.Store.Redact(b.Quote)
	told, stop := r.state.Circles(asKept)
	b.More += told
	b.Loop = stop
	shown := b.Also
	if b.Shown != nil {
		shown = append(slices.Clip(shown), *b.Shown)
	}
	for _, s := range shown {
		if f, err := r.overlay.Read(s.Path); err == nil {
			r.texts.keep(f.Hash, f.Text)
		}
	}
	if left := r.a.Limits.Steps - r.state.Steps; r.state.Phase == record.Coding && r.state.Pending.Step > 0 && left <= fewSteps {
		b = b.Tell(b.Said().And(stepsLeft(left)))
	}
	return r.record(b, blobs...)
}

// fewSteps is how many steps before the end of a round CASE is told of it.
const fewSteps = 3

func stepsLeft(n int) string {
	if n <= 0 {
		return "This was the last step of the round."
	}
	return fmt.Sprintf("Steps left in this round: %d. When the feature is complete, call %s.", n, action.FinishFeatureName)
}

// touched reports whether the user's file is another than when the task began, or may be where that is not known.
func (r *run) touched(path string) bool {
	now, err := r.a.Workspace.Bytes(path)
	return !errors.Is(err, fs.ErrNotExist) && (err != nil || !r.state.BeganWith(path, now.Hash))
}

// do carries out an action on the overlay. A panic in it ends the action, not
// the run: the overlay goes back to what it was.
func (r *run) do(ctx context.Context, verb *action.Verb, args action.Doer) error {
	r.concealRead(args.Reads())
	if err := r.noteEdits(r.readBy(ctx, args.Reads())); err != nil {
		return err
	}
	before := r.overlay.State()
	room, _ := r.roomLeft()
	var result action.Result
	err := r.guarded(verb.Name, func() (err error) {
		result, err = action.Do(ctx, args, action.Env{Overlay: r.overlay, Shown: r.state.ShownNow(), MaxShown: room, Hidden: store.Redacted, HiddenWhy: strings.Join(r.state.Masked, "; "), Hides: r.may().Hides, Tells: r.tells, Touched: r.touched, Theirs: r.theirs, Rejected: r.rejected, Warned: r.warned, Judge: r.judge})
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if restored := r.overlay.Restore(before); restored != nil {
			return restored
		}
		return r.done(r.refusedEdit(args, result, err))
	}
	outcome := record.ActionDone{OK: true, Note: result.Note, Diff: result.Diff, Shown: result.Shown, Also: result.Also, Hunks: result.Hunks}.Tell(result.Said)
	if verb.Effect != action.Edits {
		return r.done(outcome)
	}
	if ok, err := r.safe(ctx, before); !ok {
		return err
	}
	staged, blobs := record.StagedOf(r.overlay.State())
	outcome.Staged = &staged
	return r.done(outcome, blobs...)
}

// refusedEdit is the outcome of an action that failed on the overlay.
func (r *run) refusedEdit(args action.Doer, result action.Result, err error) record.ActionDone {
	b := record.ActionDone{Refused: refusalOf(err), Hunks: result.Hunks}
	var quoting *action.Quoting
	if errors.As(err, &quoting) {
		b.Shown = quoting.Known
		if quoting.Warns != "" {
			b.Objected = []string{r.warning(quoting.Warns)}
		}
	}
	said := failureOf(err)
	if p, ok := args.(action.PatchFile); ok && b.Refused != "" {
		said = said.And(writeInstead(r.state.Feature(), p.First(), action.LineCount(r.textOf(p.First()))))
	}
	return b.Tell(said)
}

// failureOf is what the model is told about an action that failed.
func failureOf(err error) action.Said {
	if panicked := (*panicError)(nil); errors.As(err, &panicked) {
		return action.Said{Text: fmt.Sprintf("The action failed inside caselsp (%v); nothing was changed: try another way.", panicked.value)}
	}
	return action.Refused(err)
}

// look answers the aids that see more than the overlay.
func (r *run) look(ctx context.Context, act *action.Action) error {
	var text string
	var found record.MemoryRecalled
	err := r.guarded(act.Verb.Name, func() (err error) {
		switch args := act.Args.(type) {
		case action.GitStatus:
			text, err = r.a.Workspace.GitStatus(ctx)
		case action.GitDiff:
			text, err = r.a.Workspace.GitDiff(ctx, args.Path, r.may().Hides)
			r.concealDiffed(text)
		case action.Recall:
			found, err = r.recalled(ctx, store.KindPattern, args.Query, "", maxRecalled)
		default:
			err = fmt.Errorf("%s cannot be carried out here", act.Verb.Name)
		}
		return err
	})
	if _, ok := act.Args.(action.Recall); ok {
		if recorded := r.record(found); recorded != nil {
			return recorded
		}
		text = strings.Join(found.Found, "\n\n")
		if len(found.Found) == 0 {
			text = "Memory holds nothing similar."
		}
	}
	if err != nil {
		return r.done(record.ActionDone{}.Tell(failureOf(err)))
	}
	return r.done(record.ActionDone{OK: true, Note: strings.ToLower(act.Verb.Name)}.Tell(action.Quoted(text)))
}

// askUser puts CASE's or TARS's question; the answer is data for the model.
func (r *run) askUser(ctx context.Context, args action.AskUser) error {
	if a := r.state.Pending.Answer; a != nil {
		if args.Name != "" && !r.a.outside.replays() {
			if err := r.a.approvals().KeepValue(args.Name, a.Text); err != nil {
				return err
			}
		}
		return r.done(record.ActionDone{OK: true, Note: "asked the user",
			Text: "The user answered:\n", Mark: action.MarkAnswer, Quote: a.Text})
	}
	value, known, err := r.valueOf(args.Name)
	if err != nil {
		return err
	}
	if known {
		return errors.Join(r.record(record.MemoryRecalled{Query: valueQuery + args.Name, Found: []string{value}}),
			r.done(record.ActionDone{OK: true, Note: "knows " + args.Name, Text: "The user has said so for this project before:\n", Mark: action.MarkAnswer, Quote: value}))
	}
	if r.state.Inquiries >= maxInquiries {
		return r.done(record.ActionDone{Text: fmt.Sprintf("The user was not asked: they have answered %d questions about this. Decide by yourself, and say what you assumed.", maxInquiries)})
	}
	q := record.Question{Text: args.Question, Subject: record.Input{Choices: args.Choices}}
	if args.Name != "" {
		q.Why = fmt.Sprintf("The answer is remembered for this project as %s, and not asked for again.", args.Name)
	}
	return r.question(q)
}

// valueOf looks up a value that the user gave for the project; a replay has it from the
// recording.
func (r *run) valueOf(name string) (value string, known bool, err error) {
	if name == "" {
		return "", false, nil
	}
	if found, recorded := r.a.outside.recalled(valueQuery + name); recorded {
		if len(found.Found) != 1 {
			return "", false, nil
		}
		return found.Found[0], true, nil
	}
	values, err := r.a.Values()
	value, known = values[name]
	return value, known, err
}

// valueQuery begins what a recording has of a value that was known.
const valueQuery = "the value of "

// question opens a question; the loop then asks it.
func (r *run) question(q record.Question) error {
	q.Task = r.id
	if q.ID == "" {
		q.ID = fmt.Sprintf("q%d", r.state.Questions+1)
	}
	return r.record(record.Asked{Question: q})
}

// ask puts the open question to the user and records the answer.
func (r *run) ask(ctx context.Context) error {
	q := *r.state.Open
	if settled, err := r.trustedMeanwhile(q); settled || err != nil {
		return err
	}
	if settled, err := r.keptMeanwhile(q); settled || err != nil {
		return err
	}
	for range maxHeld {
		a, err := r.askOpenly(ctx, q)
		if given, ok := q.Unanswered(); ok && errors.Is(err, ErrUndecided) {
			a, err = given, nil
		}
		if err != nil {
			return err
		}
		a, err = r.a.Accept(q, a)
		var held *HeldBack
		switch {
		case err == nil && stopsAtPlan(q, a):
			return errPlanStopped
		case err == nil:
			return r.answered(q, a)
		case !errors.As(err, &held):
			return fmt.Errorf("%w: %w", ErrUndecided, err)
		}
		q.Notice, q.Unsure = held.Error(), !held.Sure
	}
	return fmt.Errorf("%w: %s", ErrUndecided, q.Notice)
}

// maxHeld is how many answers to one question are held back before it is left open: a
// person has understood by then, and a program never will.
const maxHeld = 10

func (r *run) answered(q record.Question, a record.Answer) error {
	var err error
	secret := ""
	switch about := q.Subject.(type) {
	case record.Approvable:
		err = r.a.approvals().Keep(q, about, a)
	case record.Trust:
		err = r.trusted(a)
	case record.Secret:
		a, secret = r.secretAnswered(about.Name, a), about.Name
	case record.Input:
		err = r.keepPackages(about.Packages, a)
	case record.Limit: // the journal alone keeps it
	}
	if err != nil {
		return err
	}
	about, _ := q.Subject.(record.Command)
	if !r.a.outside.replays() {
		a.Tells = a.Text == record.Deny && a.Reason != ""
	}
	input, asked := q.Subject.(record.Input)
	a.Heard = asked && input.OfModel() && r.a.outside.hearsAnswers()
	return r.record(record.Answered{ID: q.ID, Answer: a, Secret: secret, Whole: about.Whole})
}

// Answer answers the open question of a task that is not running, for
// instance because it paused while the question was open. Resume goes on with it.
func (a *Agent) Answer(id, question string, answer record.Answer) error {
	if done, err := a.answerWorking(id, question, answer); done {
		return err
	}
	release, err := a.acquire(id)
	if err != nil {
		return err
	}
	defer release()
	p, err := a.load(id)
	if err != nil {
		return err
	}
	if p.Open == nil || question != "" && p.Open.ID != question {
		return fmt.Errorf("task %s has no open question %s", id, question)
	}
	if answer, err = a.Accept(*p.Open, answer); err != nil {
		return err
	}
	if stopsAtPlan(*p.Open, answer) {
		return fmt.Errorf("task %s is %s already, and nothing of its plan has begun: there is nothing to stop", id, p.Phase)
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	return r.answered(*p.Open, answer)
}

// checkpoint asks TARS for advice, with the log of the feature.
func (r *run) checkpoint(ctx context.Context, args action.Checkpoint) error {
	if r.state.Answer == nil {
		messages, err := r.prompter().advicePrompt(args.Reason)
		if err != nil {
			return err
		}
		return r.consult(ctx, record.RoleTars, messages, adviceVerbs)
	}
	advice := strings.TrimSpace(r.state.Answer.Content)
	if calls := r.state.Answer.ToolCalls; len(calls) > 0 {
		act, err := action.Parse(calls[0].Name, calls[0].Arguments, adviceVerbs)
		if err != nil {
			return r.done(record.ActionDone{Text: "TARS gave no advice that could be read. Go on by yourself, or ask again."})
		}
		advice = act.Args.(action.Advice).Text
	}
	if advice == "" {
		return r.done(record.ActionDone{Text: "TARS gave no advice. Go on by yourself, or ask again."})
	}
	return r.done(record.ActionDone{OK: true, Text: "TARS answers:\n" + advice, Note: "asked TARS"})
}

// rollback puts the staged files back to what they were before a step.
func (r *run) rollback(args action.Rollback) error {
	f := r.state.Feature()
	target, name, back := f.Good, "the last good state", 0
	if args.Step > 0 {
		step := record.StepName(cmp.Or(args.Round, f.Round), args.Step)
		at, ok := f.StepAt(args.Round, args.Step)
		if !ok {
			return r.done(record.ActionDone{Text: fmt.Sprintf("There is no %s in this feature. This is round %d, and its steps are 1 to %d; name a step of an earlier round with `round`, too.", step, f.Round, r.state.Steps)})
		}
		target, name, back = f.Marks[at], "what they were before "+step, at
	}
	if err := r.putBack(target); err != nil {
		return err
	}
	staged, blobs := record.StagedOf(r.overlay.State())
	return r.done(record.ActionDone{
		OK: true, Staged: &staged, Note: "rollback", Back: back,
		Text: fmt.Sprintf("The staged files are back to %s. Rollback %d of %d in this feature.", name, f.Rollbacks+1, r.a.Limits.Rollbacks),
	}, blobs...)
}

// finish ends the coding part of the round, unless the staged files hold a
// critical finding that this task introduced.
func (r *run) finish(ctx context.Context, args action.FinishFeature) error {
	if t := r.state.LastTest; t != nil && !t.OK && !t.Skipped && !t.Lost && len(args.FixesApplied) == 0 && (args.TestCommand == "" || args.Analysis == "") {
		return r.done(record.ActionDone{Text: "Not finished: the tests failed, so say in fixes_applied which fixes you made, and why they are right in analysis; or, where only the command is wrong, the right one in test_command, and why in analysis."})
	}
	if told := r.nothingDone(); told != "" {
		return r.done(record.ActionDone{Text: told})
	}
	told, void := r.untestable(ctx, args)
	if told != "" {
		return r.done(record.ActionDone{Text: told, Misnames: void})
	}
	if linted, err := r.lintStaged(ctx); linted || err != nil { // before the claim: this comes again where it recorded something
		return err
	}
	if refused, err := r.checkFix(ctx, args); refused || err != nil {
		return err
	}
	r.progress("checking what the change brings into the project")
	found, err := r.gate.introduced(ctx, r.a.Workspace, r.overlay.ChangeSet())
	if err != nil {
		return err
	}
	orphaned, err := orphans(ctx, r.overlay, r.may().Hides)
	if err != nil {
		return err
	}
	if free, err := r.objections(found, orphaned); !free {
		return err
	}
	able, err := r.newAbilities(ctx, r.overlay.ChangeSet(), found) // of files that commands made, too
	if err != nil {
		return err
	}
	if ok, err := r.able(able, "Not finished."); !ok {
		return err
	}
	return r.done(record.ActionDone{OK: true, Text: args.Summary, Note: "finished", Words: quote.Words(record.FirstLine(args.Summary)), Misnames: void})
}
