package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/stack"
	"caselsp/sandbox"
)

// Dependencies is what a task knows of one set of dependencies.
type Dependencies struct {
	State  dependencyState
	said   string          // the end of what a failed installation said
	From   sandbox.Sources // where they come from
	Opened []string        // hosts that the user opened for them, beside those of from
	Wants  []string        // hosts that the last installation failed to reach
	rounds int             // how often hosts were asked for
	Denied bool            // the user denied the installation
}

// DependenciesFound says what was found of a project's dependencies when a command first
// needed them.
type DependenciesFound struct {
	Key     string           `json:"key"`
	Found   bool             `json:"found,omitempty"`   // they are there
	Present bool             `json:"present,omitempty"` // the sandbox itself has all of them
	Without bool             `json:"without,omitempty"` // the engine cannot keep any
	From    *sandbox.Sources `json:"from,omitempty"`    // where they would come from, where they are not there
	Said    string           `json:"said,omitempty"`    // why that could not be found out
	Offer   bool             `json:"offer,omitempty"`   // they have packages that the user has not asked for yet
}

// hostRounds is how often the user is asked to open more hosts for one
// installation: an index sends to another host, and that perhaps to a third.
const hostRounds = 3

type dependencyState int

const (
	Unseen       dependencyState = iota // not looked up yet
	Missing                             // the user must be asked
	Installing                          // its installation had begun when the process ended, or runs
	narrow                              // it failed for want of hosts, and the user must be asked for these
	Agreed                              // the user agreed
	Ready                               // commands find it
	Without                             // commands run without it: the user denied it, or the engine keeps no layers
	NotInstalled                        // it could not be installed
	Present                             // the sandbox itself has all of it
	Unoffered                           // with packages that no file names: these cannot be installed
)

// Settled reports whether nobody has to be asked about the dependencies.
func (l Dependencies) Settled() bool {
	switch l.State {
	case Agreed, Ready, Without, NotInstalled, Present, Unoffered:
		return true
	}
	return false
}

// applyLayer folds what becomes of dependencies.
func (p *State) applyLayer(key string, change func(*Dependencies)) {
	if p.Dependencies == nil {
		p.Dependencies = map[string]Dependencies{}
	}
	l := p.Dependencies[key]
	change(&l)
	p.Dependencies[key] = l
}

// found folds what was found when somebody looked.
func (l *Dependencies) found(by DependenciesFound) {
	if by.From != nil {
		l.From = *by.From
	}
	switch {
	case by.Found:
		l.State = Ready
	case by.Offer && (by.Present || by.Without || by.Said != ""):
		l.State = Unoffered
	case by.Present:
		l.State = Present
	case by.Without:
		l.State = Without
	case by.Said != "":
		l.State, l.said = NotInstalled, by.Said
	default:
		l.State = Missing
	}
}

// agreed folds that the user lets them be installed, and opens what was asked for.
func (l *Dependencies) agreed() {
	if len(l.Wants) > 0 {
		l.Opened, l.Wants = slices.Concat(l.Opened, l.Wants), nil
		l.rounds++
	}
	l.State = Agreed
}

// installed folds the end of an installation.
func (l *Dependencies) installed(r *sandbox.Result) {
	l.State, l.said, l.Wants = Ready, "", nil
	if r.OK() {
		return
	}
	l.State, l.said = NotInstalled, Failure(r)
	if l.rounds < hostRounds {
		l.Wants = r.Wanted()
	}
	if len(l.Wants) > 0 {
		l.State = narrow
	}
}

// saidLimit is how much of a failed installation is told where no line of it gives the reason:
// installers give it last.
const saidLimit = 2 << 10

// Failure is how an installation of ours failed and what to do: the installer's reason, where it names
// one, else the end of what it said.
func Failure(r *sandbox.Result) string {
	if cause, advice := stack.InstallFailure(r.Output); cause != "" {
		return fmt.Sprintf("%s (%s, exit code %d). %s", FirstLine(cause), r.Status, r.ExitCode, advice)
	}
	said := strings.ToValidUTF8(r.Output[max(0, len(r.Output)-saidLimit):], "")
	return fmt.Sprintf("%s, exit code %d\n%s", r.Status, r.ExitCode, said)
}

// Trouble says that dependencies could not be installed, with the end of what the
// installer said; "" for any other command.
func (b CommandEnded) Trouble() string {
	if b.Layer == "" || b.Result.OK() {
		return ""
	}
	return notInstalled(Failure(&b.Result))
}

// Trouble says that it could not be found out where dependencies come from; "" where
// it was.
func (b DependenciesFound) Trouble() string {
	if b.Said == "" || b.Offer {
		return ""
	}
	return notInstalled(b.Said)
}

func notInstalled(said string) string {
	return "The project's dependencies could not be installed: " + strings.TrimSpace(said)
}

// Uninstalled says of each set of dependencies that could not be installed why, for
// the report.
func (p *State) Uninstalled() []string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(p.Dependencies)) {
		if l := p.Dependencies[key]; l.State == NotInstalled {
			list = append(list, notInstalled(l.said))
		}
	}
	return list
}

// WithoutLayers tells the model why a failed command did not find the project's
// dependencies; "" where it did.
func (p *State) WithoutLayers() string {
	for _, key := range slices.Sorted(maps.Keys(p.Dependencies)) {
		switch l := p.Dependencies[key]; l.State {
		case NotInstalled:
			return "The project's dependencies are not there: they could not be installed. " + l.said
		case Without:
			return "The project's dependencies are not there: only what the sandbox itself has is."
		}
	}
	return ""
}
