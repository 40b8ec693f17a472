package permit

import (
	"fmt"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/record"
)

// A command gets secrets only with an approval that names them, once: neither a verdict, a rule nor
// an approval for the task gives any. The approval is that of the command itself, so that one
// question says all that it gets; a value that is missing is asked for after it.

// givesSecrets is why a command is asked for that its verdict allows.
const givesSecrets = "The command, and all code that it runs, can read the secrets. Its output and the files that it writes are searched for them."

// whole reports whether the user is asked about a command with all that it gets. It is so but
// where a recording of an older version is replayed.
func (p *Permit) whole() bool {
	if p.State.Pending.Whole {
		return true
	}
	whole, recorded := p.Outside.Whole()
	return whole || !recorded
}

// gives reports whether the approval of a command would give it secrets: it declares some, and
// the user has not allowed them for the task, as an older version asked.
func (p *Permit) gives(args action.RunCommand) bool {
	return len(args.Secrets) > 0 && p.whole() && !p.State.Leaves[leaveOfSecrets(args).key]
}

// leaveOfSecrets is what older versions asked for before a command got secrets.
func leaveOfSecrets(args action.RunCommand) *leave {
	names := strings.Join(args.Secrets, ", ")
	return &leave{key: "secrets " + names + " for " + args.Command, text: "CASE wants to give a command secrets: " + names, what: args.Command, why: givesSecrets}
}

// apart decides about the secrets of a command in the order of a recording of an older version:
// before the command itself.
func (p *Permit) apart(args action.RunCommand) Decision {
	switch l := leaveOfSecrets(args); {
	case len(args.Secrets) == 0 || p.whole():
		return Allowed{}
	case !p.State.Leaves[l.key]:
		return l.question()
	}
	return p.secrets(args, Allowed{})
}

// secrets asks for the first secret of a command that may run, where its value is not known.
func (p *Permit) secrets(args action.RunCommand, allowed Allowed) Decision {
	for _, name := range args.Secrets {
		missing, recorded := p.Outside.SecretAsked(name)
		if !recorded {
			missing = !p.HasSecret(name)
		}
		if !missing {
			continue
		}
		why := "No keyring is available, so the value is kept only until caselsp ends and is never written to disk."
		if p.Keyring {
			why = "The value is stored in your keyring, if there is one, and is never written to disk elsewhere."
		}
		return Question{Notes: allowed.Notes, Ask: record.Question{Subject: record.Secret{Name: name}, Why: why,
			Text: fmt.Sprintf("CASE needs the secret %s for a command. Its value is not shown to the model", name)}}
	}
	return allowed
}
