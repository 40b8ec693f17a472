package agent

import (
	"fmt"
	"strings"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/sandbox"
)

// progress is the whole state of a task: a fold over its records. Nothing in a
// run is remembered anywhere else, so what a crash leaves behind is what a
// resumed run begins with.
type progress struct {
	task     Task
	manifest map[string]string
	started  time.Time
	changed  time.Time
	seq      int64

	state  State
	before State // what Paused or Stopped interrupted
	asking State // the state in which the open question was asked
	reason string

	plan     *action.Plan
	features []feature
	cur      int // index of the feature that is worked on

	recalled []string // what memory gave for the task
	phase             // what belongs to the present phase and goes with it
	lastTest *testRun // of this feature
	fix      *action.Hypothesis
	verdict  *action.Verdict

	staged Staged
	layers map[string]layer    // by key: what became of the project's dependencies
	leaves map[string]bool     // what the user gave leave for beside commands
	places map[string][]string // by path: secrets for which placeholders stand in a file
	lost   map[string]bool     // command lines of unknown outcome: run again only when asked
	hasty  map[string]bool     // command lines that the user will not wait longer for

	linted   map[string]lintedFile // by path: what linters last said
	unable   map[string]bool       // why linters could not judge
	objected map[string]bool       // objections that the model was told of

	usage llm.Usage
	calls int

	landings []landing // hunks that patches placed
	own      []string  // what the user wrote: the task and the answers
	judged   []Judged  // who decided about which command

	open      *Question
	commands  int  // that were started
	extended  int  // by which the user has let them go beyond the limit
	enough    bool // the user did not let them, and is not to be asked again before the next pause
	onlyReads bool // the user does not trust the workspace: not to be asked again before the next pause
	questions int
	report    *Reported
	review    reviewProgress
}

// feature is the progress of one feature.
type feature struct {
	action.Feature
	ended, ok bool
	reason    string
	attempt   int // from 1
	round     int // over all attempts, from 1
	idle      int // rounds in a row that ended without FINISH_FEATURE
	rollbacks int
	step      int            // running number of its steps
	start     Staged         // what was staged when it began
	good      Staged         // the last state that passed its tests, else start
	goodStep  int            // the step that good is the outcome of; 0: none
	marks     map[int]Staged // what was staged before each step
	refused   map[string]int // by path: patches refused in a row
	log       []string       // one line a step
	tests     string         // how the last run of its tests went, in one line
	failure   string         // what the last failed test said
	known     []string       // files that the model asked for or changed, oldest first
	verdicts  []action.Verdict
}

// phase is the conversation of one state of one round.
type phase struct {
	turns   []turn
	steps   int  // steps of this round
	free    int  // aids that cost no step
	invalid int  // unusable replies in a row
	asked   bool // memory was asked in this phase
	tested  bool // the tests ran in this phase, or were kept from it

	shown    []action.Shown // what the last request held
	ranges   []action.Shown // parts of files shown by results in this phase
	inFlight *CallSent      // a call without an answer
	answer   *llm.Response  // an answer that was not interpreted yet
	pending  *pendingAction
}

// pendingAction is an intent without an outcome.
type pendingAction struct {
	ActionChosen
	judged   *Judged       // whether the command may run
	withheld *Answer       // the user's, where leave was asked for and not given
	without  []string      // files that the command was not given
	answer   *Answer       // the user's, where one was asked
	command  bool          // the command was started
	result   *CommandEnded // and has ended

	tries       int            // how often it was started
	first       sandbox.Status // how the first try ended
	answerAgain *Answer        // whether it may run again with more
}

// turn is one exchange with a model that is over.
type turn struct {
	step   int
	call   llm.ToolCall // Name is empty for a reply without a usable action
	reply  string
	result string
	note   string
	full   string // the path of the file that the result shows whole
	ok     bool
}

// testRun is the last run of a feature's tests.
type testRun struct {
	command string
	ok      bool
	skipped bool // the user or the settings kept it from running
	lost    bool // its outcome is not known
	output  string
}

