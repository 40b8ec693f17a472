// Package record holds the records of a task's journal, the questions and answers among
// them, and the fold that makes the state of a task from them: [State.Fold]. Nothing
// else knows how a task is remembered. A body that a released caselsp has written is
// readable forever: fields may be added to the JSON, none is renamed or removed.
//
// The files: record.go has the bodies of all records, question.go the questions and
// answers, task.go what the user gives and sees of a task. state.go is the fold; the
// parts of the state that have their own records are beside it (bounds.go, loops.go, command.go,
// dependencies.go, kept.go, landing.go, leaves.go, linted.go, retry.go, review.go, testrun.go). staged.go
// and command.go bring back the contents that records name by hash.
//
// It opens no file and no database; contents come through [Blobs]. A state is changed by
// folding a record only; other packages read its fields.
package record

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/patch"
	"caselsp/agent/quote"
	"caselsp/sandbox"
)

// Body is the content of a record: one of the types below.
type Body interface{ kind() string }

// KindOf returns the name under which the journal keeps a body.
func KindOf(b Body) string { return b.kind() }

// TaskGiven is the first record of a task.
type TaskGiven struct {
	Task Task `json:"task"`
	// Typed is the task's, where it is not what Asked takes it for: journals of versions that
	// did not tell it from the text have none.
	Typed *string `json:"typed,omitempty"`
	// Manifest is the content hash of each file at the start, so that a replay
	// can name the file that differs; left out in large workspaces.
	Manifest map[string]string `json:"manifest,omitempty"`
	// Limits and Context are those that the task began with: they stand in the
	// prompts, so a replay needs the same.
	Limits  Limits `json:"limits"`
	Context int    `json:"context,omitempty"`
	// WriteTests is when the tester writes tests; older versions never did.
	WriteTests string `json:"write_tests,omitempty"`
	// Answers says that the task can end with an answer in words. In a task of a version that had
	// none, finishing without a change is a success.
	Answers bool `json:"answers,omitempty"`
	// PlanReview says that the user is asked about the plan before the work begins, PlanChecks that
	// a plan is compared with the files that there are; older versions did neither.
	PlanReview bool `json:"plan_review,omitempty"`
	PlanChecks bool `json:"plan_checks,omitempty"`
	// Packages are those that earlier tasks have had installed in the sandbox and that no file of the
	// project names. Offers says that the user is asked about more of them; older versions did not ask.
	Packages map[sandbox.Profile][]string `json:"packages,omitempty"`
	Offers   bool                         `json:"offers,omitempty"`
	// Known is what the planner is told of the workspace; nil in journals of versions that told nothing.
	Known *Known `json:"known,omitempty"`
	// NoCode says that no file of the workspace was in a programming language. It is looked for where the user is
	// asked for the language.
	NoCode bool `json:"no_code,omitempty"`
	// Pruned says what was pruned by the settings since the task before.
	Pruned string `json:"pruned,omitempty"`
}

// GivenTask is the first record of a task.
func GivenTask(t Task) TaskGiven {
	given := TaskGiven{Task: t}
	if given.Asked().Typed != t.Typed {
		given.Typed = &t.Typed
	}
	return given
}

// Asked is the task with what the user typed of it: where that is not kept, the text, unless
// it was made of a place in a file.
func (b TaskGiven) Asked() Task {
	t := b.Task
	t.Typed = ""
	switch {
	case b.Typed != nil:
		t.Typed = *b.Typed
	case t.Focus == nil:
		t.Typed = t.Text
	}
	return t
}

// StateChanged is a transition. Feature is the index of the feature that is
// worked on, from 0.
type StateChanged struct {
	To      Phase  `json:"to"`
	Reason  string `json:"reason,omitempty"`
	Feature int    `json:"feature"`
	Attempt int    `json:"attempt,omitempty"`
	Round   int    `json:"round,omitempty"`
	Split   bool   `json:"split,omitempty"` // back to planning: the feature is to be replaced by smaller ones
	// Untested says why the feature's tests do not run, on the way to its verification.
	Untested string `json:"untested,omitempty"`
}

// CallSent is written before a model is asked.
type CallSent struct {
	Role   string         `json:"role"`
	Digest string         `json:"digest"`
	Tokens int            `json:"tokens"`          // estimate of the request's
	Bytes  int            `json:"bytes,omitempty"` // of the request, from which Tokens is estimated
	Most   int            `json:"most,omitempty"`  // tokens that the answer may have by the task's budgets; 0: any number
	Shown  []action.Shown `json:"shown,omitempty"` // the files that the request holds
}

// CallAnswered is a model's answer.
type CallAnswered struct {
	Role     string       `json:"role"`
	Digest   string       `json:"digest"`
	Messages []string     `json:"messages,omitempty"` // digests of the request's messages, so that a replay can say which differs
	Response llm.Response `json:"response"`
	// Masked names the services of which the answer had a secret by its exact format,
	// with what may be written instead. The journal has a mask in its place.
	Masked []string `json:"masked,omitempty"`
}

