package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/store"
)

// What the user says while a task or a thread works waits for its next step or its turn. It is in the store as soon as
// the user is told that it was taken, and leaves it with the record that a model is told by.

// keptMessage is what the user said as it is in the store until its turn comes: a message in a thread, or what is
// told to the task or the thread while it works.
type keptMessage struct {
	Text  string        `json:"text,omitempty"`
	Focus *record.Focus `json:"focus,omitempty"`
	Told  string        `json:"told,omitempty"`
}

// keptFor is what waits for the writer of a journal, by its number, in the order of the list.
func keptFor(journal *store.Journal) (list []store.Waiting, said map[int64]keptMessage, err error) {
	list, err = journal.Kept()
	said = map[int64]keptMessage{}
	for _, k := range list {
		var m keptMessage
		if err == nil {
			err = json.Unmarshal(k.Body, &m)
		}
		said[k.Number] = m
	}
	return list, said, err
}

// Keep writes a message down before its turn comes, so that it is not lost with the process: what a process that was
// killed has kept is said with the next message of the thread. A message that is kept is returned as it is.
func (a *Agent) Keep(m Message) (Message, error) {
	if err := m.Check(); err != nil {
		return m, err
	}
	if a.outside.replays() {
		return m, nil
	}
	a.mu.Lock() // else another one takes it for one that was left behind
	defer a.mu.Unlock()
	if m.Kept == 0 {
		n, err := a.Store.Journal(record.ThreadID(m.thread())).Keep(keptMessage{Text: m.Text, Focus: m.Focus})
		if err != nil {
			return m, err
		}
		m.Kept = n
	}
	a.kept[m.Kept] = true
	return m, nil
}

// Keeps reports whether a message that was kept waits still. It does not where it was said with another one.
func (a *Agent) Keeps(m Message) bool {
	list, err := a.Store.Journal(record.ThreadID(m.thread())).Kept()
	return err != nil || slices.ContainsFunc(list, func(k store.Waiting) bool { return k.Number == m.Kept })
}

// unkeep ends the waiting of a message: it was said, or nobody waits for its answer any longer. A message that another process goes on
// with stays.
func (a *Agent) unkeep(ctx context.Context, m Message) {
	a.mu.Lock()
	delete(a.kept, m.Kept)
	a.mu.Unlock()
	if m.Kept == 0 || errors.Is(context.Cause(ctx), store.ErrOwnerLeft) {
		return
	}
	if err := a.Store.Journal(record.ThreadID(m.thread())).Drop(m.Kept); err != nil {
		a.Log.Warn("a message that was not said stays", "error", err)
	}
}

// Leave leaves messages that were kept, and whose turn does not come, to the next message of their thread.
func (a *Agent) Leave(list []Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range list {
		delete(a.kept, m.Kept)
	}
}

// leftBehind are messages that were kept and left: by a process that has ended since, or by [Agent.Leave].
func (a *Agent) leftBehind(id string) (list []Message, err error) {
	all, said, err := keptFor(a.Store.Journal(id))
	for _, k := range all {
		a.mu.Lock()
		waits := a.kept[k.Number]
		a.mu.Unlock()
		if m := said[k.Number]; m.Text != "" && !waits {
			list = append(list, Message{Thread: strings.TrimPrefix(id, record.ThreadPrefix), Text: m.Text, Focus: m.Focus, Kept: k.Number})
		}
	}
	return list, err
}
