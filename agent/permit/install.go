package permit

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/sandbox"
)

// Installation is the question that the user is asked about dependencies which a command needs
// that itself is not asked for.
func (p *Permit) Installation(deps *sandbox.Dependencies, l record.Dependencies) record.Question {
	q := p.installation(deps, l)
	q.Why += " If you deny it, commands and tests run without them, and those that need them fail."
	return q
}

// WithInstallation is the question about a command with the dependencies that it needs: both are
// approved together.
func (p *Permit) WithInstallation(ask record.Question, deps *sandbox.Dependencies, l record.Dependencies) record.Question {
	q := p.installation(deps, l)
	what, about := q.Subject.(record.Install), ask.Subject.(record.Command)
	about.Install = &what
	ask.Subject = about
	if len(l.Wants) > 0 {
		ask.Why += " " + q.Text
	}
	ask.Why = strings.TrimSpace(ask.Why + " " + q.Why)
	return ask
}

// ownCode says whether an installation runs what packages bring along: npm is told not to, and pip builds some.
func ownCode(line string) string {
	if strings.Contains(line, "--ignore-scripts") && !strings.Contains(line, "pip") {
		return "without running the packages' own scripts"
	}
	return "which runs the packages' own code"
}

// installation is never offered as a standing approval: it reaches the network, and the user must
// have seen what is new in the lists of dependencies.
func (p *Permit) installation(deps *sandbox.Dependencies, l record.Dependencies) record.Question {
	files, hosts := strings.Join(deps.Files, ", "), strings.Join(deps.Hosts, ", ")
	policy := deps.Install().Policy
	q := record.Question{
		Text: "The command or the tests need the project's dependencies, which are not in the sandbox yet. Install them there?",
		Subject: record.Install{Key: deps.Key, Line: deps.Line,
			Where: fmt.Sprintf("in the sandbox, which for this reaches only %s and sees only %s (%d MiB, at most %s)", hosts, files, policy.Memory>>20, policy.Time)},
		Why: "If you allow it, they are installed once, in the sandbox, " + ownCode(deps.Line) + "; they are kept for later tasks.",
	}
	for _, f := range p.Overlay.State().Files {
		if slices.Contains(deps.Files, f.Path) {
			q.Why = "This task changed " + f.Path + ": see what is new there. " + q.Why
		}
	}
	switch {
	case len(l.Wants) > 0:
		q.Text = fmt.Sprintf("Installing the project's dependencies failed: it tried to reach %s, which is not an allowed host. Allow it and install again?", strings.Join(l.Wants, " and "))
		q.Why = "Package indexes may keep packages on other hosts, but a package's own code can also try to reach unrelated hosts: check that you know this host. " + q.Why
	case l.State == record.Installing:
		q.Why = "It was started before and its outcome is not known. " + q.Why
	}
	return q
}
