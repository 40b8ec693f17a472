package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Programs returns the names of the programs that a command line runs, nested ones
// and those behind wrappers too, in the line's order. A name that is known only
// when the line runs is missing; a line that cannot be parsed has none.
func Programs(line string) []string {
	file, _, err := parse(line)
	if err != nil {
		return nil
	}
	var names []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			for _, words := range commandsOf(looseWords(call), 0) {
				if name := programOf(words); name != "" {
					names = append(names, name)
				}
			}
		}
		return true
	})
	return names
}

// operands returns the arguments of a command and of those in it: the words that are
// neither program names nor flags, and the values of flags with a =.
func operands(node syntax.Node) (list []string) {
	syntax.Walk(node, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		for _, w := range looseWords(call)[1:] {
			name, value, has := strings.Cut(w, "=")
			switch {
			case !strings.HasPrefix(w, "-"):
				list = append(list, w)
			case has && strings.HasPrefix(name, "-"):
				list = append(list, value)
			}
		}
		return true
	})
	return list
}

// defining are the files in which programs look up the names of their targets.
var defining = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile"},
	"just": {"justfile", "Justfile", ".justfile"},
}

// Files returns the files that decide what a command line does: paths, relative to
// the root of the workspace, that the line may name, and the files in which its
// programs look up the names of targets. Not all of them exist. Files that a
// program finds by other means are missing.
func Files(line string) []string {
	file, _, err := parse(line)
	if err != nil {
		return nil
	}
	var list []string
	add := func(folder, name string) {
		if p := path.Join(folder, name); !path.IsAbs(name) && p != "." && !strings.HasPrefix(p, "../") && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	folder := "" // of the last cd
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		words := looseWords(call)
		if (words[0] == "cd" || words[0] == "pushd") && len(words) == 2 {
			folder = path.Join(folder, words[1])
			return true
		}
		for i, w := range words {
			if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
				w = value
			}
			add(folder, w)
			if i > 0 && words[i-1] == "-m" { // a Python module
				add(folder, strings.ReplaceAll(w, ".", "/")+".py")
				add(folder, strings.ReplaceAll(w, ".", "/")+"/__main__.py")
			}
			for _, name := range defining[programOf(words)] {
				if i > 0 {
					add(path.Join(folder, w), name) // make -C folder
				} else {
					add(folder, name)
				}
			}
		}
		return true
	})
	return list
}
