package sandbox

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"caselsp/sandbox/inside"
)

// treeLimit is the most bytes a tree may have. Trees lie in memory, here and in
// the sandbox: a larger one is a data set or a dependency folder that should have
// been left out, not a project's sources.
const treeLimit = 1 << 30

// checked returns cmd with its policy filled in and its tree sorted, or what is
// wrong with it: an engine never starts what it would have to guess at.
func (cmd Command) checked() (Command, error) {
	if strings.TrimSpace(cmd.Line) == "" {
		return cmd, fmt.Errorf("the command line is empty: write the command to run")
	}
	if strings.ContainsRune(cmd.Line, 0) {
		return cmd, fmt.Errorf("the command line holds a NUL byte, which no shell can run")
	}
	for _, e := range cmd.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" || strings.ContainsRune(e, 0) {
			return cmd, fmt.Errorf("environment entry %q is not of the form NAME=value", e)
		}
	}
	cmd.Profile = orDefault(cmd.Profile, Python)
	if !slices.Contains(Profiles, cmd.Profile) {
		return cmd, fmt.Errorf("there is no profile %q, they are %q", cmd.Profile, Profiles)
	}
	for _, key := range []string{cmd.Layer, cmd.Keep} {
		if key != "" && !layerKey.MatchString(key) {
			return cmd, fmt.Errorf("%q is not the key of a layer", key)
		}
	}
	var err error
	if cmd.Policy, err = cmd.Policy.checked(); err != nil {
		return cmd, err
	}
	cmd.Tree, err = checkedTree(cmd.Tree)
	return cmd, err
}

// checked returns p with its zero fields filled in and its hosts in order.
func (p Policy) checked() (Policy, error) {
	if p.CPUs < 0 || p.Memory < 0 || p.PIDs < 0 || p.Time < 0 || p.Output < 0 || p.Disk < 0 || p.User < 0 {
		return p, fmt.Errorf("policy %+v: a limit cannot be negative", p)
	}
	var err error
	p.Hosts, err = CheckHosts(p.Hosts)
	return p.OrDefault(), err
}

// OrDefault returns p with its zero fields replaced by those of [DefaultPolicy].
func (p Policy) OrDefault() Policy {
	return Policy{
		CPUs:   orDefault(p.CPUs, DefaultPolicy.CPUs),
		Memory: orDefault(p.Memory, DefaultPolicy.Memory),
		PIDs:   orDefault(p.PIDs, DefaultPolicy.PIDs),
		Time:   orDefault(p.Time, DefaultPolicy.Time),
		Output: orDefault(p.Output, DefaultPolicy.Output),
		Disk:   orDefault(p.Disk, DefaultPolicy.Disk),
		Hosts:  p.Hosts,
		User:   orDefault(p.User, DefaultPolicy.User),
	}
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// checkedTree returns the tree sorted by path. Its paths were checked when the
// files were read; they are checked again because a privileged daemon writes to them.
func checkedTree(tree []File) ([]File, error) {
	tree = slices.Clone(settled(tree))
	slices.SortFunc(tree, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	folders := make(map[string]bool)
	var size int64
	for i, f := range tree {
		if !fs.ValidPath(f.Path) || f.Path == "." || strings.ContainsRune(f.Path, 0) {
			return nil, fmt.Errorf("file %q: its path does not lie inside the tree", f.Path)
		}
		if !f.Mode.IsRegular() && (f.Link == "" || !f.Mode.IsDir()) {
			return nil, fmt.Errorf("file %q is not a regular file", f.Path)
		}
		if i > 0 && tree[i-1].Path == f.Path {
			return nil, fmt.Errorf("file %q is in the tree twice", f.Path)
		}
		for dir := range inside.Parents(f.Path) {
			folders[dir] = true
		}
		size += int64(len(f.Data))
	}
	for _, f := range tree {
		if folders[f.Path] {
			return nil, fmt.Errorf("file %q is also a folder of the tree", f.Path)
		}
	}
	if size > treeLimit {
		return nil, fmt.Errorf("the work tree has %d MiB, the limit is %d: leave data and dependencies out of it", size>>20, treeLimit>>20)
	}
	return tree, nil
}

// Profiles are all profiles, in the order in which the recipe builds them.
var Profiles = []Profile{Python, Go, Node}
