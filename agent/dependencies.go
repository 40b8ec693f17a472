package agent

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/shell"
	"caselsp/sandbox"
)

// profiles are the programs that tell which tools a command line needs.
var profiles = map[string]sandbox.Profile{
	"go": sandbox.Go, "gofmt": sandbox.Go, "gosec": sandbox.Go, "gotestsum": sandbox.Go, "golangci-lint": sandbox.Go,
	"node": sandbox.Node, "npm": sandbox.Node, "npx": sandbox.Node, "yarn": sandbox.Node, "pnpm": sandbox.Node,
	"eslint": sandbox.Node, "tsc": sandbox.Node, "jest": sandbox.Node, "vitest": sandbox.Node, "mocha": sandbox.Node,
	"python": sandbox.Python, "python3": sandbox.Python, "pytest": sandbox.Python, "py": sandbox.Python, "pip": sandbox.Python, "pip3": sandbox.Python,
	"pylint": sandbox.Python, "bandit": sandbox.Python, "coverage": sandbox.Python, "mypy": sandbox.Python, "black": sandbox.Python, "tox": sandbox.Python,
}

// marks are the files in a project's root that tell its kind where the command
// does not. Python's come first: many of its projects hold a package.json for
// their pages too.
var marks = []struct {
	file    string
	profile sandbox.Profile
}{
	{"pyproject.toml", sandbox.Python}, {"requirements.txt", sandbox.Python}, {"setup.py", sandbox.Python}, {"manage.py", sandbox.Python},
	{"go.mod", sandbox.Go}, {"package.json", sandbox.Node},
}

// profileOf says which tools a command needs: those of the first program in it
// that tells, else those of the project, else Python's.
func profileOf(line string, tree []sandbox.File) sandbox.Profile {
	for _, name := range shell.Programs(line) {
		if p, ok := profiles[name]; ok {
			return p
		}
	}
	for _, m := range marks {
		if slices.ContainsFunc(tree, func(f sandbox.File) bool { return f.Path == m.file }) {
			return m.profile
		}
	}
	return sandbox.Python
}

// layer is what a task knows of one set of dependencies.
type layer struct {
	state  layerState
	said   string          // the end of what a failed installation said
	from   sandbox.Sources // where they come from
	opened []string        // hosts that the user opened for them, beside those of from
	wants  []string        // hosts for want of which the last installation failed
	rounds int             // how often hosts were asked for
}

// hostRounds is how often the user is asked to open more hosts for one
// installation: an index sends to another host, and that perhaps to a third.
const hostRounds = 3

type layerState int

const (
	unseen  layerState = iota // nobody has looked whether it is there
	missing                   // the user must be asked
	started                   // its installation had begun when the process ended, or runs
	narrow                    // it failed for want of hosts, and the user must be asked for these
	wanted                    // the user agreed
	ready                     // commands find it
	without                   // commands run without it: the user said so, or the engine keeps none
	failed                    // it could not be installed
)

// applyAnswer folds an answer, which is about dependencies or about the action.
func (p *progress) applyAnswer(q *Question, a Answer) {
	if q != nil && q.Kind == Approval && (q.Layer != "" || p.pending != nil && p.pending.result != nil) {
		p.judged = append(p.judged, userJudged(q.Command, a))
	}
	if q != nil && q.Kind == Input {
		p.own = append(p.own, a.Text)
	}
	switch {
	case q != nil && q.Kind == Trusting: // trust itself is kept elsewhere, and looked at each time
		p.onlyReads = a.Text == Deny
	case q != nil && q.Kind == SecretInput:
		if p.pending != nil && a.Text == Deny {
			p.pending.withheld = &a
		}
	case q != nil && q.Leave != "":
		p.applyLeave(q, a)
	case q != nil && q.Kind == Extending && a.Text == Deny:
		p.enough = true
	case q != nil && q.Kind == Extending:
		p.extended += q.More
	case q != nil && q.Layer != "" && a.Text == Deny:
		p.applyLayer(q.Layer, func(l *layer) { l.state = without })
	case q != nil && q.Layer != "":
		p.applyLayer(q.Layer, (*layer).agreed)
	case p.pending != nil && p.pending.result != nil:
		p.applyAgain(a)
	case p.pending != nil:
		p.pending.answer = &a
	}
}

