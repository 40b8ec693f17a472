package action

import (
	_ "embed" // the texts for the model
	"errors"
	"strings"

	"caselsp/store/lazyregexp"
)

//go:embed ask.md
var askText string

// AskUser puts a question to the user.
type AskUser struct {
	local
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
	Name     string   `json:"name,omitempty" doc:"Such as SITE_NAME, to remember the answer; never for a secret."`
}

// AskUserVerb is the verb whose arguments are AskUser.
var AskUserVerb = register[AskUser](RequestUserInput, Asks, askText)

const (
	maxQuestion = 2000 // bytes of a question: more is not read in a prompt
	maxChoices  = 8    // choices: editors show them as buttons
	maxChoice   = 100  // bytes of one choice
)

// asksForSecret finds questions for the value of a secret, rather than about one.
var asksForSecret = lazyregexp.New(`(?i)\b(what('s| is)|enter|type|paste|provide|give|send|tell|share|need)\b[^.?!]{0,40}\b(pass(word|phrase|code)|api[ _-]?key|(access|auth|bearer|refresh|api|session|security)[ _-]?(token|key)|token value|secret([ _-]?key)?|private key|credentials|pin code)\b`)

// saysSecret finds names of what must not be remembered in plain text.
var saysSecret = lazyregexp.New(`TOKEN|PASS|PWD|SECRET|KEY|CREDENTIAL|AUTH|PIN$|PRIVATE`)

// Check implements Args.
func (a AskUser) Check() error {
	var wrong faults
	wrong.blank("question", a.Question, "say what you need to know")
	if len(a.Question) > maxQuestion {
		wrong.add("question", "question has %d bytes; at most %d are shown", len(a.Question), maxQuestion)
	}
	if len(a.Choices) > maxChoices {
		wrong.add("choices", "there are %d choices; at most %d can be shown", len(a.Choices), maxChoices)
	}
	if asksForSecret.MatchString(a.Question) {
		wrong.add("question", "a secret is never asked for in words, for the answer would be shown and kept: name it in `secrets` of %s, and the user is asked in a way that nobody sees", RunCommandName)
	}
	if a.Name != "" && (!secretName.MatchString(a.Name) || saysSecret.MatchString(a.Name)) {
		wrong.add("name", "%.80q cannot be remembered: a name has capitals, digits and _, and none is that of a secret; those are named in `secrets` of %s", a.Name, RunCommandName)
	}
	for _, c := range a.Choices {
		if strings.TrimSpace(c) == "" || len(c) > maxChoice {
			wrong.add("choices", "choice %q must have 1 to %d bytes", c, maxChoice)
		}
	}
	return wrong.err()
}

// Reads implements Reach: an answer that has a name may be known already.
func (AskUser) Reads() []Place { return []Place{Memory{}} }

// Changes implements Reach.
func (AskUser) Changes() []Place { return []Place{Memory{}} }

//go:embed checkpoint.md
var checkpointText string

// Checkpoint asks TARS for advice during a run.
type Checkpoint struct {
	reading
	Reason string `json:"reason" doc:"What you tried and need to know."`
}

// CheckpointVerb is the verb whose arguments are Checkpoint.
var CheckpointVerb = register[Checkpoint](TarsCheckpoint, Consults, checkpointText)

// Check implements Args.
func (a Checkpoint) Check() error {
	if strings.TrimSpace(a.Reason) == "" {
		return errors.New("reason is empty: say where you are stuck")
	}
	return nil
}

// Reads implements Reach: TARS is shown what the feature changed.
func (Checkpoint) Reads() []Place { return []Place{Staged{}} }
