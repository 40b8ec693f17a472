package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/stack"
	"caselsp/sandbox"
)

// Packages that the tests need and that no file of the project names: where it is certain which
// package is missing, the question about tests that cannot run offers to install it in the sandbox.
// The package becomes a part of the project's dependencies there. No flag answers that question,
// because nobody but the user can tell whether the name is that of the right package.

// packagesValue begins the name under which those for later tasks are kept, before the profile. No
// question of a model has such a name: it has a space.
const packagesValue = "packages "

// installable are the profiles whose packages are installed by their names alone.
var installable = map[stack.Language]sandbox.Profile{stack.Python: sandbox.Python, stack.Node: sandbox.Node}

// keptPackages are the packages that the user has had installed for later tasks.
func (a *Agent) keptPackages() map[sandbox.Profile][]string {
	values, err := a.Values()
	if err != nil {
		a.Log.Warn("packages that are installed for the project's tests cannot be read", "error", err)
	}
	kept := map[sandbox.Profile][]string{}
	for _, p := range installable {
		if names := strings.Fields(values[packagesValue+string(p)]); len(names) > 0 {
			kept[p] = names
		}
	}
	return kept
}

// keepPackages keeps packages for later tasks, where the answer says so.
func (r *run) keepPackages(k *record.Packages, a record.Answer) error {
	if k == nil || len(k.Names) == 0 || a.Text != k.Always() || r.a.outside.replays() {
		return nil
	}
	names := slices.Concat(r.a.keptPackages()[k.Profile], k.Names)
	slices.Sort(names)
	return r.a.approvals().KeepValue(packagesValue+string(k.Profile), strings.Join(slices.Compact(names), " "))
}

// dependenciesOf are the dependencies of a tree with the packages that the user has had installed,
// unless these could not be.
func (r *run) dependenciesOf(tree []sandbox.File, p sandbox.Profile) *sandbox.Dependencies {
	if more := r.state.Packages[p]; len(more) > 0 {
		deps := r.a.Dependencies(tree, p, more...)
		if deps == nil {
			return nil
		}
		if s := r.state.Dependencies[deps.Key].State; s != record.NotInstalled && s != record.Without {
			return deps
		}
	}
	return r.a.Dependencies(tree, p)
}

// offer is the offer to install the packages that a test run lacked and that the task has not brought
// in; nil where there is none. It must first be looked whether and from where they can be installed:
// where that was recorded, looked is true.
func (r *run) offer(ctx context.Context, lacks []stack.Lack) (k *record.Packages, from *sandbox.Dependencies, looked bool, err error) {
	k, err = r.uninstalled(ctx, lacks)
	if k == nil || err != nil || len(k.Names) == 0 {
		return k, nil, false, err
	}
	cmd, err := r.commandOn(ctx, r.state.TestLine(), r.a.Policy)
	if err != nil || cmd.Profile != k.Profile {
		return nil, nil, false, err
	}
	if own := r.a.Dependencies(cmd.Tree, cmd.Profile); own != nil {
		if s := r.state.Dependencies[own.Key].State; s == record.NotInstalled || s == record.Without {
			return nil, nil, false, nil // the project's own are not there
		}
	}
	deps := r.a.Dependencies(cmd.Tree, cmd.Profile, slices.Concat(r.state.Packages[k.Profile], k.Names)...)
	if deps == nil {
		return nil, nil, false, nil
	}
	l := r.state.Dependencies[deps.Key]
	if l.State == record.Unseen {
		return nil, nil, true, r.lookToOffer(ctx, deps)
	}
	if l.State != record.Ready && l.State != record.Missing {
		return nil, nil, false, nil
	}
	deps.Open(l.From, nil)
	k.Layer, k.Missing = deps.Key, l.State == record.Missing
	return k, deps, false, nil
}

// uninstalled are the packages of one profile that a run lacked, those whose names are certain: by the
// project's own files, or by what is known of packages. Without any, k has no names where a module's
// package is not known; nil is for none. What is installed already and is lacking nonetheless was
// the wrong package.
func (r *run) uninstalled(ctx context.Context, lacks []stack.Lack) (k *record.Packages, err error) {
	if r.a.Dependencies == nil || !r.state.Offers {
		return nil, nil
	}
	var files []stack.File
	k = &record.Packages{}
	for _, l := range lacks {
		p, ok := installable[l.Of]
		if !ok || l.Kind != stack.Package || k.Profile != "" && k.Profile != p {
			continue
		}
		name, where := l.Package, ""
		if name == "" {
			if files == nil {
				if files, err = r.manifests(ctx); err != nil {
					return nil, err
				}
			}
			name, where = stack.Named(files, l.Name)
		}
		if slices.Contains(r.state.Packages[p], name) {
			continue
		}
		if k.Profile = p; name != "" && !slices.Contains(k.Names, name) {
			k.Names = append(k.Names, name)
			if where != "" {
				k.Named = append(k.Named, where)
			}
		}
	}
	if k.Profile == "" {
		return nil, nil
	}
	return k, nil
}

// manifests are the files of the project, with the texts that name packages.
func (r *run) manifests(ctx context.Context) ([]stack.File, error) {
	p := r.prompter()
	entries, _, err := p.entries(ctx)
	if err != nil {
		return nil, err
	}
	return p.described(entries), nil
}

// lookToOffer looks whether packages are there and where they would come from. A sandbox that cannot
// run leaves them unoffered.
func (r *run) lookToOffer(ctx context.Context, deps *sandbox.Dependencies) error {
	engine, err := r.a.Sandbox(ctx)
	if unavailable := (*sandbox.Unavailable)(nil); engine == nil || errors.As(err, &unavailable) {
		return r.record(record.DependenciesFound{Key: deps.Key, Without: true, Offer: true})
	}
	if err != nil {
		return err
	}
	found, err := r.lookForLayer(ctx, engine, deps)
	if err != nil {
		return err
	}
	found.Offer = true
	return r.record(found)
}

// unknownPackage says how the user names a package that nobody knows.
func unknownPackage(lacks []stack.Lack) string {
	i := slices.IndexFunc(lacks, func(l stack.Lack) bool { return l.Of != "" && l.Package == "" })
	return fmt.Sprintf("Which package has %q is not known: no file of the project names one like it, and a package of the same name may be somebody else's. "+
		"Answer \"%sNAME\" to have the package NAME installed in the sandbox; its command is shown to you first. ", lacks[max(i, 0)].Name, record.InstallWord)
}

// offerText says what the choices of an offer do.
func offerText(k *record.Packages, deps *sandbox.Dependencies) string {
	names := strings.Join(k.Names, ", ")
	text := fmt.Sprintf("No file of the project names %s, and none is changed. ", names)
	if len(k.Named) > 0 {
		text = fmt.Sprintf("The project names %s in %s, and not among what is installed for it. No file is changed. ", names, strings.Join(k.Named, ", "))
	}
	if k.Missing {
		text += fmt.Sprintf("It would be installed by %q in the sandbox, which for that reaches only %s; the package's own code runs there. "+
			"Check the name: an index may have packages with similar names that other people publish. ", deps.Line, strings.Join(deps.Hosts, ", "))
	} else {
		text += "An earlier task has installed it already. "
	}
	return text + fmt.Sprintf("What is installed for later tasks is listed by `caselsp approvals` and ended by `caselsp approvals revoke %s%s`. ", packagesValue, k.Profile)
}
