package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// planned is how far TARS and the user have come with the plan.
type planned struct {
	classAsked
	PlanReview   bool     // the user is asked about the plan before the work begins
	PlanChecks   bool     // a plan is compared with the files that there are
	PlanAccepted bool     // the user lets the work begin
	PlanChanges  int      // how often TARS was asked to change the plan
	PlanDropped  []string // the features that the user has dropped, in lines for people
	PlanReturned bool     // a plan was returned because of the files that it names
	Known        *Known   // what TARS is told of the workspace; nil: nothing
	Refusals     []string // what was submitted and refused, and why, in lines for people
}

// Planned is TARS's plan.
type Planned struct {
	Plan action.Plan `json:"plan"`
}

func (Planned) kind() string { return "plan" }

// PlanAsked is a plan that the user is asked about before the work begins.
type PlanAsked struct {
	Plan action.Plan `json:"plan"`
	Class
	Left int `json:"left"` // how often TARS may still be asked to change it
}

// The answers to a question about a plan, beside numbers of features to drop ("drop 2, 4-5") and
// what TARS is to change, in the user's words. To stop leaves the question open.
const (
	PlanGo   = "Go on"
	PlanStop = "Stop here"
)

// planWords are other words for the answers, as people type them.
var planWords = map[string]string{
	"y": PlanGo, "yes": PlanGo, "ok": PlanGo, "go": PlanGo, "go on": PlanGo, "continue": PlanGo,
	"n": PlanStop, "no": PlanStop, "stop": PlanStop, "stop here": PlanStop,
}

// take returns an answer as it is understood.
func (q *PlanAsked) take(text string) string {
	if word, ok := planWords[strings.ToLower(strings.TrimSpace(text))]; ok {
		return word
	}
	return text
}

// check says what is wrong with an answer.
func (q *PlanAsked) check(text string) error {
	if text == PlanGo || text == PlanStop {
		return nil
	}
	if numbers, err := q.drops(text); len(numbers) > 0 || err != nil {
		return err
	}
	if q.Left <= 0 {
		return fmt.Errorf("the plan has been changed as often as it may be: answer %q, leave features out with \"drop 2\", or stop and give the task in other words", PlanGo)
	}
	return CheckNote(text)
}

var (
	// dropping is an answer that drops features by their numbers.
	dropping = lazyregexp.New(`(?i)^\s*drop\b(?:[\s,.]|\band\b|\bfeatures?\b|\d+(?:\s*-\s*\d+)?)+$`)
	// numbersIn finds the numbers and the ranges of numbers in it.
	numbersIn = lazyregexp.New(`(\d+)(?:\s*-\s*(\d+))?`)
)

// drops returns the features that an answer drops, as indices in order; none where it is another
// answer. What is left of the plan must be one.
func (q *PlanAsked) drops(text string) (list []int, err error) {
	if !dropping.MatchString(text) {
		return nil, nil
	}
	features := q.Plan.Features
	for _, m := range numbersIn.FindAllStringSubmatch(text, -1) {
		from, err := strconv.Atoi(m[1])
		to := from
		if m[2] != "" && err == nil {
			to, err = strconv.Atoi(m[2])
		}
		if err != nil || from < 1 || to < from || to > len(features) {
			return nil, fmt.Errorf("there is no feature %s in the plan, only 1 to %d", m[0], len(features))
		}
		for n := from; n <= to; n++ {
			list = append(list, n-1)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == len(features) {
		return nil, fmt.Errorf("nothing would be left of the plan: answer %q to leave the task as it is", PlanStop)
	}
	for i, f := range features {
		for _, d := range list {
			if !slices.Contains(list, i) && slices.Contains(f.DependsOn, features[d].ID) {
				return nil, fmt.Errorf("feature %d depends on feature %d: drop both, or write what is to change", i+1, d+1)
			}
		}
	}
	return list, nil
}

// Whole is the text of the question with the plan that it is about.
func (q Question) Whole() string {
	if about, ok := q.Subject.(Input); ok && about.Plan != nil {
		return q.Text + "\n\n" + about.Plan.String()
	}
	return q.Text
}

// String is the plan in lines. The words are a model's: a face marks each line.
func (q *PlanAsked) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", FirstLine(q.Plan.Analysis))
	writeNamed(&b, "type: ", q.Class.String())
	for i, f := range q.Plan.Features {
		fmt.Fprintf(&b, "%d. %s: %s\n", i+1, FirstLine(f.ID), FirstLine(f.Title))
		writeNamed(&b, "   ", f.Description)
		writeNamed(&b, "   files: ", f.Files...)
		writeNamed(&b, "   after: ", f.DependsOn...)
		writeNamed(&b, "   tests: ", f.Test)
	}
	writeNamed(&b, "new files: ", q.Plan.Create...)
	writeNamed(&b, "changed files: ", q.Plan.Change...)
	return b.String()
}

// writeNamed writes a line with a list, unless it is empty.
func writeNamed(b *strings.Builder, name string, list ...string) {
	var lines []string
	for _, text := range list {
		if line := FirstLine(text); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "%s%s\n", name, strings.Join(lines, ", "))
	}
}

