package agent

import (
	"errors"
	"slices"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// Unfinished returns the tasks of a workspace that wait for the user, as [Agent.Waiting], without anybody working on
// them: none where the store does not exist yet. The error is a *[store.Locked] where another process owns it.
func Unfinished(ws *workspace.Workspace, o store.Options) ([]record.Status, error) {
	o.Workspace = ws.ID()
	if !store.Exists(o) {
		return nil, nil
	}
	st, err := store.Open(o)
	if err != nil {
		return nil, err
	}
	all, err := New(Options{Workspace: ws, Store: st}).Waiting()
	return all, errors.Join(err, st.Close())
}

// Waiting returns the tasks that can be resumed, and those whose results wait for a review, oldest first.
func (a *Agent) Waiting() ([]record.Status, error) {
	all, err := a.History()
	working := a.Working()
	return slices.DeleteFunc(all, func(s record.Status) bool {
		return s.State.Ended() || slices.Contains(working, s.Task.ID)
	}), err
}

// Resumable returns the tasks that can be resumed, and that are not worked on, oldest first.
func (a *Agent) Resumable() ([]record.Status, error) {
	list, err := a.Waiting()
	return slices.DeleteFunc(list, func(s record.Status) bool { return s.State == record.Review }), err
}
