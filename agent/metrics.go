package agent

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/count"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/stack"
)

// Metrics are the figures of a workspace's tasks. Every figure is counted from the journals,
// so that nothing is booked twice and old tasks count as new ones do.
type Metrics struct {
	Tasks []TaskMetrics `json:"tasks"` // oldest first
	Total TaskFigures   `json:"total"`
	// ByType and ByLanguage are by what record.Class says; "" for none.
	ByType     map[string]*TaskFigures `json:"by_type"`
	ByLanguage map[string]*TaskFigures `json:"by_language"`
	Breakdown
}

// TaskMetrics are the figures of one task.
type TaskMetrics struct {
	Task string `json:"task"`
	record.Class
	Single  bool      `json:"single,omitempty"` // done in one loop, without a plan
	Started time.Time `json:"started"`
	State   string    `json:"state"`
	Outcome string    `json:"outcome,omitempty"` // success, partial, failed, answered or rejected, once it is over
	TaskFigures
}

// TaskFigures are counted over one task or several.
type TaskFigures struct {
	Count   int            `json:"count"`    // tasks
	Ended   map[string]int `json:"outcomes"` // tasks that are over, by outcome
	Seconds float64        `json:"seconds"`  // of work: without waiting for the user, pauses and review
	Waited  float64        `json:"waited_seconds"`

	Roles map[string]*RoleFigures `json:"roles"`

	Features       int `json:"features"`
	FeaturesDone   int `json:"features_done"`
	Rounds         int `json:"rounds"`
	Steps          int `json:"steps"`           // actions that were carried out or refused, without those that only look
	RefusedReplies int `json:"refused_replies"` // answers without a usable action
	Edits          int `json:"edits"`           // WRITE_FILE and PATCH_FILE
	RefusedEdits   int `json:"refused_edits"`
	TestRuns       int `json:"test_runs"`
	TestsPassed    int `json:"test_runs_passed"`

	Commands   int `json:"commands"`          // that ran
	Questions  int `json:"questions"`         // to the user
	Denied     int `json:"denied_commands"`   // by the user, a rule or the settings
	Objections int `json:"safety_violations"` // findings that were told to the model

	Recalls    int `json:"recalls"`     // questions to the memory
	RecallHits int `json:"recall_hits"` // of those, that found something
	// Memory is what came of the recalls.
	Memory MemoryFigures `json:"memory"`
	// Claims are the claims that failed tests were fixed.
	Claims        ClaimFigures `json:"fix_claims"`
	AcceptedHunks int          `json:"accepted_hunks"`   // by the user
	RejectedHunks int          `json:"rejected_hunks"`   //
	Undone        int          `json:"undone,omitempty"` // acceptances that were taken back
}

// RoleFigures are what one role cost.
type RoleFigures struct {
	Calls      int     `json:"calls"`
	Failed     int     `json:"failed,omitempty"` // calls without an answer
	Prompt     int     `json:"prompt_tokens"`
	Cached     int     `json:"cached_tokens"`
	Completion int     `json:"completion_tokens"`
	Cost       float64 `json:"cost"`                // US dollars by the configured prices
	Estimated  bool    `json:"estimated,omitempty"` // a server sent no count
}

// Metrics counts what the workspace's tasks did. Tasks whose journal cannot be read are left
// out, and the error says which.
func (a *Agent) Metrics() (m Metrics, err error) {
	m.ByType, m.ByLanguage = map[string]*TaskFigures{}, map[string]*TaskFigures{}
	ids, err := a.Store.Tasks()
	if err != nil {
		return m, err
	}
	var unread []error
	by := newBreaking()
	for _, id := range ids {
		if id == permit.Journal {
			continue
		}
		t, err := a.taskMetrics(id, by)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		m.Tasks = append(m.Tasks, t)
		m.Total.add(t.TaskFigures)
		figuresOf(m.ByType, t.Type).add(t.TaskFigures)
		figuresOf(m.ByLanguage, t.Language).add(t.TaskFigures)
		figuresOf(by.months, t.Started.Format(monthFormat)).add(t.TaskFigures)
	}
	m.Breakdown = by.breakdown()
	if m.Validators, err = a.validatorFigures(by.validators); err != nil {
		unread = append(unread, err)
	}
	return m, errors.Join(unread...)
}

