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

	"caselsp/sandbox/inside"
)

// Sources says where packages come from. Pick fills it in as the user's own
// settings say; for what is empty then the package manager in the sandbox is asked,
// see [Dependencies.Ask]: this program names no index by itself.
type Sources struct {
	Python string `json:"python,omitempty"`  // the URL of an index as pip takes it
	Node   string `json:"node,omitempty"`    // the URL of a registry as npm takes it
	Go     string `json:"go,omitempty"`      // as in GOPROXY; what is not a URL in it is left out
	GoSums string `json:"go_sums,omitempty"` // as in GOSUMDB
	Image  string `json:"image,omitempty"`   // of the sandbox, where it is not the bundled one
}

// Pick returns s with what is empty in it taken from the variables by which the
// package managers themselves are told.
func (s Sources) Pick(getenv func(string) string) Sources {
	s.Python = orDefault(s.Python, getenv("PIP_INDEX_URL"))
	s.Node = orDefault(s.Node, orDefault(getenv("NPM_CONFIG_REGISTRY"), getenv("npm_config_registry")))
	s.Go = orDefault(s.Go, getenv("GOPROXY"))
	s.GoSums = orDefault(s.GoSums, getenv("GOSUMDB"))
	return s
}

// Dependencies are what a project needs beside the tools of its profile, and how
// it is installed.
type Dependencies struct {
	Profile Profile
	Key     string   // of their layer: a checksum of all that decides what is in it
	Files   []string // of the project, that name them
	Line    string   // the command that installs them
	From    Sources  // of the packages, as far as it is known
	Hosts   []string // that it may reach: those of From, and what Open added

	tree []File
	env  []string
}

// What an installer may use. It runs third-party code, as tests do, but needs
// more space: what it installs is in memory until it is kept.
const (
	installMemory = 4 << 30 // it holds installDisk
	installDisk   = 2 << 30 // the largest that usual projects need, without machine learning's
	installTime   = 20 * time.Minute
	installPIDs   = 512 // npm and Go work with many threads
)

// DependenciesOf returns the dependencies that the files in the root of a tree
// name, or nil where they name none. Files that cannot be understood are taken
// as naming none: their own tool will say what is wrong with them. more are packages that are
// installed with them and that no file names, by their names alone; Go has none of these.
func DependenciesOf(tree []File, p Profile, from Sources, more ...string) *Dependencies {
	d := &Dependencies{Profile: orDefault(p, Python)}
	var named bool
	switch d.Profile {
	case Python:
		named = d.python(tree, more)
	case Node:
		named = d.node(tree, more)
	case Go:
		named = d.golang(tree)
	}
	if !named {
		return nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", ImageTag(d.Profile), from.Image, d.Line)
	if d.Profile == Node {
		fmt.Fprintf(h, "%q\n", inside.NodeModules) // where the link in it leads: layers of before had another
	}
	for _, f := range d.tree {
		d.Files = append(d.Files, f.Path)
		fmt.Fprintf(h, "%q %q\n", f.Path, f.Data)
	}
	d.Key = hex.EncodeToString(h.Sum(nil))[:24]
	d.Open(from, nil)
	return d
}

// Open says where the packages come from and what hosts may be reached beside
// those of the indexes: indexes send package managers to others for the packages
// themselves, and which these are shows only when they are refused.
func (d *Dependencies) Open(from Sources, more []string) {
	d.From, d.Hosts, d.env = from, slices.Clone(more), nil
	switch d.Profile {
	case Python:
		d.openPython()
	case Node:
		d.openNode()
	case Go:
		d.openGo()
	}
	slices.Sort(d.Hosts)
	d.Hosts = slices.Compact(d.Hosts)
}

// askers are the commands that tell where the package managers in the sandbox take
// packages from by themselves. pip has no command for that which counts its
// built-in index.
var askers = map[Profile]string{
	Python: `python3 -c 'from pip._internal.commands import create_command as c; print(c("install").parser.get_default_values().index_url)'`,
	Node:   "npm config get registry --no-update-notifier",
	Go:     "go env GOPROXY GOSUMDB",
}

// Ask returns the command that tells what is not known of From, without a network
// and without a file of the project, or nil where all is known.
func (d *Dependencies) Ask() *Command {
	f := d.From
	if known := map[Profile]bool{Python: f.Python != "", Node: f.Node != "", Go: f.Go != "" && f.GoSums != ""}[d.Profile]; known {
		return nil
	}
	return &Command{Line: askers[d.Profile], Profile: d.Profile}
}

// Present returns the command that succeeds where the sandbox itself has all that the project names,
// in versions that it takes, so that nothing is to be installed: the package manager is asked, without
// a network. It is nil where that cannot be asked.
func (d *Dependencies) Present() *Command {
	if d.Profile != Python {
		return nil
	}
	return &Command{Line: strings.Replace(d.Line, "pip install ", "pip install --dry-run --no-index ", 1), Tree: d.tree, Profile: d.Profile,
		Env: []string{"PYTHONUSERBASE=" + DepsFolder + "/python", "PIP_BREAK_SYSTEM_PACKAGES=1"}}
}

// Learn fills in what is empty in From with the output of the command of Ask.
func (d *Dependencies) Learn(output string) Sources {
	f := d.From
	first, rest, _ := strings.Cut(strings.TrimSpace(output), "\n")
	switch d.Profile {
	case Python:
		f.Python = orDefault(f.Python, first)
	case Node:
		f.Node = orDefault(f.Node, first)
	case Go:
		f.Go, f.GoSums = orDefault(f.Go, first), orDefault(f.GoSums, rest)
	}
	return f
}

// Wanted returns the missing entries of Policy.Hosts that would have let refused
// connections through; none where there are more than a person would look at one by one.
func (r *Result) Wanted() []string {
	var hosts []string
	for _, c := range r.Network {
		if c.Wants != "" {
			hosts = append(hosts, c.Wants)
		}
	}
	slices.Sort(hosts)
	if hosts = slices.Compact(hosts); len(hosts) > wantedLimit {
		return nil
	}
	return hosts
}

// wantedLimit is how many hosts may be asked for at once: an index keeps its
// packages on one or two others.
const wantedLimit = 8

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