// applyStarted folds the beginning of a command, or of an installation before it.
func (p *progress) applyStarted(b CommandStarted) {
	if b.Layer != "" {
		p.applyLayer(b.Layer, func(l *layer) { l.state = started })
	} else if c := p.pending; c != nil {
		c.command, c.result, c.without = true, nil, b.Without
		p.commands++
		c.tries++
	}
}

// applyEnded folds the end of either.
func (p *progress) applyEnded(b CommandEnded) {
	if b.Layer != "" {
		p.applyLayer(b.Layer, func(l *layer) { l.installed(&b.Result) })
	} else if c := p.pending; c != nil {
		c.result = &b
		if c.tries == 1 {
			c.first = b.Result.Status
		}
	}
}

// applyLayer folds what becomes of dependencies.
func (p *progress) applyLayer(key string, change func(*layer)) {
	if p.layers == nil {
		p.layers = map[string]layer{}
	}
	l := p.layers[key]
	change(&l)
	p.layers[key] = l
}

// found folds what was found when somebody looked.
func (l *layer) found(by Layered) {
	if by.From != nil {
		l.from = *by.From
	}
	switch {
	case by.Found:
		l.state = ready
	case by.Without:
		l.state = without
	case by.Said != "":
		l.state, l.said = failed, by.Said
	default:
		l.state = missing
	}
}

// agreed folds that the user lets them be installed, and opens what was asked for.
func (l *layer) agreed() {
	if len(l.wants) > 0 {
		l.opened, l.wants = slices.Concat(l.opened, l.wants), nil
		l.rounds++
	}
	l.state = wanted
}

// saidLimit is how much of a failed installation a model is told: installers
// give their reason last.
const saidLimit = 2 << 10

// installed folds the end of an installation.
func (l *layer) installed(r *sandbox.Result) {
	l.state, l.said, l.wants = ready, "", nil
	if r.OK() {
		return
	}
	l.state, l.said = failed, failure(r)
	if l.rounds < hostRounds {
		l.wants = r.Wanted()
	}
	if len(l.wants) > 0 {
		l.state = narrow
	}
}

// failure is how a command of ours failed, for a model.
func failure(r *sandbox.Result) string {
	said := strings.ToValidUTF8(r.Output[max(0, len(r.Output)-saidLimit):], "")
	return fmt.Sprintf("%s, exit code %d\n%s", r.Status, r.ExitCode, said)
}

// withoutLayers tells the model why a failed command did not find the project's
// dependencies; "" where it did.
func (p *progress) withoutLayers() string {
	for _, key := range slices.Sorted(maps.Keys(p.layers)) {
		switch l := p.layers[key]; l.state {
		case failed:
			return "The project's dependencies are not there: they could not be installed. " + l.said
		case without:
			return "The project's dependencies are not there: only what the sandbox itself has is."
		}
	}
	return ""
}

// keeper is an engine that keeps dependencies.
type keeper interface {
	sandbox.Engine
	HasLayer(ctx context.Context, key string) (bool, error)
}

