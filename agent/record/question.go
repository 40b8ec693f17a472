package record

import (
	"errors"
	"fmt"
	"strings"
)

// QuestionKind says what is asked for.
type QuestionKind string

// The kinds of questions.
const (
	KindApproval QuestionKind = "approval" // may this happen? Answered by Approve, ApproveAlways or Deny
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
}

// Kind says what is asked for.
func (q Question) Kind() QuestionKind {
	if q.Subject == nil {
		return ""
	}
	return q.Subject.kind()
}

// Flagged reports whether the flag --yes may answer the question: commands and
// installations only, nothing that needs the user's leave.
func (q Question) Flagged() bool {
	switch q.Subject.(type) {
	case Command, Install:
		return true
	}
	return false
}

// The decisions of an approval.
const (
	Approve       = "approve"
	ApproveAlways = "always"
	Deny          = "deny"
)

// Answer is what the user decided. Text is a decision for an approval, else
// what the user chose or wrote.
type Answer struct {
	Text   string `json:"text"`
	Reason string `json:"reason,omitempty"` // with Deny: why, for the model
	By     string `json:"by,omitempty"`     // how it came: prompt, command, terminal, or --yes, which answers without asking
}

// Unasked is the By of an answer that a flag of the command line gave.
const Unasked = "--yes"

// maxAnswer is the longest answer in bytes; more belongs into a file.
const maxAnswer = 16 << 10

// Check says what is wrong with an answer to q, so that the face can ask again.
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
	case Approvable:
		if a.Text == ApproveAlways && about.Offer().Always == "" {
			return fmt.Errorf("this command cannot be always allowed (only kinds of commands that were approved %d times before can): approve it once or deny it", OfferAfter)
		}
		if !decided && a.Text != ApproveAlways {
			return fmt.Errorf("%q is not a decision: answer %s, %s or %s", a.Text, Approve, ApproveAlways, Deny)
		}
	case Secret:
		if len(a.Text) < minSecret {
			return fmt.Errorf("the value has %d bytes, at least %d are needed: a shorter one cannot be redacted reliably", len(a.Text), minSecret)
		}
	case Trust, Limit:
		if !decided {
			return fmt.Errorf("%q is not a decision: answer %s or %s", a.Text, Approve, Deny)
		}
	default:
		return errors.New("it is not known what the question is about")
	}
	return nil
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
