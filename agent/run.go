package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"caselsp/agent/ability"
	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// run is one task being worked on: the loop over its journal.
type run struct {
	a       *Agent
	id      string
	journal *store.Journal
	overlay *workspace.Overlay
	state   *record.State
	gate    gate
	// live is the pending action as the model sent it. The journal's copy has
	// secrets cut out, so an edit is only ever made from this one.
	live  *action.Action
	texts texts
	begun map[string]string // by path, see [run.keepBegun]
	// abilities are those of the user's own files; nil: not read yet.
	abilities map[ability.Ability]bool
	// without are the files that the tree of the next command was made without.
	without []string
	// ranFirst is the run of the whole suite that checked the last claim; nil: none, or it was taken.
	ranFirst *ranFirst
	// copied are the generated files of which the user was told last that commands get them.
	copied []string
	// moved is where the task first had what the user has done to staged files and observe has not noted yet; nil: nothing.
	moved *record.Place
	yield func(Event, error) bool
	// trustAsked says that this run has seen to whether the workspace is trusted.
	trustAsked bool
	windowAsks windowAsks
	// memoryTold says that the user was told that memory cannot be read.
	memoryTold bool
	gone       bool // the consumer has left: stop as soon as the record is complete
	// telling is true while the consumer's code runs: a panic is the consumer's then.
	telling bool
}

func (a *Agent) newRun(id string, yield func(Event, error) bool) *run {
	return &run{a: a, id: id, journal: a.Store.Journal(id), overlay: a.Workspace.NewOverlay(), state: &record.State{}, gate: gate{suite: a.suite.Strict()}, yield: yield}
}

// errLeft ends a loop whose consumer has left.
var errLeft = errors.New("the consumer of the run has left")

// record writes one record, folds it into the state and tells of it. blobs are
// written in the same transaction.
func (r *run) record(body record.Body, blobs ...[]byte) error {
	return r.recordKept(0, body, blobs...)
}

// recordKept is record for what was kept under a number until now; 0 for nothing.
func (r *run) recordKept(kept int64, body record.Body, blobs ...[]byte) error {
	rec, err := r.journal.AppendKept(kept, record.KindOf(body), body, blobs...)
	if err != nil && r.state.Seq == 0 {
		return fmt.Errorf("the task was not begun, because it cannot be recorded: %w", err)
	}
	if err != nil {
		return &Unrecorded{Task: r.id, Err: err}
	}
	if body, err = asRecorded(body, rec); err != nil {
		return err
	}
	r.state.Apply(rec.Seq, rec.Time, body)
	r.emit(Event{Seq: rec.Seq, Time: rec.Time, Body: body, Status: r.state.Status(r.a.Limits.Rounds)})
	if r.gone {
		return errLeft
	}
	return nil
}

// asRecorded is a body as the journal has it: without secrets. So consumers see no
// secret, and a run goes on from the same state as a resumed one.
func asRecorded(body record.Body, rec store.Record) (record.Body, error) {
	if raw, err := json.Marshal(body); err == nil && bytes.Equal(raw, rec.Body) {
		return body, nil
	}
	return record.Decode(rec.Kind, rec.Body)
}

func (r *run) emit(e Event) {
	r.a.log(e)
	r.telling = true
	if r.a.Watch != nil {
		r.a.Watch(e)
	}
	r.a.tellHearers(r.id, e)
	if !r.gone && !r.yield(e, nil) {
		r.gone = true
	}
	r.telling = false
}

func (r *run) fail(err error) {
	if !errors.Is(err, errLeft) {
		r.a.Log.Error("a task cannot go on", r.state.Status(r.a.Limits.Rounds).Where(), "error", err)
	}
	if !r.gone && !errors.Is(err, errLeft) {
		r.gone = true
		r.yield(Event{}, err)
	}
}

// maxManifest is the number of files up to which a task's journal begins with a manifest
// of them all, for a replay: of more it would be the largest part of most journals.
const maxManifest = 2000

