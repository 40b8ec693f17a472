package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/patch"
	"caselsp/agent/record"
)

const (
	// maxErrors is how many kinds of errors the metrics list: those that are worth a look.
	maxErrors = 10

	// maxErrorText is how many bytes of an error are kept: it names a kind, it does not tell the error.
	maxErrorText = 120

	// monthFormat names a month so that names sort by time.
	monthFormat = "2006-01"
)

// Breakdown is what tasks did, by other things than the task.
type Breakdown struct {
	// ByMonth are the figures of the tasks that began in a month, such as 2026-11.
	ByMonth map[string]*TaskFigures `json:"by_month"`
	// ByModel is what models cost, by the name under which their server answered; "" where none answered.
	ByModel map[string]*RoleFigures `json:"by_model"`
	// Layers are the hunks of patches by the layer that found their place, the strictest first, and
	// what became of them later.
	Layers []record.LayerUse `json:"edits_by_layer"`
	// Decisions are how often commands were allowed and denied, and by whom: user, task (the user, for all of
	// it), rule (a standing approval), policy (a setting) or default.
	Decisions []DecisionFigures `json:"command_decisions"`
	// Errors are the commonest kinds of errors of failed test runs, at most maxErrors.
	Errors []ErrorFigures `json:"common_errors"`
	// MostUsed are the records of the memory that most tasks recalled, at most maxMostUsed.
	MostUsed []UsedMemory `json:"most_used_memory"`
	// Validators are the checks that have judged claimed fixes, by name.
	Validators []ValidatorFigures `json:"validators"`
}

// DecisionFigures count what one party decided about commands.
type DecisionFigures struct {
	By      string `json:"by"`
	Allowed int    `json:"allowed"`
	Denied  int    `json:"denied"`
}

// ErrorFigures count the test runs that failed with one kind of error.
type ErrorFigures struct {
	Error string `json:"error"`
	Runs  int    `json:"runs"`
	Tasks int    `json:"tasks"`
}

// breaking collects the breakdown of all tasks.
type breaking struct {
	months     map[string]*TaskFigures
	models     map[string]*RoleFigures
	layers     map[string]*record.LayerUse
	decisions  map[string]*DecisionFigures
	errors     map[string]*ErrorFigures
	used       map[string]*UsedMemory
	validators map[string]*ValidatorFigures
}

func newBreaking() *breaking {
	return &breaking{
		map[string]*TaskFigures{}, map[string]*RoleFigures{}, map[string]*record.LayerUse{}, map[string]*DecisionFigures{},
		map[string]*ErrorFigures{}, map[string]*UsedMemory{}, map[string]*ValidatorFigures{},
	}
}

// figuresOf returns the figures of a name, and adds empty ones if the name is new.
func figuresOf[F any](figures map[string]*F, name string) *F {
	if figures[name] == nil {
		figures[name] = new(F)
	}
	return figures[name]
}

// count takes in the records of a task.
func (k *breaking) count(events []Event) {
	seen, chosen := map[string]bool{}, record.ActionChosen{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case record.CallAnswered:
			u, model := b.Response.Usage, figuresOf(k.models, b.Response.Model)
			model.Calls++
			model.add(u.Prompt, u.Cached, u.Completion, u.Cost, u.Estimated)
		case record.Judged:
			d := figuresOf(k.decisions, b.By)
			if d.By = b.By; b.Allowed {
				d.Allowed++
			} else {
				d.Denied++
			}
		case record.ActionChosen:
			chosen = b
		case record.ActionDone:
			if !testRun(chosen, b) || b.OK || b.Tested.Kind == "" {
				continue
			}
			kind := strings.ToValidUTF8(firstLineOf(b.Tested.Kind, maxErrorText), "")
			f := figuresOf(k.errors, kind)
			f.Error = kind
			f.Runs++
			if !seen[kind] {
				seen[kind] = true
				f.Tasks++
			}
		}
	}
}

func firstLineOf(text string, most int) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), most)]
}

// breakdown is what was collected.
func (k *breaking) breakdown() Breakdown {
	b := Breakdown{ByMonth: k.months, ByModel: k.models, MostUsed: mostUsed(k.used), Layers: []record.LayerUse{}, Decisions: []DecisionFigures{}, Errors: []ErrorFigures{}}
	for _, layer := range patch.Layers() {
		if u := k.layers[layer]; u != nil {
			b.Layers = append(b.Layers, *u)
		}
	}
	for _, by := range slices.Sorted(maps.Keys(k.decisions)) {
		b.Decisions = append(b.Decisions, *k.decisions[by])
	}
	for _, kind := range slices.Sorted(maps.Keys(k.errors)) {
		b.Errors = append(b.Errors, *k.errors[kind])
	}
	slices.SortStableFunc(b.Errors, func(x, y ErrorFigures) int { return cmp.Compare(y.Runs, x.Runs) })
	b.Errors = b.Errors[:min(len(b.Errors), maxErrors)]
	return b
}

// summary says it for people; what there is nothing of is left out.
func (b Breakdown) summary() string {
	var text strings.Builder
	line := func(name string, parts []string) {
		if len(parts) > 0 {
			fmt.Fprintf(&text, "%-11s %s\n", name, strings.Join(parts, "; "))
		}
	}
	var parts []string
	for _, l := range b.Layers {
		part := fmt.Sprintf("%s %d", l.Layer, l.Landed)
		if lost := l.Reverted + l.RolledBack + l.Rejected; lost > 0 {
			part += fmt.Sprintf(" (%d taken back or rejected)", lost)
		}
		parts = append(parts, part)
	}
	line("hunks by", parts)
	parts = nil
	for _, d := range b.Decisions {
		parts = append(parts, fmt.Sprintf("%s: %d allowed, %d denied", d.By, d.Allowed, d.Denied))
	}
	line("decisions", parts)
	parts = nil
	for _, e := range b.Errors[:min(len(b.Errors), 3)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", e.Error, count.Of(e.Runs, "run")))
	}
	line("errors", parts)
	return text.String()
}
