package sandbox

import (
	"encoding/json"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
)

// The public sources of Node's and Go's packages. Go also asks a second one for
// checksums that the project does not have yet.
const (
	nodeRegistry = "https://registry.npmjs.org/"
	goProxy      = "https://proxy.golang.org"
	goSums       = "sum.golang.org"
)

// authorities are what the sandbox's TLS trusts; Node has a list of its own and
// would not know what the machine's owner added.
const authorities = "/etc/ssl/certs/ca-certificates.crt"

// node takes what package.json and its lock file name. Scripts of packages are
// not run: what needs them must be built by a command, which is asked for.
func (d *Dependencies) node(tree []File, from Sources) bool {
	manifest := find(tree, "package.json")
	if manifest == nil {
		return false
	}
	var file struct {
		Dependencies, DevDependencies, OptionalDependencies, PeerDependencies map[string]string
	}
	if json.Unmarshal(manifest.Data, &file) != nil ||
		len(file.Dependencies)+len(file.DevDependencies)+len(file.OptionalDependencies)+len(file.PeerDependencies) == 0 {
		return false
	}
	d.add(manifest)
	verb := "install --no-package-lock"
	for _, name := range []string{"npm-shrinkwrap.json", "package-lock.json"} {
		if f := find(tree, name); f != nil {
			d.add(f)
			verb = "ci"
		}
	}
	const folder = DepsFolder + "/node"
	d.Line = "mkdir -p " + folder + " && cp *.json " + folder + " && cd " + folder + " && npm " + verb + " --ignore-scripts --no-audit --no-fund"
	registry, _, _ := d.reach(orDefault(from.Node, nodeRegistry))
	d.env = []string{"NPM_CONFIG_REGISTRY=" + registry, "NPM_CONFIG_UPDATE_NOTIFIER=false", "NODE_EXTRA_CA_CERTS=" + authorities}
	return true
}

// imageGo is the Go of the bundled image: a project that asks for a newer one
// gets it as a dependency, from where modules come from.
const imageGo = "1.24"

// golang takes what go.mod names, unless the project holds it itself.
func (d *Dependencies) golang(tree []File, from Sources) bool {
	manifest := find(tree, "go.mod")
	if manifest == nil || find(tree, "vendor/modules.txt") != nil {
		return false
	}
	file, err := modfile.ParseLax("go.mod", manifest.Data, nil)
	if err != nil || len(file.Require) == 0 && !newerGo(file) {
		return false
	}
	d.add(manifest)
	if f := find(tree, "go.sum"); f != nil {
		d.add(f)
	}
	d.Line = "go mod download"
	var proxies []string
	for _, address := range strings.FieldsFunc(orDefault(from.Go, goProxy), func(r rune) bool { return r == ',' || r == '|' }) {
		if strings.Contains(address, "://") { // "direct" would be the host of every single module
			address, _, _ = d.reach(address)
			proxies = append(proxies, address)
		}
	}
	d.Hosts = append(d.Hosts, goSums)
	d.env = []string{"GOMODCACHE=" + DepsFolder + "/go", "GOPROXY=" + orDefault(strings.Join(proxies, ","), "off")}
	return true
}

// version is a version of Go's language.
var version = regexp.MustCompile(`^(?:go)?1\.(\d+)`)

// newerGo reports whether a module needs a newer Go than the image has.
func newerGo(file *modfile.File) bool {
	minor := func(text string) string {
		if m := version.FindStringSubmatch(text); m != nil {
			return strings.Repeat(" ", 3-min(3, len(m[1]))) + m[1]
		}
		return ""
	}
	ours := minor(imageGo)
	return file.Go != nil && minor(file.Go.Version) > ours || file.Toolchain != nil && minor(file.Toolchain.Name) > ours
}
