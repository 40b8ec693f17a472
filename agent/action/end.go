package action

import (
	_ "embed" // the texts for the model
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/shell"
)

//go:embed rollback.md
var rollbackText string

// Rollback returns the staged files to what they were before a named step.
type Rollback struct {
	local
	Step   int    `json:"step,omitempty"`
	Round  int    `json:"round,omitempty" doc:"Of the step; left out: this one."`
	Reason string `json:"reason"`
}

// RollbackVerb is the verb whose arguments are Rollback.
var RollbackVerb = register[Rollback](RollbackName, RollsBack, rollbackText)

// Check implements Args.
func (a Rollback) Check() error {
	if a.Step < 0 || a.Round < 0 {
		return fmt.Errorf("step and round must be those of a step, from 1; got %d and %d", a.Step, a.Round)
	}
	if a.Round > 0 && a.Step == 0 {
		return errors.New("a round is named without a step: name the step to go back to before it, or leave out both for the last good state")
	}
	return nil
}

// Reads implements Reach.
func (Rollback) Reads() []Place { return nil }

// Changes implements Reach.
func (Rollback) Changes() []Place { return []Place{Staged{}} }

//go:embed finish.md
var finishText string

// FinishFeature ends the coding part of a round.
type FinishFeature struct {
	local
	Summary      string   `json:"summary"`
	FixesApplied []string `json:"fixes_applied,omitempty"`
	Analysis     string   `json:"analysis,omitempty" doc:"Why they failed, and why the fix is right."`
	TestCommand  string   `json:"test_command,omitempty" doc:"For a wrong or missing one; why: in analysis."`
}

// FinishFeatureVerb is the verb whose arguments are FinishFeature.
var FinishFeatureVerb = register[FinishFeature](FinishFeatureName, Finishes, finishText)

// Check implements Args.
func (a FinishFeature) Check() error {
	var wrong faults
	wrong.blank("summary", a.Summary, "say what was done")
	wrong.note("test_command", checkTests(a.TestCommand))
	return wrong.err()
}

// checkTests checks a test command that is to be used instead of another.
func checkTests(line string) error {
	if len(line) > maxCommand {
		return fmt.Errorf("test_command has %d bytes; at most %d are taken", len(line), maxCommand)
	}
	return shell.Legible(line)
}

// Reads implements Reach: validators and linters look at what was staged.
func (FinishFeature) Reads() []Place { return []Place{Staged{}} }

// Changes implements Reach.
func (FinishFeature) Changes() []Place { return []Place{Outcome{}} }

//go:embed abort.md
var abortText string

// Abort ends the feature as failed.
type Abort struct {
	words
	Reason string `json:"reason" doc:"For the user."`
}

// AbortVerb is the verb whose arguments are Abort.
var AbortVerb = register[Abort](AbortName, Aborts, abortText)

// Check implements Args.
func (a Abort) Check() error {
	if strings.TrimSpace(a.Reason) == "" {
		return errors.New("reason is empty: say why the feature cannot be done")
	}
	return nil
}
