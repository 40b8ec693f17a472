package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"caselsp/agent/count"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/store"
)

// Old tasks are pruned when the user says so, by a command or by settings. What would go is a plan that is shown first, and nothing else goes
// than what is in it. What memory has learnt from them stays: it is kept elsewhere.

// PruneRule says which tasks go: those that are named, otherwise the old ones.
type PruneRule struct {
	OlderThan time.Duration // tasks and threads without a record for as long go; 0: whatever their age
	KeepBytes int64         // the oldest tasks go until the others take no more than this; 0: whatever they take
	Tasks     []string      // by their ids, whatever their state unless they are being worked on
}

// None reports whether the rule prunes nothing.
func (r PruneRule) None() bool { return r.OlderThan == 0 && r.KeepBytes == 0 && len(r.Tasks) == 0 }

// PruneLine is a task or a thread in a plan.
type PruneLine struct {
	Task    string    `json:"task"`
	Thread  bool      `json:"thread,omitempty"`
	Text    string    `json:"text"` // its first line
	State   string    `json:"state"`
	Changed time.Time `json:"changed"`       // the time of its last record
	Bytes   int64     `json:"bytes"`         // that it alone takes
	Why     string    `json:"why,omitempty"` // it stays
}

// CountPruned says how many tasks and threads there are in a list.
func CountPruned(list []PruneLine) string {
	threads := 0
	for _, l := range list {
		if l.Thread {
			threads++
		}
	}
	tasks := count.Of(len(list)-threads, "task")
	switch {
	case threads == 0:
		return tasks
	case threads == len(list):
		return count.Of(threads, "thread")
	}
	return tasks + " and " + count.Of(threads, "thread")
}

// PrunePlan is what would go by a rule.
type PrunePlan struct {
	Prune []PruneLine `json:"prune"` // the oldest first
	Stay  []PruneLine `json:"stay"`  // what the rule fits and must not go
	// Bytes is what pruning gives back, with contents that only the pruned tasks share, and Total what all tasks take.
	Bytes int64 `json:"bytes"`
	Total int64 `json:"total_bytes"`

	census *store.Census
	named  bool
}

// PlanPrune finds what would go by a rule. It changes nothing, except that memory learns first what it has missed of these tasks.
func (a *Agent) PlanPrune(ctx context.Context, rule PruneRule) (*PrunePlan, error) {
	census, err := a.Store.Census(ctx, record.NamingContents)
	if err != nil {
		return nil, err
	}
	plan := &PrunePlan{Prune: []PruneLine{}, Stay: []PruneLine{}, Total: census.Bytes(), census: census, named: len(rule.Tasks) > 0}
	lines, err := a.prunable(census, rule.Tasks)
	if err != nil {
		return nil, err
	}
	cut, before := census.Cut(), a.Now().Add(-rule.OlderThan)
	for _, l := range lines {
		old := rule.OlderThan > 0 && l.Changed.Before(before)
		large := rule.KeepBytes > 0 && plan.Total-plan.Bytes > rule.KeepBytes && !l.Thread
		if !plan.named && !old && !large {
			continue
		}
		if l.Why == "" && !plan.named {
			l.Why = a.unlearnt(ctx, l.Task)
		}
		if l.Why != "" {
			plan.Stay = append(plan.Stay, l)
			continue
		}
		plan.Bytes += cut.Take(l.Task)
		plan.Prune = append(plan.Prune, l)
	}
	return plan, nil
}