// apply folds one record into the state.
func (p *progress) apply(seq int64, at time.Time, body Body) {
	p.seq, p.changed = seq, at
	switch b := body.(type) {
	case TaskGiven:
		p.task, p.manifest, p.started, p.state = b.Task, b.Manifest, at, Planning
		p.own = append(p.own, b.Task.Text)
	case StateChanged:
		p.applyState(b)
	case CallSent:
		p.inFlight, p.shown = &b, b.Shown
		p.calls++
	case CallAnswered:
		p.inFlight, p.answer = nil, &b.Response
		p.usage = p.usage.Add(b.Response.Usage)
	case CallFailed:
		p.inFlight = nil
	case ReplyRefused:
		t := turn{result: b.Reason}
		if p.answer != nil {
			t.reply = p.answer.Content
		}
		p.turns, p.answer = append(p.turns, t), nil
		p.invalid++
	case ActionChosen:
		p.applyChosen(b)
	case ActionDone:
		p.applyDone(b)
	case Asked:
		p.open, p.asking, p.state = &b.Question, p.state, Waiting
		if !aside(b.Question.ID) {
			p.questions++
		}
	case Answered:
		asked := p.open
		p.open = nil
		if p.state == Waiting {
			p.state = p.asking
		} else { // answered while the task was paused
			p.before = p.asking
		}
		p.applyAnswer(asked, b.Answer)
	case CommandStarted:
		p.applyStarted(b)
	case CommandEnded:
		p.applyEnded(b)
	default:
		p.applyMilestone(body)
	}
}

// applyMilestone folds the records that stand between conversations.
func (p *progress) applyMilestone(body Body) {
	switch b := body.(type) {
	case Linted:
		p.applyLinted(b)
	case Tolerated:
		p.grant(b.Key)
	case Layered:
		p.applyLayer(b.Key, func(l *layer) { l.found(b) })
	case Judged:
		p.judged = append(p.judged, b)
		if p.pending != nil {
			p.pending.judged = &b
		}
	case MemoryRecalled:
		if p.pending == nil {
			p.recalled, p.asked = b.Found, true
		}
	case Planned:
		p.plan, p.answer = &b.Plan, nil
		p.features = nil
		for _, f := range b.Plan.Features {
			p.features = append(p.features, feature{Feature: f})
		}
	case Verified:
		p.verdict, p.answer = &b.Verdict, nil
		f := &p.features[p.cur]
		f.verdicts = append(f.verdicts, b.Verdict)
	case Hypothesised:
		p.fix, p.answer = &b.Hypothesis, nil
	case FeatureEnded:
		f := &p.features[b.Feature]
		f.ended, f.ok, f.reason = true, b.OK, b.Reason
		p.phase = phase{}
		if b.Staged != nil {
			p.staged = *b.Staged
			p.takeBack(b.Feature, 0)
		}
	case Rebased:
		p.staged = b.Staged
		note := "The user changed " + strings.Join(b.Paths, ", ") + " in the editor; the staged edits were moved onto that."
		if b.Dropped != "" {
			note += " These staged changes overlapped with what the user typed and were dropped; do them again where they still make sense:\n" + b.Dropped
		}
		p.turns = append(p.turns, turn{result: note})
	case Reported:
		p.report = &b
	case Applying, Applied, Decided:
		p.review.apply(body)
	}
}

func (p *progress) applyState(b StateChanged) {
	p.reason = b.Reason
	if !b.To.Works() {
		if p.state.Works() || p.state == Waiting {
			p.before = p.state
		}
		p.state, p.onlyReads, p.enough = b.To, false, false
		return
	}
	resumed := !p.state.Works() && p.state != Waiting
	idle := p.state == Coding && b.To == Coding && !resumed // a round that ended without FINISH_FEATURE
	p.state = b.To
	if resumed {
		p.invalid = 0 // the user wants it tried again
		return
	}
	p.phase = phase{}
	p.cur = b.Feature
	switch b.To {
	case Coding:
		p.enterCoding(b, idle)
	case Reflecting:
		p.fix = nil
	case Verifying:
		p.verdict = nil
	}
}

// enterCoding begins a round.
func (p *progress) enterCoding(b StateChanged, idle bool) {
	f := &p.features[p.cur]
	if idle {
		f.idle++
	} else {
		f.idle = 0
	}
	if f.attempt == 0 {
		f.start, f.good, f.marks = p.staged, p.staged, map[int]Staged{}
		f.known = append(f.known, f.Files...)
		p.lastTest, p.fix, p.verdict = nil, nil, nil
	}
	f.attempt, f.round = b.Attempt, b.Round
}

func (p *progress) applyChosen(b ActionChosen) {
	p.pending, p.answer, p.invalid = &pendingAction{ActionChosen: b}, nil, 0
	if b.Step == 0 || len(p.features) == 0 {
		p.free++
		return
	}
	f := &p.features[p.cur]
	f.step = b.Step
	f.marks[b.Step] = p.staged
	p.steps++
}

