package agent

import (
	"errors"
	"slices"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// Unfinished returns the tasks of a workspace that can be resumed, without anybody working on
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
	all, err := New(Options{Workspace: ws, Store: st}).Resumable()
	return all, errors.Join(err, st.Close())
}

// Resumable returns the tasks that can be resumed, and that are not worked on, oldest first.
func (a *Agent) Resumable() ([]record.Status, error) {
	all, err := a.History()
	working := a.Working()
	return slices.DeleteFunc(all, func(s record.Status) bool {
		return s.State.Ended() || s.State == record.Review || slices.Contains(working, s.Task.ID)
	}), err
}
