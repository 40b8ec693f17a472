package action

import (
	"fmt"
	"strings"
)

// Fence puts a text from outside (a file, a command's output, memory) between
// marks, <name> and </name>, that it cannot close by itself: where it holds such a
// mark, the marks around it are numbered. The text itself stays as it is, for it
// may be quoted in an edit; so what a file says is never more than what it says
// (SPEC row S7). (A mark of random letters lost: prompts would differ with each
// call, and neither caches nor replays would hold.)
func Fence(name, text string) string {
	mark := name
	for n := 2; holdsMark(text, mark); n++ {
		mark = fmt.Sprintf("%s-%d", name, n)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fmt.Sprintf("<%s>\n%s</%s>", mark, text, mark)
}

// Fenced returns the text that stands between the marks of a name, which [Fence]
// made; false where there are none.
func Fenced(name, text string) (string, bool) {
	_, rest, found := strings.Cut(text, "<"+name)
	number, rest, opened := strings.Cut(rest, ">\n")
	if !found || !opened || number != "" && !strings.HasPrefix(number, "-") {
		return "", false
	}
	end := strings.LastIndex(rest, "</"+name+number+">")
	if end < 0 {
		return "", false
	}
	return rest[:end], true
}

// holdsMark reports whether a text has what could be read as the end of a mark,
// in any spelling that a reader would take for it.
func holdsMark(text, mark string) bool {
	squeezed := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\r', '\u00a0', '\u200b', '\ufeff':
			return -1
		case '\u2215', '\u2044', '\uff0f':
			return '/'
		case '\uff1c':
			return '<'
		}
		return r
	}, text)
	return strings.Contains(strings.ToLower(squeezed), "</"+mark)
}
