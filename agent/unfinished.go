package agent

import (
	"errors"
	"slices"

	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// Standing is a task or a thread of which something waits for the user, or of which something can be taken back.
type Standing struct {
	record.Status
	Applied bool     // some of its result is in the user's files
	Files   []string // of a result that waits for decisions, as the workspace names them before and after
}

// StandingIn returns what stands in a workspace, without anybody working on it: nothing where the store
// does not exist yet. The error is a *[store.Locked] where another process owns the store.
func StandingIn(ws *workspace.Workspace, o store.Options) ([]Standing, error) {
	o.Workspace = ws.ID()
	if !store.Exists(o) {
		return nil, nil
	}
	st, err := store.Open(o)
	if err != nil {
		return nil, err
	}
	all, err := New(Options{Workspace: ws, Store: st}).Standing()
	return all, errors.Join(err, st.Close())
}

// Standing returns what stands in the workspace and is not worked on, oldest first. What cannot be read is left out,
// and is in the error.
func (a *Agent) Standing() ([]Standing, error) {
	ids, err := a.journals()
	if err != nil {
		return nil, err
	}
	var all []Standing
	var unread []error
	working := a.Working()
	for _, id := range ids {
		if slices.Contains(working, id) {
			continue
		}
		p, err := a.settled(id)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if s := a.standingOf(p); s.waits() || s.Applied {
			all = append(all, s)
		}
	}
	return all, errors.Join(unread...)
}

// journals are the ids of all tasks and threads, oldest first.
func (a *Agent) journals() ([]string, error) {
	ids, err := a.Store.Tasks()
	return slices.DeleteFunc(ids, func(id string) bool { return id == permit.Journal }), err
}

// standingOf is how a task stands.
func (a *Agent) standingOf(p *record.State) Standing {
	s := Standing{Status: p.Status(a.Limits.Rounds), Applied: len(p.Review.Applied) > 0}
	s.Interrupted = a.interrupted(p)
	if s.State == record.Review {
		for _, f := range p.Staged.Files {
			s.Files = append(s.Files, f.Path)
			if f.From != "" {
				s.Files = append(s.Files, f.From)
			}
		}
	}
	return s
}

// waits reports whether something of it waits for the user. A thread waits with a question alone.
func (s Standing) waits() bool {
	if s.Task.Thread != "" {
		return s.Open != nil
	}
	return !s.State.Ended() || len(s.Kept) > 0
}

// Resumable returns the tasks that can be resumed, and that are not worked on, oldest first.
func (a *Agent) Resumable() ([]record.Status, error) {
	all, err := a.History()
	working := a.Working()
	return slices.DeleteFunc(all, func(s record.Status) bool {
		return !s.State.Resumable() || slices.Contains(working, s.Task.ID)
	}), err
}
