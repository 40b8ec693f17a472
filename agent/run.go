package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"caselsp/agent/action"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// run is one task being worked on: the loop over its journal.
type run struct {
	a       *Agent
	id      string
	journal *store.Journal
	overlay *workspace.Overlay
	p       *progress
	gate    gate
	// live is the pending action as the model sent it. The journal's copy has
	// secrets cut out, so an edit is only ever made from this one.
	live *action.Action
	// without are the files that the tree of the next command was made without.
	without []string
	yield   func(Event, error) bool
	// trustAsked says that this run has seen to whether the workspace is trusted.
	trustAsked bool
	gone       bool // whoever listened has left: stop as soon as the record is whole
	// telling is true while those who listen run their code: a panic is theirs then.
	telling bool
}

func (a *Agent) newRun(id string, yield func(Event, error) bool) *run {
	return &run{a: a, id: id, journal: a.Store.Journal(id), overlay: a.Workspace.NewOverlay(), p: &progress{}, gate: gate{suite: a.suite.Strict()}, yield: yield}
}

// errLeft ends a loop whose consumer has left.
var errLeft = errors.New("nobody listens any more")

// record writes one record, folds it into the state and tells of it. blobs are
// written in the same transaction.
func (r *run) record(body Body, blobs ...[]byte) error {
	rec, err := r.journal.AppendWith(body.kind(), body, blobs...)
	if err != nil && r.p.seq == 0 {
		return fmt.Errorf("the task was not begun, because it cannot be recorded: %w", err)
	}
	if err != nil {
		return &Unrecorded{Task: r.id, Err: err}
	}
	if body, err = asRecorded(body, rec); err != nil {
		return err
	}
	r.p.apply(rec.Seq, rec.Time, body)
	r.emit(Event{Seq: rec.Seq, Time: rec.Time, Body: body, Status: r.p.status(r.a.Limits.Rounds)})
	if r.gone {
		return errLeft
	}
	return nil
}

// asRecorded is a body as the journal has it: without secrets. So those who listen
// are told of none, and a run goes on from the same as one that is resumed.
func asRecorded(body Body, rec store.Record) (Body, error) {
	if raw, err := json.Marshal(body); err == nil && bytes.Equal(raw, rec.Body) {
		return body, nil
	}
	return decode(rec.Kind, rec.Body)
}

func (r *run) emit(e Event) {
	r.telling = true
	if r.a.Watch != nil {
		r.a.Watch(e)
	}
	if !r.gone && !r.yield(e, nil) {
		r.gone = true
	}
	r.telling = false
}

func (r *run) fail(err error) {
	if !errors.Is(err, errLeft) {
		r.a.Log.Error("a task cannot go on", "task", r.id, "error", err)
	}
	if !r.gone && !errors.Is(err, errLeft) {
		r.gone = true
		r.yield(Event{}, err)
	}
}

// maxManifest is the number of files up to which a task begins with a manifest
// of them all: hashing more would be felt as a delay.
const maxManifest = 2000

// begin writes the first records of a new task.
func (r *run) begin(ctx context.Context, task Task) error {
	if records, err := r.journal.Records(); err != nil {
		return err
	} else if len(records) > 0 {
		return fmt.Errorf("task %s exists already: resume it, or give the new task another id", task.ID)
	}
	manifest, err := r.overlay.Manifest(ctx, maxManifest)
	if err != nil {
		return fmt.Errorf("the workspace cannot be read: %w", err)
	}
	r.conceal()
	if err := r.record(TaskGiven{Task: task, Manifest: manifest, Limits: r.a.Limits, Context: r.a.Context}); err != nil {
		return err
	}
	return r.record(StateChanged{To: Planning})
}

// restore folds the journal and puts back what was staged.
func (r *run) restore() error {
	p, err := r.a.load(r.id)
	if err != nil {
		return err
	}
	if p.state == Review {
		return fmt.Errorf("task %s has a result that waits for your review: there is nothing to resume", r.id)
	}
	if p.state.Ended() {
		return fmt.Errorf("task %s is over (%s): there is nothing to resume", r.id, p.state)
	}
	r.p = p
	r.conceal()
	return r.putBack(p.staged)
}

