package agent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"caselsp/agent/codemap"
	"caselsp/agent/fixcheck"
	"caselsp/agent/llm"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/settings"
	"caselsp/agent/shell"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// Options are what an agent works with.
type Options struct {
	Workspace *workspace.Workspace
	Store     *store.Store
	// Model returns the model of a role. An error (such as a missing key) pauses the task.
	Model func(role string) (llm.Model, error)
	// Sandbox returns the engine that runs commands, a nil Engine when the
	// settings say that nothing may run, or a *sandbox.Unavailable. It is called
	// when a task begins or goes on, and before each command.
	Sandbox func(ctx context.Context) (sandbox.Engine, error)
	// Dependencies returns what a project needs of others' packages and how that is
	// installed, or nil; nil itself: nothing ever is.
	Dependencies func(tree []sandbox.File, p sandbox.Profile, more ...string) *sandbox.Dependencies

	Policy sandbox.Policy // zero fields: sandbox.DefaultPolicy
	// RetryMemory is how many bytes a command that ran out of memory gets, at most,
	// when it is run again without a question.
	RetryMemory int64
	// Commands says which commands are asked for and which never run; its Hosts
	// are those of Policy.
	Commands shell.Policy
	User     User
	// Trust says which folders are trusted; nil: all of them, as in a replay.
	Trust *permit.Trust
	// Files says which files are asked for by name before they are accepted, beside those that
	// programs obey.
	Files permit.Files
	// Secrets is where the values of secrets come from that commands are given.
	Secrets Secrets
	// Rules are severities of validators and their rules, as validate.rules has them.
	Rules      map[string]string
	WriteTests string // when the tester writes tests; "" is off
	PlanReview bool   // the user is asked about a plan before the work begins
	Linting    Linting
	// Validators are the fix validators that may run in this workspace; nil: none, and only what is built in checks claims.
	Validators func() []fixcheck.Validator
	// UncheckedFixes says that no claim of a fix is checked: the tests alone decide.
	UncheckedFixes bool
	// TestedFixes says that tests run to check a claim, before the run that decides about it or in its place.
	TestedFixes bool
	// FailingFirst is from which duration of the whole suite on the tests that failed run alone to check a claim, and not all.
	FailingFirst time.Duration
	// Commits says that what the user accepted is committed when nothing of a result is left to decide.
	Commits bool
	// WriteValidators says that a model is asked for one where none was of help.
	WriteValidators bool
	Limits          record.Limits // zero fields: DefaultLimits
	Version         string        // of this build; recordings name it
	Context         int           // tokens that fit into the model's window; 0: settings.CountedOn
	// Window, if not nil, asks the models' servers how many tokens fit into the smallest window that they give, where the
	// settings do not say: 0 where they do not, either. enlarge says for people how a server gives more. It is not sure
	// where a server may tell more once its model has run.
	Window func(ctx context.Context) (tokens int, enlarge string, sure bool)
	// AskReads asks also before commands that only read, which else run at once.
	AskReads bool
	// Expiry is how long a kind of command stays allowed that the user allowed for
	// always; 0: permit.DefaultExpiry.
	Expiry time.Duration
	Now    func() time.Time // nil: time.Now; for task ids and for what is shown; records carry the store's clock
	Log    *slog.Logger     // nil: nothing is logged
	// Watch, if not nil, is called with every event of every task as it happens, in
	// addition to the consumer of the run. It is called on the run's goroutine.
	Watch func(Event)

	outside outside // nil: live
}

// Agent runs tasks. It is safe for concurrent use; a task has one writer at a time.
type Agent struct {
	Options
	suite   validate.Suite
	mu      sync.Mutex
	busy    map[string]bool            // tasks with a writer
	queue   map[string][]chan struct{} // by thread with a writer: messages that wait for their turn; under mu
	deaf    map[string]bool            // tasks whose writer takes no more of it; under mu
	working map[string]*working        // by task with a writer; under mu
	kept    map[int64]bool             // messages in threads that wait for their turn in this process, by number; under mu
	secrets map[string]string          // known to this process, by name; under mu
	hearers map[string][]*hearer       // by task; under mu

	seed      maphash.Seed
	spreadIn  map[uint64]bool // files that were looked through as a whole; guarded by mu
	concealed map[string]bool // secrets of settings that were passed to the store; guarded by mu

	graph codemap.Graph // of the workspace's code, between the maps that tasks begin with

	looking sync.Mutex         // guards lookout
	lookout *workspace.Lookout // for files that hold secrets
}