func (a *Agent) taskMetrics(id string, by *breaking) (TaskMetrics, error) {
	status, err := a.Status(id)
	if err != nil {
		return TaskMetrics{}, err
	}
	events, err := a.Events(id)
	if err != nil {
		return TaskMetrics{}, err
	}
	t := TaskMetrics{
		Task: id, Class: status.Class, Single: status.Task.Single, Started: status.Started,
		State: string(status.State), Outcome: status.Outcome, TaskFigures: TaskFigures{Count: 1},
	}
	if status.Task.Thread != "" { // what it costs counts, and it is no task
		t.Type, t.Count = "thread", 0
	}
	if status.State == record.Rejected { // whatever the work came to, the user did not want it
		t.Outcome = string(record.Rejected)
	}
	if t.Outcome != "" {
		t.Ended = map[string]int{t.Outcome: 1}
	}
	c := counting{TaskFigures: &t.TaskFigures}
	for _, e := range events {
		c.count(e)
	}
	c.settle()
	p, err := a.load(id)
	if err != nil {
		return TaskMetrics{}, err
	}
	c.features(p.Features)
	c.outcome(p.Phase, p.Uses, by.used)
	c.claimed(p, by.validators)
	by.count(events)
	p.CountLayers(by.layers)
	return t, nil
}

// idle are the phases in which a task waits for a person, and over those in which it is over.
var (
	idle = []record.Phase{record.Waiting, record.Paused, record.Stopped, record.Review, record.Idle}
	over = []record.Phase{record.Succeeded, record.Failed, record.Rejected}
)

// counting counts a journal, record by record.
type counting struct {
	*TaskFigures
	last   time.Time
	phase  record.Phase
	chosen record.ActionChosen // the action
	tests  bool
	rounds [][2]int                           // feature and round, of those that began
	hunks  map[record.HunkID]record.HunkState // of the present result, as the user last decided
}

func (c *counting) count(e Event) {
	if passed := e.Time.Sub(c.last).Seconds(); !c.last.IsZero() && passed > 0 {
		switch {
		case slices.Contains(idle, c.phase):
			c.Waited += passed
		case !slices.Contains(over, c.phase):
			c.Seconds += passed
		}
	}
	c.last = e.Time
	switch b := e.Body.(type) {
	case record.StateChanged:
		if round := [2]int{b.Feature, b.Round}; b.To == record.Coding && b.Round > 0 && !slices.Contains(c.rounds, round) {
			c.rounds = append(c.rounds, round)
			c.Rounds++
		}
		c.phase = b.To
	case record.Asked:
		c.Questions++
		c.phase = record.Waiting
	case record.Answered:
		c.phase = ""
	case record.CallAnswered:
		role := c.role(b.Role)
		role.Calls++
		role.add(b.Response.Usage.Prompt, b.Response.Usage.Cached, b.Response.Usage.Completion, b.Response.Usage.Cost, b.Response.Usage.Estimated)
	case record.CallFailed:
		role := c.role(b.Role)
		role.Failed++
		role.add(b.Usage.Prompt, b.Usage.Cached, b.Usage.Completion, b.Usage.Cost, b.Usage.Estimated)
	case record.ReplyRefused:
		c.RefusedReplies++
	case record.ActionChosen:
		c.chosen, c.tests = b, b.Role == record.RoleTester && b.Action == action.RunCommandName
	case record.ActionDone:
		c.done(b)
	case record.CommandStarted:
		if b.Layer == "" { // else it installs dependencies
			c.Commands++
		}
	case record.Judged:
		if !b.Allowed {
			c.Denied++
		}
	case record.MemoryRecalled:
		c.recalled(b)
	case record.Applying:
		if b.Undo {
			c.Undone++
			maps.DeleteFunc(c.hunks, func(h record.HunkID, _ record.HunkState) bool {
				return slices.ContainsFunc(b.Edits, func(e record.AppliedTo) bool { return e.Path == h.Path })
			})
		}
		c.decided(b.Hunks, record.HunkAccepted)
	case record.Decided:
		switch {
		case b.Open:
			c.decided(b.Hunks, record.HunkOpen)
		case !b.Accept:
			c.decided(b.Hunks, record.HunkRejected)
		}
	case record.Retried, record.Returned: // the next result has hunks of its own
		c.settle()
	}
}