// begin writes the first records of a new task.
func (r *run) begin(ctx context.Context, task record.Task) error {
	if records, err := r.journal.Records(); err != nil {
		return err
	} else if len(records) > 0 {
		return fmt.Errorf("task %s exists already: resume it, or give the new task another id", task.ID)
	}
	if _, err := r.a.Untrusted(); err != nil { // before a model is paid for what could not be accepted
		return fmt.Errorf("the task was not begun, because it is not known which folders are trusted: %w", err)
	}
	begins := record.Answering
	var sums, manifest map[string]string // of a thread, none: files change while it goes on
	if task.Thread == "" {
		begins = record.Planning
		var err error
		if sums, err = r.overlay.Manifest(ctx, workspace.MaxStructure); err != nil {
			return fmt.Errorf("the workspace cannot be read: %w", err)
		}
		if len(sums) <= maxManifest {
			manifest = sums
		}
	}
	r.a.adoptAuthored()
	if err := r.conceal(ctx); err != nil {
		return err
	}
	given := record.GivenTask(task)
	given.Manifest, given.Limits, given.Context, given.WriteTests = manifest, r.a.Limits, r.a.Context, r.a.WriteTests
	given.Answers = r.a.outside.answers()
	given.Packages, given.Offers = r.a.outside.packages(r.a)
	given.PlanReview, given.PlanChecks = r.a.PlanReview, r.a.outside.checksPlans()
	if task.Thread == "" && !task.Single {
		given.Known = r.a.outside.known(r.a, sums)
	}
	given.NoCode = task.Classify && record.NoCode(slices.Collect(maps.Keys(sums)))
	if task.Thread == "" && !r.a.outside.replays() {
		given.Pruned = r.a.prunedSince()
	}
	if err := r.record(given); err != nil {
		return err
	}
	r.keepBegun(ctx)
	return r.record(record.StateChanged{To: begins})
}

// restore folds the journal and puts back what was staged.
func (r *run) restore(ctx context.Context, said string) error {
	p, err := r.a.load(r.id)
	if err != nil {
		return err
	}
	switch again := p.Triable(); {
	case again:
	case p.Phase == record.Review:
		return fmt.Errorf("task %s has a result that waits for your review: there is nothing to resume", r.id)
	case p.Phase == record.Idle:
		return fmt.Errorf("the thread %s waits for a message of yours: there is nothing to resume", p.Task.Thread)
	case p.Phase.Ended():
		return fmt.Errorf("task %s is over (%s): there is nothing to resume", r.id, p.Phase)
	}
	if said != "" {
		if err := record.CheckNote(said); err != nil {
			return err
		}
	}
	r.state = p
	r.keepBegun(ctx)
	r.a.adoptAuthored()
	if err := errors.Join(r.conceal(ctx), r.a.adopt(r.id)); err != nil {
		return err
	}
	if p.Triable() && p.Report != nil { // else the process ended when that was recorded
		return r.tryAgain(said)
	}
	if err := r.putBack(p.Staged); err != nil || said == "" {
		return err
	}
	return r.say(said)
}

// putBack makes the overlay hold exactly what staged names, moved onto what the
// user typed meanwhile.
func (r *run) putBack(staged record.Staged) error {
	state, err := staged.State(r.a.Store.Blob)
	if err != nil {
		return err
	}
	if err := r.overlay.Restore(state); err != nil {
		return fmt.Errorf("the staged files cannot be put back: %w", err)
	}
	return nil
}

// settle closes what a crash or a stop left open: a call in flight is lost, an
// action whose arguments the journal does not hold whole is given back to the model.
func (r *run) settle() error {
	if c := r.state.InFlight; c != nil {
		spent := llm.Usage{Prompt: c.Tokens, Completion: c.Most, Estimated: true}
		if model, err := r.a.Model(c.Role); err == nil {
			price, _ := llm.PriceOf(model)
			spent.Cost = price.Cost(spent)
		}
		if err := r.record(record.CallFailed{Role: c.Role, Lost: true, Reason: "the process ended while the model was answering", Usage: spent}); err != nil {
			return err
		}
	} else if r.state.Phase.Works() {
		if err := r.record(record.Continued{}); err != nil {
			return err
		}
	}
	if !r.state.Phase.Works() && r.state.Phase != record.Waiting {
		return r.record(r.again(r.state.Before))
	}
	return nil
}

// again is the transition back into a state that was interrupted.
func (r *run) again(to record.Phase) record.StateChanged {
	s := record.StateChanged{To: to, Reason: record.ReasonResumed, Feature: r.state.Current}
	if f := r.state.Feature(); f != nil {
		s.Attempt, s.Round = f.Attempt, f.Round
	}
	return s
}