// New returns an agent.
func New(o Options) *Agent {
	o.Policy = o.Policy.OrDefault()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Context == 0 {
		o.Context = settings.CountedOn
	}
	if o.Expiry == 0 {
		o.Expiry = permit.DefaultExpiry
	}
	if o.outside == nil {
		o.outside = live{}
	}
	d := record.DefaultLimits
	o.Limits.Steps = orElse(o.Limits.Steps, d.Steps)
	o.Limits.Rounds = orElse(o.Limits.Rounds, d.Rounds)
	o.Limits.Attempts = orElse(o.Limits.Attempts, d.Attempts)
	o.Limits.Rollbacks = orElse(o.Limits.Rollbacks, d.Rollbacks)
	suite, err := rules.Default().Configure(o.Rules)
	if err != nil {
		o.Log.Warn("some severities are not known", "error", err)
	}
	a := &Agent{Options: o, suite: suite, busy: map[string]bool{}, queue: map[string][]chan struct{}{}, concealed: map[string]bool{}, kept: map[int64]bool{}, seed: maphash.MakeSeed(), spreadIn: map[uint64]bool{}}
	if o.Workspace != nil && o.Store != nil {
		facts := o.Store.Facts(o.Version)
		o.Workspace.KeepFacts(workspace.Kept{Fact: facts.Fact, Keep: facts.Keep, Done: facts.Done})
	}
	if o.Workspace != nil {
		a.lookout = lookoutIn(o.Workspace)
	}
	return a
}

func orElse(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// ErrBusy says that a task is being worked on already.
var ErrBusy = errors.New("the task is being worked on already")

// ErrNoTask says that no task has the id.
var ErrNoTask = errors.New("no such task (`caselsp history` lists the tasks)")

// acquire makes the caller the task's only writer until release is called.
func (a *Agent) acquire(id string) (release func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy[id] {
		return nil, fmt.Errorf("%w: %s", ErrBusy, id)
	}
	a.busy[id] = true
	return func() { a.release(id) }, nil
}

// release ends the writing of a task, or passes it on to the message that has waited longest.
func (a *Agent) release(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.deaf, id)
	if next := a.queue[id]; len(next) > 0 {
		a.queue[id] = next[1:]
		close(next[0])
		return
	}
	delete(a.busy, id)
	delete(a.queue, id)
}

// inTurn is acquire for a thread: messages are answered in the order in which they came. waits is
// called where there is another one before it.
func (a *Agent) inTurn(ctx context.Context, id string, waits func()) (release func(), err error) {
	release, err = a.acquire(id)
	if !errors.Is(err, ErrBusy) {
		return release, err
	}
	turn := make(chan struct{})
	a.mu.Lock()
	waiting := a.busy[id]
	if waiting {
		a.queue[id] = append(a.queue[id], turn)
	} else {
		a.busy[id] = true
	}
	a.mu.Unlock()
	release = func() { a.release(id) }
	if !waiting {
		return release, nil
	}
	waits()
	select {
	case <-turn:
		return release, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	at := slices.Index(a.queue[id], turn)
	if at >= 0 {
		a.queue[id] = slices.Delete(a.queue[id], at, at+1)
	}
	a.mu.Unlock()
	if at < 0 { // its turn has come meanwhile
		release()
	}
	return nil, fmt.Errorf("the message was not sent: %w", context.Cause(ctx))
}

// Run starts a task and yields what happens, until it needs a review or has
// ended, paused or stopped. Cancelling ctx, or leaving the loop, stops it; it
// can be resumed. An error ends the sequence: an *[Unrecorded] where the store
// failed in the middle, or what kept the task from being begun. Nothing was done
// that is not in the journal, in either case.
func (a *Agent) Run(ctx context.Context, task record.Task) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := task.Check(); err != nil {
			yield(Event{}, err)
			return
		}
		if task.ID == "" {
			task.ID = a.NewID()
		}
		release, err := a.acquire(task.ID)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer release()
		a.drive(ctx, task.ID, yield, func(r *run) error { return r.begin(ctx, task) })
	}
}

// drive runs the loop of the journal id, after prepare has begun or restored the run. The caller is
// its only writer.
func (a *Agent) drive(ctx context.Context, id string, yield func(Event, error) bool, prepare func(*run) error) {
	r := a.newRun(id, yield)
	defer r.overlay.Close()
	if err := prepare(r); err != nil {
		r.fail(err)
		return
	}
	ctx, ended := a.begin(ctx, id)
	defer ended()
	r.loop(ctx)
}