// Authored implements store.Authored: the model wrote all of it.
func (c CallAnswered) Authored() []string {
	texts := []string{c.Response.Content, c.Response.Problem}
	for _, call := range c.Response.ToolCalls {
		texts = append(texts, call.Arguments)
	}
	return texts
}

// CallFailed says that a model gave no answer. Lost marks a call that was in
// flight when the process ended: it may have been paid for.
type CallFailed struct {
	Role   string `json:"role"`
	Lost   bool   `json:"lost,omitempty"`
	Reason string `json:"reason"`
	// Usage is what the call cost, as far as that is known.
	Usage llm.Usage `json:"usage,omitzero"`
}

// ReplyRefused says that an answer held no usable action, and what the model is told about it.
type ReplyRefused struct {
	Reason string `json:"reason"`
	// Unexplained marks a verdict that found the feature incomplete without saying what is missing.
	Unexplained bool `json:"unexplained,omitempty"`
	// Misnames marks a plan that was returned because it names files that do not exist.
	Misnames bool `json:"misnames,omitempty"`
	// One says that the calls behind it in the reply are looked at; older versions ran none of them.
	One bool `json:"one,omitempty"`
}

// ActionChosen is the intent of an action: it is written before anything happens.
type ActionChosen struct {
	Step    int             `json:"step"` // running number in the feature; 0 for aids that cost no step
	Role    string          `json:"role"`
	Action  string          `json:"action"`
	Thought string          `json:"thought,omitempty"`
	Args    json.RawMessage `json:"args"`
	CallID  string          `json:"call_id,omitempty"`
	// Before marks a run of the tests on the files as they were before the task.
	Before bool `json:"before,omitempty"`
	// Bare marks one on what is staged without the feature's change of other code than tests.
	Bare bool `json:"bare,omitempty"`
}

// ActionDone is the outcome of an action.
type ActionDone struct {
	OK bool `json:"ok"`
	// What the model is told: our words, then what they quote, then our words again;
	// see action.Said. In records of older versions Text is all of it.
	Text  string `json:"text"`
	Mark  string `json:"mark,omitempty"`
	Quote string `json:"quote,omitempty"`
	More  string `json:"more,omitempty"`

	Note   string         `json:"note,omitempty"`  // one line for people, ours
	Words  quote.Words    `json:"words,omitempty"` // of the model, behind it; older versions have them in Note
	Diff   string         `json:"diff,omitempty"`
	Shown  *action.Shown  `json:"shown,omitempty"`
	Also   []action.Shown `json:"also,omitempty"`   // further files, of an edit of several
	Staged *Staged        `json:"staged,omitempty"` // what is staged after it; nil: as before
	// Hunks are where the hunks of a patch landed; where OK is false, it was taken
	// back at once. Refused names why the text of an edit was refused, as patch.Status.
	Hunks   []patch.Landing `json:"hunks,omitempty"`
	Refused string          `json:"refused,omitempty"`
	// Objected names the objections that were reported to the model for the first time.
	Objected []string `json:"objected,omitempty"`
	// Loop says which loop this outcome closes: the feature ends.
	Loop string `json:"loop,omitempty"`
	// Results are those of a run of the tests.
	Results *Results `json:"results,omitempty"`
	// Skipped marks a command that the user or the settings kept from running,
	// Lost one whose outcome is not known because the process ended; both together
	// one that could not be started and may be started again.
	Skipped bool `json:"skipped,omitempty"`
	Lost    bool `json:"lost,omitempty"`
	// Misnames is the test command of a FINISH_FEATURE that names files which do not exist: where OK
	// is false CASE was told so, else it is not run.
	Misnames string `json:"misnames,omitempty"`
	// Back is the step, by its running number, before which a rollback went; 0: the last good state.
	Back int `json:"back,omitempty"`
	// Tested is what a run of the tests means.
	Tested *Tested `json:"tested,omitempty"`
	// Evidence is what a run of the tests without the change shows.
	Evidence *Evidence `json:"evidence,omitempty"`
	// Passed sums up a run of tests that CASE started by itself and in which all passed.
	Passed string `json:"passed,omitempty"`
}

// Tell puts in what the model is told.
func (b ActionDone) Tell(s action.Said) ActionDone {
	b.Text, b.Mark, b.Quote, b.More = s.Text, s.Mark, s.Quote, s.More
	return b
}

// Said is what the model is told.
func (b ActionDone) Said() action.Said {
	return action.Said{Text: b.Text, Mark: b.Mark, Quote: b.Quote, More: b.More}
}

