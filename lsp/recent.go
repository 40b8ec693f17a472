package lsp

import (
	"cmp"
	"slices"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// maxRecent is how many tasks that are over have actions of their own: a menu of more is not read. The commands reach all.
const maxRecent = 3

// recentTask is a task or a thread that this server has heard of, or that stands in the store.
type recentTask struct {
	status  record.Status
	applied bool // some of it is in the user's files
}

// waits reports whether it waits for the user to go on with it, or to decide about its result.
func (r recentTask) waits() bool {
	return r.status.Task.Thread == "" && (r.resumable() || r.status.State == record.Review)
}

// resumable reports whether it goes on when it is resumed. What is at work without this editor, such as for a terminal, does not.
func (r recentTask) resumable() bool {
	busy := r.status.State.Works() || r.status.State == record.Waiting
	return r.status.State.Resumable() && (!busy || r.status.Interrupted)
}

// over reports whether there is nothing to do about it.
func (r recentTask) over() bool {
	return r.status.State.Ended() && !r.applied && len(r.status.Kept) == 0
}

// watch remembers what is known of what was worked on or decided about. It is told everything that happens.
func (l *tasks) watch(e agent.Event) {
	if e.Body == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := e.Status.Task.ID
	r := recentTask{e.Status, l.known[id].applied}
	if b, ok := e.Body.(record.Applied); ok && !b.Goes {
		// What an undo did not reach can be undone again.
		r.applied = !b.Undo || slices.ContainsFunc(b.Results, func(a workspace.Applied) bool { return !a.OK })
	}
	l.know(id, r)
}

// know remembers a task, unless there is nothing to do about it. l.mu is held.
func (l *tasks) know(id string, r recentTask) {
	if l.known[id] = r; r.over() {
		delete(l.known, id)
	}
}

// stand takes in what stands in the store, which was read from a time on, and returns the tasks of which that is news. What has
// happened here since then counts more.
func (l *tasks) stand(list []agent.Standing, began time.Time) (news []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	stands := map[string]bool{}
	for _, s := range list {
		id := s.Task.ID
		stands[id] = true
		if r, known := l.known[id]; l.running[id] == nil && (!known || !r.status.Changed.After(s.Changed)) {
			if !known || r.status.Changed.Before(s.Changed) {
				news = append(news, id)
			}
			l.know(id, recentTask{s.Status, s.Applied})
		}
	}
	for id, r := range l.known {
		if !stands[id] && l.running[id] == nil && r.status.Changed.Before(began) {
			news = append(news, id)
			delete(l.known, id)
		}
	}
	return news
}

// recent returns what is not under way, the latest first.
func (l *tasks) recent() []recentTask {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []recentTask
	for id, r := range l.known {
		if l.running[id] == nil {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b recentTask) int {
		return cmp.Or(b.status.Changed.Compare(a.status.Changed), cmp.Compare(b.status.Task.ID, a.status.Task.ID))
	})
	return list
}
