package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/llm"
	"caselsp/agent/record"
	"caselsp/store"
)

// MemoryFigures say what the memory gave to tasks, and what came of it. A record counts once for each task
// that recalled it. Rates are shares from 0 to 1, and null where there is nothing to divide by.
type MemoryFigures struct {
	PatternRecalls int      `json:"pattern_recalls"`  // questions for past solutions, when a task is planned and by models
	PatternHits    int      `json:"pattern_hits"`     // of those, that found something
	PatternHitRate *float64 `json:"pattern_hit_rate"` // hits of recalls
	FailureRecalls int      `json:"failure_recalls"`  // questions for past failures, when tests have failed
	FailureHits    int      `json:"failure_hits"`
	FailureHitRate *float64 `json:"failure_hit_rate"`
	Used           int      `json:"used"`         // records that were told to models
	Tried          int      `json:"tried"`        // of those, that models relied on in tasks that the user has decided about
	Helped         int      `json:"helped"`       // of those, that led to a result that the user accepted, or made the failed tests of one pass
	SuccessRate    *float64 `json:"success_rate"` // helped of tried
}

// UsedMemory is a record of the memory, as the workspace's tasks have used it.
type UsedMemory struct {
	ID     string `json:"id"`
	Kind   string `json:"kind,omitempty"` // pattern or failure; older versions did not note it
	Text   string `json:"text"`           // its first line
	Used   int    `json:"used"`           // tasks that recalled it
	Tried  int    `json:"tried"`          // see MemoryFigures
	Helped int    `json:"helped"`
}

// maxMostUsed is how many records the metrics list: more than a person reads.
const maxMostUsed = 20

// rated fills in the rates.
func (f *MemoryFigures) rated() {
	rate := func(part, of int) *float64 {
		if of == 0 {
			return nil
		}
		r := float64(part) / float64(of)
		return &r
	}
	f.PatternHitRate = rate(f.PatternHits, f.PatternRecalls)
	f.FailureHitRate = rate(f.FailureHits, f.FailureRecalls)
	f.SuccessRate = rate(f.Helped, f.Tried)
}

// add takes in the figures of another task.
func (f *MemoryFigures) add(g MemoryFigures) {
	f.PatternRecalls, f.PatternHits = f.PatternRecalls+g.PatternRecalls, f.PatternHits+g.PatternHits
	f.FailureRecalls, f.FailureHits = f.FailureRecalls+g.FailureRecalls, f.FailureHits+g.FailureHits
	f.Used, f.Tried, f.Helped = f.Used+g.Used, f.Tried+g.Tried, f.Helped+g.Helped
	f.rated()
}

// memoryRole is under which embeddings are counted.
const memoryRole = "memory"

// recalled counts a question to the memory.
func (c *counting) recalled(b record.MemoryRecalled) {
	c.Recalls++
	hit := 0
	if len(b.Found) > 0 {
		hit = 1
	}
	c.RecallHits += hit
	switch b.Kind {
	case store.KindPattern:
		c.Memory.PatternRecalls++
		c.Memory.PatternHits += hit
	case store.KindFailure:
		c.Memory.FailureRecalls++
		c.Memory.FailureHits += hit
	}
	if u := b.Usage; u != (llm.Usage{}) {
		role := c.role(memoryRole)
		role.Calls++
		role.add(u.Prompt, u.Cached, u.Completion, u.Cost, u.Estimated)
	}
}

// outcome counts what came of the records that a task recalled, and adds them to those of all tasks. One that the
// task passed over counts as used alone.
func (c *counting) outcome(at record.Phase, uses []record.Use, used map[string]*UsedMemory) {
	for _, h := range uses {
		came := h.Outcome(at == record.Succeeded)
		n := [3]int{1}
		if at.Ended() && (came == record.Helped || came == record.Failing) {
			n[1] = 1
		}
		if n[1] == 1 && came == record.Helped {
			n[2] = 1
		}
		c.Memory.Used, c.Memory.Tried, c.Memory.Helped = c.Memory.Used+n[0], c.Memory.Tried+n[1], c.Memory.Helped+n[2]
		u := used[h.ID]
		if u == nil {
			u = &UsedMemory{ID: h.ID, Kind: h.Kind, Text: h.Text}
			used[h.ID] = u
		}
		u.Used, u.Tried, u.Helped = u.Used+n[0], u.Tried+n[1], u.Helped+n[2]
	}
	c.Memory.rated()
}

// mostUsed are the records that most tasks used, those that helped most often first among equals.
func mostUsed(used map[string]*UsedMemory) []UsedMemory {
	list := []UsedMemory{}
	for _, id := range slices.Sorted(maps.Keys(used)) {
		list = append(list, *used[id])
	}
	slices.SortStableFunc(list, func(a, b UsedMemory) int {
		return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(b.Helped, a.Helped))
	})
	return list[:min(len(list), maxMostUsed)]
}

// summary says it for people.
func (f MemoryFigures) summary(recalls, hits int) string {
	parts := []string{fmt.Sprintf("%d of %s found something", hits, count.Of(recalls, "question"))}
	if f.PatternRecalls+f.FailureRecalls > 0 {
		parts[0] += fmt.Sprintf(" (patterns %d of %d, failures %d of %d)", f.PatternHits, f.PatternRecalls, f.FailureHits, f.FailureRecalls)
	}
	if f.Used > 0 {
		parts = append(parts, fmt.Sprintf("%s used, helped in %d of %d decided", count.Of(f.Used, "record"), f.Helped, f.Tried))
	}
	return strings.Join(parts, "; ")
}