// Resume goes on with a task that did not end, from its last completed step. One that is over
// and of which features failed tries these again, with the work on them that is kept. It
// yields what Run yields.
func (a *Agent) Resume(ctx context.Context, id string) iter.Seq2[Event, error] {
	return a.ResumeWith(ctx, id, "")
}

// ResumeWith is Resume with what the user says: about how features that failed are to be tried
// again, or else to the task, as with [Agent.Tell].
func (a *Agent) ResumeWith(ctx context.Context, id, said string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		release, err := a.acquire(id)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer release()
		a.drive(ctx, id, yield, func(r *run) error {
			if err := r.restore(ctx, said); err != nil {
				return err
			}
			return r.settle()
		})
	}
}

// NewID makes a task's id: when it was given, so that lists sort by time, and a
// random part, so that two editors never make the same.
func (a *Agent) NewID() string {
	var b [2]byte
	_, _ = rand.Read(b[:]) // never fails, as its documentation says
	return a.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// load folds a task's journal.
func (a *Agent) load(id string) (*record.State, error) {
	records, err := a.Store.Journal(id).Records()
	if err != nil {
		return nil, err
	}
	p := &record.State{}
	for _, rec := range records {
		if err := p.Fold(rec.Seq, rec.Time, rec.Kind, rec.Body); err != nil {
			return nil, fmt.Errorf("task %s, record %d: %w", id, rec.Seq, err)
		}
	}
	if p.Task.ID == "" {
		return nil, a.noTask(id)
	}
	return p, nil
}

// ErrPruned says that a task was pruned: its journal, its report and its undo are gone.
var ErrPruned = errors.New("the task was pruned: its report and its undo are gone")

// noTask is the error about a task that has no journal. One that was pruned is no task that could begin.
func (a *Agent) noTask(id string) error {
	at, was, err := a.Store.Pruned(id)
	switch {
	case err != nil:
		return err
	case was:
		return fmt.Errorf("%w: %s, on %s", ErrPruned, id, at.Local().Format("2006-01-02"))
	}
	return fmt.Errorf("%w: %q", ErrNoTask, id)
}

// Status returns a task at a glance.
func (a *Agent) Status(id string) (record.Status, error) {
	p, err := a.settled(id)
	if err != nil {
		return record.Status{}, err
	}
	s := p.Status(a.Limits.Rounds)
	s.Interrupted = a.interrupted(p)
	return s, nil
}

// interrupted reports whether nobody works on a task or a thread, although its journal says that somebody
// does: this process owns the store, so nobody else can.
func (a *Agent) interrupted(p *record.State) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.busy[p.Task.ID] && (p.Phase.Works() || p.Phase == record.Waiting)
}

// standing is the state of a task or a thread, in words.
func (a *Agent) standing(p *record.State) string {
	if a.interrupted(p) {
		return p.Phase.Interrupted()
	}
	return string(p.Phase)
}

// History returns the status of every task of the workspace, oldest first. A
// task whose journal cannot be read is returned with its error, not left out.
func (a *Agent) History() ([]record.Status, error) {
	ids, err := a.journals()
	if err != nil {
		return nil, err
	}
	var all []record.Status
	var unread []error
	for _, id := range ids {
		if record.IsThread(id) {
			continue
		}
		s, err := a.Status(id)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		all = append(all, s)
	}
	return all, errors.Join(unread...)
}

// Events returns the records of a task as they were yielded, without the status.
func (a *Agent) Events(id string) ([]Event, error) {
	records, err := a.Store.Journal(id).Records()
	if err != nil {
		return nil, err
	}
	events := make([]Event, 0, len(records))
	for _, rec := range records {
		body, err := record.Decode(rec.Kind, rec.Body)
		if err != nil {
			return nil, fmt.Errorf("task %s, record %d: %w", id, rec.Seq, err)
		}
		events = append(events, Event{Seq: rec.Seq, Time: rec.Time, Body: body})
	}
	if len(events) == 0 {
		return nil, a.noTask(id)
	}
	return events, nil
}

// Report returns a task's report in Markdown, or one made of what is known so far.
func (a *Agent) Report(id string) (string, error) {
	p, err := a.settled(id)
	if err != nil {
		return "", err
	}
	a.onlooker(p).Foresee()
	if p.Report != nil {
		return a.withDecisions(p) + recallOutcome(p) + prunedText(p), nil
	}
	return a.reportText(p, "none yet, the task is "+a.standing(p), "") + prunedText(p), nil
}
