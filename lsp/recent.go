package lsp

import (
	"slices"

	"caselsp/agent"
	"caselsp/agent/record"
)

// maxRecent is how many tasks that are not under way have actions of their own: a menu of more is not read. The
// commands reach all.
const maxRecent = 3

// recentTask is one that this server has heard of.
type recentTask struct {
	status  record.Status
	applied bool // some of it is in the user's files
}

// watch remembers what is known of the tasks that were worked on or decided about. It is told everything that happens.
func (l *tasks) watch(e agent.Event) {
	if e.Body == nil || e.Status.Task.Thread != "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := e.Status.Task.ID
	i := slices.IndexFunc(l.known, func(r recentTask) bool { return r.status.Task.ID == id })
	if i < 0 {
		l.known = append(l.known, recentTask{})
		if i = len(l.known) - 1; i > maxRecent {
			l.known, i = slices.Delete(l.known, 0, 1), i-1
		}
	}
	l.known[i].status = e.Status
	if b, ok := e.Body.(record.Applied); ok {
		l.known[i].applied = !b.Undo
	}
}

// recent returns the tasks that are not under way, the latest first.
func (l *tasks) recent() []recentTask {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []recentTask
	for _, r := range slices.Backward(l.known) {
		if l.running[r.status.Task.ID] == nil && len(list) < maxRecent {
			list = append(list, r)
		}
	}
	return list
}
