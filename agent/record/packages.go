package record

import (
	"maps"
	"slices"
	"strings"

	"caselsp/agent/stack"
	"caselsp/sandbox"
)

// Packages are those that tests need and that no file of the project names. They become a part of the
// project's dependencies in the sandbox, and of no file. Without names, the user may say which package
// it is; what is installed is then asked for with its command line.
type Packages struct {
	Profile sandbox.Profile `json:"profile"`
	Names   []string        `json:"names"`
	Named   []string        `json:"named,omitempty"` // the places where the project's own files name some of them
	Layer   string          `json:"layer"`           // the key of the dependencies with them
	// Missing says that they are to be installed; else an earlier task has done that.
	Missing bool `json:"missing,omitempty"`
}

// Once is the choice to have them installed for this task, Always for later ones, too.
func (k *Packages) Once() string { return "Install " + k.list() + " in the sandbox for this task" }

// Always is the other choice.
func (k *Packages) Always() string {
	return "Install " + k.list() + " in the sandbox for this and later tasks"
}

func (k *Packages) list() string { return strings.Join(k.Names, ", ") }

// InstallWord begins an answer that names the package where nobody else knows it.
const InstallWord = "install "

// in returns the packages that an answer has installed; nil for none.
func (k *Packages) in(answer string) *Packages {
	switch {
	case k == nil:
		return nil
	case len(k.Names) > 0 && (answer == k.Once() || answer == k.Always()):
		return k
	case len(k.Names) > 0:
		return nil
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(answer), InstallWord)
	if name, named := stack.PackageName(rest); ok && named {
		return &Packages{Profile: k.Profile, Names: []string{name}}
	}
	return nil
}

// applyPackages folds that the user has packages installed. The map of the task's first record is
// not changed.
func (p *State) applyPackages(k *Packages) {
	packages := maps.Clone(p.Packages)
	if packages == nil {
		packages = map[sandbox.Profile][]string{}
	}
	packages[k.Profile] = slices.Concat(packages[k.Profile], k.Names)
	if p.Packages = packages; k.Missing {
		p.applyLayer(k.Layer, (*Dependencies).agreed)
	}
}