func (p *progress) applyDone(b ActionDone) {
	c := p.pending
	p.pending, p.answer = nil, nil
	if c == nil {
		return // an outcome without an intent changes nothing
	}
	if b.Staged != nil {
		p.staged = *b.Staged
	}
	if b.OK {
		p.declare(c)
	}
	for _, key := range b.Objected {
		if p.objected == nil {
			p.objected = map[string]bool{}
		}
		p.objected[key] = true
	}
	if b.Shown != nil {
		p.ranges = append(p.ranges, *b.Shown)
	}
	if line := commandOf(c.Args); c.Action == action.RunCommandName && (b.Lost || c.result != nil) {
		if p.lost == nil {
			p.lost = map[string]bool{}
		}
		p.lost[line] = b.Lost && !b.Skipped
	}
	full := ""
	if b.Shown != nil && b.Shown.Full && c.Action == action.GetFullFileContent {
		full = b.Shown.Path
	}
	p.turns = append(p.turns, turn{
		full: full, step: c.Step, call: llm.ToolCall{ID: c.CallID, Name: c.Action, Arguments: string(c.Args)},
		reply: c.Thought, result: b.Text, note: b.Note, ok: b.OK,
	})
	if len(p.features) == 0 {
		return
	}
	f := &p.features[p.cur]
	if b.Shown != nil {
		f.learn(b.Shown.Path)
	}
	if c.Step > 0 {
		f.log = append(f.log, logLine(c, b))
	}
	p.land(c, b)
	f.countRefused(c, b)
	p.applyEffect(f, c, b)
}

// applyEffect folds what particular actions mean beyond what they staged.
func (p *progress) applyEffect(f *feature, c *pendingAction, b ActionDone) {
	switch {
	case c.Action == action.RollbackName && b.OK:
		f.rollbacks++
		from := stepOf(c.Args)
		if from == 0 {
			from = f.goodStep + 1
		}
		p.takeBack(p.cur, from)
	case c.Role == roleTester:
		p.lastTest = &testRun{command: commandOf(c.Args), ok: b.OK, output: b.Text, skipped: b.Skipped, lost: b.Lost}
		p.tested = !b.Lost
		f.tests = testLine(p.lastTest)
		if !b.OK && !b.Skipped && !b.Lost {
			f.failure = failureText(b.Text)
		}
		if b.OK {
			f.good, f.goodStep = p.staged, f.step
		}
	}
}

// learn notes a file as one that the model works with; the latest is last.
func (f *feature) learn(path string) {
	for i, k := range f.known {
		if k == path {
			f.known = append(f.known[:i:i], f.known[i+1:]...)
			break
		}
	}
	f.known = append(f.known, path)
}

// logLine is the work log's line for one step.
func logLine(c *pendingAction, b ActionDone) string {
	what := b.Note
	if what == "" {
		what = c.Action
	}
	if !b.OK {
		what = c.Action + " refused or failed: " + firstLine(b.Text)
	}
	return strings.TrimSuffix(fmt.Sprintf("step %d: %s — %s", c.Step, what, firstLine(c.Thought)), " — ")
}

// firstLine cuts a text to its first line, and that to a length fit for a list.
func firstLine(s string) string {
	const most = 200
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// feature returns the feature that is worked on; nil before the plan.
func (p *progress) feature() *feature {
	if p.cur < 0 || p.cur >= len(p.features) {
		return nil
	}
	return &p.features[p.cur]
}

// Status returns the task at a glance.
func (p *progress) status(rounds int) Status {
	s := Status{
		Task: p.task, State: p.state, Reason: p.reason, Features: len(p.features), Rounds: rounds,
		Usage: p.usage, Open: p.open, Started: p.started, Changed: p.changed,
	}
	if f := p.feature(); f != nil && (p.state.Works() && p.state != Planning || p.state == Waiting || p.state == Paused) {
		s.Feature, s.Title, s.Attempt, s.Round, s.Step = p.cur+1, f.Title, f.attempt, f.round, p.steps
	}
	return s
}

// shownNow lists what the model has been shown, by path: the files of the last
// request, and the ranges that results showed since.
func (p *progress) shownNow() map[string]action.Shown {
	m := map[string]action.Shown{}
	for _, s := range p.ranges {
		if s.Hash != "" {
			m[s.Path] = s
		}
	}
	for _, s := range p.shown {
		m[s.Path] = s
	}
	return m
}

// resultOf rebuilds a command's result from its record and the blobs of its changes.
func resultOf(b *CommandEnded, blob func(string) ([]byte, error)) (*sandbox.Result, error) {
	r := b.Result
	r.Changes = nil
	for _, c := range b.Changes {
		change := sandbox.Change{Path: c.Path, Mode: c.Mode, Deleted: c.Hash == ""}
		if !change.Deleted {
			data, err := blob(c.Hash)
			if err != nil {
				return nil, fmt.Errorf("the content of %s that the command wrote: %w", c.Path, err)
			}
			change.Data = data
		}
		r.Changes = append(r.Changes, change)
	}
	return &r, nil
}
