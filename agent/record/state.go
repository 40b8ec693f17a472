package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
	"caselsp/sandbox"
)

// State is the whole state of a task: a fold over its records. Nothing in a
// run is remembered anywhere else, so what a crash leaves behind is what a
// resumed run begins with.
type State struct {
	Task     Task
	manifest map[string]string
	Pruned   string // by the settings, since the task before
	Started  time.Time
	Changed  time.Time
	Seq      int64

	Phase  Phase
	Before Phase // what Paused or Stopped interrupted
	asking Phase // the state in which the open question was asked
	reason string

	Plan *action.Plan
	planned
	Features []Feature
	Current  int // index of the feature that is worked on
	// Splitting says that TARS is asked to replace the current feature by smaller ones.
	Splitting bool

	Recalled     []string // what memory gave for the task
	lastHits     []Hit    // what it gave last
	first        *Fix     // how the tests failed before anything was staged, and have not passed since
	Rules        *string  // of the project's root, as CASE was told of them first; nil: not yet
	Uses         []Use    // what it gave in all its phases, each once, and what became of it
	conversation          // of the present phase, and gone with it
	Bounds
	Notes
	Window   WindowTold
	GaveWay  []string // where staged edits gave way to what the user typed, as path:line
	Dropped  string   // edits that gave way to the user's text behind FINISH_FEATURE, as CASE is told of them
	LastTest *testRun // of this feature
	projectTests
	Hypothesis *action.Hypothesis
	Verdict    *action.Verdict

	Staged Staged
	began
	Kept         []KeptWork                   // of features that failed, in the order in which they did
	keptIDs      map[string]bool              // that were given out
	Dependencies map[string]Dependencies      // by key: what became of the project's dependencies
	Packages     map[sandbox.Profile][]string // that are installed with them, and that no file of the project names
	Offers       bool                         // the user is asked about such packages
	Leaves       map[string]bool              // what the user gave leave for beside commands
	FewerTests   map[string]int               // how much less may be tested, by what is lost
	Placeholders map[string][]string          // by path: secrets for which placeholders stand in a file
	Lost         map[string]bool              // command lines of unknown outcome: run again only when asked
	NoMoreTime   map[string]bool              // command lines that the user will not wait longer for

	Linted       map[string]lintedFile // by path: what linters last said
	StyleTold    bool                  // the model was told of matters of style
	LintTroubles map[string]bool       // why linters could not judge
	// ValidatorTries are the fix validators that a model has written for the task.
	ValidatorTries []ValidatorTried
	Objected       map[string]bool // objections that were reported to the model

	Usage llm.Usage
	Calls int

	landings  []landing // hunks that patches placed
	UserTexts []string  // what the user typed of the task and of the answers
	Judged    []Judged  // who decided about which command
	Approved  []ForTask // commands that the user has allowed for this task

	Open      *Question
	Commands  int  // that were started
	Extended  int  // by which the user has let them go beyond the limit
	LimitKept bool // the user did not let them, and is not to be asked again before the next pause
	OnlyReads bool // the user does not trust the workspace: not to be asked again before the next pause
	Questions int
	Answers   bool        // the task can end with an answer in words
	Reply     quote.Words // the model's answer to a task that was a question
	Thread    Thread      // of a thread: what was said
	Report    *Reported
	Review    ReviewState
}

