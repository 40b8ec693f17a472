package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// QuestionKind says what is asked for.
type QuestionKind string

// The kinds of questions.
const (
	KindApproval QuestionKind = "approval" // may this happen? Answered by Approve, ApproveTask, ApproveAlways or Deny
	KindInput    QuestionKind = "input"    // free text, perhaps with choices
	KindSecret   QuestionKind = "secret"   // the value of a secret, or Deny, or Kept; it is not shown and not recorded
	KindTrust    QuestionKind = "trust"    // does the user trust the workspace? Answered by Approve or Deny
	KindLimit    QuestionKind = "extend"   // may the task use more of what a limit holds it to? Answered so too
)

// Question is something only the user can decide.
type Question struct {
	ID      string // unique in its task: q1, q2, ...
	Task    string
	Text    string
	Why     string // why it must be asked
	Subject Subject

	// Why it is asked again, and whether the answer before may be given once more, as Sure.
	// They are not recorded.
	Notice string
	Unsure bool
}

// Kind says what is asked for.
func (q Question) Kind() QuestionKind {
	if q.Subject == nil {
		return ""
	}
	return q.Subject.kind()
}

// Flagged reports whether the flag --yes may answer the question: commands without secrets,
// installations, plans and the task's class only, nothing that needs the user's leave.
func (q Question) Flagged() bool {
	switch about := q.Subject.(type) {
	case Command:
		return len(about.Secrets) == 0
	case Install:
		return true
	case Input:
		return about.Plan != nil || about.Class != ""
	}
	return false
}

// Unanswered is what it means that a question is not answered; false where the task waits for the answer.
func (q Question) Unanswered() (Answer, bool) {
	about, _ := q.Subject.(Input)
	return Answer{Text: ClassOpen}, about.Class != ""
}

// FlagAnswer is what the flag --yes answers to a question that is [Question.Flagged].
func (q Question) FlagAnswer() Answer {
	switch about, ok := q.Subject.(Input); {
	case about.Class != "":
		return Answer{Text: ClassOpen, By: Unasked}
	case ok:
		return Answer{Text: PlanGo, By: Unasked}
	}
	return Answer{Text: Approve, By: Unasked}
}

// The decisions of an approval.
const (
	Approve       = "approve"
	ApproveTask   = "task" // for this task: of a command this exact line, while nothing changes that it rests on
	ApproveAlways = "always"
	Deny          = "deny"
)

// Answer is what the user decided. Text is a decision for an approval, else
// what the user chose or wrote.
type Answer struct {
	Text   string `json:"text"`
	Reason string `json:"reason,omitempty"` // with Deny: why, for the model
	By     string `json:"by,omitempty"`     // how it came: prompt, command, terminal, or --yes, which answers without asking
	// Tells says that Reason is told to a model whatever was denied; in older versions only some of them were.
	Tells bool `json:"tells,omitempty"`
	// Heard says that whoever works on the task hears the answer to a model's question; in older versions only who asked did.
	Heard bool `json:"heard,omitempty"`
	Sure  bool `json:"-"` // the user says that what looks like a secret in it is not one
}

// Unasked is the By of an answer that a flag of the command line gave.
const Unasked = "--yes"

// maxAnswer is the longest answer in bytes; more belongs into a file.
const maxAnswer = 16 << 10

