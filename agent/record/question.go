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
	Approval    QuestionKind = "approval" // may this happen? Answered by Approve, ApproveAlways or Deny
	Input       QuestionKind = "input"    // free text, perhaps with choices
	SecretInput QuestionKind = "secret"   // the value of a secret, or Deny, or Kept; it is not shown and not recorded
	Trusting    QuestionKind = "trust"    // does the user trust the workspace? Answered by Approve or Deny
	Extending   QuestionKind = "extend"   // may the task use more of what a limit holds it to? Answered so too
)

// Question is something only the user can decide.
type Question struct {
	ID      string       `json:"id"` // unique in its task: q1, q2, ...
	Task    string       `json:"task"`
	Kind    QuestionKind `json:"kind"`
	Text    string       `json:"text"`
	Choices []string     `json:"choices,omitempty"`
	Command string       `json:"command,omitempty"` // of an approval: the exact command line
	Where   string       `json:"where,omitempty"`   // where it would run
	Why     string       `json:"why,omitempty"`     // why it must be asked
	Touches []string     `json:"touches,omitempty"` // what it could touch there, in words
	Layer   string       `json:"layer,omitempty"`   // the key of the dependencies that it is about, else ""
	Secret  string       `json:"secret,omitempty"`  // the name of the secret that is asked for
	Leave   string       `json:"leave,omitempty"`   // what an approval gives leave for beside a command, for the rest of the task; no flag answers it
	Shape   string       `json:"shape,omitempty"`   // what ApproveAlways would allow; "" where it is not offered
	Like    string       `json:"like,omitempty"`    // the kind of command by which approvals are counted; "" for what is asked for each time anew
	Finding bool         `json:"finding,omitempty"` // of an approval: it is about a rule's finding, not a command
	Basis   Basis        `json:"basis,omitzero"`    // what an approval rests on
	More    int          `json:"more,omitempty"`    // of Extending: how much more
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
	By     string `json:"by,omitempty"`     // how it came: prompt, command, terminal, or --yes, where nobody was asked
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
	switch {
	case q.Kind == Input && strings.TrimSpace(a.Text) == "":
		return errors.New("the answer is empty")
	case q.Kind == Approval && a.Text == ApproveAlways && q.Shape == "":
		return fmt.Errorf("this command is not offered for always (that is for kinds of commands that were approved %d times before): approve it once or deny it", OfferAfter)
	case q.Kind == Approval && a.Text != Approve && a.Text != ApproveAlways && a.Text != Deny:
		return fmt.Errorf("%q is no decision: %s, %s or %s", a.Text, Approve, ApproveAlways, Deny)
	case q.Kind == SecretInput && len(a.Text) < minSecret:
		return fmt.Errorf("the value has %d bytes, at least %d are needed: a shorter one cannot be kept out of texts", len(a.Text), minSecret)
	case (q.Kind == Trusting || q.Kind == Extending) && a.Text != Approve && a.Text != Deny:
		return fmt.Errorf("%q is no decision: %s or %s", a.Text, Approve, Deny)
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
	// with no rejection in between, before it is offered for always: one approval
	// says nothing about the next time, the second shows a habit.
	OfferAfter = 2
	// minSecret is the shortest secret in bytes: a shorter one cannot be removed from
	// texts, because it occurs in them by chance.
	minSecret = 4
)