// maxTitles is how many features of a plan a prompt names: more are not read there.
const maxTitles = 10

// Titles are the features of the plan, a few words each, as a prompt has room for them.
func (q *PlanAsked) Titles(quote func(string) string) (list []string) {
	for i, f := range q.Plan.Features {
		if i == maxTitles {
			return append(list, fmt.Sprintf("and %d more", len(q.Plan.Features)-i))
		}
		list = append(list, fmt.Sprintf("%d. %s", i+1, quote(FirstLine(f.Title))))
	}
	return list
}

// applyPlan folds a plan that was taken.
func (p *State) applyPlan(b Planned) {
	if p.Answer != nil || len(p.Rest) > 0 {
		p.submitted("The plan is recorded.")
	}
	p.Plan, p.Invalid, p.PlanReturned = &b.Plan, 0, false
	p.Features = nil
	for _, f := range b.Plan.Features {
		p.Features = append(p.Features, Feature{Feature: f})
	}
}

// applyPlanAnswer folds what the user says of the plan.
func (p *State) applyPlanAnswer(q *PlanAsked, a Answer) {
	if p.Plan == nil || a.Text == PlanStop {
		return
	}
	numbers, err := q.drops(a.Text)
	switch {
	case a.Text == PlanGo:
		p.PlanAccepted = true
	case err == nil && len(numbers) > 0:
		p.dropFeatures(numbers)
	default:
		p.changePlan(a.Text)
	}
}

// dropFeatures takes features out of the plan, and tells of them in it.
func (p *State) dropFeatures(numbers []int) {
	plan := *p.Plan
	plan.Features = nil
	p.Features = nil
	var out []string
	for i, f := range p.Plan.Features {
		if slices.Contains(numbers, i) {
			out = append(out, fmt.Sprintf("%s (%s)", f.ID, f.Title))
			continue
		}
		plan.Features = append(plan.Features, f)
		p.Features = append(p.Features, Feature{Feature: f})
	}
	plan.Considerations = append(slices.Clip(plan.Considerations), "The user has taken these features out of the plan; they are not to be built: "+strings.Join(out, ", "))
	p.Plan, p.PlanDropped = &plan, append(p.PlanDropped, out...)
}

// changePlan goes back to TARS with what the user says of the plan, which is the user's word as
// the task is, for all who work on it.
func (p *State) changePlan(text string) {
	p.PlanChanges++
	p.Plan, p.Features, p.Exchanges, p.PlanReturned = nil, nil, 0, false
	p.Notes.Notes = append(p.Notes.Notes, text)
	p.UserTexts = append(p.UserTexts, text)
	p.Turns = append(p.Turns, Turn{told: text, Said: action.Said{
		Text: "The user has read your plan and does not go on with it. This counts as the task does, and more where they differ:\n" + text +
			"\nPlan anew with " + action.SubmitPlanName + ": the whole plan, not what is different.\n",
	}})
}

// maxRefusal is how much of a refusal the history has, in bytes: all faults that a model is told of
// at once, as a rule.
const maxRefusal = 1 << 10

// noteRefusal keeps a refused submission for the task's history.
func (p *State) noteRefusal(call llm.ToolCall, reason string) {
	if action.EffectOf(call.Name) != action.Submits {
		return
	}
	reason = strings.TrimPrefix(strings.TrimPrefix(reason, "Nothing was done. "), call.Name+": ")
	if reason = strings.Join(strings.Fields(reason), " "); len(reason) > maxRefusal {
		reason = strings.ToValidUTF8(reason[:maxRefusal], "") + "…"
	}
	p.Refusals = append(p.Refusals, call.Name+" refused: "+reason)
}
