package patch

import (
	"fmt"
	"strings"

	"caselsp/agent/count"
)

var loneReturns = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Rewrite fits content, a whole file as a model writes it, to the file's text
// before. Lines that are unchanged keep their bytes; new lines take the ending
// of their neighbours. A new or empty file is what content says.
//
// Models drop and add the newline at the end of a file without meaning it. So a
// file that ends with one keeps it, and one that does not gets one only if
// content has another last line and a newline after it.
//
// A file whose lines all end in a lone carriage return keeps these endings. Only here: line numbers and
// diffs do not know them, so that to them the file is one line.
func Rewrite(before, content string) string {
	if strings.Contains(before, "\r") && !strings.Contains(before, "\n") {
		content = Rewrite(loneReturns.Replace(before), loneReturns.Replace(content))
		return strings.ReplaceAll(content, "\n", "\r")
	}
	old, text := split(before), split(content)
	if len(old.lines) == 0 || len(text.lines) == 0 {
		return content
	}
	from, same := common(old.bare, text.bare) // of equal lines beside a new one, each keeps its own ending
	edits := old.changes(from, len(old.bare)-same, text.bare[from:len(text.bare)-same], 0)
	end := closeIt
	sameLast := old.bare[len(old.bare)-1] == text.bare[len(text.bare)-1]
	if !old.closed() && (sameLast || !text.closed()) {
		end = openIt
	}
	return old.splice(edits, end)
}

// ReplaceLines puts content in place of the lines from to to of before, counted
// from 1, both included. With to = from-1 it is inserted before the line from;
// from may be one after the last line. Content without lines deletes. Lines that
// are the same keep their bytes, new ones take the ending of their neighbours,
// and the end of the file keeps or lacks its newline as before.
func ReplaceLines(before string, from, to int, content string) (string, error) {
	d := split(before)
	n := len(d.lines)
	if from < 1 || to < from-1 || to > n || from > n+1 {
		return before, fmt.Errorf("lines %d to %d cannot be replaced: the file has %s; from must be 1 or more and to from %d to %d",
			from, to, count.Of(n, "line"), max(from-1, 0), n)
	}
	return d.splice(d.changes(from-1, to, split(content).bare, 0), asBefore), nil
}