// saidBy is Said, also of records in which older versions kept one text: all of a
// successful reading was quoted, and of an edit what follows the first line.
func (b ActionDone) saidBy(verb string) action.Said {
	said := b.Said()
	if said.Mark != "" || said.More != "" {
		return said
	}
	switch action.EffectOf(verb) {
	case action.Reads, action.Looks:
		if b.OK {
			return action.Quoted(b.Text)
		}
	case action.Edits:
		if ours, shown, _ := strings.Cut(b.Text, "\n"); strings.TrimSpace(shown) != "" {
			return action.Said{Text: ours + "\n", Mark: action.MarkData, Quote: shown}
		}
	}
	return said
}

// Asked is an open question; the task waits.
type Asked struct {
	Question Question `json:"question"`
}

// Answered closes the open question.
type Answered struct {
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
	Secret string `json:"secret,omitempty"` // the name of the secret that was asked for
	// Whole says that the question was about a command with all that it gets, as [Command] has it. A
	// recording has no questions: a replay knows by this how they were asked.
	Whole bool `json:"whole,omitempty"`
}

// CommandStarted is written before a command runs.
type CommandStarted struct {
	Line string `json:"line"`
	Tree string `json:"tree"` // digest of the tree it runs on
	// Without are the files that were left out of the tree because they may hold secrets.
	Without []string `json:"without,omitempty"`
	// Before says that the tree is that of before the task.
	Before bool `json:"before,omitempty"`
	// Bare says that the tree is that without the feature's change of other code than tests.
	Bare bool `json:"bare,omitempty"`
	// Layer is the key of the dependencies that it installs, before the command
	// that was chosen runs.
	Layer string `json:"layer,omitempty"`
	// Memory, in bytes, and Time are what it may use.
	Memory int64         `json:"memory,omitempty"`
	Time   time.Duration `json:"time,omitempty"`
}

// briefLine is how much of a command line a progress line has room for, in runes.
const briefLine = 48

// Brief is the command line as a progress line shows it, quoted and cut.
func (b CommandStarted) Brief() string {
	line := []rune(FirstLine(b.Line))
	if len(line) > briefLine {
		line = append(line[:briefLine-1], '…')
	}
	return quote.Text(string(line))
}

// Judged says what became of a command before it runs, and who decided that.
type Judged struct {
	Line    string `json:"line"`
	Allowed bool   `json:"allowed"`
	By      string `json:"by"` // one of the By constants
	// How is how the user decided (prompt, command, terminal), the id of the rule, or
	// the setting or flag; "" for what is built in.
	How    string `json:"how,omitempty"`
	Reason string `json:"reason,omitempty"` // of the verdict, or the user's
	Text   string `json:"text,omitempty"`   // the text for the model about a refusal
	// ReadOnly says that it was judged to only read.
	ReadOnly bool `json:"read_only,omitempty"`
}

// ByAnswer reports whether the judgement is an answer to a question, be it of the user or of a flag.
func (j Judged) ByAnswer() bool { return j.By == ByUser || j.How == Unasked }

// Who decides about a command.
const (
	ByUser    = "user"
	ByTask    = "task"    // the user, earlier in this task and for all of it
	ByRule    = "rule"    // that the user made: a standing approval
	ByPolicy  = "policy"  // the user's settings, or a flag of the command line
	ByDefault = "default" // what is built in
)

// CommandEnded is a command's result; its changes are kept as blobs.
type CommandEnded struct {
	Result  sandbox.Result `json:"result"` // without the data of its changes
	Changes []FileRef      `json:"changes,omitempty"`
	Layer   string         `json:"layer,omitempty"` // as in CommandStarted
}

// FileRef names a file's content by hash; an empty hash is a deleted file.
type FileRef struct {
	Path string      `json:"path"`
	Hash string      `json:"hash,omitempty"`
	Mode fs.FileMode `json:"mode,omitempty"`
}

// Verified is TARS's verdict on the feature that is worked on.
type Verified struct {
	Verdict action.Verdict `json:"verdict"`
}

// Hypothesised is the reflector's explanation of a failed test.
type Hypothesised struct {
	Hypothesis action.Hypothesis `json:"hypothesis"`
}

// Replied ends a task that was a question with the model's answer.
type Replied struct {
	Text quote.Words `json:"text"`
}

// Authored implements store.Authored: the model wrote all of it.
func (r Replied) Authored() []string { return []string{r.Text.Plain()} }

// FeatureEnded says how the feature that was worked on ended.
type FeatureEnded struct {
	Feature int    `json:"feature"`
	OK      bool   `json:"ok"`
	Reason  string `json:"reason,omitempty"` // ours
	// Words are what a model says of it, behind Reason; older versions have them there.
	Words  quote.Words `json:"words,omitempty"`
	Staged *Staged     `json:"staged,omitempty"` // of a failed one: what was staged before it began
	Kept   *Staged     `json:"kept,omitempty"`   // and when it ended; journals of older versions lack it
}