// Feature is the progress of one feature.
type Feature struct {
	action.Feature
	Ended, OK bool
	Reason    string      // ours: why it ended
	Words     quote.Words // and what a model says of it
	Attempt   int         // from 1
	Round     int         // over all attempts, from 1
	Idle      int         // rounds in a row that ended without FINISH_FEATURE
	Rollbacks int
	Step      int            // running number of its steps, which only the journal uses
	Start     Staged         // what was staged when it began
	Good      Staged         // the last state that passed its tests, else start
	goodStep  int            // the step that good is the outcome of; 0: none
	Marks     map[int]Staged // what was staged before each step
	steps     map[counted]int
	Refused   map[string]int // by path: patches refused in a row
	Log       []LogLine      // one line a step
	Taken     []Taken        // its actions, for people
	Tests     string         // how the last run of its tests went, in one line
	Writing   *Writing       // the tester's, of this round
	Results   *Results       // of that run
	Evidence  *Evidence      // nil: its tests were not run without the change
	Changed   TestCommand    // the test command that was put in the place of the plan's; its Line is "" for none
	Misnamed  string         // a test command of which CASE was told that it names files which do not exist
	parts     string         // test commands of the features before it, joined, where the project has none of its own
	void      []string       // test commands that are not run, because they do
	Returned  bool           // CASE was asked to look at tests that fail as they did before
	Given     bool           // the user has left to CASE what keeps the tests from running
	Untested  string         // of one that is done: why nothing tested it
	passed    *passedRun     // CASE's own last run of tests in which all passed
	Unneeded  string         // why its tests need not run, "" where they do
	kinds     map[string]int // failures of its tests, by kind
	Failure   string         // what the last failed test said
	failing   *Fix           // how the tests failed that have not passed since
	Fixes     []Fix          // what made failed tests pass
	Claims    []Claim        // of CASE, to have fixed a failure
	Claimed   []string       // the same in words: what it says it fixed, and why that is right
	Opened    bool           // CASE was shown the files that the plan names
	notes     int            // of the user, which were said before it began
	threads   map[Phase]thread
	Verdicts  []action.Verdict
	finished  string // what CASE says of it
	Deeds     []Deed // the latest, oldest first
	Loop      string // the loop that the latest one closed
	Again     *Again // it is tried again; nil: for the first time
	PartOf    string // the feature that it was split from
}

// conversation is the work of one phase of one round, with its talk.
type conversation struct {
	Talk
	Rest  []llm.ToolCall // calls of the last reply that were not looked at yet
	notes int            // of the user, which were said before it began
	batch int64          // the record of that reply
	over  int            // calls of it that were left out behind Rest
	held  []Turn         // what the user has said since it was made, until its calls have their results

	Steps   int  // steps of this round
	Free    int  // aids that cost no step
	Invalid int  // unusable replies in a row
	Asked   bool // memory was asked in this phase
	Opened  bool // the role was told what it works on; of coding, the feature has it
	opening int  // the turn in which it was, of a thread
	Tested  bool // the tests ran in this phase, or were kept from it

	TestsAdvice string // what the user wrote about tests that cannot run

	InFlight *CallSent     // a call without an answer
	Answer   *llm.Response // an answer that was not interpreted yet
	Masked   []string      // of services, whose secrets the last answer had
	Pending  *Pending
}

// Pending is an intent without an outcome.
type Pending struct {
	ActionChosen
	at       counted      // of a step: its place
	Sent     llm.ToolCall // as the model wrote it
	Beside   string       // what it wrote beside its calls
	Judged   *Judged      // whether the command may run
	Withheld *Answer      // the user's, where leave was asked for and not given
	Denied   string       // what the user said when they denied what the action needs, told with its outcome
	Without  []string     // files that the command was not given
	// Uninstalled says that the project's dependencies were to be installed for this
	// command, and could not be.
	Uninstalled bool
	Answer      *Answer       // the user's, where one was asked
	Whole       bool          // the question was about all that the command gets
	Command     bool          // the command was started
	Result      *CommandEnded // and has ended

	Tries       int            // how often it was started
	First       sandbox.Status // how the first try ended
	AnswerAgain *Answer        // whether it may run again with more
}

// Apply folds one record into the state.
func (p *State) Apply(seq int64, at time.Time, body Body) {
	p.count(at, body)
	p.Seq, p.Changed = seq, at
	switch b := body.(type) {
	case TaskGiven:
		p.Task, p.manifest, p.Pruned, p.Started, p.Phase = b.Asked(), b.Manifest, b.Pruned, at, b.Task.begins()
		p.Answers, p.PlanReview, p.PlanChecks = b.Answers, b.PlanReview, b.PlanChecks
		p.Packages, p.Offers, p.Known, p.NoCode = b.Packages, b.Offers, b.Known, b.NoCode
		p.UserTexts = append(p.UserTexts, p.Task.Typed)
	case StateChanged:
		p.applyState(b)
	case CallSent:
		if p.InFlight = &b; p.Pending == nil {
			p.Rest = nil // old versions did one call of a reply
		}
		for _, shown := range b.Shown {
			p.learn(shown)
		}
		p.Calls++
	case CallAnswered:
		p.Replies++
		if p.InFlight, p.Answer, p.Masked = nil, &b.Response, b.Masked; p.Pending == nil {
			p.batch, p.over = seq, b.Response.Dropped
		}
		p.Usage = p.Usage.Add(b.Response.Usage)
	case CallFailed:
		p.InFlight = nil
	case ReplyRefused:
		p.applyRefused(b)
	case Unrun:
		p.applyUnrun(b)
	case ActionChosen:
		p.applyChosen(b)
	case ActionDone:
		p.applyDone(b)
	case Asked:
		p.Open, p.asking, p.Phase = &b.Question, p.Phase, Waiting
		if !Aside(b.Question.ID) {
			p.Questions++
		}
	case Answered:
		asked := p.Open
		p.Open = nil
		if p.Phase == Waiting {
			p.Phase = p.asking
		} else { // answered while the task was paused
			p.Before = p.asking
		}
		if p.Pending != nil && b.Whole {
			p.Pending.Whole = true
		}
		p.applyAnswer(asked, b.Answer)
	case CommandStarted:
		p.applyStarted(b)
	case CommandEnded:
		p.applyEnded(b)
	default:
		p.applyMilestone(body)
	}
	p.tellHeld()
}

