package patch

import (
	"regexp"
	"strings"
)

var fence = regexp.MustCompile("^\\s*(`{3,}|~{3,})\\s*([^`\\s]*)[^`]*$")

// fences follows the code fences around a patch, line by line outside of bodies.
// In a body a line with a sign never is a fence: see ends.
type fences struct {
	open  string // the signs of the fence that is open; "" outside
	label string // what it says that it holds, in lower case
}

// read looks at a line outside of a body and reports whether it is a fence.
func (f *fences) read(line string) bool {
	m := fence.FindStringSubmatch(line)
	switch {
	case m == nil:
		return false
	case f.open != "" && m[2] == "":
		*f = fences{}
	default:
		*f = fences{m[1], strings.ToLower(m[2])}
	}
	return true
}

// other reports whether the open fence holds something else than a patch.
func (f *fences) other() bool { return f.open != "" && f.label != "" && !f.diff() }

// diff reports whether the open fence says that it holds a patch.
func (f *fences) diff() bool { return f.label == "diff" || f.label == "patch" || f.label == "udiff" }

// mayClose reports whether a line of a body can be the fence that closes the patch:
// it has no sign, not even that of context, and no label.
func (f *fences) mayClose(line string) bool {
	m := fence.FindStringSubmatch(line)
	return m != nil && line[0] == m[1][0] && m[2] == "" && strings.HasPrefix(m[1], f.open)
}

// ends reports whether line i of a body closes the patch. It can as well be a line
// of context that lost its blank, and is that where another hunk of the file
// follows it, or changes and then another fence. sure is false where a fence is open,
// changes follow and no fence does.
func (f *fences) ends(lines []string, i int, head func(int) bool) (yes, sure bool) {
	if !f.mayClose(lines[i]) {
		return false, true
	}
	changes := false
	for k := i + 1; k < len(lines); k++ {
		switch {
		case head(k):
			return !changes && !strings.HasPrefix(lines[k], "@@"), true
		case isChange(lines[k]):
			changes = true
		case fence.MatchString(lines[k]) && !isBody(lines[k]):
			return !changes, true
		}
	}
	return !changes, !changes || f.open == ""
}

// isChange reports whether a line adds or removes text, and is no bullet or rule
// of prose.
func isChange(line string) bool {
	if line == "" || line[0] != '+' && line[0] != '-' || strings.Trim(line, "+- ") == "" || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") {
		return false
	}
	return !strings.HasPrefix(line[1:], " ") || strings.HasPrefix(line[2:], " ")
}
