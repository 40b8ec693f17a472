package record

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"caselsp/agent/llm"
	"caselsp/agent/quote"
)

// Task is what the user asked for.
type Task struct {
	ID   string `json:"id"` // made by Run where it is empty
	Text string `json:"text"`
	// Typed is what of Text the user has typed. The rest (a comment that is to be carried
	// out, the message of a diagnostic) stands in files that anybody may have written: it
	// is data, and names nothing that the user has named. [TaskGiven] keeps it.
	Typed   string   `json:"-"`
	Single  bool     `json:"single,omitempty"`  // one reason-act-observe loop, without plan and verification
	Focus   *Focus   `json:"focus,omitempty"`   // where in the editor it was given
	Follows *Earlier `json:"follows,omitempty"` // the task that it goes on from
	// Language and Type are the user's own classification; empty: TARS classifies.
	Language string `json:"language,omitempty"`
	Type     string `json:"type,omitempty"`
	// Classify says that the user is at hand, and is asked for what of the language and the type nothing says.
	Classify bool `json:"classify,omitempty"`
	// Thread is the name of the thread of which this is the journal; "": it is a task's.
	Thread string `json:"thread,omitempty"`
}

// Earlier is a task that another one follows, as it was then.
type Earlier struct {
	Task   string `json:"task"`
	Text   string `json:"text"`
	State  Phase  `json:"state"`
	Report string `json:"report"`
	Diff   string `json:"diff,omitempty"` // its changes, each with what the user decided
}

// Focus is the place in the workspace that a task speaks of.
type Focus struct {
	Path       string `json:"path"`
	FromLine   int    `json:"from_line"` // from 1, inclusive
	ToLine     int    `json:"to_line"`
	Text       string `json:"text,omitempty"`       // the lines as the user saw them
	Diagnostic string `json:"diagnostic,omitempty"` // the message of the diagnostic to fix
	Source     string `json:"source,omitempty"`     // who published it
}

// Taught is what memory finds a task by, and keeps of it: the text, or for the fix of a diagnostic what that says, since the
// text around it names a place in one project.
func (t Task) Taught() string {
	f := t.Focus
	if f == nil || f.Diagnostic == "" {
		return t.Text
	}
	if f.Source == "" {
		return f.Diagnostic
	}
	return f.Diagnostic + " (" + f.Source + ")"
}

// Phase is where a task is in its life.
type Phase string

// The phases of a task, and the two of a thread. Idle and the last five end a run: Paused and
// Stopped can be resumed; Review ends the run too and waits for the user's decisions.
const (
	Planning   Phase = "planning"
	Coding     Phase = "coding"
	Testing    Phase = "testing"
	Extending  Phase = "writing tests"
	Reflecting Phase = "reflecting"
	Verifying  Phase = "verifying"
	Answering  Phase = "answering" // a message in a thread
	Idle       Phase = "open"      // a thread, that waits for the next message
	Waiting    Phase = "waiting"   // for an answer of the user
	Review     Phase = "review"
	Succeeded  Phase = "succeeded"
	Failed     Phase = "failed"
	Paused     Phase = "paused"
	Stopped    Phase = "stopped"
	Rejected   Phase = "rejected"
)

// Works reports whether a run in this state has something to do by itself.
func (s Phase) Works() bool {
	switch s {
	case Planning, Coding, Testing, Extending, Reflecting, Verifying, Answering:
		return true
	}
	return false
}

// Interrupted is the state of what nobody works on any more, in words.
func (s Phase) Interrupted() string { return "interrupted (" + string(s) + ")" }

// Ended reports whether nothing can follow but an undo.
func (s Phase) Ended() bool { return s == Succeeded || s == Failed || s == Rejected }

// Resumable reports whether a task in this state goes on when it is resumed, if nobody works on it.
func (s Phase) Resumable() bool { return !s.Ended() && s != Review }

// Limits bound a run.
type Limits struct {
	Steps     int           `json:"steps"`              // of CASE in a round
	Rounds    int           `json:"rounds"`             // of a feature, over all its attempts
	Attempts  int           `json:"attempts"`           // of a feature
	Rollbacks int           `json:"rollbacks"`          // of a feature: reaching it fails the feature
	Tokens    int           `json:"tokens,omitempty"`   // of the task; 0: no limit
	Cost      float64       `json:"cost,omitempty"`     // of the task in US dollars; 0: no limit
	Time      time.Duration `json:"time,omitempty"`     // that the task works, without waiting for answers; 0: no limit
	Commands  int           `json:"commands,omitempty"` // that the task runs before the user is asked whether it may go on; 0: no limit
}

// DefaultLimits apply where the settings name none.
var DefaultLimits = Limits{Steps: 15, Rounds: 15, Attempts: 3, Rollbacks: 3}

// maxTask is the longest task text in bytes. Longer ones belong into a file
// that the task names; they would crowd everything else out of the prompts.
const maxTask = 64 << 10