// Take returns an answer as q understands it, or says what is wrong with it, so that the face
// can ask again. Every face takes answers by it: the exact text of a choice is that choice, a
// number that names one is that one, and another number is no answer.
func (q Question) Take(a Answer) (Answer, error) {
	about, ok := q.Subject.(Input)
	if !ok || slices.Contains(about.Choices, a.Text) {
		return a, q.Check(a)
	}
	text := strings.TrimSpace(a.Text)
	if q.Unsure && slices.Contains([]string{"y", "yes", "n", "no"}, strings.ToLower(text)) {
		return a, fmt.Errorf("%q answers nothing here: type another answer, or the word send if that was no secret", text)
	}
	if n, err := strconv.Atoi(text); err == nil && len(about.Choices) > 0 {
		if n < 1 || n > len(about.Choices) {
			return a, fmt.Errorf("there is no answer %d, only 1 to %d: to answer with another number, write it into a sentence", n, len(about.Choices))
		}
		a.Text = about.Choices[n-1]
	}
	switch {
	case about.Plan != nil:
		a.Text = about.Plan.take(a.Text)
	case about.Packages != nil && slices.Contains([]string{"n", "no", Deny}, strings.ToLower(text)):
		a.Text = TestsWithout
	}
	return a, q.Check(a)
}

// Check says what is wrong with an answer to q as it stands, such as one from a recording.
func (q Question) Check(a Answer) error {
	if len(a.Text) > maxAnswer || len(a.Reason) > maxAnswer {
		return fmt.Errorf("the answer is longer than %d bytes: put it into a file of the workspace and name that", maxAnswer)
	}
	if err := checkText("the answer", a.Text+a.Reason); err != nil {
		return err
	}
	decided := a.Text == Approve || a.Text == Deny
	switch about := q.Subject.(type) {
	case Input:
		if strings.TrimSpace(a.Text) == "" {
			return errors.New("the answer is empty")
		}
		if about.Plan != nil {
			return about.Plan.check(a.Text)
		}
		if about.Class != "" {
			return checkClass(a.Text)
		}
	case Approvable:
		if a.Text == ApproveAlways && about.Offer().Always == "" {
			return fmt.Errorf("this command cannot be always allowed (only kinds of commands that were approved %d times before can): approve it once or deny it", OfferAfter)
		}
		if a.Text == ApproveTask && !about.Offer().Task {
			return errors.New("this cannot be allowed for this task: allow it once or deny it")
		}
		if !decided && a.Text != ApproveAlways && a.Text != ApproveTask {
			return fmt.Errorf("%q is not a decision: answer %s", a.Text, q.Decisions())
		}
	case Secret:
		if len(a.Text) < minSecret {
			return fmt.Errorf("the value has %d bytes, at least %d are needed: a shorter one cannot be redacted reliably", len(a.Text), minSecret)
		}
	case Trust, Limit:
		if !decided {
			return fmt.Errorf("%q is not a decision: answer %s", a.Text, q.Decisions())
		}
	default:
		return errors.New("it is not known what the question is about")
	}
	return nil
}

// Decisions lists the decisions that q offers, for a message; "" for a question that is not
// answered by a decision.
func (q Question) Decisions() string {
	switch about := q.Subject.(type) {
	case Approvable:
		var list []string
		offer := about.Offer()
		if offer.Once {
			list = append(list, Approve)
		}
		if offer.Task {
			list = append(list, ApproveTask)
		}
		if offer.Always != "" {
			list = append(list, ApproveAlways)
		}
		return strings.Join(list, ", ") + " or " + Deny
	case Trust, Limit:
		return Approve + " or " + Deny
	}
	return ""
}

// The ids of the questions that are not about what a model chose: whether the
// workspace is trusted, and whether the task may go on beyond a limit. They are not
// counted among the others, since a replay does not ask them.
const (
	TrustQuestion = "trust"
	LimitQuestion = "limit"
)

// Aside reports whether a question is one of those.
func Aside(id string) bool { return id == TrustQuestion || id == LimitQuestion }

// What is recorded in place of a secret's value, and what the user answers who has
// put it into the keyring by himself.
const (
	Given = "given"
	Kept  = "kept"
)

const (
	// offerAfter is how often the user must have approved the same kind of command,
	// with no rejection in between, before a standing approval is offered: one approval
	// says nothing about the next time, the second shows a habit.
	OfferAfter = 2
	// minSecret is the shortest secret in bytes: a shorter one cannot be removed from
	// texts, because it occurs in them by chance.
	minSecret = 4
)
