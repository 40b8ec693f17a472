package action

import (
	_ "embed" // the text for the model
	"slices"
	"strings"
)

//go:embed verdict.md
var verdictText string

// Verdict is TARS's judgement of a feature. Completion is a
// pointer so that a verdict that leaves it out is told apart from one of 0.
// Whether it passes is computed; older versions asked for it as "approved", which is
// ignored in their journals and in answers.
type Verdict struct {
	words
	Completion   *int     `json:"completion" doc:"0 to 100."`
	Summary      string   `json:"summary" doc:"Of the changes."`
	Quality      string   `json:"quality,omitempty" doc:"Of the code."`
	Issues       []string `json:"issues" doc:"What is missing or wrong, each with its place. Each blocks."`
	Remarks      []string `json:"remarks,omitempty" doc:"For the report; none blocks."`
	Instructions string   `json:"instructions,omitempty" doc:"How to mend the issues, naming files and functions."`
}

// VerdictVerb is the verb whose arguments are Verdict.
var VerdictVerb = register[Verdict](SubmitVerdictName, Submits, verdictText)

// Check implements Args.
func (v Verdict) Check() error {
	var wrong faults
	if v.Completion == nil || *v.Completion < 0 || *v.Completion > 100 {
		wrong.add("completion", "completion must be a whole number from 0 to 100")
	}
	wrong.blank("summary", v.Summary, "say what the changes do")
	return wrong.err()
}

// outdated implements outdated.
func (Verdict) outdated() []string { return []string{"approved"} }

// Passes reports whether the feature is complete: nothing blocks, and nothing is missing.
func (v Verdict) Passes() bool { return *v.Completion == 100 && len(v.Issues) == 0 }

// Unexplained reports whether the verdict finds the feature incomplete and does not say what is missing.
func (v Verdict) Unexplained() bool { return *v.Completion < 100 && len(v.Issues) == 0 }

// Settled is the verdict without what does not count: issues and remarks without text.
func (v Verdict) Settled() Verdict {
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	v.Issues = slices.DeleteFunc(slices.Clone(v.Issues), blank)
	v.Remarks = slices.DeleteFunc(slices.Clone(v.Remarks), blank)
	return v
}
