package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"caselsp/agent/permit"
	"caselsp/agent/record"
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
	deps, l := r.needed(cmd)
	switch {
	case deps == nil:
		return "", true, nil
	case l.State == record.Ready:
		return deps.Key, true, nil
	case reads || l.State == record.Without || l.State == record.NotInstalled || l.State == record.Present:
		return "", true, nil
	case l.State == record.Agreed:
		return "", false, r.install(ctx, engine, deps)
	case r.unseen(deps, l):
		return "", false, r.lookUp(ctx, engine, deps)
	}
	return "", false, r.question(r.may().Installation(deps, l))
}

// withInstall puts the installation of the dependencies that a command needs into the question
// about the command, which then is the only one. Where it must first be looked what there is, it
// does that, and the decision is not settled yet.
func (r *run) withInstall(ctx context.Context, d permit.Decision) (with permit.Decision, settled bool, err error) {
	q, ok := d.(permit.Question)
	about, command := q.Ask.Subject.(record.Command)
	if !ok || !command || !about.Whole || q.ReadOnly {
		return d, true, nil
	}
	engine, err := r.a.Sandbox(ctx)
	if err != nil {
		return nil, false, err
	}
	cmd, err := r.commandOn(ctx, about.Line, r.a.Policy)
	if err != nil {
		return d, true, nil // it is told when the command is to run
	}
	deps, l := r.needed(cmd)
	switch {
	case deps == nil:
		return d, true, nil
	case r.unseen(deps, l):
		return nil, false, r.lookUp(ctx, engine, deps)
	case l.Settled():
		return d, true, nil
	}
	q.Ask = r.may().WithInstallation(q.Ask, deps, l)
	return q, true, nil
}

// needed returns the dependencies that a command needs, nil for none, and what is known of them.
func (r *run) needed(cmd sandbox.Command) (*sandbox.Dependencies, record.Dependencies) {
	if r.a.Dependencies == nil {
		return nil, record.Dependencies{}
	}
	deps := r.dependenciesOf(cmd.Tree, cmd.Profile)
	if deps == nil {
		return nil, record.Dependencies{}
	}
	l := r.state.Dependencies[deps.Key]
	deps.Open(cmp.Or(l.From, deps.From), slices.Concat(l.Opened, l.Wants))
	return deps, l
}

// unseen reports whether it must be looked whether dependencies are there: nobody has, or they
// went since they were found.
func (r *run) unseen(deps *sandbox.Dependencies, l record.Dependencies) bool {
	return l.State == record.Unseen || l.State == record.Missing && !r.a.outside.replays() && deps.Ask() != nil
}

// lookUp looks, and records what was found.
func (r *run) lookUp(ctx context.Context, engine sandbox.Engine, deps *sandbox.Dependencies) error {
	found, err := r.lookForLayer(ctx, engine, deps)
	if err != nil {
		return err
	}
	return r.record(found)
}

// lookForLayer looks whether dependencies are there, and if not, where they would
// come from.
func (r *run) lookForLayer(ctx context.Context, engine sandbox.Engine, deps *sandbox.Dependencies) (record.DependenciesFound, error) {
	if found, recorded := r.a.outside.dependencies(deps.Key); recorded {
		return found, nil
	}
	l := record.DependenciesFound{Key: deps.Key}
	k, ok := engine.(keeper)
	if !ok {
		l.Without = true
		return l, nil
	}
	var err error
	if l.Found, err = k.HasLayer(ctx, deps.Key); err != nil || l.Found {
		return l, err
	}
	if check := deps.Present(); check != nil {
		r.progress("looking whether the project's dependencies are installed")
		check.Progress = r.progress
		result, err := engine.Run(ctx, *check)
		if err != nil {
			return l, err
		}
		if l.Present = result.OK(); l.Present {
			return l, nil
		}
	}
	l.From = &deps.From
	if ask := deps.Ask(); ask != nil {
		r.progress("looking what an installation of the project's dependencies would get")
		ask.Progress = r.progress
		result, err := engine.Run(ctx, *ask)
		switch {
		case err != nil:
			return l, err
		case !result.OK():
			l.From, l.Said = nil, record.Failure(result)
		default:
			from := deps.Learn(result.Output)
			l.From = &from
		}
	}
	return l, nil
}

// install installs dependencies.
func (r *run) install(ctx context.Context, engine sandbox.Engine, deps *sandbox.Dependencies) error {
	cmd := deps.Install()
	if err := r.record(record.CommandStarted{Line: cmd.Line, Tree: sandbox.Digest(cmd.Tree), Layer: deps.Key}); err != nil {
		return err
	}
	what := "installing the project's dependencies"
	if len(deps.Files) > 0 {
		what += " of " + strings.Join(deps.Files, ", ")
	}
	var result *sandbox.Result
	err := r.await(r.aside("an installation", func(a *aside) (err error) {
		a.begins(what)
		cmd.Progress = a.says
		result, err = engine.Run(ctx, cmd)
		return err
	}))
	if err != nil {
		return err
	}
	result.Changes, result.Skipped = nil, nil // it ran on a copy of the lists alone
	return r.record(record.CommandEnded{Result: *result, Layer: deps.Key})
}
