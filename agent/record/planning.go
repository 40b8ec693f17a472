package record

import (
	"fmt"
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
	"caselsp/agent/stack"
)

// MemoryRecalled is what memory gave for a query.
type MemoryRecalled struct {
	Query string   `json:"query"`
	Found []string `json:"found,omitempty"` // as a model is told of it
	Hits  []Hit    `json:"hits,omitempty"`  // the same as memory knows it; older versions kept none
	Kind  string   `json:"kind,omitempty"`  // what was asked for: store's pattern or failure; older versions do not say
	// Usage is what the embeddings server was paid for the query, and Note what the user is told about it.
	Usage llm.Usage `json:"usage,omitzero"`
	Note  string    `json:"note,omitempty"`
}

// Hit is something that memory gave.
type Hit struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"` // the cosine, from 0 to 1
	Text       string  `json:"text"`       // its first line
	Kind       string  `json:"-"`          // what was asked for when it was found
}

// Told says in lines for people what was recalled; none where it was nothing.
func (b MemoryRecalled) Told() (lines []string) {
	for _, h := range b.Hits {
		lines = append(lines, fmt.Sprintf("recalled: %s (similarity %.2f, %s)", quote.Words(h.Text), h.Similarity, h.ID[:min(len(h.ID), ShortID)]))
	}
	if b.Note != "" {
		lines = append(lines, quote.Visible(b.Note))
	}
	return lines
}

// ShortID is how much of the id of something remembered people are shown.
const ShortID = 8

// Known is what was known of a workspace when a task began, beside what its files tell.
type Known struct {
	Notes   []string `json:"notes,omitempty"`   // of the latest tasks, a line each
	Changed []string `json:"changed,omitempty"` // which files differ from what the last task left, in lines
}

// Baselining reports whether the pending action is TARS's run of the project's tests: while it
// plans, before anything is staged, so that it shows how they went before the task.
func (p *State) Baselining() bool {
	return p.planningRun() && p.TestsKnown() != nil && stack.RunOf(CommandOf(p.Pending.Args), p.TestsKnown().Candidates)
}

// Unlooked reports whether it must be looked how the project is tested, to tell whether the
// pending action is a run of its tests.
func (p *State) Unlooked() bool {
	return p.planningRun() && p.TestsKnown() == nil && stack.Runs(CommandOf(p.Pending.Args))
}

// RunsTests reports whether a command line is a run of tests and nothing beside it: by its runner,
// or because the plan, the user or the project's own files name it as such.
func (p *State) RunsTests(line string) bool {
	known := p.TestsKnown()
	return stack.RunsAlone(line) || line != "" && line == p.TestLine() ||
		known != nil && slices.ContainsFunc(known.Candidates, func(c stack.Candidate) bool { return c.Command == line })
}

// planningRun reports whether the pending action is a command of TARS's before anything is
// staged.
func (p *State) planningRun() bool {
	c := p.Pending
	return c != nil && c.Role == RoleTars && c.Action == action.RunCommandName && p.Phase == Planning && !p.Splitting && len(p.Staged.Files) == 0
}

// applyPlanned keeps what a run of the tests while planning showed, so that it is not run
// again on the files as they were. One that could not be compared shows nothing.
func (p *State) applyPlanned(c *Pending, b ActionDone) {
	if c.Role != RoleTars || b.Tested == nil {
		return
	}
	if t := b.Tested; t.Outcome == stack.Passed || t.Outcome == stack.Failed && len(t.Failing) > 0 {
		p.keepBaseline(CommandOf(c.Args), b)
	}
}

// keepBaseline keeps how a test command went on the files as they were before the task.
func (p *State) keepBaseline(line string, b ActionDone) {
	tested := Tested{}
	if b.Tested != nil {
		tested = *b.Tested
	}
	if p.projectTests.Baselines == nil {
		p.projectTests.Baselines = map[string]Baseline{}
	}
	p.projectTests.Baselines[line] = Baseline{OK: b.OK, Failing: tested.Failing, Kind: tested.Kind, Results: b.Results, Usable: !b.Skipped && tested.Outcome != stack.Unstarted}
}
