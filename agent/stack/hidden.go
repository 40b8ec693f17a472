package stack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// absent are the lines that name a module inside a package of Python, or a file, that was not found.
var absent = lazyregexp.New(`No module named ['"]([A-Za-z_]\w*(?:\.\w+)+)['"]|(?:Cannot find module|No such file or directory:|ENOENT: no such file or directory, \w+) ['"]([^'"\n]{1,200})['"]|open ([^\s:]{1,200}): no such file or directory`)

// groups are the groups of a match.
func groups(text string, at []int) (list []string) {
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			list = append(list, text[at[i]:at[i+1]])
		}
	}
	return list
}

// hidden is the lack of a file that the user has and the sandbox has not, because git ignores it. name is
// that of a module, or a path as the program knows it.
func (r Run) hidden(name string) (Lack, bool) {
	if r.Hidden == nil {
		return Lack{}, false
	}
	for _, file := range r.places(name) {
		if r.Hidden(file) {
			return Lack{Kind: Hidden, Name: file, Cause: file + " is in your folder, but git ignores it, so the sandbox has no copy", Hint: fmt.Sprintf(hintHidden, file)}, true
		}
	}
	return Lack{}, false
}

// places are the files of the project that a name can be of.
func (r Run) places(name string) (list []string) {
	if top, rest, dotted := strings.Cut(name, "."); dotted && !strings.Contains(name, "/") && top != "" {
		file := strings.ReplaceAll(rest, ".", "/")
		for _, p := range r.Paths {
			if folder, ok := strings.CutSuffix(p, "/__init__.py"); ok && path.Base(folder) == top && !foreign.MatchString(p) {
				list = append(list, folder+"/"+file+".py", folder+"/"+file+"/__init__.py")
			}
		}
	}
	if trimmed := path.Clean(strings.TrimPrefix(name, sandboxFolder)); !path.IsAbs(trimmed) && trimmed != "." && !strings.HasPrefix(trimmed, "..") {
		list = append(list, trimmed)
	}
	return slices.Compact(list)
}

// sandboxFolder is where a sandbox has the project.
const sandboxFolder = "/workspace/"

// Causes names what was lacking in a line.
func Causes(lacks []Lack) string {
	var list []string
	for _, l := range lacks {
		list = append(list, l.Cause)
	}
	return strings.Join(list, "; ")
}