// prunable are the tasks and threads, or those that are named, the oldest first.
func (a *Agent) prunable(census *store.Census, named []string) (lines []PruneLine, err error) {
	ids, err := a.Store.Tasks()
	if err != nil {
		return nil, err
	}
	for _, id := range named {
		if !slices.Contains(ids, id) || id == permit.Journal {
			return nil, a.noTask(id)
		}
	}
	for _, id := range ids {
		if id != permit.Journal && (len(named) == 0 || slices.Contains(named, id)) {
			l := a.pruneLine(id, len(named) > 0)
			if a.worksOn(id) {
				l.Why = "it is being worked on"
			}
			l.Bytes = census.Size(id)
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(x, y PruneLine) int { return x.Changed.Compare(y.Changed) })
	return lines, nil
}

// pruneLine looks at a task or a thread: Why says what it must stay for.
func (a *Agent) pruneLine(id string, named bool) PruneLine {
	l := PruneLine{Task: id, Thread: record.IsThread(id)}
	st, err := a.Status(id)
	if err != nil {
		l.State, l.Why = "unreadable", unlessNamed(named, "it cannot be read")
		return l
	}
	l.Text, l.State, l.Changed = record.FirstLine(st.Task.Text), st.Ended(), st.Changed
	why := ""
	switch {
	case l.Thread && st.State != record.Idle:
		why = "its latest message has no answer"
	case l.Thread:
	case st.State == record.Review:
		why = "its result waits for your review"
	case !st.State.Ended():
		why = "it has not ended: it can be resumed"
	case len(st.Kept) > 0 && a.keptOpen(id):
		why = "work of it is kept that you have not decided about"
	}
	l.Why = unlessNamed(named, why)
	return l
}

// keptOpen reports whether work of a task is kept that the user has not decided about.
func (a *Agent) keptOpen(id string) bool {
	p, err := a.load(id)
	if err != nil {
		return true
	}
	rev, err := review.Of(p, a.Store.Blob, a.obeyed(p))
	return err != nil || rev.OpenKept() > 0
}

func unlessNamed(named bool, why string) string {
	if named {
		return ""
	}
	return why
}

// worksOn reports whether a task has a writer.
func (a *Agent) worksOn(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.busy[id]
}

// unlearnt has memory learn what a task teaches, and says why the task must stay where this fails.
func (a *Agent) unlearnt(ctx context.Context, id string) string {
	if record.IsThread(id) {
		return ""
	}
	behind, err := a.Store.Unlearnt()
	for _, b := range behind {
		if b.Task == id && err == nil {
			_, err = a.catchUp(ctx, b)
		}
	}
	if err != nil {
		return "memory cannot learn from it now: " + err.Error()
	}
	return ""
}

// Prune deletes the tasks of a plan. Those that have changed since it was made stay, and are named in the error beside what failed.
func (a *Agent) Prune(ctx context.Context, plan *PrunePlan) (gone []PruneLine, freed int64, err error) {
	for _, l := range plan.Prune {
		if ctx.Err() != nil {
			return gone, freed, errors.Join(err, context.Cause(ctx))
		}
		n, failed := a.pruneOne(plan, l)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		gone, freed = append(gone, l), freed+n
	}
	n, failed := plan.census.Sweep()
	return gone, freed + n, errors.Join(err, failed)
}

// pruneOne deletes one task.
func (a *Agent) pruneOne(plan *PrunePlan, l PruneLine) (freed int64, err error) {
	release, err := a.acquire(l.Task)
	if err != nil {
		return 0, fmt.Errorf("%s was not pruned: %w", l.Task, err)
	}
	defer release()
	now := a.pruneLine(l.Task, plan.named)
	if now.Why != "" || !now.Changed.Equal(l.Changed) {
		return 0, fmt.Errorf("%s was not pruned: %s", l.Task, cmp.Or(now.Why, "it has changed since"))
	}
	if l.Thread {
		if err := a.Store.Discard(ThreadDocument(strings.TrimPrefix(l.Task, record.ThreadPrefix))); err != nil {
			return 0, err
		}
	}
	return plan.census.Prune(l.Task, l.Thread)
}

// ErrWorks says that the space of what was pruned is given back later, because a task is being worked on.
var ErrWorks = errors.New("a task is being worked on: the space in the file is used for what comes next, or given back the next time")

// Shrink gives the space of what was pruned back to the disk, unless a task is being worked on: it would have to wait.
func (a *Agent) Shrink(ctx context.Context) (before, after int64, err error) {
	if len(a.Working()) > 0 {
		return 0, 0, ErrWorks
	}
	return a.Store.Shrink(ctx)
}

// PruneOld prunes by the settings, and logs it; the report of the next task says so. It ends when ctx does: what is left goes the next time.
func (a *Agent) PruneOld(ctx context.Context, rule PruneRule) (pruned int, err error) {
	if rule.None() {
		return 0, nil
	}
	plan, err := a.PlanPrune(ctx, rule)
	if err != nil || len(plan.Prune) == 0 {
		return 0, err
	}
	gone, freed, err := a.Prune(ctx, plan)
	if len(gone) > 0 {
		a.Log.Info("old tasks were pruned, as the settings say", "tasks", len(gone), "bytes", freed)
		err = errors.Join(err, a.Store.NotePruned(len(gone), freed))
	}
	return len(gone), err
}

// prunedSince says once what was pruned by the settings since the last task; "" for nothing.
func (a *Agent) prunedSince() string {
	n, bytes, err := a.Store.TakePruned()
	if err != nil {
		a.Log.Warn("it is not known what was pruned", "error", err)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s), as your settings history.days and history.megabytes say. What memory has learnt from them stays.", count.Of(n, "old task"), count.Bytes(bytes))
}

// prunedText is the part of a task's report about tasks that were pruned before it.
func prunedText(p *record.State) string {
	if p.Pruned == "" {
		return ""
	}
	return "\n## Pruned before this task\n\n" + p.Pruned + "\n"
}
