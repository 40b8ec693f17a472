package action

import (
	"fmt"
	"strings"
)

// Fence puts a text from outside (a file, a command's output, memory) between
// marks, <name> and </name>, that it cannot close by itself: where it holds such a
// mark, the marks around it are numbered. The text itself stays as it is, because
// an edit may quote it. (Marks of random letters lost: prompts would differ with
// each call, so that neither caches nor replays would work.)
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
