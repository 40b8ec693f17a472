package action

import (
	_ "embed" // the texts for the model
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/shell"
)

//go:embed plan.md
var planText string

// Plan is TARS's plan of a task.
type Plan struct {
	words
	Analysis       string    `json:"analysis"`
	Type           string    `json:"type,omitempty" enum:"fix,feature,refactor,tests,docs,config"`
	Create         []string  `json:"files_to_create"`
	Change         []string  `json:"files_to_change"`
	Steps          []string  `json:"steps"`
	Considerations []string  `json:"considerations"`
	Features       []Feature `json:"features"`
}

// Feature is one part of a task.
type Feature struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description" doc:"For one who sees only this."`
	Files       []string `json:"files,omitempty" doc:"To see."`
	DependsOn   []string `json:"depends_on,omitempty" doc:"Ids."`
	Test        string   `json:"test,omitempty" doc:"Its test command."`
}

// PlanVerb is the verb whose arguments are Plan.
var PlanVerb = register[Plan](SubmitPlanName, Submits, planText)

// MaxFeatures bounds a plan. A large task has 50 features and more;
// beyond this, the task should be given in parts.
const MaxFeatures = 100

// Check implements Args: features there, named once, and in an order in which each comes after what it depends on.
func (p Plan) Check() error {
	var wrong faults
	if len(p.Features) == 0 {
		wrong.add("features", "features is empty: a plan has at least one; a question is answered with %s", AnswerName)
	}
	if len(p.Features) > MaxFeatures {
		wrong.add("features", "the plan has %d features; at most %d are taken", len(p.Features), MaxFeatures)
		return wrong
	}
	seen := map[string]bool{}
	for i, f := range p.Features {
		f.check(fmt.Sprintf("features[%d]", i), i+1, seen, &wrong)
		seen[f.ID] = true
	}
	return wrong.err()
}

// check notes what is wrong with a feature, whose number counts from 1. seen are the ids of those
// before it.
func (f Feature) check(at string, number int, seen map[string]bool, wrong *faults) {
	var lacks []string
	for _, field := range []struct{ name, text string }{{"an id", f.ID}, {"a title", f.Title}, {"a description", f.Description}} {
		if strings.TrimSpace(field.text) == "" {
			lacks = append(lacks, field.name)
		}
	}
	if last := len(lacks) - 1; last >= 0 {
		list := strings.Join(lacks[:last], ", ")
		if last > 0 {
			list += " and "
		}
		wrong.add(at, "feature %d needs %s", number, list+lacks[last])
	}
	if seen[f.ID] && f.ID != "" {
		wrong.add(at+".id", "the id %q is used twice", f.ID)
	}
	for _, d := range f.DependsOn {
		if !seen[d] {
			wrong.add(at+".depends_on", "feature %q depends on %q, which does not come before it: put features in the order they depend on", f.ID, d)
		}
	}
	if len(f.Test) > maxCommand {
		wrong.add(at+".test", "feature %q: the test command has more than %d bytes", f.ID, maxCommand)
	}
	if err := shell.Legible(f.Test); err != nil {
		wrong.add(at+".test", "feature %q: %s", f.ID, err)
	}
}

//go:embed hypothesis.md
var hypothesisText string

// Hypothesis is the reflector's one specific fix to try.
type Hypothesis struct {
	words
	Cause string `json:"cause" doc:"The error, and the change behind it."`
	Fix   string `json:"fix" doc:"One fix, naming file and function."`
	File  string `json:"file,omitempty"`

	TestCommand string `json:"test_command,omitempty"`
	// Recalled are the past failures that it relies on, by their numbers from 1; nil where it does not say.
	Recalled []int `json:"recalled,omitzero" doc:"Numbers of the past failures that it relies on."`
}

// HypothesisVerb is the verb whose arguments are Hypothesis.
var HypothesisVerb = register[Hypothesis](SubmitFixName, Submits, hypothesisText)

// Check implements Args.
func (h Hypothesis) Check() error {
	var wrong faults
	wrong.blank("cause", h.Cause, "name the error and the change behind it")
	wrong.blank("fix", h.Fix, "name one fix, with its file and function")
	wrong.note("test_command", checkTests(h.TestCommand))
	return wrong.err()
}

//go:embed advice.md
var adviceText string

// Advice is TARS's answer to a checkpoint question.
type Advice struct {
	words
	Text string `json:"advice"`
}

// AdviceVerb is the verb whose arguments are Advice.
var AdviceVerb = register[Advice](SubmitAdviceName, Submits, adviceText)

// Check implements Args.
func (a Advice) Check() error {
	if strings.TrimSpace(a.Text) == "" {
		return errors.New("advice is empty: say what to do next")
	}
	return nil
}
