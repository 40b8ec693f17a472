package patch

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"caselsp/agent/count"
)

// document is a file's text as lines. lines[i] has its ending, bare[i] has not;
// a carriage return that is not part of an ending is content.
type document struct {
	mark        string // the byte-order mark before the first line, or ""
	lines, bare []string
}

// byteOrderMark is what some editors of Windows begin a text in UTF-8 with. It is
// no part of the first line.
const byteOrderMark = "\ufeff"

func split(text string) *document {
	n := strings.Count(text, "\n") + 1
	d := &document{lines: make([]string, 0, n), bare: make([]string, 0, n)}
	if rest, ok := strings.CutPrefix(text, byteOrderMark); ok {
		d.mark, text = byteOrderMark, rest
	}
	for text != "" {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		d.lines = append(d.lines, line)
		d.bare = append(d.bare, strings.TrimSuffix(line, ending(line)))
		text = text[len(line):]
	}
	return d
}

// ending returns the line ending of a line: "\n", "\r\n" or "".
func ending(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	}
	return ""
}

// closed reports whether the text ends with a newline; an empty one counts as
// closed, so that what is written into it will be.
func (d *document) closed() bool {
	return len(d.lines) == 0 || ending(d.lines[len(d.lines)-1]) != ""
}

// endingNear returns the line ending that is usual at line i: its own, or that
// of the nearest line that has one, those before it first.
func (d *document) endingNear(i int) string {
	last := len(d.lines) - 1
	for _, k := range []int{min(i, last), min(i, last) - 1, 0} { // only the last line can have none
		if k >= 0 && k <= last && ending(d.lines[k]) != "" {
			return ending(d.lines[k])
		}
	}
	return "\n"
}

// edit replaces the lines [from, to) of a document.
type edit struct {
	from, to int
	with     []string // without endings
	hunk     int
}

// changes returns the edits that make other lines of the lines [from, to). Lines that both
// have in common are not written.
func (d *document) changes(from, to int, with []string, hunk int) (edits []edit) {
	for _, x := range lcs.DiffLines(d.bare[from:to], with) {
		edits = append(edits, edit{from: from + x.Start, to: from + x.End, with: with[x.ReplStart:x.ReplEnd], hunk: hunk})
	}
	return edits
}

// last says what becomes of the newline at the end of the file.
type last int

const (
	asBefore last = iota // the last line has one if it had one before
	closeIt
	openIt
)

// splice returns the text with the edits made. They are in order and do not
// overlap. The lines that no edit names keep every byte, except for a last line
// without a newline that gets one because it is no longer the last.
//
// The k-th new line takes the ending of the k-th line that it replaces, further
// ones that of the line before: in a file of mixed endings this follows the
// neighbours.
func (d *document) splice(edits []edit, end last) string {
	out := make([]string, 0, len(d.lines)+len(edits))
	done := 0
	for _, e := range edits {
		out = append(out, d.lines[done:e.from]...)
		for k, text := range e.with {
			out = append(out, text+d.endingNear(max(0, min(e.from+k, e.to-1))))
		}
		done = e.to
	}
	out = append(out, d.lines[done:]...)
	return d.finish(out, end)
}

// finish puts the newlines right at the former and at the new end of the text.
func (d *document) finish(out []string, end last) string {
	usual := d.endingNear(len(d.lines) - 1)
	n := len(out) - 1
	if end == asBefore && !d.closed() {
		end = openIt
	}
	for i, l := range out {
		switch {
		case i < n || end == closeIt:
			if ending(l) == "" {
				out[i] = l + usual
			}
		case end == openIt:
			out[i] = strings.TrimSuffix(l, ending(l))
		}
	}
	return d.mark + strings.Join(out, "")
}

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
