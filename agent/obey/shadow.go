package obey

import (
	_ "embed"
	"strings"

	"caselsp/store/lazyregexp"
)

//go:embed modules.txt
var modulesText string

// modules are the names of modules that programs import or start by name, in small letters.
var modules = parseModules(modulesText)

func parseModules(text string) map[string]bool {
	list := map[string]bool{}
	for line := range strings.Lines(text) {
		if line[0] == '#' || line[0] == '[' {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			list[strings.ToLower(name)] = true
		}
	}
	return list
}

// topModule matches files that make a module of a project importable by one name: from its own folder, where
// `python -m` and editors start, or from a root of sources. A folder without the file __init__.py stands behind
// what is installed, so that only its program counts.
var topModule = lazyregexp.New(`^(?:(?:src|lib|python)/)?([a-z0-9_]+)(?:\.pyc?|\.pyw|\.pyx|\.[^/]*\.(?:so|pyd)|/__(?:init|main)__(?:\.[^/]*)?\.(?:pyc?|so|pyd))$`)

// shadowing is who obeys a module that Shadows.
const shadowing = "Python and its tools, started in this folder: it stands in front of the module of that name"

// Shadows returns the module of Python's standard library, or of a known tool, that a file
// of a project stands in front of; "" where there is none.
func Shadows(name string) string {
	m := topModule.FindStringSubmatch(fold(name))
	if m == nil || !modules[m[1]] {
		return ""
	}
	return m[1]
}