// ErrEmptyTask says that a task has no text.
var ErrEmptyTask = errors.New("the task is empty: write what should be done, such as \"add a test for parse_date\"")

// Check refuses a task that cannot be worked on: empty, too long, or no text.
func (t Task) Check() error {
	switch {
	case strings.TrimSpace(t.Text) == "":
		return ErrEmptyTask
	case len(t.Text) > maxTask:
		return fmt.Errorf("the task has %d bytes; at most %d are taken: put the details into a file of the workspace and name it in the task", len(t.Text), maxTask)
	}
	return checkText("the task", t.Text)
}

// CheckSaid refuses a message of the user that cannot be sent on: too long, or no text.
func CheckSaid(text string) error {
	if len(text) > maxTask {
		return fmt.Errorf("the message has %d bytes; at most %d are taken", len(text), maxTask)
	}
	return checkText("the message", text)
}

// checkText refuses text of a person that holds what no person types: broken
// UTF-8, control characters, terminal escapes.
func checkText(what, s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s is not valid UTF-8", what)
	}
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return fmt.Errorf("%s holds the control character %U: remove it", what, r)
		}
	}
	return nil
}

// Status is a task at a glance.
type Status struct {
	Task     Task
	State    Phase
	Reason   string // why it is paused, failed or stopped; "" otherwise
	Feature  int    // from 1; 0 before the plan
	Features int
	Title    string // of the feature, with a model's words marked
	Attempt  int
	Round    int
	Rounds   int // the limit
	Step     int // of this round
	Usage    llm.Usage
	Reply    quote.Words // the answer to a task that was a question
	Open     *Question   // the open question; nil for none
	Said     []string    // by the user, while it was under way
	Outcome  string      // of the work, once it is over: success, partial, failed or answered
	Kept     []KeptLine
	Triable  bool // it is over, and a resume tries again what failed
	Started  time.Time
	Changed  time.Time // of the last record
	Class              // of the task, as far as it is known
	Untested []string  // of each feature that is done which nothing has tested, why
	Tests    TestsNow
	// Interrupted says that nobody works on it, although State says so: the process that did was killed, or
	// could not write down how it ended. It can be resumed.
	Interrupted bool
}

// workers are the agents that work in each phase.
var workers = map[Phase]string{Planning: RoleTars, Coding: RoleCase, Testing: RoleTester, Extending: RoleTester, Reflecting: RoleReflector, Verifying: RoleTars, Answering: RoleTars}

// Where says of a log entry in which task it was made, in which round and by which agent;
// round and agent are 0 and "" where there is none.
func (s Status) Where() slog.Attr {
	return slog.GroupAttrs("", slog.String("task", s.Task.ID), slog.Int("round", s.Round), slog.String("agent", workers[s.State]))
}

// String is the status in one line, for progress displays.
func (s Status) String() string {
	switch {
	case s.Interrupted:
		return s.State.Interrupted()
	case s.Task.Single && s.State == Planning: // it is neither planned nor verified
		return "begins"
	case s.Task.Single && s.State == Verifying:
		return "ends"
	case s.Feature == 0 || s.Features == 0:
		return string(s.State)
	}
	text := string(s.State)
	if place := s.Place(); place != "" {
		text += ", " + place
	}
	if s.Step > 0 {
		text += fmt.Sprintf(", step %d", s.Step)
	}
	return text
}

// Status returns the task at a glance.
func (p *State) Status(rounds int) Status {
	s := Status{
		Task: p.Task, Class: p.Class(), State: p.Phase, Reason: p.reason, Features: len(p.Features), Rounds: rounds,
		Usage: p.Usage, Open: p.Open, Reply: p.Reply, Said: p.Notes.Notes, Started: p.Started, Changed: p.Changed, Kept: p.keptLines(), Triable: p.Triable(), Untested: p.Untested(), Tests: p.testsNow(),
	}
	if p.Report != nil {
		s.Outcome = p.Report.Outcome
	}
	if f := p.Feature(); f != nil && f.Attempt > 0 && (p.Phase.Works() && p.Phase != Planning || p.Phase == Waiting || p.Phase == Paused) {
		s.Feature, s.Title, s.Attempt, s.Round, s.Step = p.Current+1, p.TitleOf(f), f.Attempt, f.Round, p.Steps
	}
	return s
}

// TitleOf is a feature's title for people: a model's words, but where the task was done without a
// plan of one.
func (p *State) TitleOf(f *Feature) string {
	if p.Task.Single || f.Again != nil && f.Again.Notes != nil {
		return f.Title
	}
	return quote.Words(f.Title).String()
}

// BeganWith reports whether a file had a content, by its hash, when the task began. Where the files were too many for their
// hashes to be kept, it is false.
func (p *State) BeganWith(path, hash string) bool {
	began := p.manifest[path] // the beginning of the hash
	return began != "" && strings.HasPrefix(hash, began)
}