// decided notes what the user decided about hunks of the present result: the last word counts.
func (c *counting) decided(hunks []record.HunkID, as record.HunkState) {
	if c.hunks == nil {
		c.hunks = map[record.HunkID]record.HunkState{}
	}
	for _, h := range hunks {
		c.hunks[h] = as
	}
}

// settle counts what the user decided about the present result.
func (c *counting) settle() {
	for _, as := range c.hunks {
		switch as {
		case record.HunkAccepted:
			c.AcceptedHunks++
		case record.HunkRejected:
			c.RejectedHunks++
		}
	}
	clear(c.hunks)
}

// features counts those that a task has in the end: they are split, dropped, added by notes, and some end twice.
func (c *counting) features(list []record.Feature) {
	for _, f := range list {
		c.Features++
		if f.OK {
			c.FeaturesDone++
		}
	}
}

// testRun reports whether an outcome is of a run of the tests that says something of the task's work: not of a command
// that tests nothing, nor of the run without the change, which is to fail.
func testRun(chosen record.ActionChosen, b record.ActionDone) bool {
	return b.Tested != nil && !chosen.Bare && b.Tested.Outcome != stack.Nothing && b.Tested.Outcome != stack.Checked
}

// done counts the outcome of an action.
func (c *counting) done(b record.ActionDone) {
	c.Objections += len(b.Objected)
	switch effect := action.EffectOf(c.chosen.Action); {
	case c.tests && testRun(c.chosen, b):
		c.TestRuns++
		if b.OK {
			c.TestsPassed++
		}
		return
	case c.tests, effect == action.Looks, effect == action.Reads:
		return
	}
	c.Steps++
	if c.chosen.Action == action.WriteFileName || c.chosen.Action == action.PatchFileName {
		c.Edits++
		if !b.OK {
			c.RefusedEdits++
		}
	}
}

func (f *TaskFigures) role(name string) *RoleFigures {
	if f.Roles == nil {
		f.Roles = map[string]*RoleFigures{}
	}
	if f.Roles[name] == nil {
		f.Roles[name] = &RoleFigures{}
	}
	return f.Roles[name]
}

func (r *RoleFigures) add(prompt, cached, completion int, cost float64, estimated bool) {
	r.Prompt, r.Cached, r.Completion = r.Prompt+prompt, r.Cached+cached, r.Completion+completion
	r.Cost, r.Estimated = r.Cost+cost, r.Estimated || estimated
}