// loop looks at the state and does the next thing, until there is none.
func (r *run) loop(ctx context.Context) {
	defer r.hearLate()
	do := r.ready
	var seen endless
	for r.state.Phase.Works() || r.state.Phase == record.Waiting {
		err := r.guarded("a step", func() error { return do(ctx) })
		if do = r.next; err == nil {
			err = seen.step(r.state)
		}
		if err == nil {
			continue
		}
		if err = r.interrupt(ctx, err); err != nil {
			r.fail(err)
			return
		}
	}
}

// ready finds out whether commands can run, before a model is paid for a plan that
// could not be carried out. An open question is answered first.
func (r *run) ready(ctx context.Context) error {
	if r.state.Phase == record.Waiting || r.state.Task.Thread != "" { // a thread runs no command
		return nil
	}
	_, err := r.a.Sandbox(ctx)
	return err
}

// next does one thing. Everything it does ends in a record, so the loop moves on.
func (r *run) next(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.state.Open != nil {
		return r.ask(ctx)
	}
	r.notice(ctx)
	if r.a.outside.forgets(r.state) {
		r.texts = texts{}
		r.keepBegun(ctx)
	}
	if err := r.learnWindow(ctx); err != nil {
		return err
	}
	if err := r.overspent(); err != nil {
		return err
	}
	if asked, err := r.askTrust(); asked || err != nil {
		return err
	}
	if err := r.listen(); err != nil {
		return err
	}
	switch {
	case r.state.Pending != nil:
		return r.perform(ctx)
	case r.state.Answer != nil && r.state.Phase == record.Testing: // a validator, the only thing that a model is asked for then
		return r.takeValidator(ctx)
	case r.unheard():
		return r.nextRound(r.state.Feature().Attempt, "after the feature was finished you said "+quote.Text(record.FirstLine(r.state.Unheard)))
	case r.state.Answer != nil, len(r.state.Rest) > 0:
		return r.interpret(ctx)
	}
	if r.state.Task.Thread != "" && r.state.Thread.Settled() {
		return r.record(record.StateChanged{To: record.Idle})
	}
	if r.state.Reply != "" {
		return r.conclude(ctx)
	}
	if err := r.observe(ctx); err != nil {
		return err
	}
	if again, err := r.reopen(); again || err != nil {
		return err
	}
	if f := r.state.Feature(); f != nil && f.Ended { // in whatever phase that happened
		return r.nextFeature(ctx)
	}
	switch r.state.Phase {
	case record.Planning:
		return r.planning(ctx)
	case record.Answering:
		return r.answering(ctx)
	case record.Coding:
		return r.coding(ctx)
	case record.Testing:
		return r.testing(ctx)
	case record.Extending:
		return r.extending(ctx)
	case record.Reflecting:
		return r.reflecting(ctx)
	default:
		return r.verifying(ctx)
	}
}

// notice has what the user did to staged files taken in before anything is done with them, and keeps where that was:
// a replay has it there, too. What is wrong with a file, observe says.
func (r *run) notice(ctx context.Context) {
	at := r.state.Place()
	for _, e := range r.a.outside.edited(at) {
		r.a.Workspace.OpenBuffer(e.Path, *e.Text, 0)
	}
	_ = r.overlay.Refresh(ctx)
	if r.moved == nil && r.overlay.Moved() {
		r.moved = &at
	}
}

// observe takes note of what the user did to staged files since the last step.
func (r *run) observe(ctx context.Context) error {
	if err := r.overlay.Refresh(ctx); err != nil {
		return &pauseError{fmt.Sprintf("a staged file cannot be read where it lies: %v. Mend that, then resume", err)}
	}
	moved := r.overlay.Rebased()
	if len(moved) == 0 {
		return nil
	}
	b := record.Rebased{At: r.moved}
	if r.moved = nil; b.At == nil {
		b.At = new(r.state.Place())
	}
	for _, m := range moved {
		b.Paths = append(b.Paths, m.Path)
		for _, h := range m.Dropped {
			b.Overlaps = append(b.Overlaps, fmt.Sprintf("%s:%d", m.Path, max(h.OldLine, 1)))
			b.Dropped += fmt.Sprintf("%s, near line %d:\n", m.Path, h.OldLine)
			for _, l := range h.New {
				b.Dropped += "+" + l
			}
		}
	}
	var blobs [][]byte
	b.Staged, blobs = record.StagedOf(r.overlay.State())
	return r.record(b, blobs...)
}
