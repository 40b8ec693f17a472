package sandbox

import (
	"encoding/json"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
)

// authorities are what the sandbox's TLS trusts; Node has a list of its own and
// would not know what the machine's owner added.
const authorities = "/etc/ssl/certs/ca-certificates.crt"

// nodeFolder is where Node's packages are installed, and nodeFlags keep npm from running what
// packages bring along, and from reaching what nobody reads.
const (
	nodeFolder = DepsFolder + "/node"
	nodeFlags  = " --ignore-scripts --no-audit --no-fund"
)

// node takes what package.json and its lock file name, and more packages. Scripts of packages are
// not run: what needs them must be built by a command, which is asked for.
func (d *Dependencies) node(tree []File, more []string) bool {
	named, beside := d.manifest(tree), ""
	for _, name := range more {
		beside += " " + quotedIfNeeded(name)
	}
	switch {
	case beside == "":
		return named
	case named: // npm is in their folder
		d.Line = "{ " + d.Line + "; } && npm install --no-save --no-package-lock" + nodeFlags + beside
	default:
		d.Line = "mkdir -p " + nodeFolder + " && cd " + nodeFolder + " && npm install --no-package-lock" + nodeFlags + beside
	}
	return true
}

// manifest takes what package.json and its lock file name.
func (d *Dependencies) manifest(tree []File) bool {
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
	locked := false
	for _, name := range []string{"npm-shrinkwrap.json", "package-lock.json"} {
		if f := find(tree, name); f != nil {
			d.add(f)
			locked = true
		}
	}
	d.Line = "mkdir -p " + nodeFolder + " && cp *.json " + nodeFolder + " && cd " + nodeFolder + " && "
	if locked {
		d.Line += "{ npm ci" + nodeFlags + " >/tmp/ci 2>&1 && cat /tmp/ci || { cat /tmp/ci; grep -q EUSAGE /tmp/ci && echo '" + unlocked + "' && npm install --no-package-lock" + nodeFlags + "; }; }"
	} else {
		d.Line += "{ npm install --no-package-lock" + nodeFlags + " >/tmp/npm 2>&1 && cat /tmp/npm || { cat /tmp/npm; grep -q -e ERESOLVE -e edgesOut /tmp/npm && echo '" + unresolved + "' && npm install --no-package-lock --legacy-peer-deps" + nodeFlags + "; }; }"
	}
	return true
}

// unresolved is said where npm finds no versions that suit all peers, or ends over that with an error of its own ("Cannot read
// properties of null (reading 'edgesOut')", npm 9 with projects of pnpm): other installers take what there is.
const unresolved = "npm found no versions that suit all peer dependencies: installed without these."

// unlocked is said where the lock file does not have what package.json names: then npm takes
// what package.json says. Any other failure stays one.
const unlocked = "The lock file does not fit package.json: installed without it."

// openNode lets npm reach its registry. That npm has a newer version is no reason to
// reach anything.
func (d *Dependencies) openNode() {
	d.env = []string{"NPM_CONFIG_UPDATE_NOTIFIER=false", "NODE_EXTRA_CA_CERTS=" + authorities}
	if d.From.Node != "" {
		registry, _, _ := d.reach(d.From.Node)
		d.env = append(d.env, "NPM_CONFIG_REGISTRY="+registry)
	}
}

// imageGo is the Go of the bundled image: a project that asks for a newer one
// gets it as a dependency, from where modules come from.
const imageGo = "1.24"

// golang takes what go.mod names, unless the project holds it itself.
func (d *Dependencies) golang(tree []File) bool {
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
	return true
}

// openGo lets Go reach where modules come from and, where it is on, the database of
// their checksums: Go asks that for the ones which the project does not have yet.
func (d *Dependencies) openGo() {
	d.env = []string{"GOMODCACHE=" + DepsFolder + "/go"}
	if d.From.Go != "" {
		var proxies []string
		for _, address := range strings.FieldsFunc(d.From.Go, func(r rune) bool { return r == ',' || r == '|' }) {
			if strings.Contains(address, "://") { // "direct" would be the host of every single module
				address, _, _ = d.reach(address)
				proxies = append(proxies, address)
			}
		}
		d.env = append(d.env, "GOPROXY="+orDefault(strings.Join(proxies, ","), "off"))
	}
	if sums := strings.Fields(d.From.GoSums); len(sums) > 0 && sums[0] != "off" {
		// A name, perhaps with a key, and perhaps an address where it is found.
		address, _, _ := strings.Cut(sums[0], "+")
		address = "https://" + address
		if len(sums) > 1 {
			address = sums[1]
		}
		d.reach(address)
	}
	if d.From.GoSums != "" {
		d.env = append(d.env, "GOSUMDB="+d.From.GoSums)
	}
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
