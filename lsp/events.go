package lsp

import (
	"maps"
	"slices"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
)

// methodChanged is the notification about tasks that have changed, to clients that declare
// experimental.caselsp.events: a plugin asks then for the data anew that it shows.
const methodChanged = "caselsp/changed"

// changedInterval is the shortest time between two such notifications: a plugin draws all that it shows at each.
const changedInterval = 500 * time.Millisecond

// What has changed of a task.
const (
	changedStatus    = "status"
	changedQuestions = "questions"
	changedReview    = "review"
)

// changedParams are the params of the notification.
type changedParams struct {
	Changes []changedTask `json:"changes"`
}

// changedTask is one task that has changed.
type changedTask struct {
	Task  string   `json:"task"`
	Kinds []string `json:"kinds"`
}

// changedEvents tells plugins of what has changed, all of a while at once.
type changedEvents struct {
	ed *editor

	mu      sync.Mutex
	pending map[string]map[string]bool // kinds by task
	sent    time.Time
	waits   bool // a notification will be sent
}

// hear takes in an event of any task.
func (l *changedEvents) hear(e agent.Event) {
	switch e.Body.(type) {
	case nil:
		return
	case record.Asked, record.Answered:
		l.tell(e.Status.Task.ID, changedStatus, changedQuestions)
	case record.Applied, record.Decided, record.Noted, record.Returned, record.Reported:
		l.tell(e.Status.Task.ID, changedStatus, changedReview)
	case record.StateChanged:
		l.tell(e.Status.Task.ID, changedStatus, changedQuestions, changedReview)
	default:
		l.tell(e.Status.Task.ID, changedStatus)
	}
}

// tell notes that something of a task has changed, and sends it when its time comes. It never waits.
func (l *changedEvents) tell(task string, kinds ...string) {
	if !l.ed.client.Events {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == nil {
		l.pending = map[string]map[string]bool{}
	}
	if l.pending[task] == nil {
		l.pending[task] = map[string]bool{}
	}
	for _, k := range kinds {
		l.pending[task][k] = true
	}
	if l.waits {
		return
	}
	wait := l.sent.Add(changedInterval).Sub(l.ed.Clock.Now())
	if wait <= 0 {
		l.send()
		return
	}
	l.waits = true
	l.ed.Clock.After(wait, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waits = false
		l.send()
	})
}

// send tells all that has changed. l.mu is held.
func (l *changedEvents) send() {
	params := changedParams{Changes: []changedTask{}}
	for _, task := range slices.Sorted(maps.Keys(l.pending)) {
		params.Changes = append(params.Changes, changedTask{task, slices.Sorted(maps.Keys(l.pending[task]))})
	}
	l.pending, l.sent = nil, l.ed.Clock.Now()
	l.ed.Notify(methodChanged, params)
}
