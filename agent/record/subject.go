package record

import (
	"encoding/json"
	"fmt"
	"strings"

	"caselsp/agent/quote"
)

// Subject is what a question is about: one of the types below. No other package can make
// another one, and one that is not known is refused when it is read.
type Subject interface{ kind() QuestionKind }

// Approvable is a subject that the user approves or denies: a [Command], [Guarded], an
// [Install], a [Finding] or an [Ability].
type Approvable interface {
	Subject
	Offer() Offer
}

// Line is what is asked, in a line: what would be approved stands in it whole.
func (q Question) Line() string {
	if about, ok := q.Subject.(Approvable); ok {
		return quote.Visible(q.Text) + " " + quote.Text(about.Offer().What)
	}
	if about, ok := q.Subject.(Input); ok {
		return about.Who() + " asks " + quote.Text(q.Text)
	}
	return quote.Visible(q.Text)
}

// Answers are the words that answer the question, for one who types a command.
func (q Question) Answers() string {
	switch about := q.Subject.(type) {
	case Approvable:
		words := []string{Approve}
		if about.Offer().Task {
			words = append(words, ApproveTask)
		}
		if about.Offer().Always != "" {
			words = append(words, ApproveAlways)
		}
		return strings.Join(append(words, Deny), ", ") + " or " + Deny + ":REASON"
	case Input:
		if len(about.Choices) > 0 {
			return "a number, or your own words"
		}
		return "your own words"
	case Secret:
		return Kept + ", once `caselsp secret set " + about.Name + "` has put it into your keyring; or " + Deny
	}
	return Approve + " or " + Deny
}

// Offer is what the user sees of what they approve.
type Offer struct {
	What    string   // the exact command line, the file, or the place
	Called  string   // What in a few words, where it is a program of caselsp's own; else ""
	Where   string   // where a command would run, else ""
	Touches []string // what it could touch there, in words
	Secrets []string // the names of the secrets that a command would be given
	Install *Install // what would be installed before the command; nil: nothing
	Once    bool     // whether Approve holds once; else it holds for the task, as ApproveTask does
	Kept    bool     // whether Approve is kept for the project instead
	Task    bool     // whether ApproveTask is offered
	Always  string   // what ApproveAlways would allow; "" where it is not offered
}

// Gets says in sentences what a command would be given. quote shows a whole command within a line.
func (o Offer) Gets(quote func(string) string) (list []string) {
	if len(o.Secrets) > 0 {
		list = append(list, "it gets "+o.secrets()+"; a value that is not in the keyring is asked for next")
	}
	if o.Install != nil {
		list = append(list, fmt.Sprintf("before it, the project's dependencies are installed: %s, %s", quote(o.Install.Line), o.Install.Where))
	}
	return list
}

// With is Gets in a few words behind the command itself, for a title.
func (o Offer) With() (text string) {
	if len(o.Secrets) > 0 {
		text += " with " + o.secrets()
	}
	if o.Install != nil {
		text += " after installing the dependencies"
	}
	return text
}

func (o Offer) secrets() string {
	if len(o.Secrets) == 1 {
		return "the secret " + o.Secrets[0]
	}
	return "the secrets " + strings.Join(o.Secrets, ", ")
}

// Command asks whether a command may run, or may run once again with more. It is approved with all
// that it says the command gets.
type Command struct {
	Line    string
	Where   string
	Touches []string
	Always  string // what ApproveAlways would allow; "" where it is not offered
	Like    string // the kind of command by which approvals are counted; "" for what is asked for each time anew
	Basis   Basis
	ForTask *Basis // what ApproveTask would rest on; nil where it is not offered

	// Whole says that no other question is asked about what the command gets: Secrets and Install
	// are all. Older versions asked for each by itself.
	Whole   bool
	Secrets []string
	Install *Install
}

