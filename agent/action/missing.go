package action

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/workspace"
)

// maxNamesakes bounds what a message lists: more names than that do not help to choose.
const maxNamesakes = 5

// Namesakes lists those of the files that have the last name of a missing one, in any
// case of letters, one a line; "" without a match. Those that share most of its
// folders come first: models leave out the beginning of a path.
func Namesakes(files []workspace.Entry, missing string) string {
	var names []string
	for _, f := range files {
		if strings.EqualFold(path.Base(f.Path), path.Base(missing)) {
			names = append(names, f.Path)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return sharedEnd(b, missing) - sharedEnd(a, missing) })
	var b strings.Builder
	for _, name := range names[:min(len(names), maxNamesakes)] {
		fmt.Fprintf(&b, "  %s\n", name)
	}
	if more := len(names) - maxNamesakes; more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}

// sharedEnd counts the names that two paths have in common at their ends.
func sharedEnd(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < min(len(x), len(y)) && strings.EqualFold(x[len(x)-1-n], y[len(y)-1-n]) {
		n++
	}
	return n
}