// applyMilestone folds the records that stand between conversations.
func (p *State) applyMilestone(body Body) {
	switch b := body.(type) {
	case Told:
		p.applyTold(b)
	case Message, HandedOver:
		p.applySaid(body)
	case FilesShown:
		p.applyShown(b)
	case Compacted, WindowTold:
		p.applyWindow(body)
	case Linted:
		p.applyLinted(b)
	case FixChecked, ValidatorTried:
		p.applyChecks(body)
	case Tolerated:
		p.grant(b.Key)
	case Judged:
		p.Judged = append(p.Judged, b)
		if p.Pending != nil {
			p.Pending.Judged = &b
		}
	case MemoryRecalled:
		p.remembered(b)
		p.Usage = p.Usage.Add(b.Usage)
	case Planned:
		p.applyPlan(b)
	case Split:
		p.applySplit(b)
	case Verified:
		p.Verdict = &b.Verdict
		p.submitted("The verdict is recorded.")
		f := &p.Features[p.Current]
		f.Verdicts = append(f.Verdicts, b.Verdict)
	case Hypothesised:
		p.Hypothesis = &b.Hypothesis
		p.reliedOn(b.Hypothesis.Recalled)
		p.submitted("The hypothesis is recorded.")
		p.changeTests(b.Hypothesis.TestCommand, "the reflector", b.Hypothesis.Cause)
	case Replied:
		p.applyReplied(b)
	case FeatureEnded:
		f := &p.Features[b.Feature]
		f.Ended, f.OK, f.Reason, f.Words = true, b.OK, b.Reason, b.Words
		if b.OK {
			f.Untested = p.untested()
			p.addTests()
		}
		p.conversation = conversation{}
		p.keep(b)
		if b.Staged != nil {
			p.stage(*b.Staged)
			p.takeBack(b.Feature, 0)
		}
	case Rebased, Edited:
		p.applyTyped(body)
	case TestsWritten, TestsReturned, TestsSettled:
		p.applyWriting(body)
	case Reported:
		p.Report = &b
		p.showsIn(b.Relied)
	case Retried, TakenUp, Noted, Returned, Committed:
		p.applyReviewed(body)
	case Applying, Applied, Decided:
		undone := p.Review.undone(body)
		p.Review.apply(body)
		p.reopen(undone)
	default:
		p.applyTests(body)
	}
}

func (p *State) applyState(b StateChanged) {
	p.reason = b.Reason
	if !b.To.Works() {
		if p.Phase.Works() || p.Phase == Waiting {
			p.Before = p.Phase
		}
		if b.To == Review || b.To == Failed {
			p.Open = nil // it was closed while a question was open
		}
		p.Phase, p.OnlyReads, p.LimitKept = b.To, false, false
		return
	}
	from, resumed := p.Phase, !p.Phase.Works() && p.Phase != Waiting
	idle := p.Phase == Coding && b.To == Coding && !resumed // a round that ended without FINISH_FEATURE
	p.Phase = b.To
	if resumed {
		p.Invalid = 0 // the user wants it tried again
		return
	}
	if f := p.Feature(); f != nil && b.Feature == p.Current {
		f.Unneeded = b.Untested
	}
	p.leave(from)
	p.conversation = conversation{notes: len(p.Notes.Notes)}
	p.Current, p.Splitting = b.Feature, b.Split
	switch b.To {
	case Coding:
		p.enterCoding(b, idle, from)
	case Extending:
		p.enterWriting(b.Reason)
	case Reflecting, Verifying:
		p.renew(b.To)
	}
}