// Guarded asks for something beside a command, for the rest of the task: to read or change a
// file, to leave fewer tests; in older journals also to give a command secrets. No flag answers it.
type Guarded struct {
	Leave string // the key under which the answer holds
	What  string
	Fewer map[string]int // of tests: how much may be lost, by what; older versions have the key alone
}

// Install asks whether a project's dependencies may be installed.
type Install struct {
	Key   string `json:"layer"` // of the dependencies
	Line  string `json:"command"`
	Where string `json:"where"`
}

// Finding asks whether code may stay that a safety rule objects to. No flag answers it.
type Finding struct {
	Key   string // the rule and the file, under which the answer holds
	Place string
}

// Ability asks whether the project may have an ability that it has not had. A yes is kept for
// the project. No flag answers it.
type Ability struct {
	Name  string // under which the answer holds
	Place string // with the line that needs it
}

// Secret asks for the value of a secret. It is not shown and not recorded.
type Secret struct{ Name string }

// Trust asks whether the user trusts the workspace.
type Trust struct{}

// Limit asks whether the task may use more of what a limit holds it to.
type Limit struct{ More int }

// Input asks for free text, perhaps with choices. Tests says that it is the engine that asks,
// about tests which cannot run; Plan, that it does about a plan; Class, what of the task's class it asks for. Packages are those that some of the
// choices install, Instead the test command that one runs in the place of the feature's.
type Input struct {
	Choices  []string
	Tests    bool
	Plan     *PlanAsked
	Class    string
	Packages *Packages
	Instead  string
}

// TestsInstead is the choice to run another test command.
func TestsInstead(line string) string { return "Run " + line + " instead" }

// OfModel reports whether a model asks, and not caselsp itself.
func (i Input) OfModel() bool { return !i.Tests && i.Plan == nil && i.Class == "" }

// Who is who asks: the model, or caselsp itself.
func (i Input) Who() string {
	if i.OfModel() {
		return "the model"
	}
	return "caselsp"
}

func (Command) kind() QuestionKind { return KindApproval }
func (Guarded) kind() QuestionKind { return KindApproval }
func (Install) kind() QuestionKind { return KindApproval }
func (Finding) kind() QuestionKind { return KindApproval }
func (Ability) kind() QuestionKind { return KindApproval }
func (Secret) kind() QuestionKind  { return KindSecret }
func (Trust) kind() QuestionKind   { return KindTrust }
func (Limit) kind() QuestionKind   { return KindLimit }
func (Input) kind() QuestionKind   { return KindInput }

// Offer implements Approvable.
func (c Command) Offer() Offer {
	return Offer{What: c.Line, Where: c.Where, Touches: c.Touches, Secrets: c.Secrets, Install: c.Install, Once: true, Task: c.ForTask != nil, Always: c.Always}
}

// Offer implements Approvable.
func (g Guarded) Offer() Offer { return Offer{What: g.What, Task: true} }

// Offer implements Approvable.
func (i Install) Offer() Offer {
	return Offer{What: i.Line, Called: "install the project's dependencies", Where: i.Where, Once: true}
}

// Offer implements Approvable.
func (f Finding) Offer() Offer { return Offer{What: f.Place, Task: true, Always: f.Key} }

// Offer implements Approvable.
func (a Ability) Offer() Offer { return Offer{What: a.Place, Once: true, Kept: true} }