// dependencies sees to it that a command finds the project's dependencies: it
// looks, asks and installs, each in a call of its own. Once that is settled it
// returns the key of the layer, "" for none. Commands that only read are neither
// asked for nor kept waiting.
func (r *run) dependencies(ctx context.Context, engine sandbox.Engine, cmd sandbox.Command, reads bool) (key string, settled bool, err error) {
	if r.a.Dependencies == nil {
		return "", true, nil
	}
	deps := r.a.Dependencies(cmd.Tree, cmd.Profile)
	if deps == nil {
		return "", true, nil
	}
	l := r.p.layers[deps.Key]
	deps.Open(cmp.Or(l.from, deps.From), slices.Concat(l.opened, l.wants))
	switch {
	case l.state == ready:
		return deps.Key, true, nil
	case reads || l.state == without || l.state == failed:
		return "", true, nil
	case l.state == wanted:
		return "", false, r.install(ctx, engine, deps)
	case l.state == unseen, l.state == missing && r.a.layered == nil && deps.Ask() != nil: // they went since they were found
		found, err := r.lookForLayer(ctx, engine, deps)
		if err != nil {
			return "", false, err
		}
		return "", false, r.record(found)
	}
	return "", false, r.question(r.installation(deps, l))
}

// lookForLayer looks whether dependencies are there, and if not, where they would
// come from.
func (r *run) lookForLayer(ctx context.Context, engine sandbox.Engine, deps *sandbox.Dependencies) (Layered, error) {
	if r.a.layered != nil {
		return r.a.layered(deps.Key), nil
	}
	l := Layered{Key: deps.Key}
	k, ok := engine.(keeper)
	if !ok {
		l.Without = true
		return l, nil
	}
	var err error
	if l.Found, err = k.HasLayer(ctx, deps.Key); err != nil || l.Found {
		return l, err
	}
	l.From = &deps.From
	if ask := deps.Ask(); ask != nil {
		ask.Progress = r.progress
		result, err := engine.Run(ctx, *ask)
		switch {
		case err != nil:
			return l, err
		case !result.OK():
			l.From, l.Said = nil, failure(result)
		default:
			from := deps.Learn(result.Output)
			l.From = &from
		}
	}
	return l, nil
}

// installation is the question that the user is asked about dependencies. It is
// never offered for always: it reaches the network, and what is new in the lists
// somebody must have seen.
func (r *run) installation(deps *sandbox.Dependencies, l layer) Question {
	files, hosts := strings.Join(deps.Files, ", "), strings.Join(deps.Hosts, ", ")
	policy := deps.Install().Policy
	q := Question{
		Kind: Approval, Text: "The project's dependencies are not in the sandbox yet. Install them?", Command: deps.Line, Layer: deps.Key,
		Where: fmt.Sprintf("in the sandbox, which for this reaches only %s and sees only %s (%d MiB, at most %s)", hosts, files, policy.Memory>>20, policy.Time),
		Why:   "It runs code of the packages' authors, once; what it installs is kept. When denied, commands run without.",
	}
	for _, f := range r.overlay.State().Files {
		if slices.Contains(deps.Files, f.Path) {
			q.Why = "This task changed " + f.Path + ": see what is new there. " + q.Why
		}
	}
	switch {
	case len(l.wants) > 0:
		q.Text = fmt.Sprintf("Installing the project's dependencies failed: it was sent to %s, which nobody has opened. Open that too and install again?", strings.Join(l.wants, " and "))
		q.Why = "Indexes may keep packages on other hosts, and a package's own code may ask for a host that is none of its business: see whether you know it. " + q.Why
	case l.state == started:
		q.Why = "It was started before and its outcome is not known. " + q.Why
	}
	return q
}

// install installs dependencies.
func (r *run) install(ctx context.Context, engine sandbox.Engine, deps *sandbox.Dependencies) error {
	cmd := deps.Install()
	cmd.Progress = r.progress
	if err := r.record(CommandStarted{Line: cmd.Line, Tree: sandbox.Digest(cmd.Tree), Layer: deps.Key}); err != nil {
		return err
	}
	result, err := engine.Run(ctx, cmd)
	if err != nil {
		return err
	}
	result.Changes, result.Skipped = nil, nil // it ran on a copy of the lists alone
	return r.record(CommandEnded{Result: *result, Layer: deps.Key})
}

// progress tells the faces what the engine does before a command begins.
func (r *run) progress(line string) {
	r.emit(Event{Doing: line, Status: r.p.status(r.a.Limits.Rounds)})
}