// add takes in the figures of a task.
func (f *TaskFigures) add(g TaskFigures) {
	roles, ended := f.Roles, f.Ended
	sum := *f
	for _, n := range []struct{ to, from *int }{
		{&sum.Count, &g.Count}, {&sum.Features, &g.Features}, {&sum.FeaturesDone, &g.FeaturesDone}, {&sum.Rounds, &g.Rounds}, {&sum.Steps, &g.Steps},
		{&sum.RefusedReplies, &g.RefusedReplies}, {&sum.Edits, &g.Edits}, {&sum.RefusedEdits, &g.RefusedEdits}, {&sum.TestRuns, &g.TestRuns}, {&sum.TestsPassed, &g.TestsPassed},
		{&sum.Commands, &g.Commands}, {&sum.Questions, &g.Questions}, {&sum.Denied, &g.Denied}, {&sum.Objections, &g.Objections},
		{&sum.Recalls, &g.Recalls}, {&sum.RecallHits, &g.RecallHits}, {&sum.AcceptedHunks, &g.AcceptedHunks}, {&sum.RejectedHunks, &g.RejectedHunks}, {&sum.Undone, &g.Undone},
	} {
		*n.to += *n.from
	}
	sum.Seconds, sum.Waited = sum.Seconds+g.Seconds, sum.Waited+g.Waited
	sum.Memory.add(g.Memory)
	sum.Claims.add(g.Claims)
	sum.Roles, sum.Ended = roles, ended
	*f = sum
	for name, r := range g.Roles {
		to := f.role(name)
		to.Calls, to.Failed = to.Calls+r.Calls, to.Failed+r.Failed
		to.add(r.Prompt, r.Cached, r.Completion, r.Cost, r.Estimated)
	}
	for outcome, n := range g.Ended {
		if f.Ended == nil {
			f.Ended = map[string]int{}
		}
		f.Ended[outcome] += n
	}
}

// Summary is the metrics in a few lines for people.
func (m Metrics) Summary() string {
	t := m.Total
	if t.Count == 0 {
		return "No tasks yet.\n"
	}
	var b strings.Builder
	var ended []string
	for outcome, n := range t.Ended {
		ended = append(ended, fmt.Sprintf("%d %s", n, outcome))
	}
	slices.Sort(ended)
	fmt.Fprintf(&b, "tasks       %d: %s\n", t.Count, cmp.Or(strings.Join(ended, ", "), "none is over"))
	fmt.Fprintf(&b, "types       %s; languages: %s\n", counted(m.ByType), counted(m.ByLanguage))
	fmt.Fprintf(&b, "time        %s of work, %s of waiting\n", seconds(t.Seconds), seconds(t.Waited))
	fmt.Fprintf(&b, "features    %d of %d done, in %s and %s\n", t.FeaturesDone, t.Features, count.Of(t.Rounds, "round"), count.Of(t.Steps, "step"))
	fmt.Fprintf(&b, "edits       %d, %d refused; hunks: %d accepted, %d rejected\n", t.Edits, t.RefusedEdits, t.AcceptedHunks, t.RejectedHunks)
	fmt.Fprintf(&b, "tests       %s, %d passed\n", count.Of(t.TestRuns, "run"), t.TestsPassed)
	fmt.Fprintf(&b, "commands    %d run, %d denied; %s; %s\n", t.Commands, t.Denied, count.Of(t.Questions, "question"), count.Of(t.Objections, "safety violation"))
	fmt.Fprintf(&b, "memory      %s\n", t.Memory.summary(t.Recalls, t.RecallHits))
	if t.Claims.Claims > 0 {
		fmt.Fprintf(&b, "fixes       %s\n", t.Claims.summary())
	}
	b.WriteString(m.Breakdown.summary())
	for _, name := range slices.Sorted(maps.Keys(t.Roles)) {
		r := t.Roles[name]
		estimated := ""
		if r.Estimated {
			estimated = ", estimated"
		}
		fmt.Fprintf(&b, "%-11s %s, %d tokens in (%d cached), %d out, $%.4f%s\n", name, count.Of(r.Calls, "call"), r.Prompt, r.Cached, r.Completion, r.Cost, estimated)
	}
	return b.String()
}

// counted says how many tasks there are of each name, and how many of those that are over ended well.
func counted(by map[string]*TaskFigures) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		f := by[name]
		text := fmt.Sprintf("%d %s", f.Count, cmp.Or(name, "of none"))
		if well := f.Ended[record.OutcomeSuccess] + f.Ended[answered]; well < f.Count {
			text += fmt.Sprintf(" (%d succeeded)", well)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// seconds is a time for people.
func seconds(s float64) time.Duration {
	return (time.Duration(s * float64(time.Second))).Round(time.Second)
}
