package permit

import (
	"context"
	"fmt"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
)

// Permit answers for one task: what is asked for is in its state, what it is about in its
// overlay. The other fields are the settings and what the user has decided before.
type Permit struct {
	State     *record.State
	Overlay   *workspace.Overlay
	Workspace *workspace.Workspace
	Approvals *Approvals
	Trust     *Trust
	Outside   Outside

	Policy      sandbox.Policy // under which commands run
	RetryMemory int64          // bytes that a second try gets unasked
	MaxCommands int            // that run before the user is asked whether the task may go on; 0: no limit
	AskReads    bool           // the user is asked before commands that only read, too
	// Sandbox returns the engine that commands run in, nil where none may run.
	Sandbox func(ctx context.Context) (sandbox.Engine, error)
	// Alias reports whether a path is another name of a file that may hold secrets, which
	// its own name does not tell; nil: none is.
	Alias func(key string) bool
	// HasSecret reports whether the value of a secret is known.
	HasSecret func(name string) bool
	Keyring   bool // secrets that the user gives are kept there
}

// Outside is what a task that is replayed was told from outside when it first ran. Each method
// reports whether that was recorded; where it was not, the caller finds out by itself.
type Outside interface {
	// Asked says whether the user was asked about the command that comes now.
	Asked() (asked, recorded bool)
	// Judged is who decided about the command that comes now, where that was not the user.
	Judged() (j record.Judged, recorded bool)
	// Whole says whether the user was asked about the command that comes now with all that it
	// gets: older versions asked for each secret and for the dependencies by itself.
	Whole() (whole, recorded bool)
	// SecretAsked says whether the user was asked for a secret.
	SecretAsked(name string) (asked, recorded bool)
	// AbilityAsked says whether the user was asked this question, which is about an ability.
	AbilityAsked(question string) (asked, recorded bool)
	// Tolerated returns the id of the approval that allowed a finding, "" for none.
	Tolerated(key string) (rule string, recorded bool)
}

// Decision is the answer to "may it?": [Allowed], [Refused] or [Question].
type Decision interface{ notes() Notes }

// Notes are what the caller writes down before it does anything else, in this order.
type Notes struct {
	Approvals []Entry
	Records   []record.Body
}

func (n Notes) notes() Notes { return n }

// NotesOf returns what a decision has to be written down.
func NotesOf(d Decision) Notes { return d.notes() }

// Allowed is the decision that an action may go on. Of a command it has the line that runs,
// with its placeholders filled in, the engine that runs it, and whether it only reads.
type Allowed struct {
	Notes
	Line     string
	Engine   sandbox.Engine
	ReadOnly bool
}

// Refused is the decision that an action may not go on: Outcome is what the model is told;
// where Pause is set, the task pauses instead, for that reason.
type Refused struct {
	Notes
	Outcome record.ActionDone
	Pause   string
}

// Question is the decision that the user must be asked. ReadOnly is as in [Allowed].
type Question struct {
	Notes
	Ask      record.Question
	ReadOnly bool
}

// Decide says whether the pending action may go on. It is asked anew after each record, until
// the action is done: trust can be withdrawn and an answer can come in between. The way is from
// top to bottom: is the workspace trusted, may the action read and change what it names, may the
// command run with the secrets that it declares, and are their values there.
func (p *Permit) Decide(ctx context.Context, act *action.Action) (Decision, error) {
	if d, err := p.trusted(act.Verb); stops(d, err) {
		return d, err
	}
	if d, err := p.guarded(act); stops(d, err) {
		return d, err
	}
	args, ok := act.Args.(action.RunCommand)
	if !ok {
		return Allowed{}, nil
	}
	if p.State.Pending.Withheld != nil && len(args.Secrets) > 0 { // a value, or all of them as an older version asked
		return p.withheld(args.Command), nil
	}
	if d := p.apart(args); stops(d, nil) {
		return d, nil
	}
	d, err := p.command(ctx, args)
	allowed, ok := d.(Allowed)
	if err != nil || !ok {
		return d, err
	}
	return p.secrets(args, allowed), nil
}

// stops reports whether a decision is the last word.
func stops(d Decision, err error) bool {
	_, allowed := d.(Allowed)
	return err != nil || !allowed
}

// trusted refuses, in a workspace that is not trusted, an action that would do more than
// read. It looks each time: trust can be withdrawn at any moment.
func (p *Permit) trusted(verb *action.Verb) (Decision, error) {
	if verb.Effect != action.Edits && verb.Effect != action.Runs && verb.Effect != action.RollsBack {
		return Allowed{}, nil
	}
	untrusted, err := p.Trust.UntrustedIn(p.Workspace)
	switch {
	case err != nil || len(untrusted) == 0:
		return Allowed{}, err
	case p.State.Pending.Role == record.RoleTars: // it only looks around: it can do without
		return Refused{Outcome: record.ActionDone{Text: "Not run: the user does not trust the files of this workspace, so that they can only be read."}}, nil
	}
	return Refused{Pause: fmt.Sprintf("%s is not trusted, so nothing is changed or run for it: %s, then resume", strings.Join(untrusted, ", "), AdviseTrust)}, nil
}
