package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"caselsp/agent"
	"caselsp/agent/record"
)

// rowOf is a bar whose parts are shares of most, the longest bar's sum; keys names the parts.
func rowOf(name, value string, keys []plotKey, most float64, parts ...float64) barRow {
	r := barRow{Name: name, Value: value}
	for i, v := range parts {
		if v > 0 && most > 0 {
			r.Parts = append(r.Parts, barPart{keys[i].Key, 100 * v / most, short(v) + " " + keys[i].Text})
		}
	}
	return r
}

func outcomeRows(by map[string]*agent.TaskFigures) (rows []barRow) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		f := by[name]
		if f.Count == 0 { // a thread is no task
			continue
		}
		well := f.Ended[record.OutcomeSuccess] + f.Ended[record.OutcomeAnswered]
		rows = append(rows, rowOf(cmp.Or(name, "not known"), fmt.Sprintf("%d of %d well", well, f.Count), outcomeKeys, float64(f.Count), outcomesOf(f)...))
	}
	return rows
}

func costRows(by map[string]*agent.RoleFigures) (rows []barRow) {
	var most float64
	for _, r := range by {
		most = max(most, r.Cost)
	}
	keys := []plotKey{{3, "US dollars"}}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		r := by[name]
		rows = append(rows, rowOf(cmp.Or(name, "not known"), fmt.Sprintf("$%.2f", r.Cost), keys, most, r.Cost))
	}
	return rows
}

func layerRows(layers []record.LayerUse) (rows []barRow) {
	most := 0
	for _, l := range layers {
		most = max(most, l.Landed)
	}
	keys := []plotKey{{0, "stayed"}, {1, "taken back"}, {2, "rejected"}}
	for _, l := range layers {
		back := l.Reverted + l.RolledBack
		rows = append(rows, rowOf(l.Layer, strconv.Itoa(l.Landed), keys, float64(most), float64(l.Landed-back-l.Rejected), float64(back), float64(l.Rejected)))
	}
	return rows
}

// deciders say who decided about a command, by the names of the records.
var deciders = map[string]string{
	record.ByUser: "you, each time", record.ByTask: "you, for a task", record.ByRule: "a standing approval", record.ByPolicy: "the settings or a flag", record.ByDefault: "built-in rules",
}

func decisionRows(list []agent.DecisionFigures) (rows []barRow) {
	most := 0
	for _, d := range list {
		most = max(most, d.Allowed+d.Denied)
	}
	for _, d := range list {
		rows = append(rows, rowOf(cmp.Or(deciders[d.By], d.By), fmt.Sprintf("%d allowed, %d denied", d.Allowed, d.Denied), []plotKey{{0, "allowed"}, {2, "denied"}}, float64(most), float64(d.Allowed), float64(d.Denied)))
	}
	return rows
}

func memoryRows(f agent.MemoryFigures) (rows []barRow) {
	keys := []plotKey{{0, "found"}, {4, "nothing similar"}}
	row := func(name string, part, of int) {
		if of > 0 {
			rows = append(rows, rowOf(name, fmt.Sprintf("%d of %d", part, of), keys, float64(of), float64(part), float64(of-part)))
		}
	}
	row("past solutions", f.PatternHits, f.PatternRecalls)
	row("past failures", f.FailureHits, f.FailureRecalls)
	row("helped, of those relied on", f.Helped, f.Tried)
	return rows
}

func metricsTables(m agent.Metrics) []pageTable {
	errors := pageTable{Title: "Commonest errors of test runs", Head: []string{"error", "runs", "tasks"}}
	for _, e := range m.Errors {
		errors.Rows = append(errors.Rows, []string{e.Error, strconv.Itoa(e.Runs), strconv.Itoa(e.Tasks)})
	}
	used := pageTable{Title: "Most used memory", Head: []string{"record", "used", "relied on", "helped"}}
	for _, u := range m.MostUsed {
		used.Rows = append(used.Rows, []string{u.Text, strconv.Itoa(u.Used), strconv.Itoa(u.Tried), strconv.Itoa(u.Helped)})
	}
	checks := pageTable{Title: "Validators of claimed fixes", Head: []string{"validator", "verdicts", "right", "wrong", "accuracy", "weight"}}
	for _, v := range m.Validators {
		weight := fmt.Sprintf("%.2f", v.Weight)
		if v.Retired {
			weight = "retired"
		}
		checks.Rows = append(checks.Rows, []string{v.Name, strconv.Itoa(v.Verdicts), strconv.Itoa(v.Right), strconv.Itoa(v.Wrong), percent(v.Right, v.Right+v.Wrong), weight})
	}
	return []pageTable{callsTable("Calls by role", "role", m.Total.Roles), callsTable("Calls by model", "model", m.ByModel), errors, used, checks, workTable(m.Total)}
}

// callsTable has what the calls of models took.
func callsTable(title, who string, by map[string]*agent.RoleFigures) pageTable {
	t := pageTable{Title: title, Head: []string{who, "calls", "failed", "tokens in", "cached", "out"}}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		r := by[name]
		t.Rows = append(t.Rows, []string{cmp.Or(name, "not known"), strconv.Itoa(r.Calls), strconv.Itoa(r.Failed), short(float64(r.Prompt)), percent(r.Cached, r.Prompt), short(float64(r.Completion))})
	}
	return t
}

// workTable has the figures that have no plot.
func workTable(f agent.TaskFigures) pageTable {
	t := pageTable{Title: "Work", Head: []string{"what", "number"}}
	row := func(name, value string) { t.Rows = append(t.Rows, []string{name, value}) }
	row("features done, of those planned", fmt.Sprintf("%d of %d", f.FeaturesDone, f.Features))
	row("rounds, steps", fmt.Sprintf("%d, %d", f.Rounds, f.Steps))
	row("edits, of them refused", fmt.Sprintf("%d, %d", f.Edits, f.RefusedEdits))
	row("replies without a usable action", strconv.Itoa(f.RefusedReplies))
	row("test runs, of them passed", fmt.Sprintf("%d, %d", f.TestRuns, f.TestsPassed))
	row("commands run, denied", fmt.Sprintf("%d, %d", f.Commands, f.Denied))
	row("questions to you", strconv.Itoa(f.Questions))
	row("claimed fixes, sent back before tests ran", fmt.Sprintf("%d, %d", f.Claims.Claims, f.Claims.Refused))
	row("hunks accepted, rejected", fmt.Sprintf("%d, %d", f.AcceptedHunks, f.RejectedHunks))
	row("acceptances taken back", strconv.Itoa(f.Undone))
	return t
}
