package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Sources says where packages come from. What is empty is the public index of
// its kind. Pick fills it in as the user's own settings say.
type Sources struct {
	Python string // the URL of an index as pip takes it
	Node   string // the URL of a registry as npm takes it
	Go     string // as in GOPROXY; what is not a URL in it is left out
	Image  string // of the sandbox, where it is not the bundled one
}

// Pick returns s with what is empty in it taken from the variables by which the
// package managers themselves are told.
func (s Sources) Pick(getenv func(string) string) Sources {
	s.Python = orDefault(s.Python, getenv("PIP_INDEX_URL"))
	s.Node = orDefault(s.Node, orDefault(getenv("NPM_CONFIG_REGISTRY"), getenv("npm_config_registry")))
	s.Go = orDefault(s.Go, getenv("GOPROXY"))
	return s
}

// Dependencies are what a project needs beside the tools of its profile, and how
// it is installed.
type Dependencies struct {
	Profile Profile
	Key     string   // of their layer: a checksum of all that decides what is in it
	Files   []string // of the project, that name them
	Line    string   // the command that installs them
	Hosts   []string // that it must reach

	tree []File
	env  []string
}

// What an installer may use. It runs code of strangers, as tests do, but needs
// more room: what it installs lies in memory until it is kept.
const (
	installMemory = 4 << 30 // it holds installDisk
	installDisk   = 2 << 30 // the largest that usual projects need, without machine learning's
	installTime   = 20 * time.Minute
	installPIDs   = 512 // npm and Go work with many threads
)

// DependenciesOf returns the dependencies that the files in the root of a tree
// name, or nil where they name none. Files that cannot be understood are taken
// as naming none: their own tool will say what is wrong with them.
func DependenciesOf(tree []File, p Profile, from Sources) *Dependencies {
	d := &Dependencies{Profile: orDefault(p, Python)}
	var named bool
	switch d.Profile {
	case Python:
		named = d.python(tree, from)
	case Node:
		named = d.node(tree, from)
	case Go:
		named = d.golang(tree, from)
	}
	if !named {
		return nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", ImageTag(d.Profile), from.Image, d.Line)
	for _, f := range d.tree {
		d.Files = append(d.Files, f.Path)
		fmt.Fprintf(h, "%q %q\n", f.Path, f.Data)
	}
	d.Key = hex.EncodeToString(h.Sum(nil))[:24]
	slices.Sort(d.Hosts)
	d.Hosts = slices.Compact(d.Hosts)
	return d
}

// Install returns the command that installs the dependencies and keeps them.
// It gets the files that name them and nothing else of the project.
func (d *Dependencies) Install() Command {
	policy := DefaultPolicy
	policy.Memory, policy.Disk, policy.Time, policy.PIDs, policy.Hosts = installMemory, installDisk, installTime, installPIDs, d.Hosts
	return Command{Line: d.Line, Tree: d.tree, Env: d.env, Policy: policy, Profile: d.Profile, Keep: d.Key}
}

// add takes over a file of the project.
func (d *Dependencies) add(f *File) {
	if !slices.ContainsFunc(d.tree, func(t File) bool { return t.Path == f.Path }) {
		d.tree = append(d.tree, *f)
	}
}

// find returns a file of a tree, or nil.
func find(tree []File, path string) *File {
	if i := slices.IndexFunc(tree, func(f File) bool { return f.Path == path }); i >= 0 {
		return &tree[i]
	}
	return nil
}

// reach opens the host of an index and returns the index's address as the
// sandbox has it. One that listens on this machine's loopback has another name
// there. Secure is false where the index speaks plain HTTP.
func (d *Dependencies) reach(index string) (address, host string, secure bool) {
	u, err := url.Parse(index)
	if err != nil || u.Hostname() == "" {
		return index, "", true
	}
	name := canonical(u.Hostname())
	if a, err := netip.ParseAddr(name); name == "localhost" || err == nil && a.IsLoopback() {
		name = HostMachine
	}
	host = name
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	if checked, err := CheckHosts([]string{host}); err == nil {
		d.Hosts = append(d.Hosts, checked...)
	}
	return u.String(), host, u.Scheme != "http"
}

// quoted makes one word of the shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