// putBack makes the overlay hold exactly what staged names, moved onto what the
// user typed meanwhile.
func (r *run) putBack(staged Staged) error {
	state, err := r.a.stagedState(staged)
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
	if c := r.p.inFlight; c != nil {
		if err := r.record(CallFailed{Role: c.Role, Lost: true, Reason: "the process ended while the model was answering"}); err != nil {
			return err
		}
	}
	if !r.p.state.Works() && r.p.state != Waiting {
		return r.record(r.again(r.p.before))
	}
	return nil
}

// again is the transition back into a state that was interrupted.
func (r *run) again(to State) StateChanged {
	s := StateChanged{To: to, Reason: "resumed", Feature: r.p.cur}
	if f := r.p.feature(); f != nil {
		s.Attempt, s.Round = f.attempt, f.round
	}
	return s
}

// loop looks at the state and does the next thing, until there is none.
func (r *run) loop(ctx context.Context) {
	do := r.ready
	for r.p.state.Works() || r.p.state == Waiting {
		err := r.guarded("a step", func() error { return do(ctx) })
		do = r.next
		if err == nil {
			continue
		}
		if err = r.interrupt(ctx, err); err != nil {
			r.fail(err)
			return
		}
	}
}

// ready finds out whether commands can run before a model is paid for a plan that
// nobody could carry out. Where a question is open, its answer comes first.
func (r *run) ready(ctx context.Context) error {
	if r.p.state == Waiting {
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
	switch {
	case r.p.open != nil:
		return r.ask(ctx)
	}
	if asked, err := r.askTrust(); asked || err != nil {
		return err
	}
	switch {
	case r.p.pending != nil:
		return r.perform(ctx)
	case r.p.answer != nil:
		return r.interpret()
	}
	if err := r.observe(ctx); err != nil {
		return err
	}
	switch r.p.state {
	case Planning:
		return r.planning(ctx)
	case Coding:
		return r.coding(ctx)
	case Testing:
		return r.testing()
	case Reflecting:
		return r.reflecting(ctx)
	default:
		return r.verifying(ctx)
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
	var b Rebased
	for _, m := range moved {
		b.Paths = append(b.Paths, m.Path)
		for _, h := range m.Dropped {
			b.Dropped += fmt.Sprintf("%s, near line %d:\n", m.Path, h.OldLine)
			for _, l := range h.New {
				b.Dropped += "+" + l
			}
		}
	}
	var blobs [][]byte
	b.Staged, blobs = stagedRefs(r.overlay.State())
	return r.record(b, blobs...)
}

// stagedRefs describes a staged state by hashes, beside the contents they name.
func stagedRefs(s workspace.State) (Staged, [][]byte) {
	refs := Staged{Files: []StagedFile{}}
	var blobs [][]byte
	ref := func(path string, c *workspace.Content) *FileRef {
		if c == nil {
			return nil
		}
		blobs = append(blobs, c.Data)
		return &FileRef{Path: path, Hash: c.Hash, Mode: c.Mode}
	}
	for _, f := range s.Files {
		refs.Files = append(refs.Files, StagedFile{Path: f.Path, From: f.From, Base: ref(f.Path, f.Base), Now: ref(f.Path, f.Now)})
	}
	return refs, blobs
}

// stagedState brings a staged state back from the store.
func (a *Agent) stagedState(s Staged) (workspace.State, error) {
	var state workspace.State
	for _, f := range s.Files {
		w := workspace.Staged{Path: f.Path, From: f.From}
		var err error
		if w.Base, err = a.content(f.Base); err != nil {
			return state, err
		}
		if w.Now, err = a.content(f.Now); err != nil {
			return state, err
		}
		state.Files = append(state.Files, w)
	}
	return state, nil
}

func (a *Agent) content(ref *FileRef) (*workspace.Content, error) {
	if ref == nil {
		return nil, nil
	}
	data, err := a.Store.Blob(ref.Hash)
	if err != nil {
		return nil, fmt.Errorf("the staged content of %s: %w", ref.Path, err)
	}
	mode := ref.Mode
	if mode == 0 {
		mode = fs.FileMode(0o644)
	}
	return &workspace.Content{Data: data, Mode: mode, Hash: ref.Hash}, nil
}