// Rebased says that the user's typing moved staged edits; Dropped are the
// agent's changes that gave way to the user's text, and Overlaps where they were.
type Rebased struct {
	Paths    []string `json:"paths"`
	Dropped  string   `json:"dropped,omitempty"`
	Overlaps []string `json:"overlaps,omitempty"` // as path:line; older versions kept none
	Staged   Staged   `json:"staged"`
	At       *Place   `json:"at,omitempty"` // from where on the task had the text; older versions did not say
}

// Reported is the task's report, in Markdown, and what is to be reviewed.
type Reported struct {
	Outcome string `json:"outcome"` // success, partial, failed, answered
	Text    string `json:"text"`
	// Relied are the ids of what memory gave and of which the change has lines; older versions did not look.
	Relied []string `json:"relied,omitempty"`
	// Theirs are the places, as path:lines, where the result changes or takes out what the user wrote while the task worked.
	Theirs []string `json:"theirs,omitempty"`
	Back   []string `json:"back,omitempty"` // where it makes changes again that the user has rejected
}

// Staged is everything that is staged, by content hash.
type Staged struct {
	Files []StagedFile `json:"files"`
}

// StagedFile is one staged file; a nil Base did not exist, a nil Now is deleted.
type StagedFile struct {
	Path string   `json:"path"`
	From string   `json:"from,omitempty"`
	Base *FileRef `json:"base,omitempty"`
	Now  *FileRef `json:"now,omitempty"`
}

func (TaskGiven) kind() string         { return "task" }
func (StateChanged) kind() string      { return "state" }
func (CallSent) kind() string          { return "call" }
func (CallAnswered) kind() string      { return "answer" }
func (CallFailed) kind() string        { return "call_failed" }
func (ReplyRefused) kind() string      { return "reply_refused" }
func (ActionChosen) kind() string      { return "action" }
func (ActionDone) kind() string        { return "done" }
func (Asked) kind() string             { return "asked" }
func (Answered) kind() string          { return "answered" }
func (CommandStarted) kind() string    { return "command" }
func (CommandEnded) kind() string      { return "result" }
func (Judged) kind() string            { return "judged" }
func (DependenciesFound) kind() string { return "layer" }
func (MemoryRecalled) kind() string    { return "recalled" }
func (Linted) kind() string            { return "linted" }
func (Tolerated) kind() string         { return "tolerated" }
func (Verified) kind() string          { return "verdict" }
func (Hypothesised) kind() string      { return "hypothesis" }
func (Replied) kind() string           { return "reply" }
func (FeatureEnded) kind() string      { return "feature" }
func (Rebased) kind() string           { return "rebased" }
func (Reported) kind() string          { return "report" }
func (Applying) kind() string          { return "applying" }
func (Applied) kind() string           { return "applied" }
func (Decided) kind() string           { return "decided" }

// bodies maps each kind to its type, for decoding.
var bodies = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, b := range []Body{
		TaskGiven{}, StateChanged{}, CallSent{}, CallAnswered{}, CallFailed{}, ReplyRefused{}, ActionChosen{},
		ActionDone{}, Asked{}, Answered{}, CommandStarted{}, CommandEnded{}, Judged{}, DependenciesFound{},
		MemoryRecalled{}, Planned{}, Linted{}, FixChecked{}, ValidatorTried{}, Tolerated{}, FilesShown{}, Unrun{}, Compacted{}, WindowTold{},
		Verified{}, Hypothesised{}, Replied{}, FeatureEnded{}, Rebased{}, Edited{}, Reported{}, Applying{}, Applied{}, Decided{},
		Continued{}, Told{}, Message{}, HandedOver{}, Retried{}, TakenUp{}, Noted{}, Returned{}, Committed{}, Split{}, TestsFound{}, Compared{}, TestsWritten{}, TestsReturned{}, TestsSettled{},
	} {
		m[b.kind()] = reflect.TypeOf(b)
	}
	return m
}()

// Decode reads a record's body back.
func Decode(kind string, raw json.RawMessage) (Body, error) {
	t, ok := bodies[kind]
	if !ok {
		return nil, fmt.Errorf("a record of the unknown kind %q: it was written by a newer caselsp; update this one", kind)
	}
	v := reflect.New(t)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return nil, fmt.Errorf("record of kind %s cannot be read: %w", kind, err)
	}
	return v.Elem().Interface().(Body), nil
}

// The roles in which a model is asked.
const (
	RoleTars      = "tars"
	RoleCase      = "case"
	RoleTester    = "tester"
	RoleWriter    = "test writer" // the tester, where it acts itself; the engine runs the tests under its other name
	RoleReflector = "reflector"
)
