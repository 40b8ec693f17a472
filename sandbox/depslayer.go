package sandbox

import (
	"errors"
	"regexp"
	"strings"

	"caselsp/sandbox/inside"
)

// DepsFolder is where a command finds the dependencies of its project.
const DepsFolder = inside.DepsFolder

// WorkFolder is where a command finds its tree.
const WorkFolder = inside.WorkFolder

// ErrNoLayer says that the dependencies of a command are not there, or not any
// more: install them, or run the command without.
var ErrNoLayer = errors.New("the project's dependencies are not installed in the sandbox")

// layerKey is what keys of layers are made of: they become parts of names.
var layerKey = regexp.MustCompile(`^[0-9a-f]{24}$`)

// layerPath are the folders of programs in a layer, for the front of PATH.
const layerPath = DepsFolder + "/python/bin:" + inside.NodeDeps + "/.bin"

// layerVariables returns an environment in which tools find what a layer holds,
// for each kind of project.
func layerVariables(env []string) []string {
	path := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	var all []string
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, "PATH="); ok {
			path = value
			continue
		}
		all = append(all, e)
	}
	return append(all, "PATH="+layerPath+":"+path,
		"PYTHONUSERBASE="+DepsFolder+"/python",
		"GOMODCACHE="+DepsFolder+"/go",
		"NODE_PATH="+inside.NodeLink)
}
