package agent

import (
	"caselsp/agent/permit"
	"caselsp/agent/shell"
)

// may answers every "may it?" of this task.
func (r *run) may() *permit.Permit {
	return &permit.Permit{
		State: r.state, Overlay: r.overlay, Workspace: r.a.Workspace, Approvals: r.a.approvals(), Trust: r.a.Trust, Outside: r.a.outside,
		Policy: r.a.Policy, RetryMemory: r.a.RetryMemory, MaxCommands: r.a.Limits.Commands, AskReads: r.a.AskReads, Sandbox: r.a.Sandbox,
		Alias:     r.a.hidden,
		HasSecret: func(name string) bool { _, found := r.a.secret(name); return found },
		Keyring:   r.a.Secrets.Keep != nil,
	}
}

// heed writes down what a decision has to be written down and, unless the action is
// allowed, does what it says: the model is told, the user is asked, or the task pauses.
func (r *run) heed(d permit.Decision) (allowed permit.Allowed, may bool, err error) {
	notes := permit.NotesOf(d)
	if err := r.a.approvals().Write(notes.Approvals); err != nil {
		return allowed, false, err
	}
	for _, b := range notes.Records {
		if err := r.record(b); err != nil {
			return allowed, false, err
		}
	}
	switch d := d.(type) {
	case permit.Allowed:
		return d, true, nil
	case permit.Question:
		return allowed, false, r.question(d.Ask)
	case permit.Refused:
		if d.Pause != "" {
			return allowed, false, &pauseError{d.Pause}
		}
		return allowed, false, r.done(d.Outcome)
	}
	return allowed, false, &pauseError{"it was not decided whether the action may go on"}
}

// approvals is what the user has decided in this workspace, by the settings of today.
func (a *Agent) approvals() *permit.Approvals {
	return &permit.Approvals{Journal: a.Store.Journal(permit.Journal), Commands: a.commands(), Expiry: a.Expiry, Now: a.Now}
}

// commands is what the settings say about commands, in this sandbox.
func (a *Agent) commands() shell.Policy {
	p := a.Commands
	p.Hosts = a.Policy.Hosts
	return p
}

// The types of permit that stand in this package's own interface, for lsp: it hands
// a Trust in, lists Rules, and decides nothing.
type (
	// Trust is permit.Trust: which folders the user trusts.
	Trust = permit.Trust
	// Rule is permit.Rule: a command or finding that the user has allowed from now on.
	Rule = permit.Rule
)

// Rules returns what the user has allowed in this workspace from now on, as permit.Approvals does.
func (a *Agent) Rules(all bool) ([]permit.Rule, error) { return a.approvals().Rules(all) }

// Revoke ends a rule, named by its id or its shape; with neither, all of them.
func (a *Agent) Revoke(name, by string) ([]permit.Rule, error) {
	rules, err := a.Rules(false)
	if err != nil {
		return nil, err
	}
	var shapes []string
	for _, r := range rules {
		shapes = append(shapes, r.Shape)
	}
	if name, err = Named(name, shapes); err != nil {
		return nil, err
	}
	return a.approvals().Revoke(name, by)
}

// Values returns the values that are remembered for the project, by name.
func (a *Agent) Values() (map[string]string, error) { return a.approvals().Values() }

// ForgetValue has a value be asked for again; false where none of that name is remembered.
func (a *Agent) ForgetValue(name string) (bool, error) { return a.approvals().ForgetValue(name) }

// Untrusted returns the folders of the workspace that the user does not trust.
func (a *Agent) Untrusted() ([]string, error) { return a.Trust.UntrustedIn(a.Workspace) }