// enterCoding begins a round.
func (p *State) enterCoding(b StateChanged, idle bool, from Phase) {
	f := &p.Features[p.Current]
	if idle {
		f.Idle++
	} else {
		f.Idle = 0
	}
	p.Unheard = ""
	if f.Attempt == 0 {
		f.notes = len(p.Notes.Notes)
		f.begins(p.Staged)
		p.LastTest, p.Hypothesis, p.Verdict = nil, nil, nil
	} else {
		p.enter(Coding)
		p.beginRound(b, from)
		f.tellEvidence()
	}
	f.Ended, f.OK = false, false // it goes on where edits were dropped behind its verdict
	if p.Dropped != "" {
		p.Turns = append(slices.Clip(p.Turns), Turn{Said: action.Said{Text: p.Dropped}})
		p.Dropped = ""
	}
	f.Attempt, f.Round = b.Attempt, b.Round
}

func (p *State) applyChosen(b ActionChosen) {
	p.Pending, p.Invalid = &Pending{ActionChosen: b}, 0
	if p.Phase == Extending && b.Role == RoleTester {
		p.batch = 0 // no call of the reply before it
	}
	p.Pending.Sent, p.Pending.Beside = p.call()
	if b.Step == 0 || len(p.Features) == 0 {
		p.Free++
		p.take()
		return
	}
	f := &p.Features[p.Current]
	f.Step = b.Step
	f.Marks[b.Step] = p.Staged
	p.Steps++
	p.Pending.at = f.count(b.Step, p.Steps)
	p.take()
}

func (p *State) applyDone(b ActionDone) {
	p.Deeds++
	c := p.Pending
	p.Pending, p.Answer = nil, nil
	if c == nil {
		return // an outcome without an intent changes nothing
	}
	if b.Staged != nil {
		p.stage(*b.Staged)
	}
	if b.OK {
		p.declare(c)
	}
	for _, key := range b.Objected {
		if p.Objected == nil {
			p.Objected = map[string]bool{}
		}
		p.Objected[key] = true
	}
	p.knows(c, b)
	if line := CommandOf(c.Args); c.Action == action.RunCommandName && (b.Lost || c.Result != nil) {
		if p.Lost == nil {
			p.Lost = map[string]bool{}
		}
		p.Lost[line] = b.Lost && !b.Skipped
	}
	said := b.saidBy(c.Action)
	p.Turns = append(p.Turns, Turn{Batch: p.batch, Step: c.name(), Call: c.call(), Reply: c.Beside, Said: said, note: b.Note, OK: b.OK})
	p.applyPlanned(c, b)
	p.failedAtFirst(c, b, said.Plain())
	if len(p.Features) == 0 {
		return
	}
	f := &p.Features[p.Current]
	if c.Step > 0 {
		f.Log = append(f.Log, logLine(c, b))
	}
	p.land(c, b)
	f.countRefused(c, b)
	f.ran(c, b, p.Staged)
	p.applyEffect(f, c, b, said)
}

// applyEffect folds what particular actions mean beyond what they staged.
func (p *State) applyEffect(f *Feature, c *Pending, b ActionDone, said action.Said) {
	switch {
	case c.Action == action.RollbackName && b.OK:
		f.Rollbacks++
		from := cmp.Or(b.Back, stepOf(c.Args)) // versions that did not tell steps by round named the running number
		if from == 0 {
			from = f.goodStep + 1
		}
		p.takeBack(p.Current, from)
	case c.Role == RoleTester:
		p.applyTest(f, c, b, said)
	case c.Action == action.FinishFeatureName && b.OK:
		line, why := testsOf(c.Args)
		p.changeTests(line, "CASE", why)
		f.voidTests(b.Misnames)
		f.finished = b.Text
		f.claim(c.Args)
	case c.Action == action.FinishFeatureName:
		f.Misnamed = cmp.Or(b.Misnames, f.Misnamed)
	}
}

// Feature returns the feature that is worked on; nil before the plan.
func (p *State) Feature() *Feature {
	if p.Current < 0 || p.Current >= len(p.Features) {
		return nil
	}
	return &p.Features[p.Current]
}

// Fold applies one record of the journal. A record that is well-formed but does not
// fit those before it, because the store was changed by another program, is an
// error of this task alone.
func (p *State) Fold(seq int64, at time.Time, kind string, raw json.RawMessage) (err error) {
	body, err := Decode(kind, raw)
	if err != nil {
		return err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("a record of the kind %q does not fit those before it (%v): the store was changed by something else than caselsp", kind, cause)
		}
	}()
	p.Apply(seq, at, body)
	return nil
}