// flatQuestion is a question as it is published, in journals and events: the fields of all
// subjects side by side.
type flatQuestion struct {
	ID      string         `json:"id"`
	Task    string         `json:"task"`
	Kind    QuestionKind   `json:"kind"`
	Text    string         `json:"text"`
	Choices []string       `json:"choices,omitempty"`
	Command string         `json:"command,omitempty"`
	Where   string         `json:"where,omitempty"`
	Why     string         `json:"why,omitempty"`
	Touches []string       `json:"touches,omitempty"`
	Layer   string         `json:"layer,omitempty"`
	Secret  string         `json:"secret,omitempty"`
	Leave   string         `json:"leave,omitempty"`
	Fewer   map[string]int `json:"fewer,omitempty"`
	Shape   string         `json:"shape,omitempty"`
	Like    string         `json:"like,omitempty"`
	Finding bool           `json:"finding,omitempty"`
	Ability string         `json:"ability,omitempty"`
	Basis   Basis          `json:"basis,omitzero"`
	ForTask *Basis         `json:"for_task,omitempty"`
	More    int            `json:"more,omitempty"`
	Whole   bool           `json:"whole,omitempty"`
	Secrets []string       `json:"secrets,omitempty"`
	Install *Install       `json:"install,omitempty"`
	Tests   bool           `json:"tests,omitempty"`
	Plan    *PlanAsked     `json:"plan,omitempty"`
	Class   string         `json:"class,omitempty"`

	Packages *Packages `json:"packages,omitempty"`
	Instead  string    `json:"instead,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (q Question) MarshalJSON() ([]byte, error) {
	f := flatQuestion{ID: q.ID, Task: q.Task, Kind: q.Kind(), Text: q.Text, Why: q.Why}
	switch s := q.Subject.(type) {
	case Command:
		f.Command, f.Where, f.Touches, f.Shape, f.Like, f.Basis, f.ForTask = s.Line, s.Where, s.Touches, s.Always, s.Like, s.Basis, s.ForTask
		f.Whole, f.Secrets, f.Install = s.Whole, s.Secrets, s.Install
	case Guarded:
		f.Command, f.Leave, f.Fewer = s.What, s.Leave, s.Fewer
	case Install:
		f.Command, f.Where, f.Layer = s.Line, s.Where, s.Key
	case Finding:
		f.Command, f.Leave, f.Shape, f.Like, f.Finding = s.Place, s.Key, s.Key, s.Key, true
	case Ability:
		f.Command, f.Ability = s.Place, s.Name
	case Secret:
		f.Secret = s.Name
	case Trust:
	case Limit:
		f.More = s.More
	case Input:
		f.Choices, f.Tests, f.Plan, f.Class, f.Packages, f.Instead = s.Choices, s.Tests, s.Plan, s.Class, s.Packages, s.Instead
	default:
		return nil, fmt.Errorf("question %s is about nothing", q.ID)
	}
	return json.Marshal(f)
}

// UnmarshalJSON implements json.Unmarshaler.
func (q *Question) UnmarshalJSON(raw []byte) error {
	var f flatQuestion
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	*q = Question{ID: f.ID, Task: f.Task, Text: f.Text, Why: f.Why}
	switch {
	case f.Kind == KindApproval && f.Finding:
		q.Subject = Finding{Key: f.Leave, Place: f.Command}
	case f.Kind == KindApproval && f.Ability != "":
		q.Subject = Ability{Name: f.Ability, Place: f.Command}
	case f.Kind == KindApproval && f.Leave != "":
		q.Subject = Guarded{Leave: f.Leave, What: f.Command, Fewer: f.Fewer}
	case f.Kind == KindApproval && f.Layer != "":
		q.Subject = Install{Key: f.Layer, Line: f.Command, Where: f.Where}
	case f.Kind == KindApproval:
		q.Subject = Command{Line: f.Command, Where: f.Where, Touches: f.Touches, Always: f.Shape, Like: f.Like, Basis: f.Basis, ForTask: f.ForTask,
			Whole: f.Whole, Secrets: f.Secrets, Install: f.Install}
	case f.Kind == KindSecret:
		q.Subject = Secret{Name: f.Secret}
	case f.Kind == KindTrust:
		q.Subject = Trust{}
	case f.Kind == KindLimit:
		q.Subject = Limit{More: f.More}
	case f.Kind == KindInput:
		q.Subject = Input{Choices: f.Choices, Tests: f.Tests, Plan: f.Plan, Class: f.Class, Packages: f.Packages, Instead: f.Instead}
	default:
		return fmt.Errorf("a question of the unknown kind %q: it was written by a newer caselsp; update this one", f.Kind)
	}
	return nil
}
