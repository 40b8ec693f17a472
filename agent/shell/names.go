package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Programs returns the names of the programs that a command line runs, wherever
// they stand in it and through wrappers too, in the line's order. Where a name
// only shows when the line runs, it is missing; a line that cannot be parsed has none.
func Programs(line string) []string {
	file, err := parse(line)
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

// Operands returns what the commands of a line are given: their words but for the
// programs' names and for flags, of which the values behind a = count.
func Operands(line string) []string {
	file, err := parse(line)
	if err != nil {
		return nil
	}
	var list []string
	syntax.Walk(file, func(n syntax.Node) bool {
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

// defining are the files in which programs look up what a name on the line means.
var defining = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile"},
	"just": {"justfile", "Justfile", ".justfile"},
}

// Files returns the paths, relative to the root of the workspace, that a command
// line may name, and those of the files in which its programs look up what its
// words mean: what decides, beside the words, about what the line does. Not all of
// them exist. A program that finds its files by other means shows none.
func Files(line string) []string {
	file, err := parse(line)
	if err != nil {
		return nil
	}
	var list []string
	add := func(folder, name string) {
		if p := path.Join(folder, name); !path.IsAbs(name) && p != "." && !strings.HasPrefix(p, "../") && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	folder := "" // where the last cd went
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		words := looseWords(call)
		if words[0] == "cd" && len(words) == 2 {
			folder = path.Join(folder, words[1])
			return true
		}
		for i, w := range words {
			if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
				w = value
			}
			add(folder, w)
			if i > 0 && words[i-1] == "-m" { // a module of Python's
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
